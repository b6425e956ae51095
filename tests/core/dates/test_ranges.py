"""Phrases that speak of a date, and what they mean, in eleven languages."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from pagekeeper_core.dates import find_range

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 25, 14, 30, tzinfo=BERLIN)
"""A Wednesday afternoon."""

# What is expected: a day, the first and last day, or two wall-clock times.
ENGLISH = """
yesterday | 2026-11-24
today | 2026-11-25
the day before yesterday | 2026-11-23
three days ago | 2026-11-22
10 days ago | 2026-11-15
a week ago | 2026-11-16 .. 2026-11-22
two weeks ago | 2026-11-09 .. 2026-11-15
2 weeks ago | 2026-11-09 .. 2026-11-15
a fortnight ago | 2026-11-09 .. 2026-11-15
a couple of months ago | 2026-09-01 .. 2026-09-30
three months ago | 2026-08-01 .. 2026-08-31
a year ago | 2025-01-01 .. 2025-12-31
two years ago | 2024-01-01 .. 2024-12-31
two hours ago | 2026-11-25 12:00 .. 2026-11-25 13:00
last week | 2026-11-16 .. 2026-11-22
this week | 2026-11-23 .. 2026-11-29
next week | 2026-11-30 .. 2026-12-06
last month | 2026-10-01 .. 2026-10-31
this month | 2026-11-01 .. 2026-11-30
last year | 2025-01-01 .. 2025-12-31
last weekend | 2026-11-21 .. 2026-11-22
on the weekend | 2026-11-21 .. 2026-11-22
the last two weeks | 2026-11-11 .. 2026-11-25
in the past three days | 2026-11-22 .. 2026-11-25
the last few days | 2026-11-22 .. 2026-11-25
last Tuesday | 2026-11-24
last Wednesday | 2026-11-18
Tuesday | 2026-11-24
on Wednesday | 2026-11-18
on Friday | 2026-11-20
Tuesday last week | 2026-11-17
last week on Tuesday | 2026-11-17
Tuesday two weeks ago | 2026-11-10
this Monday | 2026-11-23
next Friday | 2026-12-04
this coming Friday | 2026-11-27
on Sat | 2026-11-21
yesterday evening | 2026-11-24 17:00 .. 2026-11-25 00:00
last night | 2026-11-24 20:00 .. 2026-11-25 05:00
this morning | 2026-11-25 05:00 .. 2026-11-25 12:00
tonight | 2026-11-25 17:00 .. 2026-11-26 00:00
on Monday morning | 2026-11-23 05:00 .. 2026-11-23 12:00
the morning of 3 May | 2026-05-03 05:00 .. 2026-05-03 12:00
in March | 2026-03-01 .. 2026-03-31
in May | 2026-05-01 .. 2026-05-31
in December | 2025-12-01 .. 2025-12-31
in November | 2026-11-01 .. 2026-11-30
last March | 2026-03-01 .. 2026-03-31
last November | 2025-11-01 .. 2025-11-30
March of last year | 2025-03-01 .. 2025-03-31
March 2026 | 2026-03-01 .. 2026-03-31
in May 2024 | 2024-05-01 .. 2024-05-31
early March | 2026-03-01 .. 2026-03-10
the end of March | 2026-03-21 .. 2026-03-31
3 May | 2026-05-03
May 3 | 2026-05-03
May 3rd, 2025 | 2025-05-03
3rd of May 2025 | 2025-05-03
the third of May | 2026-05-03
25 December | 2025-12-25
Friday, 4 December 2026 | 2026-12-04
on the 5th | 2026-11-05
on the 28th | 2026-10-28
the 5th of last month | 2026-10-05
in 2025 | 2025-01-01 .. 2025-12-31
last summer | 2026-06-01 .. 2026-08-31
in winter | 2025-12-01 .. 2026-02-28
summer of 2024 | 2024-06-01 .. 2024-08-31
in the spring of last year | 2025-03-01 .. 2025-05-31
2026-03-01 | 2026-03-01
2026-03-01 to 2026-03-05 | 2026-03-01 .. 2026-03-05
2026-03-05 to 2026-03-01 | 2026-03-01 .. 2026-03-05
from 2026-03-01 until 2026-03-05 | 2026-03-01 .. 2026-03-05
2026/3/1 | 2026-03-01
3.5.2026 | 2026-05-03
5/3/2026 | 2026-05-03
25/3/2026 | 2026-03-25
2026-03 | 2026-03-01 .. 2026-03-31
between 3 and 9 May | 2026-05-03 .. 2026-05-09
3-9 May | 2026-05-03 .. 2026-05-09
from 3 to 9 May 2025 | 2025-05-03 .. 2025-05-09
May 3 to 9 | 2026-05-03 .. 2026-05-09
from Monday to Wednesday | 2026-11-16 .. 2026-11-18
between Monday and Tuesday | 2026-11-23 .. 2026-11-24
from March to May | 2026-03-01 .. 2026-05-31
from 28 April to 3 May | 2026-04-28 .. 2026-05-03
since Monday | 2026-11-23 .. 2026-11-25
since March | 2026-03-01 .. 2026-11-25
since yesterday | 2026-11-24 .. 2026-11-25
after 20 November | 2026-11-21 .. 2026-11-25
before March | 1971-01-01 .. 2026-02-28
two weeks before 11 August 2023 | 2023-07-24 .. 2023-07-30
the week before 16 November 2023 | 2023-11-09 .. 2023-11-15
the Sunday before October 25, 2022 | 2022-10-23
the day after 3 May | 2026-05-04
in the second week of November | 2026-11-08 .. 2026-11-14
December 1,2023 | 2023-12-01
a pic from last Friday | 2026-11-20
on 5/3 | 2026-05-03
half a year ago | 2026-05-01 .. 2026-05-31
the week before last | 2026-11-09 .. 2026-11-15
over the weekend | 2026-11-21 .. 2026-11-22
in early 2025 | 2025-01-01 .. 2025-05-01
mid-May | 2026-05-11 .. 2026-05-20
last Christmas | 2025-12-25
the last Friday of last month | 2026-10-30
the other day | 2026-11-18 .. 2026-11-24
What did I say last Tuesday about the dog? | 2026-11-24
Which film did we talk about in March, and why? | 2026-03-01 .. 2026-03-31
Who called yesterday at nine? | 2026-11-24
"""
OTHERS = """
昨天 | 2026-11-24
前天 | 2026-11-23
大前天 | 2026-11-22
今天早上 | 2026-11-25 05:00 .. 2026-11-25 12:00
昨晚 | 2026-11-24 17:00 .. 2026-11-25 00:00
上周三 | 2026-11-18
上个月底 | 2026-10-21 .. 2026-10-31
三月初 | 2026-03-01 .. 2026-03-10
几个月前 | 2026-08-01 .. 2026-08-31
半年前 | 2026-05-01 .. 2026-05-31
en el verano de 2024 | 2024-06-01 .. 2024-08-31
letztes Jahr im Sommer | 2025-06-01 .. 2025-08-31
vorletzte Woche | 2026-11-09 .. 2026-11-15
昨日午後 | 2026-11-24 12:00 .. 2026-11-24 18:00
le 15 | 2026-11-15
上週三 | 2026-11-18
上个星期天 | 2026-11-22
上禮拜五 | 2026-11-20
上上周二 | 2026-11-10
周二 | 2026-11-24
这周一 | 2026-11-23
上周 | 2026-11-16 .. 2026-11-22
上周三个人来了 | 2026-11-16 .. 2026-11-22
上周末 | 2026-11-21 .. 2026-11-22
上个月 | 2026-10-01 .. 2026-10-31
上個月 | 2026-10-01 .. 2026-10-31
上个月15号 | 2026-10-15
两周前 | 2026-11-09 .. 2026-11-15
兩週前 | 2026-11-09 .. 2026-11-15
三天前 | 2026-11-22
三个月前 | 2026-08-01 .. 2026-08-31
2年前 | 2024-01-01 .. 2024-12-31
三月 | 2026-03-01 .. 2026-03-31
十二月 | 2025-12-01 .. 2025-12-31
今年三月 | 2026-03-01 .. 2026-03-31
去年三月五号 | 2025-03-05
去年夏天 | 2025-06-01 .. 2025-08-31
去年 | 2025-01-01 .. 2025-12-31
2026年3月5日 | 2026-03-05
2026年3月 | 2026-03-01 .. 2026-03-31
3月5日到9日 | 2026-03-05 .. 2026-03-09
15号 | 2026-11-15
从周一到周二 | 2026-11-23 .. 2026-11-24
最近两周 | 2026-11-11 .. 2026-11-25
前几天 | 2026-11-18 .. 2026-11-24
我上周三说了什么? | 2026-11-18
我們昨天晚上聊了什麼 | 2026-11-24 17:00 .. 2026-11-25 00:00
ayer por la tarde | 2026-11-24 12:00 .. 2026-11-24 18:00
anteayer | 2026-11-23
el martes pasado | 2026-11-24
la semana pasada | 2026-11-16 .. 2026-11-22
hace dos semanas | 2026-11-09 .. 2026-11-15
en marzo | 2026-03-01 .. 2026-03-31
el 3 de mayo de 2025 | 2025-05-03
entre el 3 y el 9 de mayo | 2026-05-03 .. 2026-05-09
desde el lunes | 2026-11-23 .. 2026-11-25
el verano pasado | 2026-06-01 .. 2026-08-31
¿Qué dije esta mañana? | 2026-11-25 05:00 .. 2026-11-25 12:00
el 5/3/2026 | 2026-03-05
hier soir | 2026-11-24 17:00 .. 2026-11-25 00:00
avant-hier | 2026-11-23
mardi dernier | 2026-11-24
la semaine dernière | 2026-11-16 .. 2026-11-22
il y a deux semaines | 2026-11-09 .. 2026-11-15
il y a trois jours | 2026-11-22
en mars | 2026-03-01 .. 2026-03-31
le 3 mai 2025 | 2025-05-03
entre le 3 et le 9 mai | 2026-05-03 .. 2026-05-09
depuis lundi | 2026-11-23 .. 2026-11-25
l'été dernier | 2026-06-01 .. 2026-08-31
lundi de la semaine dernière | 2026-11-16
le soir du 3 mai | 2026-05-03 17:00 .. 2026-05-04 00:00
gestern Abend | 2026-11-24 17:00 .. 2026-11-25 00:00
vorgestern | 2026-11-23
letzten Dienstag | 2026-11-24
Dienstagabend | 2026-11-24 17:00 .. 2026-11-25 00:00
letzte Woche | 2026-11-16 .. 2026-11-22
vor zwei Wochen | 2026-11-09 .. 2026-11-15
im März | 2026-03-01 .. 2026-03-31
am 3. Mai 2025 | 2025-05-03
am 3.5.2025 | 2025-05-03
am 3.5. | 2026-05-03
zwischen dem 3. und 9. Mai | 2026-05-03 .. 2026-05-09
seit Montag | 2026-11-23 .. 2026-11-25
letzten Sommer | 2026-06-01 .. 2026-08-31
Was habe ich heute Morgen gesagt? | 2026-11-25 05:00 .. 2026-11-25 12:00
anteontem | 2026-11-23
terça-feira passada | 2026-11-24
na semana passada | 2026-11-16 .. 2026-11-22
há duas semanas | 2026-11-09 .. 2026-11-15
duas semanas atrás | 2026-11-09 .. 2026-11-15
em março | 2026-03-01 .. 2026-03-31
no verão passado | 2026-06-01 .. 2026-08-31
desde segunda-feira | 2026-11-23 .. 2026-11-25
l'altro ieri | 2026-11-23
ieri sera | 2026-11-24 17:00 .. 2026-11-25 00:00
martedì scorso | 2026-11-24
la settimana scorsa | 2026-11-16 .. 2026-11-22
due settimane fa | 2026-11-09 .. 2026-11-15
nel marzo 2025 | 2025-03-01 .. 2025-03-31
tra il 3 e il 9 maggio | 2026-05-03 .. 2026-05-09
l'estate scorsa | 2026-06-01 .. 2026-08-31
eergisteren | 2026-11-23
gisteravond | 2026-11-24 17:00 .. 2026-11-25 00:00
afgelopen dinsdag | 2026-11-24
vorige week dinsdag | 2026-11-17
twee weken geleden | 2026-11-09 .. 2026-11-15
in maart | 2026-03-01 .. 2026-03-31
tussen 3 en 9 mei | 2026-05-03 .. 2026-05-09
vorige zomer | 2026-06-01 .. 2026-08-31
позавчера | 2026-11-23
вчера вечером | 2026-11-24 17:00 .. 2026-11-25 00:00
в прошлый вторник | 2026-11-24
на прошлой неделе | 2026-11-16 .. 2026-11-22
две недели назад | 2026-11-09 .. 2026-11-15
неделю назад | 2026-11-16 .. 2026-11-22
в марте | 2026-03-01 .. 2026-03-31
3 мая 2025 года | 2025-05-03
летом прошлого года | 2025-06-01 .. 2025-08-31
с понедельника | 2026-11-23 .. 2026-11-25
一昨日 | 2026-11-23
昨日の夜 | 2026-11-24 20:00 .. 2026-11-25 05:00
先週の火曜日 | 2026-11-17
先週 | 2026-11-16 .. 2026-11-22
二週間前 | 2026-11-09 .. 2026-11-15
3か月前 | 2026-08-01 .. 2026-08-31
3月5日 | 2026-03-05
3日前 | 2026-11-22
去年の夏 | 2025-06-01 .. 2025-08-31
月曜日から | 2026-11-23 .. 2026-11-25
先週の火曜日に何と言いましたか | 2026-11-17
그저께 | 2026-11-23
어제 저녁 | 2026-11-24 17:00 .. 2026-11-25 00:00
지난주 화요일 | 2026-11-17
지난 화요일 | 2026-11-24
2주 전 | 2026-11-09 .. 2026-11-15
3월 5일 | 2026-03-05
3월에 | 2026-03-01 .. 2026-03-31
작년 여름 | 2025-06-01 .. 2025-08-31
월요일부터 | 2026-11-23 .. 2026-11-25
"""

NO_DATES = (
    "May I ask you something?",
    "It may be that I may go.",
    "He sat down in the sun.",
    "Wait, this may take a while.",
    "Écris le deux-points.",
    "They march on.",
    "an august body",
    "Give me a second.",
    "the second one",
    "First of all, thank you.",
    "one",
    "I have two cats and 3 dogs.",
    "version 3.5.2 of the program",
    "release v2026.3",
    "It costs 3.50 euros, or $20.26.",
    "Call +49 30 123456 or 555-1234.",
    "the server 192.168.1.10",
    "2025 people came",
    "Is it 5% or 3/4?",
    "Use it with Python 3.11. Then go on.",
    "Ich nehme Python 3.11. Danach geht es weiter.",
    "Mon ami",
    "life on Mars",
    "The spring of the clock is broken.",
    "Winter is a poet's name.",
    "Do you know me?",
    "What is my brother's name?",
    "He was late at the end.",
    "the last day of the war",
    "at the last minute",
    "every Monday",
    "Every morning, what is due?",
    "一",
    "我有三个孩子",
    "15号线在哪里",
    "我的生日",
    "下一步做什么",
    "一日一善",
    "这本书第二周的内容",
    "J'ai été malade.",
    "me da lo mismo",
    "Ich habe drei Katzen.",
    "sei due persone",
    "Das ist hier nicht richtig.",
    "Het is hier niet goed.",
    "Le mot a un accent.",
    "an August evening",
    "您的密码将在 %d 天后过期",
    "我有一点累",
    "名前は何ですか",
    "お母さんの日記",
    "전화번호가 뭐예요",
    "",
    "   ",
    "🙂" * 50,
)


def rows(table: str) -> list[tuple[str, str]]:
    return [tuple(line.split(" | ")) for line in table.strip().splitlines()]  # type: ignore[misc]


def bounds(expected: str) -> tuple[datetime, datetime]:
    first, _, last = expected.partition(" .. ")
    if ":" in first:
        start, end = (datetime.strptime(at, "%Y-%m-%d %H:%M") for at in (first, last))
        return start, end
    end_day = date.fromisoformat(last or first) + timedelta(days=1)
    return datetime.fromisoformat(first), datetime.combine(end_day, time.min)


@pytest.mark.parametrize(("phrase", "expected"), rows(ENGLISH) + rows(OTHERS))
def test_a_phrase_means_its_range(phrase: str, expected: str) -> None:
    found = find_range(phrase, NOW)

    assert found is not None
    start, end = found.start.replace(tzinfo=None), found.end.replace(tzinfo=None)
    assert (start, end) == bounds(expected)


@pytest.mark.parametrize("text", NO_DATES)
def test_words_that_only_look_like_dates_mean_none(text: str) -> None:
    assert find_range(text, NOW) is None


def test_the_phrase_is_given_back_as_it_was_written() -> None:
    found = find_range("What did the vet say Last  Tuesday, about Felix?", NOW)
    assert found is None or found.phrase.split() == ["Last", "Tuesday"]

    found = find_range("What did the vet say Last Tuesday, about Felix?", NOW)
    assert found is not None
    assert found.phrase == "Last Tuesday"


def test_days_begin_at_midnight_of_the_zone_on_both_sides_of_a_change_of_clocks() -> None:
    found = find_range("last October", NOW)

    assert found is not None
    assert found.start.isoformat() == "2026-10-01T00:00:00+02:00"
    assert found.end.isoformat() == "2026-11-01T00:00:00+01:00"


@pytest.mark.parametrize(
    ("today", "phrase", "expected"),
    [
        ("2026-11-30", "last weekend", "2026-11-28 .. 2026-11-29"),  # a Monday
        ("2026-11-29", "last weekend", "2026-11-21 .. 2026-11-22"),  # a Sunday
        ("2026-11-29", "this week", "2026-11-23 .. 2026-11-29"),
        ("2026-01-05", "last month", "2025-12-01 .. 2025-12-31"),
        ("2026-01-05", "in December", "2025-12-01 .. 2025-12-31"),
        ("2026-01-05", "last winter", "2024-12-01 .. 2025-02-28"),
        ("2026-03-31", "a month ago", "2026-02-01 .. 2026-02-28"),
        ("2024-02-29", "a year ago", "2023-01-01 .. 2023-12-31"),
        ("2026-02-10", "29 February", "2024-02-29"),
    ],
)
def test_the_calendar_holds_at_its_edges(today: str, phrase: str, expected: str) -> None:
    now = datetime.combine(date.fromisoformat(today), time(14, 30), BERLIN)
    found = find_range(phrase, now)

    assert found is not None
    start, end = found.start.replace(tzinfo=None), found.end.replace(tzinfo=None)
    assert (start, end) == bounds(expected)


@pytest.mark.parametrize("phrase", ["2026-02-30", "on the 45th", "30.2.2026", "2026-13-01"])
def test_days_that_no_calendar_has_mean_nothing(phrase: str) -> None:
    assert find_range(phrase, NOW) is None


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert find_range("word " * 400 + "last Tuesday", NOW) is None


def test_a_text_of_digits_and_signs_takes_no_time() -> None:
    for text in ("1-2." * 5000, "9" * 100_000, "in in in " * 5000, "一" * 10_000, "(((((" * 5000):
        find_range(text, NOW)
