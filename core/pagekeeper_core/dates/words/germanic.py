"""German and Dutch words of time."""

from pagekeeper_core.dates.lexicon import Lexicon

__all__ = ["DUTCH", "GERMAN"]

_GERMAN_DAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()  # noqa: SIM905
_DUTCH_DAYS = "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag".split()  # noqa: SIM905
_GERMAN_PARTS = {
    "morning": ("morgen", "früh", "vormittag"),
    "afternoon": ("nachmittag",),
    "evening": ("abend",),
    "night": ("nacht",),
}
_DUTCH_PARTS = {
    "morning": ("ochtend", "morgen"),
    "afternoon": ("middag",),
    "evening": ("avond",),
    "night": ("nacht",),
}


def _compounds(days: list[str], parts: dict[str, tuple[str, ...]]) -> str:
    """Lines for words such as "Dienstagabend"."""
    return "\n".join(
        f"weekday {number} part {part}: " + ", ".join(day + word for word in words)
        for number, day in enumerate(days)
        for part, words in parts.items()
    )


GERMAN = Lexicon(
    "German",
    _compounds(_GERMAN_DAYS, _GERMAN_PARTS)
    + """
    day -1: gestern
    day 0: heute
    day 1: morgen
    day -2: vorgestern
    day 2: übermorgen
    day 0 part morning: heute morgen, heute früh, heute vormittag
    day 1 part morning: morgen früh, morgen vormittag
    day -1 part morning: gestern morgen, gestern früh, gestern vormittag
    day -1 part night: letzte nacht
    part morning: am morgen, morgens, vormittags, am vormittag, in der früh, vormittag
    part noon: mittags, am mittag, mittag
    part afternoon: nachmittag, nachmittags, am nachmittag
    part evening: abend, abends, am abend
    part night: nacht, nachts, in der nacht
    every part morning: jeden morgen, jeden vormittag
    clock 1440: mitternacht, um mitternacht
    weekday 0: montag
    weekday 1: dienstag
    weekday 2: mittwoch
    weekday 3: donnerstag
    weekday 4: freitag
    weekday 5: samstag, sonnabend
    weekday 6: sonntag
    every weekday 0: montags
    every weekday 1: dienstags
    every weekday 2: mittwochs
    every weekday 3: donnerstags
    every weekday 4: freitags
    every weekday 5: samstags
    every weekday 6: sonntags
    every unit workday: werktags
    month 1: januar, jänner
    month 2: februar
    month 3: märz
    month 4: april
    month 5: mai
    month 6: juni
    month 7: juli
    month 8: august
    month 9: september
    month 10: oktober
    month 11: november
    month 12: dezember
    season 0?: frühling, frühjahr
    season 1?: sommer
    season 2?: herbst
    season 3?: winter
    unit minute: minute, minuten
    unit hour: stunde, stunden
    unit day: tag, tage, tagen, tages
    unit week: woche, wochen
    unit month: monat, monate, monaten, monats
    unit quarter: quartal
    unit year: jahr, jahre, jahren, jahres
    unit weekend: wochenende, wochenenden
    unit workday: werktag, arbeitstag
    number 30 unit minute: einer halben stunde, eine halbe stunde
    number 15 unit minute: einer viertelstunde
    number 1: eins
    article 1: ein, eine, einen, einem, einer
    number 2: zwei
    number 3: drei, paar, einigen
    number 4: vier
    number 5: fünf
    number 6: sechs
    number 7: sieben
    number 8: acht
    number 9: neun
    number 10: zehn
    number 11: elf
    number 12: zwölf
    number 15: fünfzehn
    number 20: zwanzig
    number 30: dreißig
    ordinal 1?: ersten, erste, erster
    ordinal 2?: zweiten, zweite, zweiter
    ordinal 3?: dritten, dritte, dritter
    relative last: letzten, letzte, letzter, letztes, letztem, vorigen, vorige, voriger, voriges
    relative last: vergangenen, vergangene, vergangener, vergangenes, vorigem
    relative -2: vorletzte, vorletzten, vorletzter, vorletztes
    ordinal 24 month 12: heiligabend
    ordinal 25 month 12: weihnachten
    ordinal 31 month 12: silvester
    number 6 unit month: einem halben jahr
    on unit month: des monats
    relative this: diesen, diese, dieser, dieses, diesem
    relative next: nächsten, nächste, nächster, nächstes, nächstem
    relative coming: kommenden, kommende, kommender, kommendes
    ago: vor
    in: in, im
    on: am, an, während, zum
    at: um, gegen
    since: seit, ab
    after: nach
    until: bis, bis zum
    between: zwischen
    and: und
    every: jeden, jede, jeder, jedes, jedem, alle
    every unit day: täglich
    every unit week: wöchentlich
    every unit month: monatlich
    every unit year: jährlich
    every unit hour: stündlich
    oclock: uhr
    earlier -30: halb
    earlier 15: viertel nach
    earlier -15: viertel vor
    edge 0: anfang
    edge 1: mitte
    edge 2: ende
    lately 14: neulich
    the: der, die, das, dem, den, des, vom, von
    other: ich, du, wir, mich, mir, mein, meine, ist, war, was, wann, habe, hast, gesagt, über
    other: mit, nicht, für, auf, erinnere, erinner, dass, wie, es, sie, er, zu
    other: hier, nach dem, durch, sind, wird, kann, noch, auch
    """,
)

