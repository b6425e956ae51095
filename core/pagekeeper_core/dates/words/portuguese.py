"""Portuguese words of time."""

from pagekeeper_core.dates.lexicon import Lexicon

__all__ = ["PORTUGUESE"]

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
