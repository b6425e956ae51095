"""`pagekeeper chat`: a conversation in the terminal, or line by line with another program."""

import codecs
import sys
from collections.abc import Iterable, Iterator

from pagekeeper_core.errors import Cancelled
from pagekeeper_core.messages import storable_text
from pagekeeper_core.updates import CallFinished, Update
from pagekeeper_desktop.cli.console import Console, input_lines
from pagekeeper_desktop.cli.conversation import write_exchange
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.session import Session, open_session
from pagekeeper_desktop.view_models.call_phrases import call_phrase
from pagekeeper_desktop.view_models.formatting import is_blank

__all__ = ["answer_lines", "read_messages", "run"]


def run(invocation: Invocation, console: Console) -> int:
    """Talk until the person leaves or the input ends; gives the exit code."""
    has_keyboard = sys.stdin is not None and sys.stdin.isatty()
    is_terminal = has_keyboard and console.out.isatty() and not invocation.json
    with open_session(invocation.options, console, invocation.arguments.thread) as session:
        if is_terminal:
            from pagekeeper_desktop.cli.terminal_chat import (  # noqa: PLC0415 - terminals only
                TerminalChat,
            )

            return TerminalChat(session, console).run()
        console.note(f"{session.model_name} is ready.")
        messages = read_messages(input_lines())
        return answer_lines(session, messages, console, as_json=invocation.json)


def answer_lines(
    session: Session, messages: Iterable[str], console: Console, *, as_json: bool
) -> int:
    """Answer one message after the other; gives the exit code.

    Raises:
        Cancelled: Ctrl+C was pressed; what has been answered is stored.
    """

    def watch(update: Update) -> None:
        if isinstance(update, CallFinished):
            console.aside(f"  {call_phrase(update.call)}")

    code, waiting = 0, iter(messages)
    while True:
        with session.idle():
            text = next(waiting, None)
        if text is None:
            return code
        reminders = session.speak_first(watch)
        exchange = session.converse(text, watch)
        exchange.reminders = reminders
        write_exchange(exchange, console, as_json=as_json)
        if exchange.error:
            console.error(exchange.error)
        if exchange.stopped:
            raise Cancelled
        code = 1 if exchange.error else code


def read_messages(lines: Iterable[bytes]) -> Iterator[str]:
    """The lines as texts, blank ones left out; bytes that are not UTF-8 are replaced."""
    for line in lines:
        # A byte order mark, which some systems put before what they pipe, is not said to anybody.
        text = line.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
        text = storable_text(text.rstrip("\r\n"))
        if not is_blank(text):
            yield text
