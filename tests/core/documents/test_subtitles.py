"""Subtitles: what is spoken, and when."""

from pathlib import Path

import pytest

from helpers.reading import chosen, pages_of
from pagekeeper_core.documents.reading import PageText

SRT = """1
00:00:01,000 --> 00:00:02,500
<i>Hello there,</i>
my friend.

2
00:01:05,000 --> 00:01:07,000
{\\an8}How are you?
"""


def cue(number: int, text: str) -> str:
    start = f"00:{number // 60:02}:{number % 60:02}"
    return f"{number}\n{start},000 --> {start},900\n{text}\n\n"


def test_cues_become_sentences(tmp_path: Path) -> None:
    assert pages_of(tmp_path / "a.srt", SRT) == [
        PageText("Hello there, my friend. How are you?\n", place="0:00:01 to 0:01:07")
    ]


def test_web_subtitles(tmp_path: Path) -> None:
    text = (
        "WEBVTT - a talk\n\nNOTE not spoken\nnor this\n\nSTYLE\n::cue { color: red }\n\n"
        "intro\n00:01.000 --> 00:02.000 align:start\n<v.loud Ana>Olá &amp; bem-vindo\n\n"
        "00:02.000 --> 00:03.500\n<b>a todos</b>\n"
    )
    (page,) = pages_of(tmp_path / "a.vtt", text)
    assert page == PageText("Ana: Olá & bem-vindo a todos\n", place="0:00:01 to 0:00:03")


def test_lines_that_roll_are_read_once(tmp_path: Path) -> None:
    shown = ["one\ntwo", "two\nthree", "three\nfour"]
    (page,) = pages_of(tmp_path / "a.srt", "".join(map(cue, range(3), shown)))
    assert page.text == "one two three four\n"


def test_chinese_is_joined_without_spaces(tmp_path: Path) -> None:
    text = cue(1, "今天天气") + cue(2, "很好。")
    (page,) = pages_of(tmp_path / "a.srt", text.encode("gb18030"))
    assert page.text == "今天天气很好。\n"


def test_a_long_film_comes_in_passages(tmp_path: Path) -> None:
    text = "".join(cue(number, f"Sentence {number} is said.") for number in range(600))
    pages = pages_of(tmp_path / "a.srt", text)
    assert len(pages) > 15
    assert all(page.text.endswith(".\n") and len(page.text) < 700 for page in pages)
    assert pages[0].place.startswith("0:00:00 to 0:00:")


@pytest.mark.parametrize(
    ("text", "kind"), [(SRT, "subtitles"), ("WEBVTT\n\n", "subtitles"), ("1\n2\n", "text")]
)
def test_subtitles_are_told_by_their_content(tmp_path: Path, text: str, kind: str) -> None:
    (tmp_path / "film.txt").write_text(text)
    assert chosen(tmp_path / "film.txt").kind == kind
