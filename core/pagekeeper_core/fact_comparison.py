"""How two facts stand to each other, decided in code: the same, an end of the other, or neither.

Asked whether a line is still true after a sentence, a small model says yes to "Lives in Coimbra"
after "We moved to Aveiro" and no to the user's name (measured with Qwen2.5-Coder-1.5B). So only
what the words themselves show counts here; what they do not show is left alone.
"""

import re

from pagekeeper_core.contradiction import contradiction
from pagekeeper_core.scripts import language_by_script
from pagekeeper_core.statements import names_in
from pagekeeper_core.wording import gist, is_said_in

__all__ = ["as_line", "ends", "is_grounded", "keeps_language", "says_already", "stems"]

STEM = 4
"""Letters by which two forms of a word are taken for the same: live, lives."""

SAME_SHARE = 0.75
"""Share of a fact's words that a line must hold to say it already, if it holds no others."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SMALL_WORDS = _words(
    "in on at to of for from with by as and or but it that this so too also we our me you be been"
    " called named old now any more see know well really just again still 的 了 是 在 我 叫 一 只"
)
_NEGATIONS = _words("not no never don doesn didn isn aren longer nor 不 没 别 戒")
_NUMBER = re.compile(
    r"\d+|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"|[一二两三四五六七八九十百]+",
    re.IGNORECASE,
)
_LATIN = re.compile("[A-Za-z]+")
_DIGITS = re.compile(r"\d+")

_MOVED = re.compile(
    r"\b(i|we)('ve| have)? (just )?(moved|relocated|now live|live now)\b|\b(i|we) live .*\bnow\b"
    r"|\b(i'm|we're|i am|we are) moving\b|我.{0,6}(搬到|搬去|搬家)|我现在住",
    re.IGNORECASE,
)
_HOME = re.compile(
    r"^(i |we |user )?(live[sd]?|living|home|address|moved)\b|^(家?住|搬)", re.IGNORECASE
)
_NEW_WORK = re.compile(
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
    told = _FIRST_PERSON.sub(lambda found: _THIRD_PERSON[found[1].casefold()], fact)
    line = _PRONOUN_ZH.sub("", _PRONOUN.sub("", " ".join(told.split()))).rstrip(".。 ")
    return line[:1].upper() + line[1:]


def is_grounded(fact: str, statement: str) -> bool:
    """Whether a fact is made of what the user said: words, names and numbers."""
    invented_names = names_in(fact[1:]) - names_in(statement)
    invented_numbers = set(_DIGITS.findall(fact)) - set(_DIGITS.findall(statement))
    return (
        bool(stems(fact))
        and not invented_names
        and not invented_numbers
        and is_negated(fact) == is_negated(statement)
        and is_said_in(fact, [statement])
    )


def keeps_language(fact: str, statement: str) -> bool:
    """Whether a fact is in the user's script, without words of another ("Mom住在成都")."""
    if language_by_script(fact) != language_by_script(statement):
        return False
    foreign = set(_LATIN.findall(fact)) - set(_LATIN.findall(statement))
    return not (foreign and language_by_script(statement))


def says_already(line: str, fact: str) -> bool:
    """Whether a line says what a fact says, and perhaps more."""
    held, told = stems(line), stems(fact)
    if not told or is_negated(line) != is_negated(fact):
        return False
    if not _numbers(fact) <= _numbers(line) or not names_in(fact[1:]) <= names_in(line):
        return False
    return told <= held or (held <= told and len(held) >= SAME_SHARE * len(told))


def ends(line: str, statement: str) -> bool:
    """Whether a line of memory is no longer true after what the user said later.

    Only where the words show it: a move ends where they lived, a new job the old one, "sold the
    car" a line with the car; another name or age, or the same words with another number.
    """
    found = contradiction(as_line(statement), [line])
    if found and found.certain:
        return not says_already(line, statement)
    if _MOVED.search(statement) and _HOME.search(line):
        return not says_already(line, statement)
    if _NEW_WORK.search(statement) and _WORK.search(line):
        return True
    return _names_what_ended(line, statement) or _differs_by_a_number(line, statement)


def is_negated(text: str) -> bool:
    """Whether a text denies something."""
    return any(word in _NEGATIONS for word in gist(text))


def _names_what_ended(line: str, statement: str) -> bool:
    for found in _ENDED.finditer(statement):
        if _NOT_AN_END.search(found.group()) and not _FOR_GOOD.search(statement):
            continue
        ended = next(group for group in found.groups() if group)
        if _speaks_of(line, ended):
            return True
    return False


def _speaks_of(line: str, thing: str) -> bool:
    """Whether a line has a word of a thing; in Chinese two signs of it, side by side."""
    if language_by_script(thing):
        return any(thing[place : place + 2] in line for place in range(max(len(thing) - 1, 1)))
    return bool(stems(thing) & stems(line))


def _differs_by_a_number(line: str, statement: str) -> bool:
    """Whether they differ in one number only: "Rita is eight", "Rita is nine"."""
    numbers, newer = _numbers(line), _numbers(statement)
    if len(numbers) != 1 or len(newer) != 1 or numbers == newer:
        return False
    rest, said = stems(_NUMBER.sub("", line)), stems(_NUMBER.sub("", statement))
    return bool(rest) and rest <= said


def _numbers(text: str) -> set[str]:
    return {word for word in gist(text) if _NUMBER.fullmatch(word)}


def stems(text: str) -> set[str]:
    """The words that carry a fact, without their endings; "lives in" and "moved to" are one."""
    at_home = _HOME.sub("home ", as_line(text))
    return {word[:STEM] for word in gist(at_home) if word not in _SMALL_WORDS}
