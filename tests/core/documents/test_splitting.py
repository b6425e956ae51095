"""Text into passages: nothing lost, nothing too long, nothing cut in two."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper_core.documents.reading import PageText
from pagekeeper_core.documents.splitting import PassageSplitter
from pagekeeper_core.records import Passage


def count(text: str) -> int:
    """Two special tokens, one a word, one an ideograph, one a sign."""
    return 2 + len(re.findall(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+|[^\w\s]", text))


def split(text: str, limit: int = 20) -> list[Passage]:
    return list(PassageSplitter(count, limit).split([PageText(text, first_line=1)]))


def test_a_short_text_is_one_passage() -> None:
    assert split("  One sentence.\nAnother.\n") == [
        Passage("One sentence.\nAnother.", "lines 1 to 2")
    ]


def test_paragraphs_are_kept_whole_where_they_fit() -> None:
    paragraphs = [f"Paragraph {n} has a few words in it, about ten." for n in "abcd"]
    assert [passage.text for passage in split("\n\n".join(paragraphs))] == paragraphs


def test_sentences_are_kept_whole_where_they_fit() -> None:
    sentences = [f"Sentence {n} says one more thing here." for n in range(12)]
    for passage in split(" ".join(sentences)):
        assert passage.text.startswith("Sentence")
        assert passage.text.endswith(".")


def test_chinese_sentences_are_kept_whole() -> None:
    text = "今天天气很好。我们去公园散步！你要一起来吗？好的；我很高兴。" * 5
    for passage in split(text):
        assert passage.text[-1] in "。！？；"
        assert count(passage.text) <= 20


def test_table_rows_are_kept_whole() -> None:
    rows = [f"row{n},alpha,beta,{n}" for n in range(40)]
    for passage in split("\n".join(rows)):
        assert set(passage.text.split("\n")) <= set(rows)


def test_words_are_kept_whole() -> None:
    words = [f"word{n}" for n in range(300)]
    seen = [word for passage in split(" ".join(words)) for word in passage.text.split()]
    assert list(dict.fromkeys(seen)) == words


def test_passages_overlap_a_little() -> None:
    text = " ".join(f"Go{n}." for n in range(60))
    passages = [passage.text.split() for passage in split(text, limit=30)]
    for before, after in pairwise(passages):
        assert after[0] in before
        assert len(set(before) & set(after)) <= 4


def test_locations_are_pages_or_lines() -> None:
    lines = [f"Line {n} has five words." for n in range(1, 31)]
    for passage in split("\n".join(lines)):
        numbers = [int(n) for n in re.findall(r"Line (\d+)", passage.text)]
        assert passage.location == f"lines {numbers[0]} to {numbers[-1]}"
    splitter = PassageSplitter(count, 20)
    pages = [PageText("One.", page=3, pages=9), PageText("Two.", page=4, pages=9), PageText("x")]
    assert [p.location for p in splitter.split(pages)] == ["page 3", "page 4", ""]
    (alone,) = splitter.split([PageText("only", first_line=7)])
    assert alone.location == "line 7"


@pytest.mark.parametrize("text", ["", " \n\n \t", "\n" * 5000])
def test_white_space_is_no_passage(text: str) -> None:
    assert split(text) == []


def test_a_word_longer_than_a_passage_is_cut_between_characters() -> None:
    flags = "👩‍👩‍👧" * 200 + "e\u0301" * 200
    passages = [passage.text for passage in split(flags)]
    assert "".join(passages) == flags
    for passage in passages:
        assert len(passage) <= 20 * 8
        assert passage[0] in "👩e"
        assert passage[-1] != "\u200d"


def test_text_of_unknown_words_is_bounded_in_characters() -> None:
    base64 = "QUJD" * 5000
    passages = split(f"See: {base64} end")
    assert max(len(passage.text) for passage in passages) <= 18 * 8
    assert (
        "".join(passage.text for passage in passages if "QUJD" in passage.text).count("QUJD") > 4900
    )


def test_a_heading_goes_with_what_follows_it() -> None:
    text = "The first part has some words in it, as many as fit here.\n\nThe Costs\n\n"
    text += "The rent is 700 euros a month, and the deposit is two rents."
    assert [passage.text for passage in split(text)] == [
        "The first part has some words in it, as many as fit here.",
        "The Costs\n\nThe rent is 700 euros a month, and the deposit is two rents.",
    ]


def test_rows_are_kept_whole_though_sentences_end_in_them() -> None:
    rows = [f"| {n}. | Mr. Smith said no. Twice. |" for n in range(20)]
    for passage in split("\n".join(rows)):
        assert set(passage.text.split("\n")) <= set(rows)


def test_code_between_fences_is_kept_whole() -> None:
    code = "```\none = 1\n\ntwo = 2\n\nprint(one, two)\n```"
    passages = split(f"Some words stand before it here.\n\n{code}\n\nAnd some more behind it.", 30)
    assert any(code in passage.text for passage in passages)


@pytest.mark.parametrize("unit", ["🇵🇹", "👍🏽", "e\u0301", "नि", "👨\u200d👩\u200d👧"])
def test_no_character_is_cut_in_two(unit: str) -> None:
    for passage in split(unit * 333):
        assert passage.text == unit * (len(passage.text) // len(unit))


def test_tokens_are_counted_about_once() -> None:
    counted = 0

    def counting(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return count(text)

    text = "Some sentences make a paragraph. Each has a few words.\n\n" * 3000
    list(PassageSplitter(counting, 256).split([PageText(text)]))
    assert counted < 1.2 * len(text)


@given(
    text=st.text(
        alphabet=st.one_of(
            st.sampled_from("ab .!?。\n\t,，()\"'"),
            st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
        ),
        max_size=600,
    ),
    limit=st.integers(min_value=8, max_value=60),
)
def test_nothing_is_lost_and_nothing_is_too_long(text: str, limit: int) -> None:
    passages = split(text, limit)
    for passage in passages:
        assert passage.text
        assert passage.text in text
        assert count(passage.text) <= limit
    kept = "".join(passage.text for passage in passages)
    for character in set(text):
        if not character.isspace():
            assert kept.count(character) >= text.count(character)
