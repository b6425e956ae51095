"""Spanish, French, Portuguese and Italian words of time."""

from pagekeeper_core.dates.lexicon import Lexicon

__all__ = ["FRENCH", "ITALIAN", "PORTUGUESE", "SPANISH"]

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

FRENCH = Lexicon(
    "French",
    """
    day -1: hier
    day 0: aujourd'hui
    day 1: demain
    day -2: avant-hier, avant hier
    day 2: après-demain, après demain
    day -1 part night: la nuit dernière, cette nuit
    day 0 part evening: ce soir
    part morning: matin, le matin, du matin, matins
    part noon: midi, à midi
    part afternoon: après-midi, après midi, de l'après-midi, l'après-midi
    part evening: soir, le soir, du soir, soirs, soirée
    part night: nuit, la nuit, de la nuit
    clock 1440: minuit, à minuit
    weekday 0: lundi
    weekday 1: mardi
    weekday 2: mercredi
    weekday 3: jeudi
    weekday 4: vendredi
    weekday 5: samedi
    weekday 6: dimanche
    every weekday 0: lundis
    every weekday 1: mardis
    every weekday 2: mercredis
    every weekday 3: jeudis
    every weekday 4: vendredis
    every weekday 5: samedis
    every weekday 6: dimanches
    month 1: janvier
    month 2: février
    month 3?: mars
    month 4: avril
    month 5?: mai
    month 6: juin
    month 7: juillet
    month 8: août
    month 9: septembre
    month 10: octobre
    month 11: novembre
    month 12: décembre
    season 0?: printemps
    season 1?: été!
    season 2?: automne
    season 3?: hiver
    unit minute: minute, minutes
    hours: heure, heures
    unit day: jour, jours
    unit week: semaine, semaines
    unit month: mois
    unit year: an, ans, année, années
    unit weekend: week-end, weekend
    unit workday: jour ouvrable, jours ouvrables
    number 30 unit minute: une demi-heure, demi-heure
    number 15 unit minute: un quart d'heure
    article 1: un, une
    number 2: deux
    number 3: trois, quelques
    number 4: quatre
    number 5: cinq
    number 6: six
    number 7: sept
    number 8: huit
    number 9: neuf
    number 10: dix
    number 11: onze
    number 12: douze
    number 15: quinze
    number 20: vingt
    number 30: trente
    ordinal 1?: premier, première
    ordinal 2?: deuxième, second, seconde
    ordinal 3?: troisième
    relative last: dernier, dernière, derniers, dernières, passé, passée
    relative this: ce, cet, cette
    relative coming: prochain, prochaine, prochains, prochaines, qui vient
    ago: il y a
    ahead: dans
    in: en
    on: pendant
    on: vers, aux
    since: depuis
    before: avant
    after: après
    until: jusqu'à, jusqu'au
    between: entre
    to: au!, à!
    and: et
    every: chaque, tous les, toutes les
    every unit day: quotidiennement
    every unit week: hebdomadairement
    every unit month: mensuellement
    later 30: et demie, et demi
    later 15: et quart
    later -15: moins le quart, moins quart
    edge 0: début, au début de
    edge 1: mi
    edge 2: fin, à la fin de
    lately 7: l'autre jour
    day_article: le
    ordinal 25 month 12: noël
    on unit month: du mois
    the: la, les, l', d', de, du, des
    other: que, qu', je, j', tu, nous, on, est, ai, ce que, dit, quand, moi, mon, ma, pour, avec
    other: sur, pas, ne, dans le, rappelle, rappelle-moi, c'est, quoi, vous, il, elle
    """,
)

