"""Which encoding a text file is in: Unicode where it can be, else what fits its bytes best."""

import codecs
import re
from pathlib import Path

from charset_normalizer import CharsetMatch, from_bytes

from pagekeeper_core.errors import DocumentError

__all__ = ["looks_like_text", "text_encoding"]

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
_BLOCK_BYTES = 1024 * 1024

# Control characters that no text holds; tab, line feeds, form feed and escape may occur.
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROL = 0.02

# Half-width kana, or accented letters in a row: bytes of another script, read wrongly.
_ODD = re.compile("[\uff61-\uff9f]|[\x80-\u024f]{3}")


def looks_like_text(head: bytes) -> bool:
    """Whether a file that begins like this is text, in whatever encoding."""
    if any(head.startswith(mark) for mark, _ in _MARKS) or _utf16_without_mark(head):
        return True
    return len(_CONTROL.findall(head)) <= _MOST_CONTROL * len(head) and b"\0" not in head


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
    legacy = _utf16_without_mark(sample)
    if legacy:
        return legacy
    if _is_utf8(path):
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


def _utf16_without_mark(sample: bytes) -> str:
    """Every second byte of Latin text in UTF-16 is zero; text in 8 bits has no zeros at all."""
    pairs = len(sample) // 2
    if pairs == 0 or _CONTROL.search(sample.replace(b"\0", b"")):
        return ""
    zeros_first = sample[: pairs * 2 : 2].count(0) / pairs
    zeros_second = sample[1 : pairs * 2 : 2].count(0) / pairs
    if zeros_second > 0.3 and zeros_first < 0.05:
        return "utf-16-le"
    if zeros_first > 0.3 and zeros_second < 0.05:
        return "utf-16-be"
    return ""


def _legacy_encoding(sample: bytes, path: Path) -> str:
    # A character must not be cut in two at the sample's end.
    whole_lines = sample[: sample.rfind(b"\n") + 1] or sample
    matches = list(from_bytes(whole_lines, cp_isolation=list(_LEGACY)))
    if not matches:
        raise DocumentError(
            f"{path.name} is in an encoding that could not be recognised.",
            hint="Save it as UTF-8 and try again.",
        )
    return min(matches, key=_likelihood).encoding


def _likelihood(match: CharsetMatch) -> tuple[float, bool, float, int]:
    rank = _LEGACY.index(match.encoding) if match.encoding in _LEGACY else len(_LEGACY)
    odd = bool(_ODD.search(str(match)))
    return round(match.chaos, 2), odd, -round(match.coherence, 2), rank
