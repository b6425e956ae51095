"""Second chance: what was of use stays one round longer, and space is freed all the same."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper_core import prompts
from pagekeeper_core.config import Eviction
from pagekeeper_core.eviction import FirstInFirstOut, SecondChance, eviction_policy
from pagekeeper_core.message_queue import MessageQueue, QueueEntry
from pagekeeper_core.messages import FunctionCall, Message, MessageKind

NOW = datetime(2026, 11, 29, tzinfo=UTC)
SEARCH = FunctionCall("conversation_search", {"queries": ["x"]})
U, A, F, S = MessageKind.USER, MessageKind.ASSISTANT, MessageKind.FUNCTION, MessageKind.SYSTEM


def queue(*said: tuple[MessageKind, str], spared: int = 0, flushed_after: int = 0) -> MessageQueue:
    entries = [
        QueueEntry(Message(kind, text, text, NOW, None if text else SEARCH, seq), 10)
        for seq, (kind, text) in enumerate(said, start=1)
    ]
    return MessageQueue("", entries, spared, flushed_after)


def first(q: MessageQueue, count: int) -> list[int]:
    """Numbers of the messages that leave first."""
    order = SecondChance().order(q, q.evictable())
    return [e.message.seq for group in order[:count] for e in group]


VET = "Bento has to see the vet because of his left ear, on the third of May."


def talk(*later: tuple[MessageKind, str]) -> MessageQueue:
    return queue(
        (U, VET),
        (A, "I hope he gets well soon."),
        (U, "What is nineteen times three?"),
        (A, "Fifty-seven."),
        *later,
    )


def test_the_names_of_the_settings_lead_to_the_policies() -> None:
    assert isinstance(eviction_policy(Eviction.FIFO), FirstInFirstOut)
    assert isinstance(eviction_policy(Eviction.SECOND_CHANCE), SecondChance)


def test_fifo_takes_the_oldest_whatever_was_of_use() -> None:
    q = talk((U, "When does Bento see the vet?"), (A, "On the third of May."))
    assert FirstInFirstOut().order(q, q.evictable()) == q.evictable()


@pytest.mark.parametrize(
    "later",
    [
        [(U, "What was that with the dog?"), (A, ""), (F, f"1. (2026-11-29, user) {VET[:64]}…")],
        [(U, f"You wrote '{VET.upper()}' and I forgot it.")],
        [(U, "Is it the left or the right ear that Bento has trouble with?")],
        [(U, "Do you know?"), (A, "The vet wants to look at Bento once more.")],
        [(S, prompts.message_marked(VET))],
    ],
    ids=["retrieved", "quoted", "referred to", "referred to by the assistant", "marked"],
)
def test_what_was_of_use_stays(later: list[tuple[MessageKind, str]]) -> None:
    assert first(talk(*later, (U, "Thanks."), (A, "Fine.")), 1) == [2]


def test_in_scripts_without_spaces_too() -> None:
    q = queue(
        (U, "我家的狗叫本托，五月三日要去看兽医。"),
        (A, "希望它早日康复。"),
        (U, "十九乘三是多少？"),
        (A, "五十七。"),
        (U, "本托哪天看兽医？"),
        (A, "五月三日。"),
    )
    assert first(q, 1) == [2]


def test_the_answer_to_a_message_and_its_results_are_no_later_use_of_it() -> None:
    result = f'1. Something.\nThe user said: "{VET}" If a line answers it, quote it.'
    q = queue((U, VET), (A, ""), (F, result), (A, f"You said: {VET}"), (U, "Thanks"), (A, "Fine"))
    assert first(q, 1) == [1]


def test_notes_of_the_program_and_words_that_all_messages_have_are_no_use() -> None:
    said = [(U, f"Today I planted seed number {n} in the garden.") for n in range(12)]
    q = queue(*said, (S, f"Your memory says about the user: {said[0][1]}"))
    assert first(q, 3) == [1, 2, 3]


def test_a_spared_message_has_to_be_of_use_again() -> None:
    later = [(U, "When does Bento see the vet?"), (A, "On the third of May.")]
    after_flush = talk(*later, (U, "Thanks."), (A, "Fine."))
    after_flush.spared, after_flush.flushed_after = 1, 6
    assert first(after_flush, 1) == [1]
    again = talk(*later, (U, "And what has Bento at his ear, so that he needs a vet?"), (A, "Pain"))
    again.spared, again.flushed_after = 1, 6
    assert first(again, 1) == [2]


def test_when_all_was_of_use_the_oldest_leave() -> None:
    q = queue((U, VET), (U, VET), (U, VET), (A, "Yes."))
    assert first(q, 1) == [1]


texts = st.lists(
    st.tuples(st.sampled_from([U, A, F, S]), st.text(max_size=40)), min_size=2, max_size=20
)


@given(texts, st.integers(0, 5), st.integers(0, 20))
def test_every_policy_orders_all_that_may_leave_and_nothing_else(
    said: list[tuple[MessageKind, str]], spared: int, flushed_after: int
) -> None:
    q = queue(*said, spared=min(spared, len(said)), flushed_after=flushed_after)
    for choice in Eviction:
        order = eviction_policy(choice).order(q, q.evictable())
        assert sorted(order, key=lambda group: group[0].message.seq) == q.evictable()
