"""Markdown: sections with their headings, tables, code, front matter."""

from pathlib import Path

from helpers.reading import chosen, pages_of
from pagekeeper_core.documents.reading import PageText


def test_sections_are_placed_by_their_headings(tmp_path: Path) -> None:
    pages = pages_of(
        tmp_path / "a.md",
        "Before.\n# The *Sea*\nSalt.\n## Tides [now](x)\nTwo a day.\n# Land\nDry.\n",
    )
    assert [(page.place, page.text) for page in pages] == [
        ("", "Before.\n"),
        ("section The Sea", "# The *Sea*\nSalt.\n"),
        ("section The Sea › Tides now", "## Tides [now](x)\nTwo a day.\n"),
        ("section Land", "# Land\nDry.\n"),
    ]


def test_a_heading_without_text_goes_with_the_next_section(tmp_path: Path) -> None:
    (page,) = pages_of(tmp_path / "a.md", "# Costs\n\n## Rent\n\n700 euros.\n")
    assert page == PageText("# Costs\n\n## Rent\n\n700 euros.\n", place="section Costs › Rent")


def test_underlined_headings(tmp_path: Path) -> None:
    pages = pages_of(tmp_path / "a.md", "Top\n===\none\n\nSub\n---\ntwo\n\n- a list\n---\nthree\n")
    assert [page.place for page in pages] == ["section Top", "section Top › Sub"]
    assert pages[0].text == "Top\n===\none\n\n"


def test_code_has_no_headings(tmp_path: Path) -> None:
    text = "# Setup\n```sh\n# not a heading\n~~~\n```\nafter\n````\n```\n# nor this\n````\n"
    (page,) = pages_of(tmp_path / "a.md", text)
    assert page.text == text


def test_front_matter_is_text(tmp_path: Path) -> None:
    front, body = pages_of(tmp_path / "a.md", "---\ntitle: Lease\n# draft\n---\n# One\nText\n")
    assert "title: Lease" in front.text
    assert (front.place, body.place) == ("", "section One")


def test_a_long_table_repeats_its_header(tmp_path: Path) -> None:
    rows = "".join(f"| item {n} | {n} euros |\n" for n in range(100))
    pages = pages_of(
        tmp_path / "a.md", f"# Costs\nThese:\n\n| what | price |\n|---|--:|\n{rows}\nEnd.\n"
    )
    assert pages[0].text == "# Costs\nThese:\n\n"
    assert pages[1].place == "section Costs, rows 1 to 21"
    for page in pages[1:-1]:
        assert page.text.startswith("| what | price |\n|---|--:|\n| item ")
    assert pages[-1].place == "section Costs"
    assert "item 99" in pages[-2].text


def test_a_short_table_stays_with_its_text(tmp_path: Path) -> None:
    (page,) = pages_of(
        tmp_path / "a.md", "# C\nThese:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd.\n"
    )
    assert page.text.endswith("| 1 | 2 |\n\nEnd.\n")


def test_a_file_without_headings_comes_in_parts(tmp_path: Path) -> None:
    text = "A paragraph of words.\n\n" * 4000 + "x" * 100_000
    pages = pages_of(tmp_path / "a.md", text)
    assert max(len(page.text) for page in pages) <= 64_000
    assert "".join(page.text for page in pages) == text


def test_markdown_is_known_by_name_and_must_be_text(tmp_path: Path) -> None:
    (tmp_path / "a.MD").write_text("# Hello\n")
    assert chosen(tmp_path / "a.MD").kind == "markdown"
    (tmp_path / "b.md").write_bytes(b"%PDF-1.7\n")
    assert chosen(tmp_path / "b.md").kind == "pdf"
