"""JSON: paths and items as place, whatever its size, depth and faults."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.reading import chosen, pages_of
from pagekeeper_core.documents.json_tokens import json_leaves
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import DocumentError

_text = st.text(st.characters(exclude_categories=["Cs"]))


def test_items_and_keys_are_places(tmp_path: Path) -> None:
    orders = [{"id": n, "what": "bread", "tags": ["a", "b"]} for n in (7, 8)]
    value = {"name": "Shop", "at": {"city": "Porto"}, "orders": orders, "end": None}
    assert pages_of(tmp_path / "a.json", json.dumps(value)) == [
        PageText("name: Shop\nat.city: Porto\n", place="keys name to at"),
        PageText(
            "id: 7\nwhat: bread\ntags: a, b\n\nid: 8\nwhat: bread\ntags: a, b\n",
            place="orders, items 1 to 2",
        ),
        PageText("end: null\n", place="key end"),
    ]


def test_json_lines(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"who": f"user {n}", "said": "x" * 90}) + "\n" for n in range(20))
    pages = pages_of(tmp_path / "log.jsonl", lines)
    assert [page.place for page in pages[:2]] == ["items 1 to 6", "items 7 to 12"]
    assert pages[1].text.startswith("who: user 6\nsaid: x")
    assert pages_of(tmp_path / "log", lines) == pages


def test_values_are_kept_as_typed(tmp_path: Path) -> None:
    text = (
        '[1, NaN, -Infinity, 1e999, 123456789012345678901234567890, 1.10, "\\u00e9\\ud83d\\ude00"]'
    )
    (page,) = pages_of(tmp_path / "a.json", text)
    numbers = ["1", "NaN", "-Infinity", "1e999", "123456789012345678901234567890", "1.10"]
    assert page.text.splitlines() == [*numbers, "é😀"]


def test_keys_that_occur_twice_are_both_read(tmp_path: Path) -> None:
    (page,) = pages_of(tmp_path / "a.json", '{"a": 1, "a": 2, /* so */ "b": 3,} // end\n')
    assert page.text == "a: 1\na: 2\nb: 3\n"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_no_depth_is_too_much(tmp_path: Path, opening: str, closing: str) -> None:
    (page,) = pages_of(tmp_path / "a.json", opening * 100_000 + "1" + closing * 100_000)
    assert page.text.strip().endswith("1")


@pytest.mark.parametrize(
    "text", ['{"a": 1', "[1, 2]]", '{"a" b}', "{a: b}", '["x', '{"a": [1}', '{"a" 1}', '{"a":: 1}']
)
def test_what_is_damaged_says_so(tmp_path: Path, text: str) -> None:
    with pytest.raises(DocumentError, match=r"a\.json is damaged") as caught:
        pages_of(tmp_path / "a.json", text)
    assert ".txt" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"a": 1}', "json"),
        ("[]", "json"),
        ("[1, 2", "json"),
        ("[draft] These are notes.", "text"),
        ("{x} and {y}", "text"),
        ("[note]: see below", "text"),
        ('"only words"', "text"),
    ],
)
def test_json_is_told_by_its_content(tmp_path: Path, text: str, kind: str) -> None:
    (tmp_path / "unnamed").write_text(text)
    assert chosen(tmp_path / "unnamed").kind == kind


def test_json_in_two_bytes_a_character(tmp_path: Path) -> None:
    (page,) = pages_of(tmp_path / "a.json", '{"名": "张伟"}'.encode("utf-16"))
    assert page.text == "名: 张伟\n"


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | _text,
        lambda inner: st.lists(inner) | st.dictionaries(_text, inner),
    )
)
def test_every_value_is_found(value: object) -> None:
    file = io.StringIO(json.dumps(value, ensure_ascii=False), newline="")
    assert [leaf.text for leaf in json_leaves(file)] == _leaves_of(value)


def _leaves_of(value: object) -> list[str]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves_of(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves_of(inner)]
    return [value if isinstance(value, str) else json.dumps(value)]


@pytest.mark.thorough
def test_a_large_file_is_read_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("w") as file:
        file.write('{"rows": [')
        file.writelines(f'{{"id": {n}, "name": "person {n}"}},\n' for n in range(100_000))
        file.write("0]}")
    pages = list(chosen(path).read(SourceFile(path, path.name)))
    assert max(len(page.text) for page in pages) < 2000
    assert sum(page.text.count("person") for page in pages) == 100_000
