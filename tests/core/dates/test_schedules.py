"""The moments that words ask for: reminders and what comes again and again."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pagekeeper_core.dates import find_schedule, next_due

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 25, 14, 30, tzinfo=BERLIN)
"""A Wednesday afternoon."""

ONCE = """
remind me on Friday at nine | 2026-11-27 09:00
on Friday | 2026-11-27 09:00
on Wednesday | 2026-12-02 09:00
on Wednesday at 6pm | 2026-11-25 18:00
next Friday at 10 | 2026-12-04 10:00
this coming Friday | 2026-11-27 09:00
tomorrow | 2026-11-26 09:00
tomorrow morning | 2026-11-26 09:00
tomorrow evening | 2026-11-26 19:00
tomorrow at noon | 2026-11-26 12:00
tomorrow at 3 | 2026-11-26 15:00
tomorrow at 3:15 | 2026-11-26 15:15
tomorrow at 03:15 | 2026-11-26 03:15
tomorrow at 7 | 2026-11-26 07:00
tomorrow at seven in the evening | 2026-11-26 19:00
at half past eight tomorrow | 2026-11-26 08:30
at a quarter to nine tomorrow morning | 2026-11-26 08:45
at nine | 2026-11-25 21:00
at three | 2026-11-25 15:00
at two | 2026-11-26 14:00
at 9 am | 2026-11-26 09:00
at 18:30 | 2026-11-25 18:30
at 13:00 | 2026-11-26 13:00
at midnight | 2026-11-26 00:00
tonight | 2026-11-25 19:00
tonight at ten | 2026-11-25 22:00
today | 2026-11-25 16:00
today at 5 | 2026-11-25 17:00
in ten minutes | 2026-11-25 14:40
in an hour | 2026-11-25 15:30
in half an hour | 2026-11-25 15:00
in an hour and a half | 2026-11-25 16:00
two hours from now | 2026-11-25 16:30
in three days | 2026-11-28 09:00
in two weeks at 10:00 | 2026-12-09 10:00
in a month | 2026-12-25 09:00
next week | 2026-11-30 09:00
a week from Friday | 2026-12-04 09:00
two days before 24 December | 2026-12-22 09:00
the last Friday of the month | 2026-11-27 09:00
on Christmas Eve at six | 2026-12-24 18:00
el día 15 a las 10 | 2026-12-15 10:00
le 15 à 10h | 2026-12-15 10:00
demain soir à 20h | 2026-11-26 20:00
来週末 | 2026-12-05 09:00
내일 오후 3시 30분 | 2026-11-26 15:30
next month | 2026-12-01 09:00
on 4 December at 9:30 | 2026-12-04 09:30
on 3 May | 2027-05-03 09:00
on the 5th at noon | 2026-12-05 12:00
2026-12-24 18:00 | 2026-12-24 18:00
in spring | 2027-03-01 09:00
Remind me to call Bob tomorrow at the office at nine in the evening | 2026-11-26 21:00
Please remind me at 8 pm to water the plants | 2026-11-25 20:00
yesterday at nine | 2026-11-24 09:00
on 3 May 2020 | 2020-05-03 09:00
明天早上八点 | 2026-11-26 08:00
明天下午三点半提醒我开会 | 2026-11-26 15:30
明早 | 2026-11-26 09:00
今晚九点 | 2026-11-25 21:00
下周五上午十点 | 2026-12-04 10:00
周五九点一刻 | 2026-11-27 09:15
十分钟后 | 2026-11-25 14:40
半小时后提醒我 | 2026-11-25 15:00
两个小时以后 | 2026-11-25 16:30
三天后 | 2026-11-28 09:00
後天晚上八點 | 2026-11-27 20:00
12月24日18点 | 2026-12-24 18:00
mañana a las nueve y media | 2026-11-26 09:30
mañana por la mañana | 2026-11-26 09:00
el viernes a las ocho de la tarde | 2026-11-27 20:00
en diez minutos | 2026-11-25 14:40
dentro de dos horas | 2026-11-25 16:30
demain à neuf heures et demie | 2026-11-26 09:30
vendredi prochain à 18h30 | 2026-11-27 18:30
dans dix minutes | 2026-11-25 14:40
dans deux heures | 2026-11-25 16:30
après-demain matin | 2026-11-27 09:00
morgen um neun | 2026-11-26 09:00
morgen früh um halb acht | 2026-11-26 07:30
am Freitag um 18:30 Uhr | 2026-11-27 18:30
am Freitag um 9 Uhr 30 | 2026-11-27 09:30
in zehn Minuten | 2026-11-25 14:40
am 3. Mai um Viertel nach acht | 2027-05-03 08:15
amanhã às nove e meia | 2026-11-26 09:30
na sexta-feira às 18h | 2026-11-27 18:00
daqui a dez minutos | 2026-11-25 14:40
domani alle nove e mezza | 2026-11-26 09:30
tra dieci minuti | 2026-11-25 14:40
domani mattina | 2026-11-26 09:00
morgen om half negen | 2026-11-26 08:30
vrijdag om negen uur | 2026-11-27 09:00
over tien minuten | 2026-11-25 14:40
завтра в девять утра | 2026-11-26 09:00
в пятницу в 18:30 | 2026-11-27 18:30
завтра в половине девятого | 2026-11-26 08:30
через десять минут | 2026-11-25 14:40
через неделю | 2026-12-02 09:00
明日の朝8時 | 2026-11-26 08:00
金曜日の9時半に | 2026-11-27 09:30
10分後 | 2026-11-25 14:40
午後3時に | 2026-11-25 15:00
내일 아침 8시 | 2026-11-26 08:00
금요일 오후 세 시 | 2026-11-27 15:00
10분 후 | 2026-11-25 14:40
"""

AGAIN = """
every morning, what is due? | 2026-11-26 09:00 | FREQ=DAILY
every day at 8 | 2026-11-26 08:00 | FREQ=DAILY
daily at 18:30 | 2026-11-25 18:30 | FREQ=DAILY
every evening at seven | 2026-11-25 19:00 | FREQ=DAILY
every Monday | 2026-11-30 09:00 | FREQ=WEEKLY;BYDAY=MO
on Mondays | 2026-11-30 09:00 | FREQ=WEEKLY;BYDAY=MO
every Monday morning at half past eight | 2026-11-30 08:30 | FREQ=WEEKLY;BYDAY=MO
every Monday and Thursday at 10:00 | 2026-11-26 10:00 | FREQ=WEEKLY;BYDAY=MO,TH
every second Monday at 18:30 | 2026-11-30 18:30 | FREQ=WEEKLY;INTERVAL=2;BYDAY=MO
every other Friday | 2026-11-27 09:00 | FREQ=WEEKLY;INTERVAL=2;BYDAY=FR
every weekday at 7:45 | 2026-11-26 07:45 | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR
every two weeks | 2026-12-02 09:00 | FREQ=WEEKLY;INTERVAL=2;BYDAY=WE
every two hours | 2026-11-25 16:30 | FREQ=HOURLY;INTERVAL=2
every 30 minutes | 2026-11-25 15:00 | FREQ=MINUTELY;INTERVAL=30
on the first of each month | 2026-12-01 09:00 | FREQ=MONTHLY;BYMONTHDAY=1
every 15th at noon | 2026-12-15 12:00 | FREQ=MONTHLY;BYMONTHDAY=15
on the 31st of every month | 2026-11-30 09:00 | FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1
on the last day of every month | 2026-11-30 09:00 | FREQ=MONTHLY;BYMONTHDAY=-1
on the second Monday of every month at 10am | 2026-12-14 10:00 | FREQ=MONTHLY;BYDAY=2MO
on the last Friday of every month | 2026-11-27 09:00 | FREQ=MONTHLY;BYDAY=-1FR
every first Monday of the month | 2026-12-07 09:00 | FREQ=MONTHLY;BYDAY=1MO
every 2nd of the month | 2026-12-02 09:00 | FREQ=MONTHLY;BYMONTHDAY=2
每周末 | 2026-11-28 09:00 | FREQ=WEEKLY;BYDAY=SA
every 3 May | 2027-05-03 09:00 | FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3
every year on 24 December at 18:00 | 2026-12-24 18:00 | FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24
每天早上 | 2026-11-26 09:00 | FREQ=DAILY
每天晚上九点提醒我吃药 | 2026-11-25 21:00 | FREQ=DAILY
每周一上午十点 | 2026-11-30 10:00 | FREQ=WEEKLY;BYDAY=MO
每两周 | 2026-12-02 09:00 | FREQ=WEEKLY;INTERVAL=2;BYDAY=WE
每月一号 | 2026-12-01 09:00 | FREQ=MONTHLY;BYMONTHDAY=1
每年5月3日 | 2027-05-03 09:00 | FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3
todos los lunes a las nueve | 2026-11-30 09:00 | FREQ=WEEKLY;BYDAY=MO
todas las mañanas | 2026-11-26 09:00 | FREQ=DAILY
tous les matins à huit heures | 2026-11-26 08:00 | FREQ=DAILY
tous les deux jours | 2026-11-26 09:00 | FREQ=DAILY;INTERVAL=2
jeden zweiten Montag um 18:30 Uhr | 2026-11-30 18:30 | FREQ=WEEKLY;INTERVAL=2;BYDAY=MO
jeden Morgen um acht | 2026-11-26 08:00 | FREQ=DAILY
am Ersten jedes Monats | 2026-12-01 09:00 | FREQ=MONTHLY;BYMONTHDAY=1
toda segunda-feira às 9h | 2026-11-30 09:00 | FREQ=WEEKLY;BYDAY=MO
ogni mattina alle otto | 2026-11-26 08:00 | FREQ=DAILY
elke maandag om half negen | 2026-11-30 08:30 | FREQ=WEEKLY;BYDAY=MO
каждый понедельник в 9:00 | 2026-11-30 09:00 | FREQ=WEEKLY;BYDAY=MO
каждое утро | 2026-11-26 09:00 | FREQ=DAILY
毎朝8時 | 2026-11-26 08:00 | FREQ=DAILY
毎週月曜日 | 2026-11-30 09:00 | FREQ=WEEKLY;BYDAY=MO
매일 아침 | 2026-11-26 09:00 | FREQ=DAILY
매주 월요일 9시 | 2026-11-30 09:00 | FREQ=WEEKLY;BYDAY=MO
"""

NO_MOMENTS = (
    "Remind me to buy milk.",
    "soon",
    "when I come home",
    "May I ask you something?",
    "Call 555-1234.",
    "the other day",
    "in two ways",
    "at 20 percent",
    "at one point",
    "J'ai dormi huit heures.",
    "un caractère à un seul octet",
    "um einen Tag zu früh",
    "我有一点累",
    "记得买牛奶",
    "等我回家",
    "",
)


def rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(line.split(" | ")) for line in table.strip().splitlines()]


@pytest.mark.parametrize(("phrase", "expected"), rows(ONCE))
def test_a_phrase_names_one_moment(phrase: str, expected: str) -> None:
    found = find_schedule(phrase, NOW)

    assert found is not None
    assert (f"{found.due_at:%Y-%m-%d %H:%M}", found.recurrence) == (expected, "")


@pytest.mark.parametrize(("phrase", "first", "rule"), rows(AGAIN))
def test_a_phrase_names_what_comes_again(phrase: str, first: str, rule: str) -> None:
    found = find_schedule(phrase, NOW)

    assert found is not None
    at = "" if "MINUTELY" in rule or "HOURLY" in rule else _at(found.due_at)
    assert (f"{found.due_at:%Y-%m-%d %H:%M}", found.recurrence) == (first, rule + at)


def _at(moment: datetime) -> str:
    return f";BYHOUR={moment.hour};BYMINUTE={moment.minute}"


@pytest.mark.parametrize("text", NO_MOMENTS)
def test_other_words_name_none(text: str) -> None:
    assert find_schedule(text, NOW) is None


def test_the_phrase_holds_the_words_of_date_and_time() -> None:
    found = find_schedule("Remind me on Friday, please, at nine to call Bob.", NOW)

    assert found is not None
    assert found.phrase == "on Friday at nine"


def test_a_moment_keeps_the_zone_it_was_asked_in() -> None:
    found = find_schedule("on 3 July at nine", NOW)

    assert found is not None
    assert found.due_at.isoformat() == "2027-07-03T09:00:00+02:00"


def test_minutes_are_counted_through_a_change_of_clocks() -> None:
    before = datetime(2026, 10, 25, 2, 50, tzinfo=BERLIN)
    found = find_schedule("in twenty minutes", before)

    assert found is not None
    assert found.due_at.astimezone(UTC) - before.astimezone(UTC) == timedelta(minutes=20)


def test_an_hour_that_the_clocks_skip_moves_on() -> None:
    found = find_schedule("tomorrow at 02:30", datetime(2026, 3, 28, 12, 0, tzinfo=BERLIN))

    assert found is not None
    assert found.due_at.isoformat() == "2026-03-29T03:30:00+02:00"


def following(rule: str, after: datetime, first: datetime, count: int = 4) -> list[str]:
    found: list[str] = []
    moment: datetime | None = after
    while moment is not None and len(found) < count:
        moment = next_due(rule, moment, first)
        if moment is not None:
            found.append(f"{moment:%Y-%m-%d %H:%M}")
    return found


def test_every_morning_stays_at_nine_when_the_clocks_change() -> None:
    first = datetime(2026, 3, 27, 9, 0, tzinfo=BERLIN)
    rule = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"

    assert following(rule, first, first.astimezone(UTC)) == [
        f"2026-03-{day} 09:00" for day in (28, 29, 30, 31)
    ]


def test_a_moment_that_was_skipped_once_is_back_at_its_time_the_day_after() -> None:
    skipped = datetime(2026, 3, 29, 3, 30, tzinfo=BERLIN)

    assert following("FREQ=DAILY;BYHOUR=2;BYMINUTE=30", skipped, skipped, 1) == ["2026-03-30 02:30"]


def test_every_second_monday_counts_from_the_first() -> None:
    first = datetime(2026, 11, 30, 18, 30, tzinfo=BERLIN)
    rule = "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=18;BYMINUTE=30"
    missed = datetime(2026, 12, 8, 8, 0, tzinfo=BERLIN)

    assert following(rule, missed, first, 2) == ["2026-12-14 18:30", "2026-12-28 18:30"]


def test_the_31st_is_the_last_day_of_a_shorter_month() -> None:
    found = find_schedule("on the 31st of every month", datetime(2026, 1, 31, 12, tzinfo=BERLIN))

    assert found is not None
    assert following(found.recurrence, found.due_at, found.due_at, 3) == [
        "2026-03-31 09:00",
        "2026-04-30 09:00",
        "2026-05-31 09:00",
    ]


def test_every_two_hours_goes_by_elapsed_time() -> None:
    first = datetime(2026, 10, 25, 1, 0, tzinfo=BERLIN)

    second = next_due("FREQ=HOURLY;INTERVAL=2", first, first)
    assert second is not None
    assert second.astimezone(UTC) - first.astimezone(UTC) == timedelta(hours=2)


def test_a_long_absence_costs_no_time() -> None:
    first = datetime(2020, 1, 1, 9, 0, tzinfo=BERLIN)

    assert next_due("FREQ=MINUTELY;INTERVAL=1", NOW, first) == NOW + timedelta(minutes=1)


def test_who_travels_is_reminded_on_the_clock_there() -> None:
    first = datetime(2026, 11, 20, 9, 0, tzinfo=BERLIN)
    in_tokyo = datetime(2026, 11, 25, 12, 0, tzinfo=ZoneInfo("Asia/Tokyo"))

    due = next_due("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", in_tokyo, first)
    assert due is not None
    assert due.isoformat() == "2026-11-26T09:00:00+09:00"


def test_what_does_not_recur_has_no_next_moment() -> None:
    assert next_due("", NOW, NOW) is None
    assert next_due("FREQ=DAILY;UNTIL=20260101T000000", NOW, NOW - timedelta(days=900)) is None


@pytest.mark.parametrize("rule", ["nonsense", "FREQ=SOMETIMES", "FREQ=DAILY;BYHOUR=x"])
def test_a_rule_that_is_none_is_refused(rule: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        next_due(rule, NOW, NOW)
