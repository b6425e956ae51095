"""The settings: colours at once; model, context window and memory from the next start on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_desktop.settings import Settings, ThemeChoice
from pagekeeper_desktop.view_models.formatting import thousands
from pagekeeper_desktop.windows.memory_settings import MemorySettings

__all__ = ["ModelChoice", "SettingsDialog"]

WINDOW_SIZES = (3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768)

THEMES = (
    (ThemeChoice.SYSTEM, "As the system has it"),
    (ThemeChoice.LIGHT, "Light"),
    (ThemeChoice.DARK, "Dark"),
)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that the settings offer.

    Attributes:
        name: What the settings keep.
        title: What a person reads.
    """

    name: str
    title: str


class SettingsDialog(QDialog):
    """Theme, model, context window, memory.

    Signals:
        theme_tried (ThemeChoice): Show these colours; taken back when the dialog is left.
    """

    theme_tried = Signal(object)

    def __init__(
        self, settings: Settings, models: Sequence[ModelChoice], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setWindowTitle("Settings")
        self.setMinimumWidth(520)
        self.theme = QComboBox(self)
        self.theme.setAccessibleName("Colours")
        for choice, label in THEMES:
            self.theme.addItem(label, choice)
        self.model = QComboBox(self)
        self.model.setAccessibleName("Model")
        self._fill_models(models)
        self.context_window = QComboBox(self)
        self.context_window.setAccessibleName("Context window")
        self._fill_windows()
        self.memory = MemorySettings(settings.memory, self)
        self.save = QPushButton("Save", self)
        self.memory.checked.connect(lambda problem: self.save.setEnabled(not problem))
        self._lay_out()
        self.theme.setCurrentIndex(self.theme.findData(settings.theme))
        self.theme.currentIndexChanged.connect(
            lambda: self.theme_tried.emit(ThemeChoice(self.theme.currentData()))
        )

    def settings(self) -> Settings:
        """The settings as the dialog has them."""
        return replace(
            self._settings,
            theme=ThemeChoice(self.theme.currentData()),
            model=self.model.currentData(),
            context_window=self.context_window.currentData(),
            memory=self.memory.choices(),
        )

    def choose_model_file(self) -> None:
        """Let the person choose a GGUF file."""
        path, _ = QFileDialog.getOpenFileName(
            self, "Choose a model", "", "GGUF models (*.gguf);;All files (*)"
        )
        if path:
            self._select(self.model, path, path)

    def _fill_models(self, models: Sequence[ModelChoice]) -> None:
        self.model.addItem("Automatic", None)
        for choice in models:
            self.model.addItem(choice.title, choice.name)
        if self._settings.model:
            self._select(self.model, self._settings.model, self._settings.model)

    def _fill_windows(self) -> None:
        self.context_window.addItem("Automatic", None)
        for size in WINDOW_SIZES:
            self.context_window.addItem(f"{thousands(size)} tokens", size)
        if self._settings.context_window:
            label = f"{thousands(self._settings.context_window)} tokens"
            self._select(self.context_window, label, self._settings.context_window)

    def _select(self, box: QComboBox, label: str, value: object) -> None:
        """Select a value; one that is not offered is added."""
        index = box.findData(value)
        if index < 0:
            box.addItem(label, value)
            index = box.count() - 1
        box.setCurrentIndex(index)

    def _lay_out(self) -> None:
        browse = QPushButton("Other file …", self)
        browse.clicked.connect(self.choose_model_file)
        model = QHBoxLayout()
        model.addWidget(self.model, 1)
        model.addWidget(browse)
        form = QFormLayout()
        form.setSpacing(12)
        form.addRow("Colours", self.theme)
        form.addRow("Model", model)
        form.addRow("Context window", self.context_window)
        memory = QLabel("Memory", self)
        memory.setProperty("role", "heading")
        note = QLabel(
            "Model, context window and memory take effect when Pagekeeper is started again. The "
            "levels are shares of the context window.",
            self,
        )
        note.setProperty("role", "muted")
        note.setWordWrap(True)
        self.save.setProperty("role", "primary")
        self.save.setDefault(True)
        self.save.clicked.connect(self.accept)
        cancel = QPushButton("Cancel", self)
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(16)
        column.addLayout(form)
        column.addWidget(memory)
        column.addWidget(self.memory)
        column.addWidget(note)
        column.addLayout(buttons)
