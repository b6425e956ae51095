"""Which encoding a text file is in: Unicode where it can be, else what fits its bytes best."""

import codecs
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from charset_normalizer import CharsetMatch, from_bytes

from pagekeeper_core.errors import DocumentError

__all__ = ["decoded_head", "looks_like_text", "open_text", "text_encoding"]

# UTF-32 before UTF-16: its mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# The older encodings that people's files are in, the first one taken where several fit as well.
_LEGACY = (
    "cp1252",
    "cp932",
    "gb18030",
    "big5hkscs",
    "cp949",
    "euc_jp",
    "cp1251",
    "koi8_r",
    "cp1250",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "cp1258",
    "cp874",
    "iso8859_2",
)

_SAMPLE_BYTES = 256 * 1024
_PARTS = 8
_BLOCK_BYTES = 1024 * 1024

# Control characters that no text holds; tab, line feeds, form feed and escape may occur.
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROL = 0.02

# Characters of two to four bytes in UTF-8, and how many of them outweigh a byte that is none.
_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_LEAST_WHOLE = 4

# Half-width kana, or accented letters in a row: bytes of another script, read wrongly.
_ODD = re.compile("[\uff61-\uff9f]|[\x80-\u024f]{3}")


# Without a mark, UTF-32 before UTF-16: the one read as the other is full of NUL.
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")

# What text is mostly made of: a wide encoding read in the wrong order gives other characters.
_USUAL = re.compile("[\t-\r -~\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]")
_LEAST_USUAL = 0.7
_NOT_IN_TEXT = frozenset({"Cc", "Cn", "Co", "Cs"})
_SPACES = frozenset("\t\n\r\f\v\x1b")


def looks_like_text(head: bytes) -> bool:
    """Whether a file that begins like this is text, in whatever encoding."""
    if any(head.startswith(mark) for mark, _ in _MARKS) or _wide_without_mark(head):
        return True
    # A file whose end was never written ends in zeros.
    written = head.rstrip(b"\0")
    return bool(written) and len(_CONTROL.findall(written)) <= _MOST_CONTROL * len(written)


def decoded_head(head: bytes) -> str:
    """The beginning of a text, good enough to tell its form: other than ASCII may be wrong."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return head.decode(encoding, errors="ignore")
    encoding = _wide_without_mark(head) or "utf-8"
    return head.decode(encoding, errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def open_text(path: Path, *, newline: str | None = None) -> TextIO:
    """Open a text in the encoding that it is in; lines end with a line feed.

    A byte that is wrong in a file whose encoding is known costs one character, not the file.

    Raises:
        DocumentError: No encoding fits.
        OSError: The file cannot be read.
    """
    return path.open(encoding=text_encoding(path), errors="replace", newline=newline)


def text_encoding(path: Path) -> str:
    """The encoding's name, for `open`.

    Raises:
        DocumentError: No encoding fits.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    wide = _wide_without_mark(sample[: len(sample) // 4 * 4])
    if wide:
        return wide
    if _is_utf8(path) or _is_damaged_utf8(sample):
        return "utf-8"
    return _legacy_encoding(sample, path)


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_damaged_utf8(sample: bytes) -> bool:
    """Whether nearly all that is not ASCII is UTF-8: by chance it never is."""
    whole = len(_UTF8.findall(sample))
    odd = len(_NOT_ASCII.findall(_UTF8.sub(b"", sample)))
    return whole > _LEAST_WHOLE * odd


def _wide_without_mark(sample: bytes) -> str:
    """Text in 16 or 32 bits has zeros: in every line end and space at least."""
    if b"\0" not in sample:
        return ""
    shares = {encoding: _usual_share(sample, encoding) for encoding in _WIDE}
    likeliest = max(_WIDE, key=shares.__getitem__)
    return likeliest if shares[likeliest] >= _LEAST_USUAL else ""


def _usual_share(sample: bytes, encoding: str) -> float:
    """How much of the sample is usual in text when read so; 0 where anything cannot be text."""
    width = 4 if "32" in encoding else 2
    whole = sample[: len(sample) // width * width]
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(whole)
    except UnicodeDecodeError:
        return 0
    odd = any(unicodedata.category(c) in _NOT_IN_TEXT and c not in _SPACES for c in set(text))
    return 0 if odd or not text else len(_USUAL.findall(text)) / len(text)


def _legacy_encoding(sample: bytes, path: Path) -> str:
    # A character must not be cut in two at the sample's end.
    whole_lines = sample[: sample.rfind(b"\n") + 1] or sample
    for part in (whole_lines, *_parts(whole_lines)):
        matches = list(from_bytes(part, cp_isolation=list(_LEGACY)))
        if matches:
            return min(matches, key=_likelihood).encoding
    raise DocumentError(
        f"{path.name} is in an encoding that could not be recognised.",
        hint="Save it as UTF-8 and try again.",
    )


def _parts(sample: bytes) -> Iterator[bytes]:
    """Whole lines of it in parts: a wrong byte is in one of them."""
    lines = sample.splitlines(keepends=True)
    size = max(len(lines) // _PARTS, 1)
    for start in range(0, min(len(lines), size * _PARTS), size):
        yield b"".join(lines[start : start + size])


def _likelihood(match: CharsetMatch) -> tuple[float, bool, float, int]:
    rank = _LEGACY.index(match.encoding) if match.encoding in _LEGACY else len(_LEGACY)
    odd = bool(_ODD.search(str(match)))
    return round(match.chaos, 2), odd, -round(match.coherence, 2), rank
