"""Italian words of time."""

from pagekeeper_core.dates.lexicon import Lexicon

__all__ = ["ITALIAN"]

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
