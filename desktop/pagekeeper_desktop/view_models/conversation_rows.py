"""The rows of the list at the left: conversations under their days, or what a search found."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from pagekeeper_core.messages import MessageKind
from pagekeeper_core.records import ArchivalHit, RecallHit, Thread
from pagekeeper_desktop.view_models.archive_search import ArchiveSearch, FoundPassages
from pagekeeper_desktop.view_models.conversation_list import NEW, ConversationList, title_of
from pagekeeper_desktop.view_models.conversation_search import ConversationSearch, Found
from pagekeeper_desktop.view_models.formatting import clock_time, counted, day_name, one_line
from pagekeeper_desktop.view_models.transcript_items import Sender

__all__ = [
    "ConversationRows",
    "Heading",
    "HitRow",
    "PassageRow",
    "Row",
    "ThreadRow",
    "group_name",
    "heading_of",
]

Index = QModelIndex | QPersistentModelIndex
TOP = QModelIndex()

AROUND = 40
"""Characters of a found message that are shown before the first word that was looked for."""

LONGEST_SNIPPET = 160


@dataclass(frozen=True, slots=True)
class Heading:
    """A line over a group; it cannot be chosen."""

    text: str


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """A conversation.

    Attributes:
        thread: Which.
        is_shown: Whether its messages are shown.
        is_wanted: Whether it is opened when the reply is written.
    """

    thread: Thread
    is_shown: bool
    is_wanted: bool


@dataclass(frozen=True, slots=True)
class HitRow:
    """A message that a search found.

    Attributes:
        hit: Which.
        title: Of its conversation.
        snippet: The part of it around what was looked for, on one line.
        when: Who said it, and when.
    """

    hit: RecallHit
    title: str
    snippet: str
    when: str


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage of a document, or a note, that a search found.

    Attributes:
        hit: Which.
        title: Of its document.
        snippet: The part of it around what was looked for, on one line.
        place: Where in the document, and whether it may be about something else.
        is_weak: Whether it may.
    """

    hit: ArchivalHit
    title: str
    snippet: str
    place: str
    is_weak: bool = False


Row = Heading | ThreadRow | HitRow | PassageRow


