"""Random use of memory: what must hold whatever people, model and power cuts do.

Two state machines of Hypothesis, over real DuckDB files. The quick suite runs a few examples of
them, `tests/evals/memory_machine.py` thousands of operations.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from helpers.agent_rig import append, replies, reply, search
from helpers.scripted_model import ScriptedModel
from helpers.stored_rig import StoredRig
from pagekeeper_core import prompts
from pagekeeper_core.config import Eviction, MemoryPolicy
from pagekeeper_core.errors import Cancelled, ModelError
from pagekeeper_core.events import (
    DocumentImported,
    Event,
    Login,
    MemoryEdited,
    ThreadArchived,
    ThreadOpened,
    UserMessage,
)
from pagekeeper_core.message_queue import awaits_result
from pagekeeper_core.messages import (
    FunctionCall,
    Message,
    MessageKind,
    PromptMessage,
    PromptRole,
    storable_text,
)
from pagekeeper_core.records import (
    ChangeAction,
    MemoryChange,
    QueueCheckpoint,
    RecallFilter,
    Target,
    TargetKind,
)
from pagekeeper_core.updates import (
    ChainFailed,
    ChainFinished,
    MessageAdmitted,
    QueueFlushed,
    Update,
)

WINDOW = 2400

OPERATIONS: Counter[str] = Counter()
"""How often each rule was carried out since the process began."""

WORDS = (
    *("tea", "dog", "sister", "Porto", "Bento", "rent", "ear", "piano", "café", "שלום", "مرحبا"),
    *(
        "猫が好き",
        "我家的狗叫本托",
        "👩‍👩‍👧",
        "x==y()",
        "3.14",
        "naïve\u0301",
        "\ud83d",
        "Ελλάδα",
        "ไทย",
    ),
)

TOPICS = (
    "Bento has to see the vet because of his left ear",
    "The lighthouse keeper of Nazaré owned seven goats",
    "Rehearsal of the string quartet moves to Thursday",
    "我家的狗叫本托，五月三日要去看兽医",
)
"""What is spoken of again and again, so that it is of use to keep."""

odd_texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join),
    st.sampled_from(["\0", "\r\n\t", "{'function': 'send_message'}", prompts.MEMORY_PRESSURE]),
)
long_texts = st.builds(
    lambda word, times: f"{word} " * times, st.sampled_from(WORDS), st.integers(50, 4000)
)
texts = st.one_of(odd_texts, odd_texts, odd_texts, long_texts)
written = odd_texts.map(storable_text).map(str.strip).filter(bool)
"""What a model can write: whole characters."""


LONG_QUEUE = 12
"""Messages of a conversation before another one begins: short ones are never flushed."""

BETWEEN_KILLS = 4
"""Operations at least: opening a database takes longer than all else."""


def operation(**inputs: Any) -> Callable[[Callable[..., None]], Any]:
    """A rule whose uses are counted."""

    def mark(function: Callable[..., None]) -> Any:
        @wraps(function)
        def counted(self: Any, **values: Any) -> None:
            OPERATIONS[function.__name__] += 1
            self.rig.since_kill += 1
            function(self, **values)

        return rule(**inputs)(counted)  # type: ignore[no-untyped-call]

    return mark


def kill(**inputs: Any) -> Callable[[Callable[..., None]], Any]:
    """An operation that opens the databases anew, and so is not done every time."""

    def mark(function: Callable[..., None]) -> Any:
        due = precondition(lambda self: self.rig.since_kill >= BETWEEN_KILLS)
        return due(operation(**inputs)(function))

    return mark


class CheckedModel(ScriptedModel):
    """A model for which a prompt over its window is a fault of the test, not of the environment."""

    def generate(self, prompt: Any, schema: Any, *, max_tokens: int, cancel: Any) -> Any:
        tokens = self.count_prompt(prompt)
        assert tokens + max_tokens <= self.context_window, f"{tokens} + {max_tokens}"
        return super().generate(prompt, schema, max_tokens=max_tokens, cancel=cancel)

    def evaluate(self, prompt: Any, *, cancel: Any) -> Any:
        assert self.count_prompt(prompt) <= self.context_window
        return super().evaluate(prompt, cancel=cancel)


class MemoryMachine(RuleBasedStateMachine):
    """A person, a model, several conversations, power cuts.

    Invariants: no prompt over the window; every message that was announced is in recall, whose
    numbers have no gap; the queue is what recall holds; a call and its result are in it together or
    not at all; a block is the replay of its changes; a restart finds the same prompt.
    """

    @initialize(
        eviction=st.sampled_from(list(Eviction)),
        share=st.sampled_from([0.1, 0.5, 0.9]),
        flush_level=st.sampled_from([0.75, 1.0, 1.0]),
        read_ahead=st.booleans(),
    )
    def begin(self, eviction: Eviction, share: float, flush_level: float, read_ahead: bool) -> None:
        policy = MemoryPolicy(
            eviction=eviction,
            evicted_share=share,
            flush_level=flush_level,
            read_ahead=read_ahead,
        )
        self.rig = StoredRig(model=CheckedModel(WINDOW), policy=policy)
        self.announced: dict[int, Message] = {}
        self.recalled: list[Message] = []

    def teardown(self) -> None:
        if hasattr(self, "rig"):
            stored = {message.seq: message for message in self.rig.recall.read(1)}
            assert sorted(stored) == list(range(1, len(stored) + 1))
            assert all(stored[seq] == message for seq, message in self.announced.items())
            self.rig.close()

    # What a person and a model do.

    @operation(text=texts)
    def say(self, text: str) -> None:
        self._answered(UserMessage(text), owed=bool(text.replace("\0", "").strip()))

    @operation(fact=written)
    def save_a_fact(self, fact: str) -> None:
        fact = fact[:100]
        self.rig.model.enqueue(append(fact), reply())
        self._answered(UserMessage(f"Remember: {fact}"))

    @operation(text=written)
    def correct_a_block_in_vain(self, text: str) -> None:
        call = FunctionCall(
            "core_memory_replace",
            {"block": "human", "old": "no line says this, ever", "new": text[:100]},
            "I correct it.",
            request_heartbeat=True,
        )
        self.rig.model.enqueue(call, reply())
        self._answered(UserMessage(f"That is wrong: {text}"))

    @operation(topic=st.sampled_from(TOPICS), again=st.booleans())
    def talk_of_a_topic(self, topic: str, again: bool) -> None:
        self.rig.model.enqueue(reply(f"{topic.split(maxsplit=1)[0]}, I see."))
        self._answered(UserMessage(f"And what was it with {topic}?" if again else topic))

    @operation(query=written, more=written)
    def search(self, query: str, more: str) -> None:
        self.rig.model.enqueue(search(query[:60]), search(more[:60]), reply())
        self._answered(UserMessage("Do you remember that?"))

    @operation(text=long_texts)
    def file_a_note(self, text: str) -> None:
        kept = storable_text(text)[:900]
        note = FunctionCall("archival_memory_insert", {"text": kept}, "I keep it.")
        self.rig.model.enqueue(note, reply())
        self._answered(UserMessage("Keep this, please."))

    @operation()
    def fail(self) -> None:
        self.rig.model.enqueue(ModelError("The runtime failed."))
        (*_, end) = self._take(self.rig.agent.handle(UserMessage("Hello?"), self.rig.cancel))
        assert isinstance(end, ChainFailed)
        self.rig.model.forget_script()

    @operation(title=odd_texts)
    def import_a_document(self, title: str) -> None:
        self._answered(DocumentImported(title[:80], 12, 3), owed=False)

    @operation(hours=st.integers(0, 60))
    def come_back(self, hours: int) -> None:
        self.rig.clock.advance(hours=hours)
        self._answered(Login(), owed=False)

    @operation(block=st.sampled_from(["human", "persona"]), text=texts)
    def edit_a_block(self, block: str, text: str) -> None:
        before = self._blocks()
        (*_, end) = self._take(self.rig.agent.handle(MemoryEdited(block, text), self.rig.cancel))
        if isinstance(end, ChainFailed):
            assert self._blocks() == before

    # Conversations.

    @precondition(lambda self: len(self.rig.agent._context.queue.entries) >= LONG_QUEUE)
    @operation()
    def begin_a_conversation(self) -> None:
        self._answered(ThreadOpened(0), owed=False)

    @precondition(lambda self: self.rig.threads.threads(archived=True)[1:])
    @operation(pick=st.integers(0, 99))
    def open_a_conversation(self, pick: int) -> None:
        self._answered(ThreadOpened(self._some_thread(pick)), owed=False)

    @operation(pick=st.integers(0, 99), archived=st.booleans())
    def put_a_conversation_away(self, pick: int, archived: bool) -> None:
        self._answered(ThreadArchived(self._some_thread(pick), archived), owed=False)

    # Stops and power cuts.

    @operation(text=texts, after=st.integers(0, 12))
    def stop(self, text: str, after: int) -> None:
        self._stopped(self.rig.agent.handle(UserMessage(text), self.rig.cancel), after)

    @operation(after=st.integers(0, 12))
    def stop_idle_work(self, after: int) -> None:
        self._stopped(self.rig.agent.idle(self.rig.cancel), after)

    @operation()
    def idle(self) -> None:
        self._take(self.rig.agent.idle(self.rig.cancel))

    @operation(whole=st.booleans())
    def flush(self, whole: bool) -> None:
        before = self.rig.queue_prompt()
        flushing = self.rig.agent._queue_manager.flush(self.rig.cancel)
        if not self.rig.agent._context.queue.evictable():
            return
        if whole:
            assert any(isinstance(update, QueueFlushed) for update in flushing)
            return
        next(flushing)
        self.rig.cancel.set()
        try:
            list(flushing)
        except Cancelled:
            assert self.rig.queue_prompt() == before
        self.rig.cancel.clear()

    @kill(call_is_open=st.booleans(), notes=st.integers(0, 2))
    def cut_the_power(self, call_is_open: bool, notes: int) -> None:
        """While the program is off, a document may be imported: word of it is left in recall."""
        if call_is_open:
            call = self.rig.agent._steps.call_message(append("tea"))
            self._take(self.rig.agent._queue_manager.admit(call))
        self._kill(notes=notes)

    @operation(text=texts, after=st.integers(0, 25))
    def break_off_a_chain(self, text: str, after: int) -> None:
        """The program goes on; who listened to the chain does not."""
        self.rig.model.enqueue(append("tea"), search("dog"), reply())
        chain = self.rig.agent.handle(UserMessage(f"tea dog {text}"), self.rig.cancel)
        for _, update in zip(range(after), chain, strict=False):
            self._note(update)
        chain.close()  # type: ignore[attr-defined]
        self.rig.model.forget_script()

    @kill(text=texts, after=st.integers(0, 25))
    def cut_the_power_in_a_chain(self, text: str, after: int) -> None:
        self.rig.model.enqueue(append("tea"), search("dog"), reply())
        chain = self.rig.agent.handle(UserMessage(f"tea dog {text}"), self.rig.cancel)
        for _, update in zip(range(after), chain, strict=False):
            self._note(update)
        self._kill()
        self.rig.model.forget_script()

    @kill(after=st.integers(0, 4))
    def cut_the_power_in_a_flush(self, after: int) -> None:
        if self.rig.agent._context.queue.evictable():
            flushing = self.rig.agent._queue_manager.flush(self.rig.cancel)
            for _ in zip(range(after), flushing, strict=False):
                pass
        self._kill()

    # What must hold.

    @invariant()
    def recall_is_gapless_and_holds_what_was_announced(self) -> None:
        first = len(self.recalled) + 1
        new = self.rig.recall.read(first)
        self.recalled += new
        assert [m.seq for m in new] == list(range(first, len(self.recalled) + 1))
        for seq in range(first, len(self.recalled) + 1):
            assert self.announced.get(seq, self.recalled[seq - 1]) == self.recalled[seq - 1]
        assert len(self.recalled) >= max(self.announced, default=0)

    @invariant()
    def the_queue_is_what_recall_holds(self) -> None:
        queue = self.rig.agent._context.queue
        seqs = [entry.message.seq for entry in queue.entries]
        assert seqs == sorted(set(seqs))
        for entry in queue.entries:
            assert self.recalled[entry.message.seq - 1] == entry.message
            assert entry.message.thread_id == self.rig.thread_id
        if queue.tail:
            first = queue.tail[0].message.seq
            thread = [m.seq for m in self.recalled if m.thread_id == self.rig.thread_id]
            assert [seq for seq in thread if seq >= first] == seqs[queue.spared :]

    @invariant()
    def a_call_and_its_result_are_together(self) -> None:
        shown = {entry.message.seq for entry in self.rig.agent._context.queue.entries}
        for call, result in self._pairs():
            assert (call in shown) == (result in shown), (call, result, shown)

    @invariant()
    def a_block_is_the_replay_of_its_changes(self) -> None:
        for name, text in self._blocks().items():
            changes = self.rig.state.changes(Target(TargetKind.BLOCK, name))
            for before, change in pairwise(changes):
                assert change.before == before.after
            assert not changes or changes[-1].after == text

    @invariant()
    def the_counts_add_up(self) -> None:
        context = self.rig.agent._context
        assert context.queue.tokens == context.usage().queue

    # How.

    def _answered(self, event: Event, *, owed: bool = True) -> None:
        updates = self._take(self.rig.agent.handle(event, self.rig.cancel))
        assert isinstance(updates[-1], ChainFinished), updates[-1]
        assert not owed or replies(updates)
        self.rig.model.forget_script()

    def _take(self, updates: Iterator[Update]) -> list[Update]:
        return [self._note(update) for update in updates]

    def _note(self, update: Update) -> Update:
        if isinstance(update, MessageAdmitted):
            self.announced[update.message.seq] = update.message
        return update

    def _stopped(self, updates: Iterator[Update], after: int) -> None:
        for number, update in enumerate(updates):
            self._note(update)
            if number >= after:
                self.rig.cancel.set()
            assert not isinstance(update, ChainFailed), update.error
        self.rig.cancel.clear()
        self.rig.model.forget_script()

    def _kill(self, *, notes: int = 0) -> None:
        thread, before = self.rig.thread_id, self.rig.queue_prompt()
        summary = self.rig.agent._context.queue.summary
        blocks, open_call = self._blocks(), self.rig.agent._context.queue.open_call()
        for number in range(notes):
            note = self.rig.agent._queue_manager.system_message(f"Document {number} was imported.")
            self.rig.recall.append(replace(note, thread_id=thread))
            before.append(PromptMessage(PromptRole.SYSTEM, note.prompt_text))
        self.rig.kill()
        if self.rig.thread_id != thread:
            self.rig.open_thread(thread)
            before[0] = self.rig.queue_prompt()[0]
        after = self.rig.queue_prompt()
        if open_call is not None:
            assert after.pop().text == prompts.interrupted_call()
        assert after == before
        assert self.rig.agent._context.queue.summary == summary
        assert self._blocks() == blocks

    def _blocks(self) -> dict[str, str]:
        return {block.name: block.text for block in self.rig.agent.working_context.blocks}

    def _some_thread(self, pick: int) -> int:
        threads = self.rig.threads.threads(archived=True)
        return threads[pick % len(threads)].thread_id

    def _pairs(self) -> Iterator[tuple[int, int]]:
        calls: dict[int, int] = {}
        for message in self.recalled:
            if message.kind is MessageKind.FUNCTION:
                yield calls.pop(message.thread_id), message.seq
            elif message.kind is not MessageKind.SYSTEM:
                assert message.thread_id not in calls, f"{message} stands before a result"
            if awaits_result(message):
                calls[message.thread_id] = message.seq


class StoreMachine(RuleBasedStateMachine):
    """The stores alone: what is appended is there, in order, and is found by its words at once."""

    @initialize()
    def begin(self) -> None:
        self.rig = StoredRig(with_agent=False)
        self.messages: list[Message] = []
        self.changes: list[MemoryChange] = []
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def teardown(self) -> None:
        if hasattr(self, "rig"):
            assert self.rig.recall.read(1) == self.messages
            assert self.rig.state.changes() == self.changes
            self.rig.close()

    @operation(
        kind=st.sampled_from([MessageKind.USER, MessageKind.ASSISTANT, MessageKind.SYSTEM]),
        text=texts,
        thread=st.integers(1, 3),
        minutes=st.integers(0, 3000),
    )
    def append(self, kind: MessageKind, text: str, thread: int, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)
        message = Message(kind, text, text, self.now, thread_id=thread)
        stored = self.rig.recall.append(message)
        assert stored == replace(
            message,
            text=storable_text(text),
            prompt_text=storable_text(text),
            seq=len(self.messages) + 1,
        )
        self.messages.append(stored)

    @operation(text=texts)
    def append_what_is_found_at_once(self, text: str) -> None:
        word = f"needle{len(self.messages)}"
        self.append.__wrapped__(
            self, kind=MessageKind.USER, text=f"{text} {word}", thread=1, minutes=1
        )
        (hit,) = self.rig.recall.search([word]).hits
        assert hit.message == self.messages[-1]

    @operation(
        query=st.lists(st.sampled_from(WORDS), max_size=3),
        speaker=st.sampled_from([None, MessageKind.USER, MessageKind.ASSISTANT]),
        days=st.tuples(st.integers(0, 90), st.integers(0, 90)),
        thread=st.sampled_from([None, 1, 2, 3]),
        places=st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)),
        page=st.integers(1, 3),
    )
    def search(
        self,
        query: list[str],
        speaker: MessageKind | None,
        days: tuple[int, int],
        thread: int | None,
        places: tuple[int, int, int],
        page: int,
    ) -> None:
        start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=min(days))
        before, seen, hidden = (1 + place % (len(self.messages) + 1) for place in places)
        where = RecallFilter(
            speaker=speaker,
            start=start,
            end=start + timedelta(days=max(days)),
            thread_id=thread,
            before_seq=before,
            seen=(2, seen),
            hidden=frozenset({hidden}),
        )
        admitted = {m.seq for m in self.messages if _admits(where, m)}
        found = self.rig.recall.search(query, where=where, page=page, page_size=4)
        seqs = [hit.message.seq for hit in found.hits]
        assert set(seqs) <= admitted
        assert len(set(seqs)) == len(seqs) <= 4
        assert found.total <= len(admitted)
        if not query:
            expected = sorted(admitted, key=lambda seq: (self.messages[seq - 1].created_at, seq))
            assert seqs == expected[4 * (page - 1) : 4 * page]
            assert found.total == len(expected)

    @operation(name=st.sampled_from(["human", "work"]), text=odd_texts)
    def change_a_block(self, name: str, text: str) -> None:
        before = self.rig.state.current_blocks().get(name, "")
        change = MemoryChange(
            Target(TargetKind.BLOCK, name), ChangeAction.EDIT, before, text, self.now, "user"
        )
        self.changes.append(self.rig.state.append_change(change))
        assert self.rig.state.current_blocks()[name] == storable_text(text)

    @kill(kept=st.lists(st.integers(1, 50), max_size=4), summary=odd_texts)
    def store_a_checkpoint(self, kept: list[int], summary: str) -> None:
        checkpoint = QueueCheckpoint(7, storable_text(summary), "", self.now, 2, tuple(kept), 9)
        self.rig.state.append_checkpoint(checkpoint)
        self.rig.kill()
        assert self.rig.state.latest_checkpoint(2) == checkpoint

    @kill()
    def cut_the_power(self) -> None:
        self.rig.kill()

    @invariant()
    def nothing_is_lost(self) -> None:
        assert self.rig.recall.count() == len(self.messages)
        assert self.rig.recall.read_last(3) == self.messages[-3:]
        blocks = {change.target.name: change.after for change in self.changes}
        assert self.rig.state.current_blocks() == blocks


def _admits(where: RecallFilter, message: Message) -> bool:
    assert where.start is not None
    assert where.end is not None
    assert where.before_seq is not None
    assert where.seen is not None
    return (
        message.kind in {MessageKind.USER, MessageKind.ASSISTANT}
        and bool(message.text)
        and where.speaker in {None, message.kind}
        and where.start <= message.created_at < where.end
        and where.thread_id in {None, message.thread_id}
        and message.seq < where.before_seq
        and not (message.thread_id == where.seen[0] and message.seq >= where.seen[1])
        and message.seq not in where.hidden
    )
