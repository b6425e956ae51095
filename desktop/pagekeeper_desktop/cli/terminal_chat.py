"""The conversation with a person at a terminal."""

import queue
from contextlib import suppress

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.shortcuts import CompleteStyle

from pagekeeper_core.updates import (
    CallFinished,
    PromptProgress,
    ProposalsChanged,
    QueueFlushed,
    ReplyDelta,
    ReplyFinished,
    SummaryProgress,
    Update,
)
from pagekeeper_desktop.cli.chat_commands import ChatCommands, CommandCompleter
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.conversation import citation_lines
from pagekeeper_desktop.cli.progress import Progress, progress_on
from pagekeeper_desktop.cli.session import Session
from pagekeeper_desktop.composition import LoadStage
from pagekeeper_desktop.view_models.call_phrases import call_phrase, summary_phrase
from pagekeeper_desktop.view_models.formatting import counted, is_blank

__all__ = ["TerminalChat"]

_PROMPT = "› "
_LEAVE = frozenset({"/quit", "/exit"})
_WORTH_A_BAR = 256
"""Tokens of the prompt to evaluate from which the wait is shown: some seconds on a laptop."""


class TerminalChat:
    """Reads with line editing, writes the reply as it comes.

    Ctrl+C stops a reply. It leaves when it is pressed twice with no message in between.
    """

    def __init__(self, session: Session, console: Console) -> None:
        self._session = session
        self._console = console
        self._editor: PromptSession[str] = PromptSession(
            _PROMPT,
            key_bindings=_keys(),
            reserve_space_for_menu=0,
            completer=CommandCompleter(session.memory),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
        )
        self._commands = ChatCommands(session, console)
        self._interrupted_before = False
        self._said_unasked: queue.SimpleQueue[str] = queue.SimpleQueue()

    def run(self) -> int:
        """Talk until the person leaves; gives the exit code.

        Raises:
            KeyboardInterrupt: They left by Ctrl+C.
        """
        self._console.aside(
            f"{self._session.model_name} · offline · Ctrl+C stops a reply, /help shows commands, "
            "/quit leaves"
        )
        while (text := self._read()) is not None:
            if not is_blank(text) and not self._commands.carry_out(text):
                self._answer(text)
        return 0

    def _read(self) -> str | None:
        """What the person types or pastes; None when they leave."""
        while True:
            try:
                with self._session.idle(self._say_unasked, self._is_typing):
                    text = self._editor.prompt()
            except EOFError:
                return None
            except KeyboardInterrupt:
                self._count_interrupt()
                continue
            finally:
                self._show_unasked()
            return None if text.strip() in _LEAVE else text

    def _is_typing(self) -> bool:
        return bool(self._editor.default_buffer.text)

    def _say_unasked(self, update: Update) -> None:
        """Show above the prompt what the assistant says while it waits; on the agent thread."""
        if not isinstance(update, ReplyFinished):
            return
        self._said_unasked.put(update.message.text)
        editor = self._editor.app
        if editor.loop is not None and editor.context is not None:
            # The prompt may end at this moment; then it is shown behind it.
            with suppress(RuntimeError):
                editor.loop.call_soon_threadsafe(
                    run_in_terminal, self._show_unasked, context=editor.context.copy()
                )

    def _show_unasked(self) -> None:
        while not self._said_unasked.empty():
            self._console.write(f"{self._said_unasked.get()}\n\n")

    def _count_interrupt(self) -> None:
        if self._interrupted_before:
            raise KeyboardInterrupt
        self._interrupted_before = True
        self._console.aside("Ctrl+C once more, Ctrl+D or /quit leaves.")

    def _answer(self, text: str) -> None:
        reply = _LiveReply(self._console)
        exchange = self._session.converse(text, reply.show)
        presses = self._session.interrupts.count
        reply.end()
        if exchange.stopped:
            self._console.aside("Stopped.")
        if exchange.error:
            self._console.error(exchange.error)
        if presses > 1:
            raise KeyboardInterrupt
        self._interrupted_before = presses > 0


class _LiveReply:
    """Writes one chain to the terminal while it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress: Progress | None = None
        self._streamed = False

    def show(self, update: Update) -> None:
        """Write what the person should see of an update."""
        if isinstance(update, PromptProgress):
            self._show_reading(update)
            return
        self._end_reading()
        match update:
            case ReplyDelta(text):
                self._streamed = True
                self._console.write(text)
            case ReplyFinished(message):
                self._console.write("\n" if self._streamed else f"{message.text}\n")
                for line in citation_lines(message.citations):
                    self._console.aside(f"  {line}")
                self._console.write("\n")
                self._streamed = False
            case SummaryProgress():
                self._console.aside(f"  {summary_phrase(update)}")
            case CallFinished(call):
                self._console.aside(f"  {call_phrase(call)}")
            case QueueFlushed(evicted):
                self._console.aside(f"  {counted(evicted, 'older message')} summarised")
            case ProposalsChanged(proposals) if proposals:
                count = counted(len(proposals), "change")
                self._console.aside(f"  {count} of its memory proposed: /proposals")
            case _:
                pass

    def end(self) -> None:
        """Leave the terminal at the start of a line."""
        self._end_reading()
        self._console.end_line()

    def _show_reading(self, update: PromptProgress) -> None:
        if self._progress is None and update.total >= _WORTH_A_BAR:
            self._progress = progress_on(self._console)
        if self._progress is not None:
            self._progress.show(LoadStage("Reading", update.done, update.total))

    def _end_reading(self) -> None:
        if self._progress is not None:
            self._progress.close()
            self._progress = None


def _keys() -> KeyBindings:
    """Alt+Enter begins a new line; a pasted text keeps its lines by itself."""
    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys
