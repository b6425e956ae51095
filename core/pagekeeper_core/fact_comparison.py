"""What the user said as a line of memory, and which lines it ends, decided in code.

Asked whether a line is still true after a sentence, a small model says yes to "Lives in Coimbra"
after "We moved to Aveiro" and no to the user's name (measured with Qwen2.5-Coder-1.5B). So only
what the words themselves show counts here; what they do not show is left alone.
"""

import re

from pagekeeper_core.contradiction import claim_in, contradiction
from pagekeeper_core.sameness import denies, names_in, roots, says_nothing_new
from pagekeeper_core.scripts import language_by_script
from pagekeeper_core.statements import KIN
from pagekeeper_core.wording import is_said_in, words_of

__all__ = ["as_line", "ends", "is_grounded", "keeps_language", "says_already"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBER = re.compile(
    r"\d+|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"|[一二两三四五六七八九十百]+",
    re.IGNORECASE,
)
_LATIN = re.compile("[A-Za-z]+")
_DIGITS = re.compile(r"\d+")

_DATES = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december"
)
_PLACE = (
    rf"(?:to|into|back to|from .+ to) (?:(?!{_DATES})(?-i:[A-ZÀ-Þ])"
    r"|(?:an?|the|our|my) (?:\w+ )?(?:house|flat|apartment|city|town|country(?:side)?|village|coast"
    r"|island|place|north|south|east|west)\b)"
)
_MOVED = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:just |recently |finally )?(?:moved|relocated)"
    rf"(?: {_PLACE}| (?:house|home|out|abroad|away|in with)\b|(?: (?:last|this) \w+)?\W*$)"
    rf"|\b(?:i'm|we're|i am|we are) moving (?:{_PLACE}|house|home|out|abroad|away|in with)"
    r"|我.{0,6}(?:搬到|搬去|搬家)|我现在住",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"^(address|lives? at)\b|^家?住", re.IGNORECASE)
