"""Consolidation: in idle time, what the user said lately is read again for what memory lacks.

It proposes; the person decides. New lines for the block about the user, lines that a later
statement has ended, lines and notes that say the same: each with the messages that say so.

What the form of a sentence shows is decided in code and kept in the user's words: made to reword
29 such sentences, Qwen2.5-Coder-1.5B spoilt five ("Girl Mia is a nurse") and mended one. Asked
which of 18 others tell something lasting, it took no small talk for a fact and missed two; of 12
in slang it kept two of the eight that do, and took one that does not.

The model is asked one sentence at a time, behind the prompt that its KV cache holds, so that the
cache keeps all that the next reply needs and only the question is evaluated. For that the sentences
are quoted from recall storage, so that it does not matter whether they still stand in the queue, or
in the queue of another conversation.
"""

import json
import logging
import re
import threading
from collections.abc import Generator, Iterator, Sequence
from itertools import chain

from pagekeeper_core.config import Consolidation as Switch
from pagekeeper_core.consolidation_questions import (
    EXAMPLES,
    FACT_SCHEMA,
    LONGEST_ANSWER,
    LONGEST_FACT,
    examples,
    question,
)
from pagekeeper_core.errors import Cancelled, ContextWindowError, ModelError
from pagekeeper_core.fact_comparison import as_line, is_grounded, keeps_language
from pagekeeper_core.generated import whole_text
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import Message, MessageKind, PromptMessage
from pagekeeper_core.proposing import Proposer
from pagekeeper_core.protocols import Clock, LanguageModel, ProposalStore, RecallStore
from pagekeeper_core.records import Proposal, ProposalState
from pagekeeper_core.sameness import names_in
from pagekeeper_core.statements import Statement, statements_in
from pagekeeper_core.updates import PromptProgress, ProposalsChanged, Update

__all__ = ["Consolidation"]

log = logging.getLogger(__name__)

NEW_MESSAGES = 6
"""Messages of the user that make a pass worth its while."""

LOOK_BACK = 400
"""Messages that a pass goes back; older ones are left, as a first pass over years would not end."""

MOST_WAITING = 12
"""Proposals that wait for the person, beyond which nothing is added to them."""

FEWEST_EXAMPLES = 4

_RELATIVE_TIME = re.compile(
    r"\b((last|next|this) (week|month|year|spring|summer|autumn|winter|\w+day)|tomorrow|ago)\b"
    r"|[上下本这]个?(月|周|星期)|今年|明年|去年|明天|后天",
    re.IGNORECASE,
)


