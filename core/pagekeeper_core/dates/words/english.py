"""English words of time."""

from pagekeeper_core.dates.lexicon import Lexicon

__all__ = ["ENGLISH"]

ENGLISH = Lexicon(
    "English",
    """
    day -1: yesterday
    day 0: today
    day 1: tomorrow
    day -2: day before yesterday
    day 2: day after tomorrow
    day -1 part night: last night
    day 0 part evening: tonight
    part morning: morning, mornings, in the morning
    part noon: at noon, noon, midday, lunchtime
    part afternoon: afternoon, afternoons, in the afternoon
    part evening: evening, evenings, in the evening
    part night: night, nights, at night
    clock 1440: midnight, at midnight
    weekday 0: monday
    weekday 1: tuesday
    weekday 2: wednesday
    weekday 3: thursday
    weekday 4: friday
    weekday 5: saturday
    weekday 6: sunday
    weekday 0?: mon
    weekday 1?: tue, tues
    weekday 2?: wed
    weekday 3?: thu, thur, thurs
    weekday 4?: fri
    weekday 5?: sat
    weekday 6?: sun
    every weekday 0: mondays
    every weekday 1: tuesdays
    every weekday 2: wednesdays
    every weekday 3: thursdays
    every weekday 4: fridays
    every weekday 5: saturdays
    every weekday 6: sundays
    every unit workday: weekdays, workdays
    month 1: january
    month 2: february
    month 3?: march, mar
    month 4: april
    month 5?: may
    month 6: june
    month 7: july
    month 8?: august
    month 9: september
    month 10: october
    month 11: november
    month 12: december
    month 1?: jan
    month 2?: feb
    month 4?: apr
    month 6?: jun
    month 7?: jul
    month 8?: aug
    month 9?: sep, sept
    month 10?: oct
    month 11?: nov
    month 12?: dec
    season 0?: spring, springtime
    season 1?: summer, summertime
    season 2?: autumn, fall
    season 3?: winter, wintertime
    unit minute: minute, minutes, min, mins
    unit hour: hour, hours
    unit day: day, days
    unit week: week, weeks
    unit month: month, months
    unit quarter: quarter
    unit year: year, years
    unit weekend: weekend, weekends
    unit workday: weekday, workday, working day
    number 2 unit week: fortnight
    number 30 unit minute: half an hour, half hour
    number 90 unit minute: an hour and a half
    number 6 unit month: half a year, half year
    number 15 unit minute: quarter of an hour
    number 2: couple of, couple
    number 3: few, several
    number 1: one
    article 1: a, an
    number 2: two
    number 3: three
    number 4: four
    number 5: five
    number 6: six
    number 7: seven
    number 8: eight
    number 9: nine
    number 10: ten
    number 11: eleven
    number 12: twelve
    number 15: fifteen
    number 20: twenty
    number 30: thirty
    number 40: forty
    number 45: forty-five
    number 60: sixty
    number 90: ninety
    ordinal 1?: first
    ordinal 2?: second, other
    ordinal 3?: third
    ordinal 4?: fourth
    ordinal 5?: fifth
    ordinal 6?: sixth
    ordinal 10?: tenth
    ordinal 15?: fifteenth
    ordinal -1?: very last
    relative last: last, past, previous
    relative -2 unit week: week before last
    relative -2 unit month: month before last
    relative -2 unit year: year before last
    day -2 part night: night before last
    ordinal 24 month 12: christmas eve
    ordinal 25 month 12: christmas, christmas day
    ordinal 31 month 12: new year's eve
    ordinal 1 month 1: new year's day
    on unit month: of the month, in the month
    relative this: this
    relative next: next
    relative coming: coming, upcoming
    ago: ago
    ahead: from now
    in: in, within
    on: on, during, by, over
    at: at, around
    from: from
    since: since
    before: before
    until: until, till
    after: after
    between: between
    to: to, through
    and: and
    every: every, each
    every unit day: daily
    every unit week: weekly
    every unit month: monthly
    every unit year: yearly, annually
    every unit hour: hourly
    oclock: o'clock
    earlier 30: half past
    earlier 15: quarter past, a quarter past
    earlier -15: quarter to, a quarter to
    edge 0: early, beginning, start
    edge 1: mid, mid-, middle, middle of
    edge 2: late, end
    lately 7: the other day
    the: the, of, 's
    thing: percent, point, points, time, times, degrees, dollars, euros, pounds, miles, km
    thing: kilometres, metres, meters, people, pages, stage, place
    other: this may, that may, it may
    other: i, you, me, my, we, it, is, was, what, when, did, do, say, said, about, with, for, have
    other: that, be, are, not, if, can, remind, your, our, tell, would, will, there, had
    """,
    month_first=True,
)
