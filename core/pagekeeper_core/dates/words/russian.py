"""Russian words of time, in the forms in which they are said."""

from pagekeeper_core.dates.lexicon import Lexicon

__all__ = ["RUSSIAN"]

RUSSIAN = Lexicon(
    "Russian",
    """
    day -1: вчера
    day 0: сегодня
    day 1: завтра
    day -2: позавчера
    day 2: послезавтра
    day -1 part night: прошлой ночью
    part morning: утром, утра, утро
    part noon: в полдень, полдень
    part afternoon: днём, днем, после обеда
    part evening: вечером, вечера, вечер
    part night: ночью, ночи, ночь
    hours part afternoon: час дня, часа дня, часов дня
    clock 1440: в полночь, полночь
    weekday 0: понедельник, понедельника, понедельнику
    weekday 1: вторник, вторника, вторнику, во вторник
    weekday 2: среду, среды, среда
    weekday 3: четверг, четверга
    weekday 4: пятницу, пятницы, пятница
    weekday 5: субботу, субботы, суббота
    weekday 6: воскресенье, воскресенья
    every weekday 0: по понедельникам
    every weekday 1: по вторникам
    every weekday 2: по средам
    every weekday 3: по четвергам
    every weekday 4: по пятницам
    every weekday 5: по субботам
    every weekday 6: по воскресеньям
    every unit workday: по будням
    month 1: январь, января, январе
    month 2: февраль, февраля, феврале
    month 3: март, марта, марте
    month 4: апрель, апреля, апреле
    month 5?: май, мая, мае
    month 6: июнь, июня, июне
    month 7: июль, июля, июле
    month 8: август, августа, августе
    month 9: сентябрь, сентября, сентябре
    month 10: октябрь, октября, октябре
    month 11: ноябрь, ноября, ноябре
    month 12: декабрь, декабря, декабре
    season 0: весной
    season 0?: весны, весну
    season 1: летом
    season 1?: лето, лета
    season 2: осенью
    season 2?: осень, осени
    season 3: зимой
    season 3?: зиму, зимы
    number 1 unit minute: минуту
    unit minute: минуты, минут
    hours: час, часа, часов
    unit day: день, дня, дней
    number 1 unit week: неделю
    unit week: недели, недель, неделе, неделя
    unit month: месяц, месяца, месяцев, месяце
    unit year: год, года, лет, году
    unit weekend: выходные, выходных
    unit workday: рабочий день
    number 30 unit minute: полчаса
    number 1: один, одну, одна
    number 2: два, две, пару
    number 3: три, несколько
    number 4: четыре
    number 5: пять
    number 6: шесть
    number 7: семь
    number 8: восемь
    number 9: девять
    number 10: десять
    number 11: одиннадцать
    number 12: двенадцать
    number 15: пятнадцать
    number 20: двадцать
    number 30: тридцать
    ordinal 1?: первый, первого, первое
    ordinal 2?: второй, второго, второе
    ordinal 3?: третий, третьего
    ordinal 5?: пятого
    ordinal 6?: шестого
    ordinal 7?: седьмого
    ordinal 8?: восьмого
    ordinal 9?: девятого
    ordinal 10?: десятого
    relative last: прошлый, прошлую, прошлое, прошлой, прошлом, прошлого, прошлым, прошлые
    relative last: последние, последний, последнюю, прошедшие
    relative this: этот, эту, это, этой, этом, этого, этим, эти
    relative coming: следующий, следующую, следующее, следующей, следующем, следующие
    relative coming: ближайший, ближайшую
    ago: назад
    ahead: через
    ahead number 1 unit hour: через час
    ahead number 1 unit day: через день
    ahead number 1 unit month: через месяц
    ahead number 1 unit year: через год
    number 1 unit hour ago: час назад
    number 1 unit day ago: день назад
    number 1 unit month ago: месяц назад
    number 1 unit year ago: год назад
    at: в, во
    on: на, за
    since: с, со
    before: до, перед
    after: после
    between: между
    to: по
    and: и
    every: каждый, каждую, каждое, каждые, каждого
    every unit day: ежедневно
    every unit week: еженедельно
    every unit month: ежемесячно
    every unit year: ежегодно
    earlier -30: в половине, половина
    edge 0: в начале, начало
    edge 1: в середине
    edge 2: в конце
    lately 7: на днях
    """,
)