class Consolidation:
    """An idle job; see `protocols.IdleJob`."""

    def __init__(
        self,
        *,
        model: LanguageModel,
        context: MainContext,
        proposer: Proposer,
        history: MemoryHistory,
        recall: RecallStore,
        proposals: ProposalStore,
        clock: Clock,
    ) -> None:
        self._model = model
        self._context = context
        self._proposer = proposer
        self._history = history
        self._recall = recall
        self._proposals = proposals
        self._clock = clock
        self._counted = 0
        self._is_underway = False
        self._failed_at = 0

    def work(self, cancel: threading.Event) -> Iterator[Update]:
        """Read what is new, when there is enough of it, and propose.

        Proposals are stored before their message counts as read: a kill in between repeats the
        message, and what was proposed is known again.

        Raises:
            Cancelled: `cancel` was set; what is proposed stays, the rest is read the next time.
            StoreError: A database cannot be read or written.
        """
        yield from self._withdraw_overtaken()
        said = self._unread()
        if not said:
            return
        if not self._is_underway:
            self._is_underway = True
            yield from self._tidy(cancel)
        for message in said:
            if self._is_full():
                return
            try:
                yield from self._read(message, said, cancel)
            except ContextWindowError:
                log.info("There is no room in the window for consolidation now")
                return
            except ModelError:
                log.warning("Consolidation failed at message %d", message.seq, exc_info=True)
                if self._failed_at != message.seq:
                    self._failed_at = message.seq
                    return
            self._proposals.mark_read(message.seq, self._clock.now())
        self._is_underway = False

    def _unread(self) -> list[Message]:
        """The user's messages that are to be read now; none while they are few."""
        newest = self._recall.count()
        if self._is_off() or self._is_known(newest) or self._is_full():
            return []
        first = max(self._proposals.read_until(), newest - LOOK_BACK) + 1
        hidden = self._history.hidden_messages()
        said = [
            message
            for message in self._recall.read(first)
            if message.kind is MessageKind.USER and message.seq not in hidden
        ]
        self._counted = newest
        return said if len(said) >= NEW_MESSAGES or self._is_underway else []

    def _is_off(self) -> bool:
        return self._context.policy.consolidation is Switch.OFF

    def _is_known(self, newest: int) -> bool:
        """Whether this was looked at before, and nothing has come since."""
        return newest == self._counted and not self._is_underway

    def _is_full(self) -> bool:
        return len(self._proposals.proposals()) >= MOST_WAITING

    def _tidy(self, cancel: threading.Event) -> Iterator[Update]:
        """What needs no model: lines and notes that repeat or contradict each other.

        Once a pass: a pass that was cut short goes on reading.
        """
        found = chain(self._proposer.repeated(cancel), self._proposer.outlived_notes(cancel))
        for proposal in found:
            if self._is_full():
                return
            yield from self._propose(proposal)

    def _read(
        self, message: Message, heard: Sequence[Message], cancel: threading.Event
    ) -> Iterator[Update]:
        names = frozenset[str]().union(*(names_in(line) for line in self._proposer.lines()))
        for statement in statements_in(message.text, names):
            _check(cancel)
            for proposal in self._proposer.ended_notes(statement.text, message):
                yield from self._propose(proposal)
            if self._proposer.was_offered(statement.text, message):
                continue
            line = yield from self._line(statement, message, cancel)
            yield from self._withdraw(statement, message)
            change = self._proposer.proposal(line, statement.text, message, heard)
            if change is not None:
                yield from self._propose(change)

    def _line(
        self, statement: Statement, said: Message, cancel: threading.Event
    ) -> Generator[PromptProgress, None, str]:
        """What a statement tells, as a line of the block; empty if that is nothing lasting.

        In the user's own words where its form shows that it lasts or it ends a line, and where the
        model, which is asked about the others, changes the language. What the model adds to what
        was said is dropped.
        """
        own = as_line(statement.text)
        if len(own) > LONGEST_FACT or not self._proposer.is_news(own, said):
            return ""
        if statement.is_lasting or self._proposer.ended_by(statement.text, said):
            return self._dated(own, said)
        fact = yield from self._ask(statement, cancel)
        if not is_grounded(fact, statement.text):
            return ""
        kept = as_line(fact) if keeps_language(fact, statement.text) else own
        return self._dated(kept, said)

    def _ask(
        self, statement: Statement, cancel: threading.Event
    ) -> Generator[PromptProgress, None, str]:
        writing = self._model.generate(
            self._prompt(statement),
            FACT_SCHEMA,
            max_tokens=LONGEST_ANSWER,
            cancel=cancel,
        )
        return _fact_in((yield from whole_text(writing)))

    def _prompt(self, statement: Statement) -> list[PromptMessage]:
        """The present prompt, then the question, after as many worked examples as there is room."""
        for count in (EXAMPLES, FEWEST_EXAMPLES):
            asked = [*self._context.prompt(), *examples(count), question(statement.text)]
            if self._model.count_prompt(asked) + LONGEST_ANSWER <= self._model.context_window:
                return asked
        raise ContextWindowError("Consolidation does not fit the window behind this prompt.")

    def _dated(self, line: str, said: Message) -> str:
        """A line that will be read in a year, when "next month" means another one."""
        if not _RELATIVE_TIME.search(line):
            return line
        return f"{line} (said {self._clock.to_local(said.created_at):%Y-%m-%d})"

    def _withdraw_overtaken(self) -> Iterator[Update]:
        if self._proposer.withdraw_overtaken():
            yield self._changed()

    def _withdraw(self, statement: Statement, said: Message) -> Iterator[Update]:
        for outdated in self._proposer.outdated(statement.text, said):
            self._proposals.decide(outdated.proposal_id, ProposalState.WITHDRAWN, self._clock.now())
            yield self._changed()

    def _propose(self, proposal: Proposal) -> Iterator[Update]:
        self._proposals.add(proposal)
        yield self._changed()

    def _changed(self) -> ProposalsChanged:
        return ProposalsChanged(tuple(self._proposals.proposals()))


def _check(cancel: threading.Event) -> None:
    if cancel.is_set():
        raise Cancelled


def _fact_in(text: str) -> str:
    """The fact in the model's answer; empty if there is none, or its end is missing."""
    try:
        answer = json.loads(text)
    except ValueError:
        return ""
    return str(answer.get("fact", "")).strip() if isinstance(answer, dict) else ""
