"""Recognised lines: in reading order, and really recognised, on their side too."""

import subprocess
import sys

import pytest

from helpers.pictures import picture_of
from pagekeeper_core.documents.ocr import RapidRecognizer
from pagekeeper_core.documents.ocr_layout import Line, in_reading_order


def line(text: str, left: float, row: float, width: float = 380) -> Line:
    return Line(text, left, row * 30, left + width, row * 30 + 20)


def test_lines_are_read_from_above() -> None:
    lines = [line("second", 10, 1), line("first", 12, 0), line("third", 8, 2)]
    assert in_reading_order(lines) == "first\nsecond\nthird"


def test_white_space_parts_paragraphs() -> None:
    assert in_reading_order([line("one", 0, 0), line("two", 0, 3)]) == "one\n\ntwo"


def test_columns_are_read_one_after_the_other() -> None:
    left = [line(f"left {n}", 0, n) for n in range(4)]
    right = [line(f"right {n}", 420, n) for n in range(4)]
    mixed = [each for pair in zip(right, left, strict=True) for each in pair]
    text = in_reading_order(mixed)
    assert text.splitlines() == [
        *(f"left {n}" for n in range(4)),
        "",
        *(f"right {n}" for n in range(4)),
    ]


def test_a_heading_over_columns_comes_first_and_a_foot_note_last() -> None:
    lines = [line("heading", 100, 0, 600), line("foot", 0, 9, 800)]
    lines += [line(f"left {n}", 0, n) for n in range(2, 7)]
    lines += [line(f"right {n}", 420, n) for n in range(2, 7)]
    text = in_reading_order(lines)
    assert text.startswith("heading\n\nleft 2")
    assert text.index("left 6") < text.index("right 2")
    assert text.endswith("right 6\n\nfoot")


def test_the_cells_of_a_table_stay_in_their_row() -> None:
    lines = [line(name, 0, n, 60) for n, name in enumerate(["Rent", "Water and heat", "Power"])]
    lines += [line(sum_, 500, n, 40) for n, sum_ in enumerate(["700", "35", "62"])]
    assert in_reading_order(lines) == "Rent   700\nWater and heat   35\nPower   62"


def test_the_numbers_of_a_list_stay_with_their_lines() -> None:
    lines = [line(f"{n}.", 0, n, 20) for n in range(5)]
    lines += [line(f"entry {n}", 60, n) for n in range(5)]
    assert in_reading_order(lines).splitlines()[0] == "0. entry 0"


def test_words_parted_at_the_end_of_a_line_are_joined() -> None:
    said = ["This is an exam-", "ple of 1990-", "1995 and A-", "Z"]
    lines = [line(text, 0, row) for row, text in enumerate(said)]
    assert in_reading_order(lines) == "This is an example of 1990-\n1995 and A-\nZ"


def test_nothing_gives_nothing() -> None:
    assert in_reading_order([]) == ""


@pytest.mark.thorough
@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_text_is_recognised_however_it_lies(angle: int) -> None:
    page = picture_of(["The rent is 700 euros.", "Paid on the first.", "Keys: two."])
    text = RapidRecognizer().text(page.rotate(angle, expand=True))
    assert text.splitlines()[0].replace(" ", "") == "Therentis700euros."
    assert "700" in text


@pytest.mark.thorough
def test_the_models_are_loaded_without_a_network() -> None:
    program = """
from PIL import Image
import socket
from pagekeeper_core.network_guard import install_network_guard
install_network_guard()
from pagekeeper_core.documents.ocr import RapidRecognizer
print(repr(RapidRecognizer().text(Image.new("RGB", (400, 300), "white"))))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "''"), done.stderr
