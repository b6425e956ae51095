"""`pagekeeper ask`: one message, one reply."""

from pagekeeper_core.errors import Cancelled
from pagekeeper_core.messages import storable_text
from pagekeeper_core.updates import CallFinished, Update
from pagekeeper_desktop.cli.console import Console, input_lines
from pagekeeper_desktop.cli.conversation import write_exchange
from pagekeeper_desktop.cli.invocation import Invocation, UsageError
from pagekeeper_desktop.cli.session import open_session
from pagekeeper_desktop.view_models.call_phrases import call_phrase
from pagekeeper_desktop.view_models.formatting import is_blank

__all__ = ["run"]


def run(invocation: Invocation, console: Console) -> int:
    """Ask, and write the reply to standard output.

    Raises:
        UsageError: There is nothing to ask.
        Cancelled: The person stopped it.
        PagekeeperError: It failed.
    """
    text = _question(invocation.arguments.text)

    def watch(update: Update) -> None:
        if isinstance(update, CallFinished):
            console.aside(f"  {call_phrase(update.call)}")

    with open_session(invocation.options, console, invocation.arguments.thread) as session:
        reminders = session.speak_first(watch)
        exchange = session.converse(text, watch)
        exchange.reminders = reminders
        write_exchange(exchange, console, as_json=invocation.json)
    if exchange.stopped:
        raise Cancelled
    if exchange.error:
        raise exchange.error
    return 0


def _question(words: list[str]) -> str:
    text = _standard_input() if words == ["-"] else " ".join(words)
    text = storable_text(text).strip()
    if is_blank(text):
        raise UsageError("there is nothing to ask: the text is empty")
    return text


def _standard_input() -> str:
    return b"".join(input_lines()).decode("utf-8-sig", errors="replace")
