"""E-mail: single messages (EML, RFC 5322 and MIME) and mailboxes (MBOX, RFC 4155)."""

import contextlib
import email
import logging
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from email.message import EmailMessage
from email.policy import default
from email.utils import parseaddr
from pathlib import Path, PurePath

from pagekeeper_core.documents.reading import HEAD_BYTES, PageText, SourceFile
from pagekeeper_core.documents.text_encoding import looks_like_text
from pagekeeper_core.errors import DocumentError

__all__ = ["MailReader", "MailboxReader"]

_log = logging.getLogger(__name__)

_HEADER = re.compile(rb"([!-9;-~]+):[ \t]?[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n")
_NAMES_OF_MAIL = frozenset(
    b"from to cc date subject received message-id mime-version return-path delivered-to "
    b"content-type reply-to sender x-mailer".split()
)
_LEAST_HEADERS = 3

_FROM_LINE = re.compile(rb"From [^\r\n]*\d\d:\d\d[^\r\n]*\r?\n?")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)

_SHOWN = ("From", "To", "Cc", "Date", "Subject")

# Bytes of a message with its attachments: all of it stands in memory while it is read.
_LARGEST = 128 * 1024 * 1024
_LARGEST_TEXT = "128 MB"

# Where attachments lie while they are read, and after how many seconds nobody reads one any more.
_FOLDERS = "pagekeeper-mail-"
_ABANDONED = 3600

# Messages within messages that are read.
_DEEPEST = 4


