"""CSV and its kin: delimiters, quotation marks, headers, many rows."""

from itertools import pairwise
from pathlib import Path

import pytest

from helpers.reading import chosen, pages_of
from pagekeeper_core.documents.reading import PageText, SourceFile


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_cells_are_parted_whatever_the_delimiter(tmp_path: Path, delimiter: str) -> None:
    text = delimiter.join(["name", "city"]) + "\n" + delimiter.join(["Ana", "Porto"]) + "\n"
    assert pages_of(tmp_path / "a.csv", text) == [
        PageText("name | city\nAna | Porto\n", place="rows 1 to 2")
    ]


def test_line_breaks_and_marks_in_cells(tmp_path: Path) -> None:
    (page,) = pages_of(
        tmp_path / "a.csv", 'name,note\r\nAna,"two\r\nlines, and ""marks"""\r\nB,c\r\n'
    )
    assert page == PageText(
        'name | note\nAna | two lines, and "marks"\nB | c\n', place="rows 1 to 3"
    )


def test_every_block_begins_with_the_header(tmp_path: Path) -> None:
    rows = "".join(f"{n},person {n},city {n}\n" for n in range(2, 1002))
    pages = pages_of(tmp_path / "a.csv", "id,name,city\n" + rows)
    assert all(page.text.startswith("id | name | city\n") for page in pages)
    borders = [page.place.removeprefix("rows ").split(" to ") for page in pages]
    assert (borders[0][0], borders[-1][-1]) in {("1", "1001"), ("1", "row 1001")}
    assert all(int(after[0]) == int(before[1]) + 1 for before, after in pairwise(borders[:-1]))
    assert f"{borders[3][0]} | person {borders[3][0]} | " in pages[3].text


def test_rows_without_a_header_are_counted_from_the_first(tmp_path: Path) -> None:
    (page,) = pages_of(tmp_path / "a.csv", "1,Ana\n2,Bento\n")
    assert page == PageText("1 | Ana\n2 | Bento\n", place="rows 1 to 2")


def test_a_header_alone_is_a_table(tmp_path: Path) -> None:
    assert pages_of(tmp_path / "a.csv", "name,city\n") == [PageText("name | city\n", place="row 1")]


def test_a_mark_that_is_never_closed_costs_nothing(tmp_path: Path) -> None:
    rows = "".join(f"row {n},{n}\n" for n in range(1000))
    text = "".join(
        page.text for page in pages_of(tmp_path / "a.csv", f'what,size\npipe,"5\n{rows}')
    )
    assert 'pipe | "5' in text
    assert all(f"row {n} | {n}\n" in text for n in (0, 150, 500, 999))


def test_a_line_without_an_end_is_cut(tmp_path: Path) -> None:
    pages = pages_of(tmp_path / "a.csv", "x" * 300_000 + ",y\n1,2\n")
    assert max(len(page.text) for page in pages) < 70_000
    assert sum(page.text.count("x") for page in pages) == 300_000


def test_a_table_in_gbk(tmp_path: Path) -> None:
    (page,) = pages_of(tmp_path / "表.csv", "姓名,城市\n张伟,北京\n王芳,上海\n".encode("gbk"))
    assert page.text == "姓名 | 城市\n张伟 | 北京\n王芳 | 上海\n"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("data.txt", "a;b;c\n" + "1;2;3\n" * 5, "table"),
        ("export", "a\tb\tc\n" + "1\t2\t3\n" * 5, "table"),
        ("notes.txt", "Bread, milk, eggs\nCall Ana, then Bento, soon\nSleep\n\n", "text"),
        ("empty.csv", "\n", "table"),
    ],
)
def test_tables_are_told_from_texts(tmp_path: Path, name: str, text: str, kind: str) -> None:
    (tmp_path / name).write_text(text)
    assert chosen(tmp_path / name).kind == kind


@pytest.mark.thorough
def test_a_third_of_a_million_rows_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("w") as file:
        file.write("id,name\n")
        file.writelines(f"{n},person {n}\n" for n in range(350_000))
    rows = longest = 0
    for page in chosen(path).read(SourceFile(path, path.name)):
        rows += page.text.count(" | person ")
        longest = max(longest, len(page.text))
    assert (rows, longest < 2000) == (350_000, True)
