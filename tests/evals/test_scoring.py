"""Scores and intervals, by hand."""

import pytest

from evals.scoring import (
    contains_answer,
    contains_string,
    f1,
    mean_with_interval,
    recall_at,
    rouge_l_recall,
    wilson,
)


def test_an_accepted_string_counts_in_any_case_and_with_any_apostrophe() -> None:
    assert contains_string("It was one of Jeff WHEELER’s books.", ["wheeler's"])
    assert not contains_string("I do not know.", ["Wheeler", "Jeff"])


def test_an_answer_counts_as_whole_words_without_articles_and_punctuation() -> None:
    assert contains_answer("On May 18, 2018.", ["the May 18 2018"])
    assert not contains_answer("In the artists' room", ["art"])
    assert not contains_answer("Anything", ["the"])


def test_rouge_l_recall_is_the_share_of_the_answer_in_its_order() -> None:
    assert rouge_l_recall("They are called Spike and Baron Zemo", "Baron Zemo") == 1
    assert rouge_l_recall("Spike, then Zemo", "Zemo and Spike") == pytest.approx(1 / 3)
    assert rouge_l_recall("", "Spike") == 0


def test_f1_is_the_overlap_of_words() -> None:
    assert f1("the seventh of May", "7 May 2023") == pytest.approx(2 * 1 / (3 + 3))
    assert f1("Nothing", "7 May") == 0


def test_recall_is_the_share_of_the_evidence_that_was_found() -> None:
    assert recall_at([4, 9, 1], frozenset({1, 2}), 3) == 0.5
    assert recall_at([4, 9, 1], frozenset({1, 2}), 2) == 0


def test_wilsons_interval_never_claims_certainty() -> None:
    low, high = wilson(20, 20)
    assert low == pytest.approx(0.839, abs=0.001)
    assert high == pytest.approx(1)
    assert wilson(0, 0) == (0, 1)


def test_shares_get_wilsons_interval_and_other_means_the_normal_one() -> None:
    share = mean_with_interval([1, 1, 0, 1])
    assert (share.value, share.n) == (0.75, 4)
    assert (share.low, share.high) == pytest.approx(wilson(3, 4))
    mean = mean_with_interval([0.5, 0.7])
    assert mean.low < 0.6 < mean.high
    assert mean_with_interval([0.4]).high == 1
