"""Word left for the next start: within the bound that notes of a loaded agent have."""

from pagekeeper_core.token_estimate import TokenEstimate
from pagekeeper_core.word_left import WordLeft


def test_word_is_left_at_once_and_is_never_longer_than_the_limit() -> None:
    left: list[str] = []
    word = WordLeft(left.append, TokenEstimate(), 50)
    assert list(word.note("The user did something.")) == []
    list(word.note("word " * 1000))
    assert left[0] == "The user did something."
    assert TokenEstimate().count(left[1]) <= 50


def test_of_a_long_block_the_newest_lines_are_repeated() -> None:
    word = WordLeft(lambda text: None, TokenEstimate(), 50)
    shown = word.newest_lines("\n".join(f"Line {number}" for number in range(100)))
    assert shown.startswith("…\n")
    assert shown.endswith("Line 99")
    assert TokenEstimate().count(shown) <= 30