class ConversationRows(QAbstractListModel):
    """Follows the conversations and the search.

    Attributes:
        rows: What is shown, in order.
        shows_put_away: Whether those that were put away are listed too.
    """

    def __init__(
        self,
        conversations: ConversationList,
        search: ConversationSearch,
        archive: ArchiveSearch,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.rows: list[Row] = []
        self.shows_put_away = False
        self._conversations = conversations
        self._found: Found | None = None
        self._passages: FoundPassages | None = None
        self._is_held = False
        conversations.changed.connect(self._rebuild)
        search.found.connect(self._show_found)
        search.ended.connect(lambda: self._show_found(None))
        archive.found.connect(self._show_passages)
        self._rebuild()

    def show_put_away(self, shown: bool) -> None:  # noqa: FBT001 - a signal's value
        """List those that were put away too, or not."""
        self.shows_put_away = shown
        self._rebuild()

    def hold(self, *, held: bool) -> None:
        """Keep the rows as they are while the person writes a title in one of them."""
        self._is_held = held
        self._rebuild()

    def row_at(self, index: Index) -> Row | None:
        """What stands at an index."""
        return self.rows[index.row()] if 0 <= index.row() < len(self.rows) else None

    def index_of(self, thread_id: int) -> QModelIndex:
        """Where a conversation stands; invalid where it is not listed."""
        for number, row in enumerate(self.rows):
            if isinstance(row, ThreadRow) and row.thread.thread_id == thread_id:
                return self.index(number)
        return TOP

    def rowCount(self, parent: Index = TOP) -> int:  # noqa: N802 - Qt's name
        """How many rows there are."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 - Qt's
        """The words of a row, for who sees them, edits them or has them read out."""
        row = self.row_at(index)
        if row is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return _words(row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _spoken(row)
        if role == Qt.ItemDataRole.ToolTipRole and not isinstance(row, Heading):
            return _words(row) if isinstance(row, ThreadRow) else row.snippet
        return None

    def setData(  # noqa: N802 - Qt's name
        self,
        index: Index,
        value: Any,  # noqa: ANN401 - Qt's
        role: int = Qt.ItemDataRole.EditRole,
    ) -> bool:
        """Give a conversation another title."""
        row = self.row_at(index)
        if role != Qt.ItemDataRole.EditRole or not isinstance(row, ThreadRow):
            return False
        self._conversations.rename(row.thread.thread_id, str(value))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings cannot be chosen, conversations can be renamed."""
        row = self.row_at(index)
        if row is None or isinstance(row, Heading):
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if isinstance(row, ThreadRow) and row.thread.thread_id != NEW:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def _show_found(self, found: Found | None) -> None:
        self._found = found
        self._rebuild()

    def _show_passages(self, found: FoundPassages) -> None:
        self._passages = found
        self._rebuild()

    def _rebuild(self) -> None:
        rows = self._results(self._found) if self._found else self._listed()
        if rows != self.rows and not self._is_held:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def _listed(self) -> list[Row]:
        listed = self._conversations
        today = datetime.now().astimezone().date()
        rows: list[Row] = []
        if listed.shown == NEW:
            now = datetime.now().astimezone()
            rows += [Heading("Today"), self._thread_row(Thread(NEW, "", now, now))]
        rows += self._grouped(listed.threads, today, with_today=listed.shown == NEW)
        if self.shows_put_away:
            rows.append(Heading("Put away" if listed.put_away else "Nothing is put away"))
            rows += map(self._thread_row, listed.put_away)
        return rows

    def _grouped(
        self, threads: Iterable[Thread], today: date, *, with_today: bool
    ) -> Iterator[Row]:
        current = "Today" if with_today else ""
        for thread in threads:
            name = heading_of(thread, today)
            if name != current:
                yield Heading(name)
                current = name
            yield self._thread_row(thread)

    def _thread_row(self, thread: Thread) -> ThreadRow:
        listed = self._conversations
        number = thread.thread_id
        return ThreadRow(thread, number == listed.shown, number == listed.wanted)

    def _results(self, found: Found) -> list[Row]:
        if found.problem:
            return [Heading(found.problem)]
        word = found.query.casefold()
        every = (*self._conversations.threads, *self._conversations.put_away)
        titled = [self._thread_row(t) for t in every if word in title_of(t).casefold()]
        passages = self._passages_for(found.query)
        if not titled and not found.hits and not passages:
            return [Heading(f"Nothing was found for “{one_line(found.query, 40)}”")]
        rows: list[Row] = [Heading("Titles"), *titled] if titled else []
        rows += passages
        if found.hits:
            rows.append(Heading(_count(found)))
            rows += [self._hit_row(hit, found.query) for hit in found.hits]
        return rows

    def _passages_for(self, query: str) -> list[Row]:
        """What the archive has; its search may still go on when that of messages has ended."""
        found = self._passages
        if found is None or found.query != query:
            return []
        if found.problem or not found.is_over:
            return [Heading(found.problem or "Searching documents …")]
        rows = [_passage_row(hit, found) for hit in found.hits]
        return [Heading("Documents and notes"), *rows] if rows else []

    def _hit_row(self, hit: RecallHit, query: str) -> HitRow:
        message = hit.message
        thread = self._conversations.get(message.thread_id)
        today = datetime.now().astimezone().date()
        who = Sender.USER if message.kind is MessageKind.USER else Sender.ASSISTANT
        day = day_name(message.created_at.astimezone().date(), today)
        return HitRow(
            hit,
            title_of(thread) if thread else f"Conversation {message.thread_id}",
            snippet(message.text, query),
            f"{who} · {day}, {clock_time(message.created_at)}",
        )


def heading_of(thread: Thread, today: date) -> str:
    """Under which heading a conversation stands: its day's, or that of where it comes from."""
    if thread.origin:
        return f"Imported from {thread.origin}"
    return group_name(thread.last_at.astimezone().date(), today)


def _passage_row(hit: ArchivalHit, found: FoundPassages) -> PassageRow:
    is_weak = hit.passage_id in found.weak
    weak = "low relevance" if is_weak else ""
    title = "Note" if not hit.document_id else hit.source
    place = " · ".join(filter(None, [hit.passage.location, weak]))
    return PassageRow(hit, title, snippet(hit.passage.text, found.query), place, is_weak)


def group_name(day: date, today: date) -> str:
    """Under which heading a conversation of that day stands."""
    if day >= today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    if today - day <= timedelta(days=7):
        return "Last week"
    return f"{day:%B}" if day.year == today.year else f"{day:%B} {day.year}"


def snippet(text: str, query: str) -> str:
    """The part of a text around the first word of a query that stands in it, on one line."""
    folded = text.casefold()
    places = [folded.find(word) for word in _words_of(query)]
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, first - AROUND)
    if start:
        start = text.find(" ", start, first) + 1 or start
    return ("…" if start else "") + one_line(text[start:], LONGEST_SNIPPET)


def _words_of(query: str) -> Sequence[str]:
    return [query.casefold(), *query.casefold().split()]


def _count(found: Found) -> str:
    shown = len(found.hits)
    return (
        counted(found.total, "message")
        if found.total == shown
        else (f"{counted(shown, 'message')} of {counted(found.total, 'message').split()[0]}")
    )


def _words(row: Row) -> str:
    match row:
        case Heading(text):
            return text
        case ThreadRow(thread):
            return title_of(thread)
        case HitRow() | PassageRow():
            return row.title


def _spoken(row: Row) -> str:
    match row:
        case Heading(text):
            return text
        case ThreadRow(thread, is_shown, is_wanted):
            state = ", open" if is_shown else ", opens after the reply" if is_wanted else ""
            away = ", put away" if thread.archived else ""
            return f"{title_of(thread)}{state}{away}"
        case HitRow():
            return f"{row.title}, {row.when}: {row.snippet}"
        case PassageRow():
            return f"{row.title}, {row.place}: {row.snippet}"
