"""Exports of ChatGPT and Claude into recall storage, conversation by conversation."""

import contextlib
import logging
import threading
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO

from pagekeeper_core.errors import Cancelled, DocumentError
from pagekeeper_core.exported_conversations import exported_conversation, is_export_head
from pagekeeper_core.imported_conversations import ImportedConversationStore
from pagekeeper_core.json_array import json_elements

__all__ = ["ConversationsImported", "import_conversations", "is_conversation_export"]

_log = logging.getLogger(__name__)

_HEAD_BYTES = 256 * 1024
_ZIP = b"PK\x03\x04"
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class ConversationsImported:
    """How far the import of an export has come; the last one is the result.

    Attributes:
        conversations: Conversations that were read and have something said in them.
        messages: Messages of them that were not there before.
        failed: Conversations that could not be read.
        read: Bytes of the export that are read.
        size: Of how many.
    """

    conversations: int = 0
    messages: int = 0
    failed: int = 0
    read: int = 0
    size: int = 0


def is_conversation_export(path: Path) -> bool:
    """Whether a file is the `conversations.json` of ChatGPT or Claude, or the export's ZIP.

    Ask this before the readers of documents: to them it is JSON, or a ZIP of other files.

    Raises:
        OSError: It vanished or may not be read.
    """
    try:
        with _parts(path) as parts:
            return any(_is_export(part) for part in parts)
    except _BROKEN_ZIP:
        return False


def import_conversations(
    path: Path, store: ImportedConversationStore, cancel: threading.Event
) -> Iterator[ConversationsImported]:
    """Take an export into recall storage; yields after each conversation, with a result at the end.

    Every conversation is stored whole or not at all, and each message once: a second import, or one
    that goes on after a stop or a kill, adds only what is new. One that is damaged is left out.

    Raises:
        Cancelled: `cancel` was set; the conversations that were yielded are stored.
        DocumentError: It is no export or it is damaged; what came before the damage is stored.
        OSError: The file vanished or may not be read.
        StoreError: A conversation could not be written.
    """
    size = path.stat().st_size
    done = ConversationsImported(size=size)
    try:
        with _parts(path) as parts:
            exports = [part for part in parts if _is_export(part)]
            for part in exports:
                for progress in _import_part(part, done, store, cancel):
                    done = progress
                    yield done
    except (ValueError, *_BROKEN_ZIP) as error:
        raise _damaged(path, done) from error
    if not exports:
        raise DocumentError(f"{path.name} is no export of ChatGPT or Claude.")
    if done.failed and not done.conversations:
        raise DocumentError(
            f"None of the {done.failed} conversations in {path.name} could be read.",
            hint="Export them anew and try again.",
        )
    yield replace(done, read=size)


@dataclass(frozen=True, slots=True)
class _Part:
    """A `conversations.json` of the export.

    Attributes:
        archive: The ZIP in which it is; None where it is a file of its own.
        name: Its name there.
        path: The file on disk.
        share: Bytes of the export for one of its own: less than 1 where it is compressed.
    """

    archive: zipfile.ZipFile | None
    name: str
    path: Path
    share: float = 1

    def open(self) -> IO[bytes]:
        """From its beginning."""
        if self.archive is None:
            return self.path.open("rb")
        return self.archive.open(self.name)


@contextlib.contextmanager
def _parts(path: Path) -> Iterator[list[_Part]]:
    """The files that may hold conversations: large exports have several."""
    with path.open("rb") as file:
        is_zip = file.read(len(_ZIP)) == _ZIP
    if not is_zip:
        yield [_Part(None, path.name, path)]
        return
    with zipfile.ZipFile(path) as archive:
        members = [info for info in archive.infolist() if _may_hold(info)]
        yield [
            _Part(archive, info.filename, path, info.compress_size / max(info.file_size, 1))
            for info in sorted(members, key=lambda info: info.filename)
        ]


def _may_hold(member: zipfile.ZipInfo) -> bool:
    name = PurePosixPath(member.filename).name
    encrypted = member.flag_bits & 1
    return name.startswith("conversations") and name.endswith(".json") and not encrypted


def _is_export(part: _Part) -> bool:
    with part.open() as file:
        return is_export_head(file.read(_HEAD_BYTES).decode(errors="replace"))


def _import_part(
    part: _Part,
    before: ConversationsImported,
    store: ImportedConversationStore,
    cancel: threading.Event,
) -> Iterator[ConversationsImported]:
    done = before
    with part.open() as file:
        for value in json_elements(file):
            if cancel.is_set():
                raise Cancelled
            read = before.read + int(file.tell() * part.share)
            done = replace(_imported(value, done, store), read=min(read, before.size))
            yield done


def _imported(
    value: object, done: ConversationsImported, store: ImportedConversationStore
) -> ConversationsImported:
    try:
        conversation = exported_conversation(value)
    except (ValueError, KeyError, TypeError) as error:
        _log.warning("A conversation of an export was left out: %s", error)
        return replace(done, failed=done.failed + 1)
    if conversation is None:
        return done
    new = store.add(conversation)
    return replace(done, conversations=done.conversations + 1, messages=done.messages + new)


def _damaged(path: Path, done: ConversationsImported) -> DocumentError:
    count = done.conversations
    before = f" {count:,} {'conversation' if count == 1 else 'conversations'} before that came in."
    return DocumentError(
        f"{path.name} is damaged or cut off.{before if count else ''}",
        hint="Export it anew and import that: nothing comes in twice.",
    )
