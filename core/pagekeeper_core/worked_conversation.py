"""The worked conversation: how it is done, shown in front of the real conversation as real turns.

It shows another, invented user, and does more for a small model than any instruction (measured with
Qwen2.5-Coder-1.5B: 6 of 7 everyday messages handled rightly, against none with instructions alone).
The thoughts before a saving call begin with what is new: with "I save it" alone, three more
functions in the prompt were enough for nothing to be saved any more (0 of 7 facts; now 7 of 7).
It never changes, so its evaluated state is kept. The exchanges stand in the order of their worth: a
small window gets the first ones only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pagekeeper_core.function_calls import call_text
from pagekeeper_core.messages import FunctionCall, PromptMessage, PromptRole
from pagekeeper_core.prompts import after_results, next_step, nothing_found, user_message
from pagekeeper_core.protocols import TokenCounter

__all__ = ["worked_conversation"]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A worked exchange: what the user says, then calls, each with its result (but the last)."""

    user: str
    steps: Sequence[tuple[FunctionCall, str]]

    def messages(self, *, thoughts: bool) -> list[PromptMessage]:
        """The exchange as turns; without thoughts, where the model is to write none."""
        turns = [PromptMessage(PromptRole.USER, self.user)]
        for call, result in self.steps:
            shown = call if thoughts else replace(call, inner_thoughts="")
            turns.append(PromptMessage(PromptRole.ASSISTANT, call_text(shown)))
            if result:
                turns.append(PromptMessage(PromptRole.TOOL, result))
        return turns


def _reply(thoughts: str, message: str) -> tuple[FunctionCall, str]:
    return FunctionCall("send_message", {"message": message}, thoughts), ""


def _append(user: str, thoughts: str, fact: str, block_text: str) -> tuple[FunctionCall, str]:
    call = FunctionCall(
        "core_memory_append", {"block": "human", "text": fact}, thoughts, request_heartbeat=True
    )
    return call, _saved(user, block_text)


def _search(thoughts: str, queries: Sequence[str], result: str) -> tuple[FunctionCall, str]:
    arguments = {"queries": list(queries)}
    return FunctionCall("conversation_search", arguments, thoughts, request_heartbeat=True), result


def _saved(user: str, block_text: str) -> str:
    return f"Saved. The block 'human' now says:\n{block_text}\n" + next_step(user)


_HELLO = "Hi, I'm Marta and I live in Lyon."
_FELIX = "My cat Felix has to see the vet tomorrow."
_MOVED = "By the way, I moved to Porto in June."
_TRIP = "我下周去东京出差。"
_MARTA = "Name: Marta"
_LYON = "Lives in Lyon"
_PORTO = "Lives in Porto since June"
_CAT = "Has a cat called Felix"
_TOKYO = "下周去东京出差"
_VET = "What did the vet say about Felix?"
_BROTHER = "What is my brother's name?"

_WORKED_CONVERSATION = (
    _Exchange(
        _HELLO,
        (
            _append(
                _HELLO, "New about her: her name and her home. First the name.", _MARTA, _MARTA
            ),
            _append(_HELLO, "New about her: her home. I save it.", _LYON, f"{_MARTA}\n{_LYON}"),
            _reply("All is saved. I answer her.", "Nice to meet you, Marta! How is Lyon today?"),
        ),
    ),
    _Exchange(
        "Where do I live?",
        (_reply("The block human says: Lives in Lyon. I answer.", "You live in Lyon."),),
    ),
    _Exchange(
        "Why do cats purr?",
        (
            _reply(
                "General knowledge, nothing about her. I answer at once.",
                "Cats purr when they are content, and also to calm themselves when they are ill.",
            ),
        ),
    ),
    _Exchange(
        _VET,
        (
            _search(
                "She asks about something said earlier. I search it.",
                ("vet Felix", "vet said"),
                "Found what was said: 'vet Felix', 'vet said' (page 1 of 1):\n"
                "1. (2026-03-02 18:05, user) The vet says Felix is fine, he only ate too much.\n"
                "2. (2026-03-01 09:12, user) My cat Felix has to see the vet tomorrow.\n"
                + after_results(_VET),
            ),
            _reply(
                "Line 1: 'The vet says Felix is fine, he only ate too much.' That is the answer.",
                "The vet said that Felix is fine: he only ate too much.",
            ),
        ),
    ),
    _Exchange(
        _FELIX,
        (
            _append(
                _FELIX,
                "New about her: she has a cat. I save it.",
                _CAT,
                f"{_MARTA}\n{_LYON}\n{_CAT}",
            ),
            _reply("Saved. I answer about Felix.", "Poor Felix! I hope the vet finds nothing bad."),
        ),
    ),
    _Exchange(
        "What do you know about me?",
        (
            _reply(
                "All lines of the block human. I answer at once.",
                "Your name is Marta, you live in Lyon, and you have a cat called Felix.",
            ),
        ),
    ),
    _Exchange(
        _MOVED,
        (
            (
                FunctionCall(
                    "core_memory_replace",
                    {"block": "human", "old": _LYON, "new": _PORTO},
                    "Her home has changed. I correct the block.",
                    request_heartbeat=True,
                ),
                _saved(_MOVED, f"{_MARTA}\n{_PORTO}\n{_CAT}"),
            ),
            _reply("Corrected. I answer.", "From Lyon to Porto, how nice! I have noted it."),
        ),
    ),
    _Exchange(
        _BROTHER,
        (
            _search(
                "Not in the block human. I search it.",
                ("brother", "brother name"),
                nothing_found(
                    "what was said: 'brother', 'brother name'",
                    f"{_MARTA}\n{_PORTO}\n{_CAT}",
                    page=1,
                    pages=1,
                ),
            ),
            _reply("No line says it. I do not know.", "You have not told me your brother's name."),
        ),
    ),
    _Exchange(
        user_message(_TRIP),
        (
            _append(
                _TRIP, "她说了一个计划。我保存。", _TOKYO, f"{_MARTA}\n{_PORTO}\n{_CAT}\n{_TOKYO}"
            ),
            _reply("已保存。我用中文回答。", "好的,我记住了。祝你东京之行顺利!"),
        ),
    ),
    _Exchange(
        "Tell me a joke.",
        (
            _reply(
                "Small talk. I tell one at once.",
                "Why did the bicycle fall over? Because it was two-tired!",
            ),
        ),
    ),
)


def worked_conversation(
    limit: int, counter: TokenCounter, *, thoughts: bool = True
) -> list[PromptMessage]:
    """As many of the exchanges, from the first on, as fit into `limit` tokens."""
    shown: list[PromptMessage] = []
    for exchange in _WORKED_CONVERSATION:
        longer = [*shown, *exchange.messages(thoughts=thoughts)]
        if counter.count_prompt(longer) > limit:
            break
        shown = longer
    return shown
