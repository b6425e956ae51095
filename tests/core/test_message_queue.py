"""The queue: what a flush chooses, and that calls and results are never parted."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from pagekeeper_core.message_queue import MessageQueue, QueueEntry
from pagekeeper_core.messages import FunctionCall, Message, MessageKind

NOW = datetime(2026, 11, 29, tzinfo=UTC)
CALL = FunctionCall("conversation_search", {"queries": ["x"]})


def entry(kind: MessageKind, tokens: int = 10, *, reply: bool = False) -> QueueEntry:
    call = CALL if kind is MessageKind.ASSISTANT and not reply else None
    return QueueEntry(Message(kind, "text", "text", NOW, call), tokens)


def queue(*kinds: MessageKind) -> MessageQueue:
    return MessageQueue(entries=[entry(kind) for kind in kinds])


U, A, F, S = MessageKind.USER, MessageKind.ASSISTANT, MessageKind.FUNCTION, MessageKind.SYSTEM


def test_half_of_the_tokens_leave_in_whole_groups() -> None:
    q = queue(U, A, F, A, U, A)
    assert [e.message.kind for e in q.oldest(0.5)] == [U, A, F]


def test_the_last_exchange_stays() -> None:
    q = queue(U, A, U, A, F, A, F, A)
    assert [e.message.kind for e in q.oldest(0.9)] == [U, A]


def test_a_single_long_exchange_gives_up_its_oldest_groups() -> None:
    q = queue(U, A, F, A, F)
    assert [e.message.kind for e in q.oldest(0.5)] == [U, A, F]


def test_the_only_group_cannot_leave() -> None:
    assert queue(A, F).oldest(0.5) == []
    assert MessageQueue().oldest(0.5) == []


kinds = st.lists(st.sampled_from([(U,), (S,), (A,), (A, F)]), max_size=30)


@given(kinds, st.floats(0, 1), st.data())
def test_eviction_never_parts_a_call_from_its_result(
    groups: list[tuple[MessageKind, ...]], share: float, data: st.DataObject
) -> None:
    entries = [entry(kind, data.draw(st.integers(1, 500))) for group in groups for kind in group]
    q = MessageQueue(entries=list(entries))
    evicted = q.oldest(share)
    assert evicted == entries[: len(evicted)]
    q.remove_oldest(len(evicted))
    assert not q.entries or q.entries[0].message.kind is not F
    if share > 0 and len(q.groups()) > 1 and len(groups) > 1:
        assert evicted