class MailReader:
    """Reads one message: its headers and text, then what is attached, by the reader of its kind."""

    kind = "e-mail"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it begins with the headers of a message."""
        named = PurePath(source.name).suffix.lower() in {".eml", ".emlx"}
        return looks_like_text(head) and _count_headers(head) >= (1 if named else _LEAST_HEADERS)

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """Headers, text and attachments, with "e-mail from Ana, 3 May 2026" as place.

        Raises:
            DocumentError: It is too large, or nested too deep.
            OSError: It vanished or may not be read.
        """
        if source.path.stat().st_size > _LARGEST:
            raise DocumentError(
                f"{source.name} is larger than {_LARGEST_TEXT}.",
                hint="Save its attachments and import those.",
            )
        content = source.path.read_bytes().lstrip(b"\r\n")
        yield from _message_pages(content, source)


class MailboxReader:
    """Reads the messages of a mailbox one after the other."""

    kind = "mailbox"

    def accepts(self, head: bytes, source: SourceFile) -> bool:  # noqa: ARG002 - the content decides
        """Whether it begins with the line that parts messages, and headers below it."""
        first = _FROM_LINE.match(head)
        if not first or not looks_like_text(head):
            return False
        return _count_headers(head[first.end() :]) > 0

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """All messages, in the order in which they stand there.

        Raises:
            OSError: It vanished or may not be read.
        """
        for number, content in enumerate(_messages(source.path), start=1):
            if len(content) > _LARGEST:
                text = f"This e-mail is larger than {_LARGEST_TEXT} and was left out.\n"
                yield PageText(text, place=f"e-mail {number}")
                continue
            try:
                yield from _message_pages(content, source)
            except DocumentError as error:
                _log.warning("E-mail %d of %s was left out: %s", number, source.name, error)


def _count_headers(head: bytes) -> int:
    """How many headers that e-mails have stand at the beginning."""
    at = len(head) - len(head.lstrip(b"\r\n"))
    found = 0
    while match := _HEADER.match(head, at):
        found += match[1].lower() in _NAMES_OF_MAIL
        at = match.end()
    return found


def _messages(path: Path) -> Iterator[bytes]:
    """The messages without the lines that part them; of one that is too long only the beginning."""
    lines: list[bytes] = []
    size = 0
    is_after_blank = True
    with path.open("rb") as file:
        while line := file.readline(1024 * 1024):
            if is_after_blank and _FROM_LINE.fullmatch(line):
                if lines:
                    yield _unquoted(lines)
                lines, size = [], 0
            elif size <= _LARGEST:
                lines.append(line)
                size += len(line)
            is_after_blank = not line.strip()
    if lines:
        yield _unquoted(lines)


def _unquoted(lines: Iterable[bytes]) -> bytes:
    return _QUOTED_FROM.sub(rb"\1", b"".join(lines))


def _message_pages(content: bytes, source: SourceFile) -> Iterator[PageText]:
    try:
        message = email.message_from_bytes(content, policy=default)
        yield from _pages(message, source, depth=0)
    except RecursionError as error:
        raise DocumentError(
            f"{source.name} is nested too deep to be read.", hint="Save its parts and import those."
        ) from error


def _pages(message: EmailMessage, source: SourceFile, *, depth: int) -> Iterator[PageText]:
    place = _place(message)
    parts = _parts(message.iter_attachments)
    attachments = [part for part in parts if not part.is_multipart()]
    forwarded = [part for part in parts if part.get_content_type() == "message/rfc822"]
    names = [name for name in map(_name, attachments) if name]
    heads = [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))]
    if names:
        heads.append(f"Attachments: {', '.join(names)}")
    yield from _body_pages(message, source, "\n".join(heads), place)
    for part in attachments:
        name = _name(part)
        if name and part.get_content_disposition() == "attachment":
            yield from _file_pages(_bytes(part), replace(source, name=name), place)
    if depth < _DEEPEST:
        for part in forwarded:
            for inner in _parts(part.iter_parts):
                yield from _pages(inner, source, depth=depth + 1)


def _body_pages(
    message: EmailMessage, source: SourceFile, heads: str, place: str
) -> Iterator[PageText]:
    """The headers and the text; where there is only HTML, the text of that."""
    body = _body(message)
    if body is None or body.get_content_type() != "text/html":
        text = _text(body) if body is not None else ""
        yield PageText(f"{heads}\n\n{text}", place=place)
        return
    html = SourceFile(source.path, "body.html")
    pages = [page.text for page in _file_pages(_bytes(body), html, "")]
    yield PageText("\n\n".join([heads, *pages]), place=place)


def _body(message: EmailMessage) -> EmailMessage | None:
    try:
        found = message.get_body(("plain", "html"))
    except (KeyError, AttributeError, TypeError):
        # A message whose parts are not what its headers say.
        return None
    return found if isinstance(found, EmailMessage) else None


def _parts(parts: Callable[[], Iterator[object]]) -> list[EmailMessage]:
    try:
        return [part for part in parts() if isinstance(part, EmailMessage)]
    except (KeyError, AttributeError, TypeError):
        return []


def _text(part: EmailMessage) -> str:
    """The text of a part, in the encoding that it tells, or else that it is in."""
    content = _bytes(part)
    try:
        told = part.get_content_charset() or "ascii"
        return content.decode(told).replace("\r\n", "\n")
    except (LookupError, ValueError):
        body = SourceFile(Path(), "body.txt")
        return "".join(page.text for page in _file_pages(content, body, ""))


def _bytes(part: EmailMessage) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _file_pages(content: bytes, source: SourceFile, place: str) -> Iterator[PageText]:
    """What the reader of its kind reads of an attachment; nothing where there is none."""
    from pagekeeper_core.documents.formats import READERS  # noqa: PLC0415 - it imports this module

    _sweep()
    with tempfile.TemporaryDirectory(prefix=_FOLDERS) as folder:
        file = replace(source, path=Path(folder) / "attachment")
        file.path.write_bytes(content)
        reader = next((r for r in READERS if r.accepts(content[:HEAD_BYTES], file)), None)
        if reader is None or not content:
            return
        try:
            for page in reader.read(file):
                yield replace(page, place=_within(page, place, source.name), page=0, pages=0)
        except DocumentError as error:
            _log.warning("An attachment was left out: %s", error)


def _sweep() -> None:
    """Remove the attachments that a process which was killed has left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDERS}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _ABANDONED:
                shutil.rmtree(folder, ignore_errors=True)


def _within(page: PageText, place: str, name: str) -> str:
    inside = page.place or (f"page {page.page}" if page.page else "")
    return ", ".join(part for part in (place, f"attachment {name}", inside) if part)


def _name(part: EmailMessage) -> str:
    try:
        return " ".join((part.get_filename() or "").split())
    except (ValueError, LookupError, AttributeError, TypeError):
        return ""


def _header(message: EmailMessage, name: str) -> str:
    """A header as people read it; of one that is damaged what can be made of it."""
    try:
        value = message.get(name)
    except (ValueError, LookupError, AttributeError, TypeError):
        # The parser of headers falls over some that break the rules.
        value = next((v for k, v in message.raw_items() if k.lower() == name.lower()), "")
    return " ".join(str(value or "").split())


def _place(message: EmailMessage) -> str:
    sender = _header(message, "From")
    name, address = parseaddr(sender)
    who = f" from {name or address or sender}" if sender else ""
    try:
        date = getattr(message.get("Date"), "datetime", None)
    except (ValueError, LookupError, AttributeError, TypeError):
        date = None
    day = f", {date.day} {date:%B %Y}" if isinstance(date, datetime) else ""
    return f"e-mail{who}{day}"
