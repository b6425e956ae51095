"""French words of time."""

from pagekeeper_core.dates.lexicon import Lexicon

__all__ = ["FRENCH"]

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
