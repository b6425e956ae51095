"""Messages, function calls and their results: the plain values that the queue and recall hold."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

__all__ = [
    "Citation",
    "FunctionCall",
    "FunctionResult",
    "Message",
    "MessageKind",
    "PromptMessage",
    "PromptRole",
    "storable_text",
]

_UNSTORABLE = re.compile("[\ud800-\udfff]")


def storable_text(text: str) -> str:
    """Replace what neither database nor tokenizer can hold: NUL and lone surrogates.

    A lone surrogate (half an emoji, from a broken paste) becomes U+FFFD, NUL is dropped. All other
    text, whatever its script or direction, stays as it was typed.
    """
    return _UNSTORABLE.sub("\ufffd", text.replace("\0", ""))


class MessageKind(StrEnum):
    """Who wrote a message."""

    USER = "user"
    """The person."""
    ASSISTANT = "assistant"
    """The model: one function call."""
    FUNCTION = "function"
    """The result of the call in the message before it."""
    SYSTEM = "system"
    """The program: alerts, user actions, timed events."""


class PromptRole(StrEnum):
    """The roles that a chat template knows."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """The one function call that a step of the model consists of.

    Attributes:
        name: The function's name.
        arguments: Its arguments by name: JSON values, validated by the executor before use.
        inner_thoughts: The model's private reasoning, written before the name.
        request_heartbeat: Whether the model wants another step after this one (paper, section 2.4).
    """

    name: str
    arguments: Mapping[str, object]
    inner_thoughts: str = ""
    request_heartbeat: bool = False


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """What a function call gave; a failed call is a value too, which the model reads.

    Attributes:
        text: A sentence or a page of results, written for the model.
        ok: False when the call failed and the model should mend it.
        changed_memory: Whether working context or archival storage is now different.
    """

    text: str
    ok: bool = True
    changed_memory: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that a reply rests on.

    Invariant: it was retrieved in the chain that the reply ended; nothing else can be cited.

    Attributes:
        number: How the reply's text refers to it: "[1]".
        passage_id: The passage in archival storage; it may have been deleted since.
        document_id: Its document; empty for a note.
        title: The document's title, or "note".
        location: Where in the document: "page 3".
    """

    number: int
    passage_id: str
    document_id: str
    title: str
    location: str

    @property
    def source(self) -> str:
        """Document and place in words: "report.pdf, page 3"."""
        return ", ".join(filter(None, (self.title, self.location)))


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the conversation, as recall storage keeps it and as the model sees it.

    Invariant: `prompt_text` is written once, when the message is made, and never rendered anew, so
    that the evaluated prefix of the prompt stays valid.

    Attributes:
        kind: Who wrote it.
        text: What a person reads and recall searches; empty for a call that is not a reply.
        prompt_text: Exactly what the model sees.
        created_at: When it was made; time zone aware, UTC.
        call: The function call, if `kind` is ASSISTANT.
        seq: Its number in recall storage: 1, 2, 3 … without gaps over all threads; 0 until it has
            been stored.
        thread_id: The conversation that it belongs to; the first one is 1.
        citations: The passages that a reply rests on, by their numbers.
    """

    kind: MessageKind
    text: str
    prompt_text: str
    created_at: datetime
    call: FunctionCall | None = None
    seq: int = 0
    thread_id: int = 1
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One turn of the prompt, before the model's own chat template is applied."""

    role: PromptRole
    text: str
