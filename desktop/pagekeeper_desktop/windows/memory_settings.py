"""The settings of memory: when messages leave, how many and which, what idle time does."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLabel, QSpinBox, QWidget

from pagekeeper_core.config import (
    EVICTED_SHARES,
    FLUSH_LEVELS,
    LEAST_DISTANCE,
    WARNING_LEVELS,
    Consolidation,
    Eviction,
)
from pagekeeper_desktop.settings import MemoryChoices

__all__ = ["MemorySettings"]

POLICIES = (
    (Eviction.FIFO, "The oldest"),
    (Eviction.SECOND_CHANCE, "The oldest that were of no use lately"),
)
BOX_HEIGHT = 32
STEP = 5
"""Per cent by which an arrow changes a share."""


class MemorySettings(QWidget):
    """The choices about memory.

    Signals:
        checked (str): What is wrong with them; empty: nothing.
    """

    checked = Signal(str)

    def __init__(self, choices: MemoryChoices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = choices
        self.warning_level = _percent(choices.warning_level, WARNING_LEVELS, self)
        self.flush_level = _percent(choices.flush_level, FLUSH_LEVELS, self)
        self.evicted_share = _percent(choices.evicted_share, EVICTED_SHARES, self)
        self.eviction = QComboBox(self)
        for policy, label in POLICIES:
            self.eviction.addItem(label, policy)
        self.eviction.setCurrentIndex(self.eviction.findData(choices.eviction))
        self.read_ahead = QCheckBox("Bring to mind what memory holds about a message", self)
        self.read_ahead.setChecked(choices.read_ahead)
        self.consolidation = QCheckBox("Propose changes of memory while nobody waits", self)
        self.consolidation.setChecked(choices.consolidation is Consolidation.PROPOSE)
        self.document_offers = QCheckBox("Say what new documents are, and offer a summary", self)
        self.document_offers.setChecked(choices.document_offers)
        self._note = QLabel(self)
        self._note.setProperty("role", "danger")
        self._note.setWordWrap(True)
        self._lay_out()
        for box in (self.warning_level, self.flush_level):
            box.valueChanged.connect(self._check)
        self._check()

    def choices(self) -> MemoryChoices:
        """The choices as they are now; what was not touched keeps its exact value."""
        old = self._choices
        proposes = self.consolidation.isChecked()
        return MemoryChoices(
            warning_level=_share(self.warning_level, old.warning_level),
            flush_level=_share(self.flush_level, old.flush_level),
            evicted_share=_share(self.evicted_share, old.evicted_share),
            eviction=Eviction(self.eviction.currentData()),
            read_ahead=self.read_ahead.isChecked(),
            consolidation=Consolidation.PROPOSE if proposes else Consolidation.OFF,
            document_offers=self.document_offers.isChecked(),
        )

    def _lay_out(self) -> None:
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(12)
        for label, widget in (
            ("Save what matters at", self.warning_level),
            ("Let messages leave at", self.flush_level),
            ("Of the messages, let leave", self.evicted_share),
            ("Which messages leave", self.eviction),
        ):
            widget.setAccessibleName(label)
            form.addRow(label, widget)
        for row in (self.read_ahead, self.consolidation, self.document_offers, self._note):
            form.addRow(row)

    def _check(self) -> None:
        distance = round(100 * LEAST_DISTANCE)
        is_wrong = self.flush_level.value() < self.warning_level.value() + distance
        words = (
            f"Messages must leave at {distance}% or more above the level at which is saved."
            if is_wrong
            else ""
        )
        self._note.setText(words)
        self._note.setVisible(is_wrong)
        self.checked.emit(words)


def _percent(share: float, bounds: tuple[float, float], parent: QWidget) -> QSpinBox:
    box = QSpinBox(parent)
    box.setRange(round(100 * bounds[0]), round(100 * bounds[1]))
    box.setSingleStep(STEP)
    box.setSuffix("%")
    box.setMinimumHeight(BOX_HEIGHT)
    box.setValue(round(100 * share))
    return box


def _share(box: QSpinBox, old: float) -> float:
    return old if box.value() == round(100 * old) else box.value() / 100
