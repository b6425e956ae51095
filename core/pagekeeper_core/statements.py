"""What of a user's message can hold a lasting fact about them: single sentences, chosen in code.

A small model asked whether a sentence tells something lasting answers by its form, not its content.
So the clear cases are decided here: questions, requests, thanks, moods, suppositions, quoted and
pasted text tell nothing; "my brother is …", "I live in …", "我住在…" tell something. Only the rest
is the model's to decide.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pagekeeper_core.sameness import names_in
from pagekeeper_core.scripts import language_by_script
from pagekeeper_core.wording import gist

__all__ = ["KIN", "Statement", "statements_in"]

LONGEST_STATEMENT = 200
"""Characters; a longer sentence is a text, not something said."""

LONGEST_SAID = 1200
"""Characters of a message beyond which it is a pasted text."""

FEWEST_WORDS = 2
"""Words that carry meaning, below which a sentence states nothing."""

_QUOTED = re.compile(r"[\"“«「『][^\"”»」』]{12,}[\"”»」』]")
_PASTED = re.compile(r"[:：][ \t]*\n.*", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_CODE = re.compile(r"```.*?(```|\Z)", re.DOTALL)
_OPENING = re.compile(
    r"^(hi|hello|hey|thanks|thank you|ok|okay|yes|no|sure|great|good news|by the way|btw)\b"
    r"( there)?[,:! ]+|^(你好|您好|谢谢|好的|对了|嗯)[，,:：！ ]*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；])|\n+|, and (?=I\b)")

_KIN = (
    r"(wife|husband|partner|girlfriend|boyfriend|fianc\w+|mother|father|mum|mom|dad|parents?"
    r"|brothers?|sisters?|sis|bro|sons?|daughters?|child|children|kids?|baby|cousin|uncle|aunt|nephew|niece"
    r"|grand\w+|friend|boss|colleague|dogs?|cats?|horse|rabbit|parrot)"
)
_KIN_ZH = (
    "(女儿|儿子|孩子|妈妈|爸爸|母亲|父亲|先生|太太|丈夫|妻子|老公|老婆|哥哥|弟弟|姐姐|妹妹|爷爷|奶奶"
    "|外公|外婆|男朋友|女朋友|朋友|同事|狗|猫)"
)
_MONTHS = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"

_SAYS_NOTHING = (
    re.compile(
        r"[?？]\W*$|[吗呢]\W*$|^(what|who|whose|which|when|where|why|how|is|are|am|do|does|did|can"
        r"|could|will|would|should|shall|may|have you|has|tell me|show me|give me|explain|write"
        r"|please|let's|that|this|it)\b|^(请|帮我|什么|怎么|为什么|谁|能不能|可以)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(i|we)('d| would)? (need|want|like|wish|hope|wonder) (you|to know|to ask|help|some help"
        r"|a (recipe|joke|poem|tip|list))\b|\b(remind me|help me|translate|summari[sz]e)\b"
        r"|\bas (you know|i said)\b|我想(知道|问)|帮我|告诉我|你知道",
        re.IGNORECASE,
    ),
    re.compile(r"\b(if|imagine|suppose|pretend|let's say)\b|如果|假如|要是", re.IGNORECASE),
    re.compile(
        r"\b(today|tonight|yesterday|this (morning|afternoon|evening|week)|last night|right now"
        r"|at the moment|just now|a (bit|little) \w+)\b|今天|昨天|昨晚|今晚|刚|有点|半天",
        re.IGNORECASE,
    ),
)

_LASTING = (
    re.compile(
        rf"\b(my|our) (\w+ )?(name|birthday|favou?rite|native language|{_KIN})\b.*\b(is|are|has"
        r"|have|had|lives?|works?|turns?|plays?|stud(y|ies)|called|named|died|wants?|likes?)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bi('m| am) (not )?(allergic|vegetarian|vegan|married|divorced|retired|from|born|diabetic"
        r"|left-handed|an? (?!bit|little|fan of this))",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bi (do not|don't|never|can't|cannot) (eat|drink|smoke|drive|swim)\b", re.IGNORECASE
    ),
    re.compile(
        r"\b(i|we)('ve| have)? (just )?(live|work|teach|study|play|speak|own|drive|collect|sing"
        r"|grew up|was born|moved|quit|sold|retired|got married|bought an?)\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(i|we) have (an?|two|three|four|\d+)\b.*\b{_KIN}\b", re.IGNORECASE),
    re.compile(
        r"\bcall me [A-Z]\w+|\b(get|getting|got) (married|divorced|engaged)\b"
        r"|\bi (really )?(hate|adore|can't stand) (?!this|that|it|you|my|the|when|how)\w+"
        r"|\b(adopted|bought|got) an? (new )?(puppy|kitten|dog|cat|rabbit|horse|house|flat|car)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(i|i'm|we|we're|my|our)\b.*\b(on|in|from|until) (the )?(\d+(st|nd|rd|th)? (of )?)?"
        rf"{_MONTHS}\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(my|our|the) (\w+ )?(holiday|wedding|operation|surgery|exam|trip|flight|concert"
        r"|course|job)\b.*\b(on|in|from) .*\d",
        re.IGNORECASE,
    ),
    re.compile(
        r"我(们|家)?(对.+过敏|不吃|不喝|住|来自|出生|会说|教|养了?|叫|姓|是(一|个|名|.{0,4}(师|生|员"
        r"|人))|在.+(工作|上班|教|上学|读))|我.{0,4}(最?喜欢|爱)(?!这|那|你)"
    ),
    re.compile(rf"我(们|家)?的?.{{0,2}}(名字|生日|{_KIN_ZH}).*(是|叫|住|在|岁|有|生)"),
    re.compile(r"叫我[\u4e00-\u9fff]|讨厌(?!这|那|你|的)[\u4e00-\u9fff]|领养了|我.*分手"),
    re.compile(
        r"我.*[月号日].*(手术|婚礼|考试|旅行|出差|去|开始)|我.*(搬到|搬去|辞职|结婚|离婚|退休)"
    ),
)

_OF_THEMSELVES = re.compile(
    r"\b(i|my|mine|me|we|our|ours|us|ich|mein\w*|wir|unser\w*|je|mon|ma|mes|nous|notre|yo|mi|mis"
    r"|eu|meu|minha|nós|nosso|nossa|io|mio|mia|ik|mijn)\b|\bj'|^(been|just|recently|finally)\b",
    re.IGNORECASE,
)
KIN = re.compile(rf"\b{_KIN}\b|{_KIN_ZH}", re.IGNORECASE)
"""Words for people and animals of whom the user may have more than one."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence in which the user speaks of themselves, or of somebody whom memory knows.

    Attributes:
        text: As it was said.
        is_lasting: Whether its form alone says that it will hold for long; else that is open.
    """

    text: str
    is_lasting: bool


def statements_in(text: str, known_names: Iterable[str] = ()) -> list[Statement]:
    """The sentences of a message that may tell something lasting about the user.

    Args:
        text: What the user wrote.
        known_names: Names that memory holds: a sentence about somebody of that name counts.
    """
    if len(text) > LONGEST_SAID:
        return []
    own = text
    for pasted in (_CODE, _PASTED, _QUOTED_LINE, _QUOTED):
        own = pasted.sub(" ", own)
    names = frozenset(known_names)
    sentences = (_OPENING.sub("", " ".join(part.split())) for part in _SENTENCE.split(own))
    return [
        Statement(sentence, is_lasting=_is_lasting(sentence))
        for sentence in sentences
        if _may_state(sentence, names)
    ]


def _may_state(sentence: str, names: frozenset[str]) -> bool:
    return (
        len(sentence) <= LONGEST_STATEMENT
        and (len(gist(sentence)) >= FEWEST_WORDS or _is_lasting(sentence))
        and not any(form.search(sentence) for form in _SAYS_NOTHING)
        and _is_about_the_user(sentence, names)
    )


def _is_lasting(sentence: str) -> bool:
    return any(form.search(sentence) for form in _LASTING)


def _is_about_the_user(sentence: str, names: frozenset[str]) -> bool:
    """Whether it may be; Chinese and others say "I" seldom, and are left to the model."""
    if language_by_script(sentence):
        return True
    return bool(_OF_THEMSELVES.search(sentence)) or bool(names & names_in(sentence))
