"""Source code: functions and classes of Python, lines of all else."""

from pathlib import Path

import pytest

from helpers.reading import chosen, pages_of

CODE = '''#!/usr/bin/env python3
import os

@cached
def parse(text):
    return text

class Parser:
    """Parses."""

    limit = 3

    def run(self):
        return os.name

print(parse("x"))
'''


def test_python_is_placed_by_its_definitions(tmp_path: Path) -> None:
    pages = pages_of(tmp_path / "a.py", CODE)
    assert [page.place for page in pages] == [
        "lines 1 to 3",
        "lines 4 to 6 of parse()",
        "lines 8 to 12 of class Parser",
        "lines 13 to 14 of Parser.run()",
        "lines 15 to 16",
    ]
    assert pages[1].text == "@cached\ndef parse(text):\n    return text\n"


def test_long_functions_come_in_blocks_of_lines(tmp_path: Path) -> None:
    body = "".join(f"    value_{n} = compute({n}, 'some words')\n" for n in range(100))
    pages = pages_of(tmp_path / "a.py", f"def long():\n{body}")
    assert "".join(page.text for page in pages) == f"def long():\n{body}"
    assert all(len(page.text) <= 700 for page in pages)
    assert pages[1].place.startswith("lines ")
    assert pages[1].place.endswith(" of long()")


@pytest.mark.parametrize(
    "text", ["print 'old'\n", "def f(:\n", "(" * 3000, "x = '\0'\n" + "# x\n" * 20]
)
def test_what_is_no_python_of_today_is_read_by_lines(tmp_path: Path, text: str) -> None:
    (page,) = pages_of(tmp_path / "a.py", text)
    assert (page.text, page.first_line) == (text, 1)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("main.go", "package main\n", "code"),
        ("Makefile", "all:\n\techo\n", "code"),
        ("run", "#!/bin/sh\necho\n", "code"),
        ("settings.yaml", "a: 1\n", "code"),
        ("notes.txt", "import os\n", "text"),
    ],
)
def test_code_is_known_by_name_or_first_line(
    tmp_path: Path, name: str, text: str, kind: str
) -> None:
    (page,) = pages_of(tmp_path / name, text)
    assert chosen(tmp_path / name).kind == kind
    assert page.text == text
