"""What consolidation asks the model, one sentence of the user at a time, after worked examples.

Task and examples are the same for every question, so that each costs its own words only. The answer
is a topic out of a few and a bounded line, or "nothing lasting".
"""

import json

from pagekeeper_core.messages import PromptMessage, PromptRole
from pagekeeper_core.protocols import JsonSchema

__all__ = [
    "EXAMPLES",
    "FACT_SCHEMA",
    "LONGEST_ANSWER",
    "LONGEST_FACT",
    "examples",
    "question",
]

_NOTHING = "nothing lasting"
_TOPICS = ("person", "pet", "home", "work", "health", "taste", "hobby", "belonging", "date")

LONGEST_FACT = 100
"""Characters."""

LONGEST_ANSWER = 96
"""Tokens: a fact of the bounded length in a script of one token a sign does not pass it."""

_TASK = """\
The conversation rests, and you tidy your memory. For each sentence of the user you say what it \
tells about the user's life.
- Lasting (name, family, friends, pets, home, work, health, taste, hobbies, belongings, dates to \
come): the topic, and the fact as one short line in the user's own words and language, without "I".
- Moods, weather, chat, chores, opinions: "nothing lasting"."""

_WORKED = (
    ("I'm allergic to nuts.", "health", "Allergic to nuts"),
    ("I have to finish the report by noon.", _NOTHING, ""),
    ("My brother Luc works as a cook in Nice.", "person", "Brother Luc works as a cook in Nice"),
    ("我在学校教数学。", "work", "在学校教数学"),
    ("We moved to Porto in June.", "home", "Moved to Porto in June"),
    ("I liked the soup.", _NOTHING, ""),
    ("I no longer smoke.", "health", "No longer smokes"),
    ("我妹妹喜欢画画。", "person", "妹妹喜欢画画"),
    ("I start my new job on 4 August.", "date", "Starts a new job on 4 August"),
    ("我觉得这本书不错。", _NOTHING, ""),
)
"""The exchanges, in the order of their worth: a small window gets the first ones only."""


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


FACT_SCHEMA: JsonSchema = {
    "anyOf": [
        _object({"topic": {"const": _NOTHING}}),
        _object(
            {
                "topic": {"enum": list(_TOPICS)},
                "fact": {"type": "string", "minLength": 1, "maxLength": LONGEST_FACT},
            }
        ),
    ]
}
"""A topic and a fact, or "nothing lasting"."""

EXAMPLES = len(_WORKED)
"""How many worked examples there are."""


def examples(count: int = EXAMPLES) -> list[PromptMessage]:
    """The task and the first `count` worked examples, as turns."""
    turns = [PromptMessage(PromptRole.SYSTEM, _TASK)]
    for said, topic, fact in _WORKED[:count]:
        answer = {"topic": topic, "fact": fact} if fact else {"topic": topic}
        text = json.dumps(answer, ensure_ascii=False)
        turns += [question(said), PromptMessage(PromptRole.ASSISTANT, text)]
    return turns


def question(statement: str) -> PromptMessage:
    """What does this sentence tell about the user?"""
    return PromptMessage(PromptRole.USER, f"The user said: {statement}")
