"""What came of one message to the assistant: `ask` and `chat` have it in common."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.messages import Citation, Message, MessageKind
from pagekeeper_core.updates import (
    CallFinished,
    ChainCancelled,
    ChainFailed,
    MessageAdmitted,
    QueueFlushed,
    ReplyFinished,
    Update,
)
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.view_models.formatting import one_line

__all__ = ["Exchange", "citation_lines", "exchange_fields", "write_exchange"]

_LONGEST_SOURCE = 100


@dataclass(slots=True)
class Exchange:
    """What came of one message.

    Attributes:
        message: The message as it was stored; None if it was not.
        replies: What the assistant said, usually once.
        calls: The other functions that it called, with their results.
        evicted: How many of the oldest messages left the context window for their summary.
        stopped: Whether the person stopped it.
        error: Why it failed, if it did.
        reminders: What the assistant said before, because it was due.
    """

    message: Message | None = None
    replies: list[Message] = field(default_factory=list)
    calls: list[CallFinished] = field(default_factory=list)
    evicted: int = 0
    stopped: bool = False
    error: PagekeeperError | None = None
    reminders: list[Message] = field(default_factory=list)

    @property
    def reply(self) -> str:
        """The text that the assistant said."""
        return "\n\n".join(message.text for message in self.replies)

    @property
    def citations(self) -> list[Citation]:
        """What the reply rests on."""
        return [citation for message in self.replies for citation in message.citations]

    def note(self, update: Update) -> None:
        """Keep what matters of an update."""
        match update:
            case MessageAdmitted(message) if message.kind is MessageKind.USER:
                self.message = message
            case ReplyFinished(message):
                self.replies.append(message)
            case CallFinished():
                self.calls.append(update)
            case QueueFlushed(evicted):
                self.evicted += evicted
            case ChainCancelled():
                self.stopped = True
            case ChainFailed(error):
                self.error = error
            case _:
                pass


def write_exchange(exchange: Exchange, console: Console, *, as_json: bool) -> None:
    """Write the reply to standard output; what was said before it, unasked, goes beside it."""
    if as_json:
        console.emit(exchange_fields(exchange))
        return
    for message in exchange.reminders:
        console.note(message.text)
    if exchange.replies:
        console.line(exchange.reply)
        for line in citation_lines(exchange.citations):
            console.line(line)


def citation_lines(citations: Sequence[Citation]) -> list[str]:
    """One line a citation: "[1] report.pdf, page 3"."""
    return [f"[{cited.number}] {one_line(cited.source, _LONGEST_SOURCE)}" for cited in citations]


def exchange_fields(exchange: Exchange) -> dict[str, object]:
    """An exchange as a JSON object."""
    fields: dict[str, object] = {
        "thread": exchange.message.thread_id if exchange.message else None,
        "message_seq": exchange.message.seq if exchange.message else None,
        "reply": exchange.reply if exchange.replies else None,
        "reply_seq": exchange.replies[-1].seq if exchange.replies else None,
        "citations": [asdict(citation) for citation in exchange.citations],
        "calls": [_call_fields(finished) for finished in exchange.calls],
        "evicted": exchange.evicted,
        "stopped": exchange.stopped,
        "reminders": [message.text for message in exchange.reminders],
    }
    if exchange.error:
        fields["error"] = {"message": str(exchange.error), "hint": exchange.error.hint}
    return fields


def _call_fields(finished: CallFinished) -> dict[str, object]:
    return {
        "name": finished.call.name,
        "arguments": dict(finished.call.arguments),
        "ok": finished.result.ok,
        "result": finished.result.text,
    }
