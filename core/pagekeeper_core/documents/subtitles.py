"""Subtitles: SubRip (SRT) and WebVTT, as the sentences that were spoken."""

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import NamedTuple

from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.text_encoding import decoded_head, looks_like_text, open_text

__all__ = ["SubtitleReader"]

_NAMES = frozenset({".srt", ".vtt"})

_MOMENT = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}"
_TIMES = re.compile(rf"\s*{_MOMENT}\s*-->\s*{_MOMENT}.*")
_FIRST_CUE = re.compile(rf"\ufeff?\s*(?:\d+\s*\n)?\s*{_MOMENT}\s*-->")
_SPEAKER = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_MARKS = re.compile(r"<[^>]*>|\{\\[^}]*\}")

_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»」』)]*$")
_UNSPACED = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")

# Bytes in UTF-8: a passage ends with the sentence that makes it this long, or at any cue.
_BLOCK, _LONGEST_BLOCK = 500, 900

_LONGEST_LINE = 4096


class _Cue(NamedTuple):
    """What is shown at a time; times as people read them."""

    start: str
    end: str
    text: str


class SubtitleReader:
    """Reads what is spoken; marks, numbers and settings are left out."""

    kind = "subtitles"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it begins as subtitles do, or is text that is named so."""
        if not looks_like_text(head):
            return False
        text = decoded_head(head)
        named = PurePath(source.name).suffix.lower() in _NAMES
        return named or text.lstrip("\ufeff").startswith("WEBVTT") or bool(_FIRST_CUE.match(text))

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """Sentences, with "0:01:05 to 0:02:10" as place.

        Raises:
            DocumentError: Its encoding is unknown.
            OSError: It vanished or may not be read.
        """
        with open_text(source.path) as file:
            lines = iter(lambda: file.readline(_LONGEST_LINE), "")
            yield from _pages(_cues(lines))


def _cues(lines: Iterable[str]) -> Iterator[_Cue]:
    times: re.Match[str] | None = None
    shown: list[str] = []
    for line in lines:
        found = _TIMES.fullmatch(line.rstrip("\n"))
        if found or not line.strip():
            if times:
                yield _cue(times, shown)
            times, shown = found, []
        elif times:
            shown.append(line)
    if times:
        yield _cue(times, shown)


def _cue(times: re.Match[str], lines: Iterable[str]) -> _Cue:
    spoken = (_spoken(line) for line in lines)
    start, end = _moment(*times.groups()[:3]), _moment(*times.groups()[3:])
    return _Cue(start, end, "\n".join(text for text in spoken if text))


def _spoken(line: str) -> str:
    named = _SPEAKER.sub(r"\1: ", line)
    return " ".join(html.unescape(_MARKS.sub("", named)).split())


def _moment(hours: str | None, minutes: str, seconds: str) -> str:
    return f"{int(hours or 0)}:{int(minutes):02}:{seconds}"


def _pages(cues: Iterable[_Cue]) -> Iterator[PageText]:
    block: list[_Cue] = []
    text = ""
    for cue in cues:
        fresh = _without_repeat(cue, block)
        if not fresh:
            continue
        if text and _is_full(text):
            yield _page(block, text)
            block, text = [], ""
        block.append(cue)
        text = _joined(text, fresh)
    if text:
        yield _page(block, text)


def _page(block: list[_Cue], text: str) -> PageText:
    return PageText(f"{text}\n", place=f"{block[0].start} to {block[-1].end}")


def _without_repeat(cue: _Cue, before: list[_Cue]) -> str:
    """The lines that the cue before did not show: captions that roll show each line twice."""
    shown = before[-1].text.split("\n") if before else []
    return " ".join(line for line in cue.text.split("\n") if line not in shown)


def _is_full(text: str) -> bool:
    size = len(text.encode())
    return size >= _LONGEST_BLOCK or (size >= _BLOCK and bool(_SENTENCE_END.search(text)))


def _joined(text: str, more: str) -> str:
    if not text:
        return more
    between = "" if _UNSPACED.match(text[-1]) and _UNSPACED.match(more[0]) else " "
    return f"{text}{between}{more}"
