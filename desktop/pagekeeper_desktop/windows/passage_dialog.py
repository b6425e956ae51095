"""A passage in its surroundings: its text among its neighbours, and its page in a PDF."""

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_core.documents.page_picture import PagePicture
from pagekeeper_desktop.view_models.formatting import is_right_to_left
from pagekeeper_desktop.view_models.passage_desk import PassageView, with_neighbours
from pagekeeper_desktop.widgets.page_view import PageView

__all__ = ["PassageDialog"]

NO_MARKS = (
    "The passage cannot be marked on this page: its text was recognised from the picture, or "
    "stands otherwise in the file."
)
LOW_RELEVANCE = "Low relevance: this may not be about what was asked."


class PassageDialog(QDialog):
    """Shows one passage; the same dialog shows the next one that is asked for.

    Signals:
        picture_wanted (PassageView): Have its page drawn.
    """

    picture_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = PassageView("", "")
        self._is_weak = False
        self.resize(720, 680)
        self.setMinimumSize(420, 320)
        self.title = _words("", "heading")
        self.place = _words("", "muted")
        self.note = _words("", "muted")
        self.marked: QFrame | None = None
        self.text_button = _tab("Text", "Show the text around the passage")
        self.page_button = _tab("Page", "Show the page as it looks")
        self._tabs = QButtonGroup(self)
        self._text = _scroll()
        self.page = PageView(self)
        self._pages = QStackedWidget(self)
        self.open_button = QPushButton("Open document", self)
        self.close_button = QPushButton("Close", self)
        self._lay_out()
        self.text_button.clicked.connect(lambda: self._pages.setCurrentWidget(self._text))
        self.page_button.clicked.connect(self._show_page)
        self.open_button.clicked.connect(self._open)
        self.close_button.clicked.connect(self.close)
        self.wait("", "")

    def wait(self, passage_id: str, title: str, *, is_weak: bool = False) -> None:
        """Another passage is being read; it may not be about what was asked."""
        self._view = PassageView(passage_id, title)
        self._is_weak = is_weak
        self._show_head(title, "Reading …")
        self._text.setWidget(QWidget())
        self._pages.setCurrentWidget(self._text)
        for button in (self.text_button, self.page_button, self.open_button):
            button.hide()

    def show_view(self, view: PassageView) -> None:
        """Show a passage, or say why it is not there."""
        self._view = view
        hit = view.hit
        self._show_head(view.title, view.problem or (hit.passage.location if hit else ""))
        if view.problem or hit is None:
            return
        self._say(LOW_RELEVANCE if self._is_weak else "")
        self._show_text(view)
        for button in (self.text_button, self.page_button):
            button.setVisible(bool(view.page))
        self.open_button.setVisible(bool(view.document and view.document.record.path))
        self.text_button.setChecked(True)
        if view.page:
            self.picture_wanted.emit(view)

    def show_picture(self, passage_id: str, picture: PagePicture) -> None:
        """The page is drawn: it is shown at once where it marks the passage."""
        if passage_id != self._view.passage_id:
            return
        self.page.show_picture(picture)
        self.page_button.setEnabled(True)
        if not picture.marks:
            self._say(NO_MARKS)
        else:
            self.page_button.setChecked(True)
            self._show_page()

    def say_undrawn(self, passage_id: str, words: str) -> None:
        """The page cannot be shown; the text is there."""
        if passage_id == self._view.passage_id:
            self.page_button.hide()
            self.text_button.hide()
            self._say(words)

    def _lay_out(self) -> None:
        names = QVBoxLayout()
        names.setSpacing(2)
        names.addWidget(self.title)
        names.addWidget(self.place)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addLayout(names, 1)
        for button in (self.text_button, self.page_button):
            self._tabs.addButton(button)
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._pages.addWidget(self._text)
        self._pages.addWidget(self.page)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.note, 1)
        foot.addWidget(self.open_button)
        foot.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(16)
        column.addLayout(head)
        column.addWidget(self._pages, 1)
        column.addLayout(foot)

    def _show_head(self, title: str, place: str) -> None:
        self.setWindowTitle(title or "Passage")
        self.title.setText(title)
        self.place.setText(place)
        self._say("")

    def _say(self, words: str) -> None:
        self.note.setText(words)

    def _show_page(self) -> None:
        self._pages.setCurrentWidget(self.page)

    def _show_text(self, view: PassageView) -> None:
        content = QWidget()
        content.setProperty("role", "content")
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 12, 0)
        column.setSpacing(8)
        place = view.hit.passage.location if view.hit else ""
        for hit, text in with_neighbours(view):
            is_meant = hit.passage_id == view.passage_id
            if hit.passage.location and hit.passage.location != place:
                column.addWidget(_words(hit.passage.location, "muted"))
            place = hit.passage.location
            frame = _passage(text, is_meant=is_meant)
            if is_meant:
                self.marked = frame
            column.addWidget(frame)
        column.addStretch(1)
        self._text.setWidget(content)
        self._text.setAccessibleName("The passage and the text around it")
        QTimer.singleShot(0, self, self._reveal)

    def _reveal(self) -> None:
        if self.marked is not None and self._text.isAncestorOf(self.marked):
            self._text.verticalScrollBar().setValue(max(0, self.marked.y() - 64))

    def _open(self) -> None:
        document = self._view.document
        path = Path(document.record.path) if document else None
        if path is None or not path.exists():
            self._say(f"The file is no longer where it was: {path}")
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._say(f"The system has no program that opens {path.name}.")


def _passage(text: str, *, is_meant: bool) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "cited" if is_meant else "neighbour")
    column = QVBoxLayout(frame)
    column.setContentsMargins(16, 8, 16, 8)
    label = _words(text, "" if is_meant else "around")
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    if is_right_to_left(text):
        label.setAlignment(Qt.AlignmentFlag.AlignRight)
    label.setAccessibleName(f"The passage: {text}" if is_meant else text)
    column.addWidget(label)
    return frame


def _scroll() -> QScrollArea:
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return scroll


def _tab(text: str, name: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", "quiet")
    button.setCheckable(True)
    button.setAccessibleName(name)
    return button


def _words(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label