DUTCH = Lexicon(
    "Dutch",
    _compounds(_DUTCH_DAYS, _DUTCH_PARTS)
    + """
    day -1: gisteren
    day 0: vandaag
    day 1: morgen
    day -2: eergisteren
    day 2: overmorgen
    day 0 part morning: vanmorgen, vanochtend
    day 0 part afternoon: vanmiddag
    day 0 part evening: vanavond
    day 0 part night: vannacht
    day -1 part morning: gisterochtend, gistermorgen
    day -1 part afternoon: gistermiddag
    day -1 part evening: gisteravond
    day -1 part night: gisternacht, afgelopen nacht
    day 1 part morning: morgenochtend
    day 1 part afternoon: morgenmiddag
    day 1 part evening: morgenavond
    part morning: 's ochtends, 's morgens, in de ochtend, ochtend
    part noon: tussen de middag
    part afternoon: 's middags, middag
    part evening: 's avonds, avond
    part night: 's nachts, nacht
    clock 1440: middernacht, om middernacht
    weekday 0: maandag
    weekday 1: dinsdag
    weekday 2: woensdag
    weekday 3: donderdag
    weekday 4: vrijdag
    weekday 5: zaterdag
    weekday 6: zondag
    month 1: januari
    month 2: februari
    month 3: maart
    month 4: april
    month 5: mei
    month 6: juni
    month 7: juli
    month 8: augustus
    month 9: september
    month 10: oktober
    month 11: november
    month 12: december
    season 0?: lente, voorjaar
    season 1?: zomer
    season 2?: herfst, najaar
    season 3?: winter
    unit minute: minuut, minuten
    hours: uur, uren
    unit day: dag, dagen
    unit week: week, weken
    unit month: maand, maanden
    unit year: jaar, jaren
    unit weekend: weekend, weekeinde
    unit workday: werkdag
    number 30 unit minute: een half uur
    number 15 unit minute: een kwartier
    number 1: één!
    article 1: een
    number 2: twee
    number 3: drie, paar
    number 4: vier
    number 5: vijf
    number 6: zes
    number 7: zeven
    number 8: acht
    number 9: negen
    number 10: tien
    number 11: elf
    number 12: twaalf
    number 15: vijftien
    number 20: twintig
    number 30: dertig
    ordinal 1?: eerste
    ordinal 2?: tweede
    ordinal 3?: derde
    relative last: vorige, vorig, afgelopen, laatste
    relative -2: voorlaatste
    ordinal 25 month 12: kerst, kerstmis
    number 6 unit month: half jaar
    on unit month: van de maand
    relative this: deze, dit
    relative next: volgende, volgend
    relative coming: aanstaande, komende
    ago: geleden
    ahead: over
    in: in, binnen
    on: op, tijdens
    at: om, rond
    since: sinds, vanaf
    before: voor
    after: na
    until: tot, tot en met
    between: tussen
    and: en
    every: elke, elk, iedere, ieder, om de
    every unit day: dagelijks
    every unit week: wekelijks
    every unit month: maandelijks
    every unit year: jaarlijks
    earlier -30: half
    earlier 15: kwart over
    earlier -15: kwart voor
    edge 0: begin
    edge 2: eind, einde
    lately 7: onlangs
    the: de, het, van
    other: ik, je, we, mij, mijn, is, was, wat, wanneer, heb, gezegd, over de, met, niet, dat
    other: herinner, hoe, ze, hij, te, aan, er, hier, zijn, wordt, kan, nog, ook
    """,
)
