"""Spanish words of time."""

from pagekeeper_core.dates.lexicon import Lexicon

__all__ = ["SPANISH"]

SPANISH = Lexicon(
    "Spanish",
    """
    day -1: ayer
    day 0: hoy
    day 1: mañana
    day -2: anteayer, antes de ayer
    day 2: pasado mañana
    day -1 part night: anoche
    day 0 part morning: esta mañana
    day 0 part evening: esta noche
    part morning: por la mañana, de la mañana, en la mañana, mañanas
    part noon: al mediodía, mediodía
    part afternoon: por la tarde, de la tarde, en la tarde, tardes
    day 0 part afternoon: esta tarde
    part evening: por la noche, de la noche, en la noche, noche, noches
    part night: de la madrugada, madrugada
    every part morning: cada mañana, todas las mañanas
    clock 1440: medianoche, a medianoche
    weekday 0: lunes
    weekday 1: martes
    weekday 2: miércoles
    weekday 3: jueves
    weekday 4: viernes
    weekday 5: sábado
    weekday 6: domingo
    every weekday 0: los lunes
    every weekday 1: los martes
    every weekday 2: los miércoles
    every weekday 3: los jueves
    every weekday 4: los viernes
    every weekday 5: los sábados, sábados
    every weekday 6: los domingos, domingos
    month 1: enero
    month 2: febrero
    month 3: marzo
    month 4: abril
    month 5: mayo
    month 6: junio
    month 7: julio
    month 8: agosto
    month 9: septiembre, setiembre
    month 10: octubre
    month 11: noviembre
    month 12: diciembre
    season 0?: primavera
    season 1?: verano
    season 2?: otoño
    season 3?: invierno
    unit minute: minuto, minutos
    unit hour: hora, horas
    unit day: día, días
    unit week: semana, semanas
    unit month: mes, meses
    unit year: año, años
    unit weekend: fin de semana, finde
    unit workday: día laborable, días laborables
    number 30 unit minute: media hora
    number 1: una
    article 1: un
    number 2: dos, un par de
    number 3: tres
    number 4: cuatro
    number 5: cinco
    number 6: seis
    number 7: siete
    number 8: ocho
    number 9: nueve
    number 10: diez
    number 11: once
    number 12: doce
    number 15: quince
    number 20: veinte
    number 30: treinta
    ordinal 1?: primero, primer
    ordinal 2?: segundo
    relative last: pasado, pasada, pasados, pasadas, último, última, últimos, últimas, anterior
    relative this: este, esta
    relative coming: próximo, próxima, próximos, próximas, que viene, siguiente
    ago: hace
    ahead: dentro de
    in: en
    on: durante
    day_article: el
    number 6 unit month: medio año
    ordinal 25 month 12: navidad
    ordinal 24 month 12: nochebuena
    on unit month: del mes
    at: a las, a la, sobre las
    since: desde
    before: antes de, antes del
    after: después de, después del
    until: hasta
    between: entre
    to: a, al
    and: y
    every: cada, todos los, todas las
    every unit day: diariamente
    every unit week: semanalmente
    every unit month: mensualmente
    later 30: y media
    later 15: y cuarto
    later -15: menos cuarto
    edge 0: a principios de, principios de, comienzos de
    edge 1: a mediados de, mediados de
    edge 2: a finales de, finales de, fines de
    lately 7: el otro día
    the: la, los, las, de, del, lo
    other: que, qué, me, mi, se, es, por, para, con, yo, te, cuando, cuándo, dije, recuérdame
    other: no, su, como, sobre, dijo
    """,
)