_NEW_WORK = re.compile(
    r"\b(i|we)('ve| have)? (just )?(quit|resigned|retired|changed jobs|left my job)\b"
    r"|\b(i|we)('ve)? (\w+ )?(have|got|found|start(ed)?|took|accepted) (an?|my|the) new job\b"
    r"|\bmy new job\b|我.*(辞职|换工作|跳槽|退休)",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(i|we)('ve| have)? (just )?(quit|resigned|retired|changed jobs|left my job)\b|\bnew job\b"
    r"|我.*(辞职|换工作|跳槽|退休)",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"^(i |user )?(works?|working|job|profession|employed)\b|^在.+(工作|上班)", re.IGNORECASE
)
_ENDED = re.compile(
    r"(?:\b(?:quit|sold|left (?:my|our|the)|gave up|gave away|stopped|no longer|not|cancell?ed)\b"
    r"|\b(?:broke|split) up(?: with)?,?|\b(?:switched|changed) from|n't)((?: [\w-]+){1,4})"
    r"|从(.+?)(?:辞职|退出|离开|换到|改到|转到)|[跟和与](.+?)(?:分手|离婚)"
    r"|(?:卖了|戒了|不再|取消了?)(.{1,6})",
    re.IGNORECASE,
)
_NOT_AN_END = re.compile(r"\bn[o']t\b|n't", re.IGNORECASE)
_FOR_GOOD = re.compile(r"\b(any ?more|any longer)\b", re.IGNORECASE)
_OBJECT_ENDS = re.compile(r" (?:and|but|or|because|since|so) .*", re.IGNORECASE)
_ANYBODY = _words("old new big little same other back away")
_PARTED = re.compile(r"\b(broke|split) up\b|\b(divorced|left my)\b|分手|离婚", re.IGNORECASE)
_OTHERS = re.compile(rf"^(?:(?:my|our) )?(?:\w+ )?(?:{KIN.pattern})", re.IGNORECASE)
_ASIDE = re.compile(r",? (?:as )?(?:you (?:see|know)|i said)\W*$", re.IGNORECASE)
_VERBS = _words(
    "live work play speak own drive collect sing eat drink smoke like love hate need take"
)
_THIRD_PERSON = {verb: verb + "s" for verb in _VERBS} | {
    "teach": "teaches",
    "study": "studies",
    "have": "has",
    "don't": "doesn't",
    "do": "does",
}
_FIRST_PERSON = re.compile(rf"\b(?:i|we) ({'|'.join(_THIRD_PERSON)})\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"^(the )?(i'm|i am|i've|we're|we are|i|we|user's|user|my|our)\s+", re.IGNORECASE
)
_PRONOUN_ZH = re.compile(r"^(用户|我们|我)(家)?的?")


def as_line(fact: str) -> str:
    """A fact as a line of a block: "Plays the cello" for "I play the cello."."""
    plain = _ASIDE.sub("", fact)
    told = _FIRST_PERSON.sub(lambda found: _THIRD_PERSON[found[1].casefold()], plain)
    line = _PRONOUN_ZH.sub("", _PRONOUN.sub("", " ".join(told.split()))).rstrip(".。 ")
    return line[:1].upper() + line[1:]


def is_grounded(fact: str, statement: str) -> bool:
    """Whether a fact is made of what the user said: words, names and numbers."""
    invented_names = names_in(fact[1:]) - names_in(statement)
    invented_numbers = set(_DIGITS.findall(fact)) - set(_DIGITS.findall(statement))
    return (
        bool(roots(fact))
        and not invented_names
        and not invented_numbers
        and denies(fact) == denies(statement)
        and is_said_in(fact, [statement])
    )


def keeps_language(fact: str, statement: str) -> bool:
    """Whether a fact is in the user's script, without words of another ("Mom住在成都")."""
    if language_by_script(fact) != language_by_script(statement):
        return False
    foreign = set(_LATIN.findall(fact)) - set(_LATIN.findall(statement))
    return not (foreign and language_by_script(statement))


def says_already(line: str, fact: str) -> bool:
    """Whether a line says what a fact says, also "Moved to Porto" for "Lives in Porto"."""
    told = as_line(fact)
    if says_nothing_new(told, line):
        return True
    held, new = claim_in(line), claim_in(told)
    return (
        held is not None
        and new is not None
        and held.about == new.about
        and set(new.value) <= set(held.value)
        and denies(line) == denies(told)
    )


def ends(line: str, statement: str) -> bool:
    """Whether a line of memory is no longer true after what the user said later.

    Only where the words show it, and both are about the same person: a move ends where they lived,
    a new job the old one, "sold the car" a line with the car; another name or age, or the same
    words with another number.
    """
    told = as_line(statement)
    if says_already(line, told):
        return False
    found = contradiction(told, [line])
    if found and found.certain:
        return True
    if _is_about_others(line) or _OTHERS.search(told):
        return _ends_of_others(line, statement)
    return (
        _ends_the_home(line, statement)
        or bool(_NEW_WORK.search(statement) and _WORK.search(line))
        or _names_what_ended(line, statement)
        or _differs_by_a_number(line, statement)
    )


def _is_about_others(line: str) -> bool:
    """Whether a line is about somebody else; "Girlfriend: Lea" is about the user."""
    found = _OTHERS.search(line)
    return found is not None and not line[found.end() :].lstrip().startswith((":", "："))


def _ends_of_others(line: str, statement: str) -> bool:
    """The same, where one of them is about somebody else: both must be about the same one."""
    if _PARTED.search(statement):
        return _names_what_ended(line, statement)
    whose, said = _OTHERS.search(line), _OTHERS.search(as_line(statement))
    if whose is None or said is None or whose.group().casefold() != said.group().casefold():
        return False
    of_them, told = line[whose.end() :], as_line(statement)[said.end() :]
    if names_in(told) and not names_in(told) & names_in(of_them):
        return False
    return _names_what_ended(of_them, told) or _differs_by_a_number(line, statement)


def _ends_the_home(line: str, statement: str) -> bool:
    held, told = claim_in(line), claim_in(as_line(statement))
    is_home = (held is not None and held.about == ("home",)) or bool(_ADDRESS.search(line))
    if not is_home:
        return False
    if held is None or told is None or told.about != ("home",):
        return bool(_MOVED.search(statement))
    lives = held.is_named and told.is_named and told.is_only
    return not set(held.value) <= set(told.value) and (lives or bool(_MOVED.search(statement)))


def _names_what_ended(line: str, statement: str) -> bool:
    for found in _ENDED.finditer(statement):
        if _NOT_AN_END.search(found.group()) and not _FOR_GOOD.search(statement):
            continue
        ended = next(group for group in found.groups() if group)
        if _speaks_of(line, _OBJECT_ENDS.sub("", ended)):
            return True
    return False


def _speaks_of(line: str, thing: str) -> bool:
    """Whether a line has a word of a thing; in Chinese two signs of it, side by side.

    Of "playing chess" that is chess: a line about playing something else still holds.
    """
    if language_by_script(thing):
        return any(thing[place : place + 2] in line for place in range(max(len(thing) - 1, 1)))
    words = [word for word in words_of(thing) if word not in _ANYBODY and roots(word)]
    what = words[1:] if len(words) > 1 and words[0].endswith("ing") else words
    return bool(set(roots(" ".join(what))) & set(roots(line)))


def _differs_by_a_number(line: str, statement: str) -> bool:
    """Whether they differ in one number only: "Rita is eight", "Rita is nine"."""
    numbers, newer = _numbers(line), _numbers(statement)
    if len(numbers) != 1 or len(newer) != 1 or numbers == newer:
        return False
    rest, said = set(roots(_NUMBER.sub("", line))), set(roots(_NUMBER.sub("", statement)))
    return bool(rest) and rest <= said


def _numbers(text: str) -> set[str]:
    return {word for word in words_of(text) if _NUMBER.fullmatch(word)}
