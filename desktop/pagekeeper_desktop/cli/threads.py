"""`pagekeeper threads`: the conversations, without loading the model."""

from collections.abc import Sequence

from pagekeeper_core.clock import SystemClock
from pagekeeper_core.messages import storable_text
from pagekeeper_core.protocols import RecallStore, ThreadStore
from pagekeeper_core.records import Thread
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.invocation import Invocation, UsageError
from pagekeeper_desktop.cli.moments import minute
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.view_models.formatting import is_blank, one_line

__all__ = [
    "archive",
    "new",
    "rename",
    "restore",
    "show",
    "thread_fields",
    "thread_lines",
    "thread_name",
    "title_from",
]

_LONGEST_TITLE = 60


def show(invocation: Invocation, console: Console) -> int:
    """List the conversations, the newest first."""
    with open_memory(invocation.options, console) as memory:
        threads = memory.threads.threads(archived=invocation.arguments.all)
    if invocation.json:
        console.emit({"threads": [thread_fields(thread) for thread in threads]})
        return 0
    for line in thread_lines(threads):
        console.line(line)
    if not threads:
        console.note("No conversation is open. `pagekeeper threads --all` shows those put away.")
    return 0


def new(invocation: Invocation, console: Console) -> int:
    """Begin a conversation, which the next start opens.

    Raises:
        UsageError: The title is blank.
    """
    title = title_from(invocation.arguments.title) if invocation.arguments.title else ""
    with open_memory(invocation.options, console) as memory:
        thread = _begin(memory.threads, memory.recall, title)
    return _tell(thread, "is open", invocation, console)


def rename(invocation: Invocation, console: Console) -> int:
    """Give a conversation another title.

    Raises:
        UsageError: The title is blank.
        StoreError: There is none of that number.
    """
    number, title = invocation.arguments.number, title_from(invocation.arguments.title)
    with open_memory(invocation.options, console) as memory:
        memory.threads.get(number)
        thread = memory.threads.rename(number, title)
    return _tell(thread, "has this title now", invocation, console)


def archive(invocation: Invocation, console: Console) -> int:
    """Put a conversation away.

    Raises:
        StoreError: There is none of that number.
    """
    return _put(invocation, console, archived=True)


def restore(invocation: Invocation, console: Console) -> int:
    """Fetch a conversation back that was put away.

    Raises:
        StoreError: There is none of that number.
    """
    return _put(invocation, console, archived=False)


def title_from(words: Sequence[str]) -> str:
    """The title that the words make.

    Raises:
        UsageError: It is blank.
    """
    title = " ".join(storable_text(" ".join(words)).split())
    if is_blank(title):
        raise UsageError("the title is empty")
    return title


def thread_lines(threads: Sequence[Thread], open_id: int = 0) -> list[str]:
    """One line a conversation: its number, when it was last written in, its title."""
    width = max((len(str(thread.thread_id)) for thread in threads), default=1)
    return [
        f"{'*' if thread.thread_id == open_id else ' '} {thread.thread_id:>{width}}  "
        f"{minute(thread.last_at)}  {thread_name(thread)}"
        f"{f'  (imported from {thread.origin})' if thread.origin else ''}"
        f"{'  (put away)' if thread.archived else ''}"
        for thread in threads
    ]


def thread_name(thread: Thread) -> str:
    """The title, or what stands for it."""
    return one_line(thread.title, _LONGEST_TITLE) or "(no title yet)"


def thread_fields(thread: Thread) -> dict[str, object]:
    """A conversation as a JSON object."""
    return {
        "id": thread.thread_id,
        "title": thread.title,
        "created_at": thread.created_at.isoformat(),
        "last_at": thread.last_at.isoformat(),
        "archived": thread.archived,
        "origin": thread.origin,
    }


def _begin(threads: ThreadStore, recall: RecallStore, title: str) -> Thread:
    """A new conversation; the newest one where it has no title and nothing was said in it."""
    newest = next(iter(threads.threads()), None)
    if newest and not newest.title and not recall.read_last(1, thread_id=newest.thread_id):
        return threads.rename(newest.thread_id, title) if title else newest
    return threads.create(SystemClock().now(), title)


def _put(invocation: Invocation, console: Console, *, archived: bool) -> int:
    number = invocation.arguments.number
    with open_memory(invocation.options, console) as memory:
        memory.threads.get(number)
        thread = memory.threads.archive(number, archived=archived)
    done = "is put away; a search still finds what was said" if archived else "is back"
    return _tell(thread, done, invocation, console)


def _tell(thread: Thread, done: str, invocation: Invocation, console: Console) -> int:
    if invocation.json:
        console.emit(thread_fields(thread))
    else:
        console.line(f"Conversation {thread.thread_id} ({thread_name(thread)}) {done}.")
    return 0
