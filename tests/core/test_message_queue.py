"""The queue: what a flush chooses, and that calls and results are never parted."""

from collections.abc import Iterable
from datetime import UTC, datetime
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pagekeeper_core.function_calls import SEND_MESSAGE
from pagekeeper_core.message_queue import MessageQueue, QueueEntry
from pagekeeper_core.messages import FunctionCall, Message, MessageKind

NOW = datetime(2026, 11, 29, tzinfo=UTC)
CALL = FunctionCall("conversation_search", {"queries": ["x"]})


def entry(kind: MessageKind, tokens: int = 10, *, seq: int = 1, reply: bool = False) -> QueueEntry:
    call = CALL if kind is MessageKind.ASSISTANT and not reply else None
    return QueueEntry(Message(kind, "text", "text", NOW, call, seq), tokens)


def queue(*kinds: MessageKind) -> MessageQueue:
    return MessageQueue(entries=[entry(kind, seq=n) for n, kind in enumerate(kinds, start=1)])


def oldest(q: MessageQueue, share: float) -> list[QueueEntry]:
    return q.first_of(q.evictable(), share)


def seqs(entries: Iterable[QueueEntry]) -> list[int]:
    return [e.message.seq for e in entries]


U, A, F, S = MessageKind.USER, MessageKind.ASSISTANT, MessageKind.FUNCTION, MessageKind.SYSTEM


def test_half_of_the_tokens_leave_in_whole_groups() -> None:
    q = queue(U, A, F, A, U, A)
    assert [e.message.kind for e in oldest(q, 0.5)] == [U, A, F]


def test_the_last_exchange_stays() -> None:
    q = queue(U, A, U, A, F, A, F, A)
    assert [e.message.kind for e in oldest(q, 0.9)] == [U, A]


def test_a_single_long_exchange_gives_up_its_oldest_groups_only_where_that_is_wanted() -> None:
    q = queue(U, A, F, A, F)
    assert [e.message.kind for e in oldest(q, 0.5)] == [U, A, F]
    assert q.evictable(within_last_exchange=False) == []


def test_the_only_group_cannot_leave() -> None:
    assert queue(A, F).evictable() == []
    assert MessageQueue().evictable() == []


def test_a_message_of_the_program_between_a_call_and_its_result_belongs_to_them() -> None:
    q = queue(U, A, S, S)
    call = q.open_call()
    assert call is not None
    assert call.seq == 2
    q.append(entry(F, seq=5))
    assert q.open_call() is None
    assert [seqs(group) for group in q.groups()] == [[1], [2, 3, 4, 5]]


def test_a_call_of_an_older_version_that_never_got_a_result_holds_nothing_up() -> None:
    q = queue(U, A, U, A, F, U)
    assert q.open_call() is None
    assert [seqs(group) for group in q.groups()] == [[1], [2], [3], [4, 5], [6]]


def test_a_reply_awaits_no_result() -> None:
    q = MessageQueue(entries=[entry(U), entry(A, seq=2, reply=True)])
    assert q.open_call() is None
    said = FunctionCall(SEND_MESSAGE, {"message": ""})
    q.append(QueueEntry(Message(A, "", "", NOW, said, 3), 1))
    assert q.open_call() is None


def test_what_remains_before_the_newest_that_left_is_spared() -> None:
    q = queue(U, A, U, A, U, A)
    remaining, spared = q.without([q.entries[0], q.entries[3]])
    assert (seqs(remaining), spared) == ([2, 3, 5, 6], 2)
    again = MessageQueue(entries=remaining, spared=spared)
    remaining, spared = again.without([remaining[0]])
    assert (seqs(remaining), spared) == ([3, 5, 6], 1)
    assert seqs(MessageQueue(entries=remaining, spared=spared).tail) == [5, 6]


kinds = st.lists(st.sampled_from([(U,), (S,), (A, F), (A, S, F)]), min_size=2, max_size=30)


@given(kinds, st.floats(0, 1), st.randoms(), st.data())
def test_eviction_never_parts_a_call_from_its_result(
    groups: list[tuple[MessageKind, ...]], share: float, order: Random, data: st.DataObject
) -> None:
    entries = [
        entry(kind, data.draw(st.integers(1, 500)), seq=n)
        for n, kind in enumerate((kind for group in groups for kind in group), start=1)
    ]
    q = MessageQueue(entries=list(entries))
    whole = q.groups()
    evictable = q.evictable()
    order.shuffle(evictable)
    evicted = q.first_of(evictable, share)
    assert evicted
    assert seqs(evicted) == sorted(seqs(evicted))
    remaining, spared = q.without(evicted)
    assert sorted(seqs([*evicted, *remaining])) == seqs(entries)
    for group in whole:
        assert len({e in evicted for e in group}) == 1
    assert whole[-1][-1] is remaining[-1]
    tail = seqs(remaining[spared:])
    assert tail == list(range(tail[0], len(entries) + 1))
