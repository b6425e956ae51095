"""Guesses from the context: found again after three tokens, longer when right, shorter when not."""

from pagekeeper_models.drafting import PromptLookup


def test_what_followed_the_same_three_tokens_is_proposed() -> None:
    lookup = PromptLookup([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3])
    assert list(lookup.propose(99)) == [4, 5]
    assert list(lookup.propose(1)) == [4]


def test_the_newest_occurrence_counts() -> None:
    lookup = PromptLookup([1, 2, 3, 4, 0, 1, 2, 3, 5, 0, 1, 2])
    lookup.extend([3])
    assert list(lookup.propose(1)) == [5]


def test_nothing_is_proposed_where_nothing_alike_stands_before() -> None:
    assert list(PromptLookup([1, 2, 3]).propose(4)) == []
    assert list(PromptLookup([]).propose(4)) == []
    assert list(PromptLookup([1, 2, 3, 4, 2, 3]).propose(4)) == []


def test_guesses_grow_when_right_and_begin_anew_when_wrong() -> None:
    lookup = PromptLookup([*range(40), 0, 1, 2])
    lookup.learn(2, 2)
    assert len(lookup.propose(99)) == 8
    lookup.learn(8, 8)
    lookup.learn(16, 16)
    assert len(lookup.propose(99)) == 16
    lookup.learn(16, 15)
    assert len(lookup.propose(99)) == 2
    assert (lookup.guessed, lookup.accepted) == (42, 41)
