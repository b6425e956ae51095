"""The page of reminders: what comes when, a new one in plain words, an end to each."""

from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import Event, ReminderCancelled, ReminderSet
from pagekeeper_core.records import Reminder
from pagekeeper_desktop.view_models.formatting import is_blank, is_right_to_left, one_line
from pagekeeper_desktop.view_models.reminder_list import ReminderList, due_words, origin_words

__all__ = ["ReminderPage"]

WIDTH = 640
MARGIN = 24
LONGEST = 300
LONGEST_NAME = 60
"""Characters of what a reminder is about, and of when."""


class ReminderPage(QWidget):
    """The reminders of this data folder.

    Signals:
        cause_requested (int): Show the message of this number.
    """

    cause_requested = Signal(int)

    def __init__(self, reminders: ReminderList, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reminders = reminders
        self._waits = False
        self.cards: dict[int, _ReminderCard] = {}
        self.text = _field("What about?", "What the reminder is about", self)
        self.when = _field("When? Such as: on Friday at nine", "When it is due, in words", self)
        self.add = QPushButton("Add", self)
        self.add.setProperty("role", "primary")
        self.add.setAccessibleName("Add the reminder")
        self.note = _words("", "muted", self)
        self._empty = _words(
            "Nothing is to come. Write one here, or say in a conversation: “Remind me on Friday "
            "at nine to call the vet.” It is said while Pagekeeper is open, and caught up with "
            "at the next start.",
            "muted",
            self,
        )
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        self._lay_out()
        self.add.clicked.connect(self._add)
        for field in (self.text, self.when):
            field.returnPressed.connect(self._add)
            field.textChanged.connect(self._update)
        reminders.changed.connect(self._show)
        self._show()
        self._update()

    @property
    def is_being_written(self) -> bool:
        """Whether something stands in its fields while the page is shown."""
        return self.isVisible() and bool(self.text.text() or self.when.text())

    def say_due(self, reminder: Reminder) -> None:
        """Say that one is due now."""
        name = one_line(reminder.text, LONGEST_NAME)
        self._say(f"Due now: “{name}”. The assistant speaks of it in the conversation.", "muted")

    def event_answered(self, event: Event) -> None:
        """The agent has carried out what the person asked for."""
        if isinstance(event, ReminderSet):
            self._end_waiting("It is set.", "muted")
            self.text.clear()
            self.when.clear()
            self.text.setFocus()

    def event_refused(self, event: Event, error: PagekeeperError) -> None:
        """The agent could not: what was written stays, with the reason."""
        words = error.with_hint
        if isinstance(event, ReminderSet):
            self._end_waiting(words, "danger")
            self.when.setFocus()
        elif isinstance(event, ReminderCancelled):
            self._say(words, "danger")

    def _lay_out(self) -> None:
        title = _words("Reminders", "welcome", self)
        form = QGridLayout()
        form.setSpacing(8)
        form.addWidget(self.text, 0, 0, 1, 2)
        form.addWidget(self.when, 1, 0)
        form.addWidget(self.add, 1, 1)
        content = QWidget()
        content.setProperty("role", "content")
        content.setMaximumWidth(WIDTH)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, MARGIN, 0, MARGIN)
        column.setSpacing(12)
        column.addWidget(title)
        column.addLayout(form)
        for widget in (self.note, self._empty):
            column.addWidget(widget)
        column.addLayout(self._list)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName("Reminders")
        outer = QWidget()
        outer.setProperty("role", "content")
        row = QHBoxLayout(outer)
        row.setContentsMargins(MARGIN, 0, MARGIN, 0)
        row.addStretch(1)
        row.addWidget(content, 100)
        row.addStretch(1)
        scroll.setWidget(outer)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.addWidget(scroll)

    def _add(self) -> None:
        if self.add.isEnabled():
            self._waits = True
            self._say("Setting it …", "muted")
            self._update()
            self._reminders.set(self.text.text(), self.when.text())

    def _update(self) -> None:
        blank = is_blank(self.text.text()) or is_blank(self.when.text())
        self.add.setEnabled(not blank and not self._waits)

    def _end_waiting(self, words: str, role: str) -> None:
        self._waits = False
        self._say(words, role)
        self._update()

    def _say(self, words: str, role: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))
        self.note.setProperty("role", role)
        self.note.style().unpolish(self.note)
        self.note.style().polish(self.note)

    def _show(self) -> None:
        """One card a reminder; the cards of those that are gone go."""
        for card in self.cards.values():
            self._list.removeWidget(card)
            card.hide()
            card.deleteLater()
        now = datetime.now(UTC)
        self.cards = {}
        for reminder in self._reminders.reminders:
            card = _ReminderCard(reminder, now, self)
            card.cancel.clicked.connect(
                lambda _=False, number=reminder.reminder_id: self._reminders.cancel(number)
            )
            card.cause_requested.connect(self.cause_requested)
            self._list.addWidget(card)
            self.cards[reminder.reminder_id] = card
        self._empty.setVisible(not self.cards)


class _ReminderCard(QFrame):
    """One reminder.

    Signals:
        cause_requested (int): Show the message of this number.
    """

    cause_requested = Signal(int)

    def __init__(self, reminder: Reminder, now: datetime, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        due = due_words(reminder, now)
        self.due = _words(due, "heading", self)
        text = _words(reminder.text, "", self)
        if is_right_to_left(reminder.text):
            text.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.cancel = QPushButton("Cancel", self)
        self.cancel.setProperty("role", "link")
        self.cancel.setAccessibleName(f"Cancel “{one_line(reminder.text, LONGEST_NAME)}”")
        foot = QHBoxLayout()
        origin = _words(origin_words(reminder), "muted", self)
        origin.setWordWrap(False)
        foot.addWidget(origin)
        foot.addStretch(1)
        if reminder.cause_seq:
            show = QPushButton("Show why", self)
            show.setProperty("role", "link")
            show.setAccessibleName("Show the message that it came from")
            show.clicked.connect(lambda: self.cause_requested.emit(reminder.cause_seq))
            foot.addWidget(show)
        foot.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 8)
        column.setSpacing(4)
        column.addWidget(self.due)
        column.addWidget(text)
        column.addLayout(foot)
        self.setAccessibleName(f"{due}: {reminder.text}")


def _field(placeholder: str, name: str, parent: QWidget) -> QLineEdit:
    field = QLineEdit(parent)
    field.setPlaceholderText(placeholder)
    field.setAccessibleName(name)
    field.setMaxLength(LONGEST)
    field.setMinimumWidth(80)
    return field


def _words(text: str, role: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label