PORTUGUESE = Lexicon(
    "Portuguese",
    """
    day -1: ontem
    day 0: hoje
    day 1: amanhã
    day -2: anteontem
    day 2: depois de amanhã
    day 0 part morning: esta manhã, hoje de manhã
    day 0 part afternoon: esta tarde
    day 0 part evening: esta noite, hoje à noite
    day -1 part night: ontem à noite
    part morning: de manhã, da manhã, pela manhã, manhã, manhãs
    part noon: ao meio-dia, meio-dia
    part afternoon: à tarde, de tarde, da tarde, tardes
    part evening: à noite, de noite, da noite, noite, noites
    part night: de madrugada, da madrugada
    clock 1440: meia-noite, à meia-noite
    weekday 0: segunda-feira, segundas-feiras
    weekday 1: terça-feira, terças-feiras
    weekday 2: quarta-feira, quartas-feiras
    weekday 3: quinta-feira, quintas-feiras
    weekday 4: sexta-feira, sextas-feiras
    weekday 5: sábado, sábados
    weekday 6: domingo, domingos
    weekday 0?: segunda
    weekday 1?: terça
    weekday 2?: quarta
    weekday 3?: quinta
    weekday 4?: sexta
    month 1: janeiro
    month 2: fevereiro
    month 3: março
    month 4: abril
    month 5: maio
    month 6: junho
    month 7: julho
    month 8: agosto
    month 9: setembro
    month 10: outubro
    month 11: novembro
    month 12: dezembro
    season 0?: primavera
    season 1?: verão
    season 2?: outono
    season 3?: inverno
    unit minute: minuto, minutos
    hours: hora, horas
    unit day: dia, dias
    unit week: semana, semanas
    unit month: mês, meses
    unit year: ano, anos
    unit weekend: fim de semana, fim-de-semana
    unit workday: dia útil, dias úteis
    number 30 unit minute: meia hora
    number 1: uma
    article 1: um
    number 2: dois, duas
    number 3: três
    number 4: quatro
    number 5: cinco
    number 6: seis
    number 7: sete
    number 8: oito
    number 9: nove
    number 10: dez
    number 11: onze
    number 12: doze
    number 15: quinze
    number 20: vinte
    number 30: trinta
    ordinal 1?: primeiro
    relative last: passado, passada, passados, passadas, último, última, últimos, últimas
    relative this: este, esta, neste, nesta
    relative coming: próximo, próxima, próximos, próximas, que vem
    ago: há!, atrás, faz
    ahead: daqui a, dentro de
    in: em
    on: no, na, durante
    ordinal 25 month 12: natal
    on unit month: do mês
    at: às!, à!, pelas
    since: desde
    before: antes de, antes do
    after: depois de, depois do
    until: até
    between: entre
    to: a, ao
    and: e
    every: cada, todo, toda, todos os, todas as
    every unit day: diariamente
    every unit week: semanalmente
    every unit month: mensalmente
    later 30: e meia
    later 15: e um quarto
    edge 0: no início de, início de, começo de
    edge 1: em meados de, meados de
    edge 2: no fim de, fim de, final de
    lately 7: outro dia, no outro dia
    the: o, os, as, de, do, da, dos, das
    other: que, eu, me, meu, minha, é, por, para, com, você, disse, quando, lembra-me, lembre-me
    other: não, sobre, falei, foi, ele, ela
    """,
)

ITALIAN = Lexicon(
    "Italian",
    """
    day -1: ieri
    day 0: oggi
    day 1: domani
    day -2: l'altro ieri, altro ieri, avantieri
    day 2: dopodomani
    day 0 part morning: stamattina, stamani, questa mattina
    day 0 part evening: stasera, questa sera
    day 0 part night: stanotte
    part morning: mattina, di mattina, del mattino, mattino, mattine
    part noon: a mezzogiorno, mezzogiorno
    part afternoon: pomeriggio, di pomeriggio, del pomeriggio, nel pomeriggio
    part evening: sera, di sera, della sera, sere
    part night: notte, di notte, della notte
    clock 1440: mezzanotte, a mezzanotte
    weekday 0: lunedì
    weekday 1: martedì
    weekday 2: mercoledì
    weekday 3: giovedì
    weekday 4: venerdì
    weekday 5: sabato
    weekday 6: domenica
    month 1: gennaio
    month 2: febbraio
    month 3: marzo
    month 4: aprile
    month 5: maggio
    month 6: giugno
    month 7: luglio
    month 8: agosto
    month 9: settembre
    month 10: ottobre
    month 11: novembre
    month 12: dicembre
    season 0?: primavera
    season 1?: estate
    season 2?: autunno
    season 3?: inverno
    unit minute: minuto, minuti
    unit hour: ora, ore
    unit day: giorno, giorni
    unit week: settimana, settimane
    unit month: mese, mesi
    unit year: anno, anni
    unit weekend: fine settimana, weekend
    unit workday: giorno feriale, giorni feriali
    number 30 unit minute: mezz'ora, mezzora
    number 1: una
    article 1: un, un'
    number 2: due
    number 3: tre
    number 4: quattro
    number 5: cinque
    number 6: sei
    number 7: sette
    number 8: otto
    number 9: nove
    number 10: dieci
    number 11: undici
    number 12: dodici
    number 15: quindici
    number 20: venti
    number 30: trenta
    ordinal 1?: primo, prima domenica
    ordinal 2?: secondo
    relative last: scorso, scorsa, scorsi, scorse, passato, passata, ultimo, ultima, ultimi, ultime
    relative this: questo, questa
    relative coming: prossimo, prossima, prossimi, prossime, che viene
    ago: fa
    between ahead: tra, fra
    in: in, nel, nell'
    on: a, durante
    day_article: il
    ordinal 25 month 12: natale
    on unit month: del mese
    at: alle, all', verso le
    since: da, dal, dalla
    before: prima di, prima del
    after: dopo
    until: fino a, fino al
    to: al
    and: e
    every: ogni, tutti i, tutte le
    every unit day: quotidianamente
    every unit week: settimanalmente
    every unit month: mensilmente
    later 30: e mezza, e mezzo
    later 15: e un quarto
    later -15: meno un quarto
    edge 0: all'inizio di, inizio
    edge 1: a metà, metà
    edge 2: alla fine di, fine
    lately 7: l'altro giorno
    the: lo, la, i, gli, le, l', di, del, della, dell', d'
    other: che, io, mi, mio, mia, è, per, con, tu, ho, detto, quando, cosa, ricordami, non, ha
    other: sono, si, come, su
    """,
)
