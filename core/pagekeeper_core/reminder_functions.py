"""The model's functions for reminders. `when` stays in the user's words: code reckons, not it."""

from typing import Annotated

from pydantic import Field

from pagekeeper_core import prompts
from pagekeeper_core.document_orders import check_erased, check_reminder
from pagekeeper_core.errors import FunctionError
from pagekeeper_core.functions import OneOf, Turn, model_function
from pagekeeper_core.messages import FunctionResult
from pagekeeper_core.schedule import Reminders

__all__ = ["REMINDER_FUNCTIONS", "ReminderFunctions"]

Text = Annotated[str, Field(min_length=1, max_length=160)]
SetText = Annotated[str, Field(max_length=160), OneOf("reminder_texts")]
When = Annotated[str, Field(min_length=1, max_length=80)]

MOST_LISTED = 12
"""Reminders that one result shows."""

REMINDER_FUNCTIONS = ("set_reminder", "cancel_reminder")
"""Not offered while a reminder is said: it would set itself again and again."""


class ReminderFunctions:
    """Set, list and cancel, over the same reminders as the person's own hand."""

    def __init__(self, reminders: Reminders) -> None:
        self._reminders = reminders

    def reminder_texts(self) -> tuple[str, ...]:
        """What the reminders are about, the next one first."""
        active = self._reminders.current().reminders
        return tuple(dict.fromkeys(reminder.text for reminder in active))[:MOST_LISTED]

    @model_function()
    def set_reminder(self, turn: Turn, text: Text, when: When) -> FunctionResult:
        """Remind the user of text at a time, in the user's words: "on Friday at nine", "every morning"."""  # noqa: E501 - one line of the prompt
        check_reminder(turn)
        try:
            reminder = self._reminders.set(
                text, when, actor="assistant", cause_seq=turn.cause_seq, said=turn.question
            )
        except FunctionError as error:
            raise _with_hint(error, turn) from error
        line = self._reminders.line(reminder)
        return FunctionResult(f"Set: {line}. {prompts.next_step(turn.question)}")

    @model_function(is_search=True)
    def list_reminders(self, turn: Turn) -> FunctionResult:
        """What is due, and when."""
        lines = self._reminders.coming()
        shown = "\n".join(f"{number}. {line}" for number, line in enumerate(lines[:MOST_LISTED], 1))
        more = len(lines) - MOST_LISTED
        text = f"These reminders are set:\n{shown}" if lines else "No reminders are set."
        text += f"\nand {more} later ones." if more > 0 else ""
        return FunctionResult(f"{text}\n{prompts.next_step(turn.question)}")

    @model_function()
    def cancel_reminder(self, turn: Turn, text: SetText) -> FunctionResult:
        """End the reminder about text."""
        check_erased(turn, text)
        try:
            reminder = self._reminders.cancel(text, actor="assistant")
        except FunctionError as error:
            raise _with_hint(error, turn) from error
        line = self._reminders.line(reminder)
        return FunctionResult(f"Cancelled: {line}. {prompts.next_step(turn.question)}")


def _with_hint(error: FunctionError, turn: Turn) -> FunctionError:
    """The refusal for the model, which reads one text, and may ask the user."""
    ask = "If the user did not say it, ask." if error.hint else prompts.next_step(turn.question)
    return FunctionError(" ".join(filter(None, (str(error), error.hint, ask))))
