"""What of a fact is worth proposing: decided in code, against all that memory holds and held.

Junk is worse than nothing. So nothing is proposed that a block says, that was proposed before
(whatever became of it), or that was taken out of the block after the user had said it.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from pagekeeper_core.errors import Cancelled
from pagekeeper_core.fact_comparison import ends, says_already
from pagekeeper_core.facts import Fact
from pagekeeper_core.line_edits import lines_of
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import Message
from pagekeeper_core.protocols import Clock, ProposalStore
from pagekeeper_core.records import (
    MemoryChange,
    Proposal,
    ProposalState,
    Target,
    TargetKind,
)
from pagekeeper_core.sameness import roots, says_nothing_new
from pagekeeper_core.statements import statements_in
from pagekeeper_core.wording import folded
from pagekeeper_core.working_context import WorkingContext

__all__ = ["BLOCK", "Proposer", "withdraw_overtaken"]

BLOCK = "human"
"""The block that facts about the user belong in."""

NEWEST_NOTES = 100
"""Notes that are compared with each other: a pair with a word in common costs a millisecond."""

QUOTED = 160
"""Characters of a message that a reason quotes."""

_TARGET = Target(TargetKind.BLOCK, BLOCK)


@dataclass(frozen=True, slots=True)
class _Held:
    """A line or note that stands in memory.

    Attributes:
        target: Where.
        text: What it says.
        at: Since when, aware; None when that is not known.
        cause_seq: The message that brought it; 0 if that is not known.
    """

    target: Target
    text: str
    at: datetime | None
    cause_seq: int


class Proposer:
    """Makes proposals for the person; changes nothing."""

    def __init__(
        self,
        *,
        working_context: WorkingContext,
        history: MemoryHistory,
        proposals: ProposalStore,
        clock: Clock,
    ) -> None:
        self._working_context = working_context
        self._history = history
        self._proposals = proposals
        self._clock = clock

    def withdraw_overtaken(self) -> bool:
        """See the function of that name."""
        now = self._clock.now()
        return withdraw_overtaken(self._proposals, self._working_context, self._history, now)

    def lines(self) -> list[str]:
        """What the block says, and what is proposed for it and not decided."""
        waiting = [p.after for p in self._proposals.proposals() if p.target == _TARGET and p.after]
        return [*lines_of(self._working_context.block(BLOCK).text), *waiting]

    def is_news(self, line: str, said: Message) -> bool:
        """Whether memory does not say this, was not offered it, and has not dropped it since."""
        if any(says_already(known, line) for known in self.lines()):
            return False
        if any(says_already(p.after, line) for p in self._decided() if p.target == _TARGET):
            return False
        return not any(
            says_already(fact.text, line)
            for fact in self._facts()
            if fact.ended_by is not None and fact.ended_by.at >= said.created_at
        )

    def was_offered(self, statement: str, said: Message) -> bool:
        """Whether this very sentence has led to a proposal, whatever became of it."""
        every = (p for state in ProposalState for p in self._proposals.proposals(state))
        return any(said.seq in p.sources and _quoted(statement) in p.reason for p in every)

    def ended_by(self, statement: str, said: Message) -> str:
        """The line of the block that this statement ends; empty if it ends none."""
        ended = [held for held in self._standing() if _is_older(held, said)]
        return next((held.text for held in ended if ends(held.text, statement)), "")

    def proposal(
        self, line: str, statement: str, said: Message, heard: Sequence[Message]
    ) -> Proposal | None:
        """Add a line, put it in another's place, or take one out; None if there is no reason to.

        Args:
            line: The fact as a line of the block; empty if the statement only ends another.
            statement: The sentence that says it.
            said: The message that holds the sentence.
            heard: The user's messages around it, which may say the same.
        """
        after = line if line and self.is_news(line, said) else ""
        before = self.ended_by(statement, said)
        if not (after or before) or not self._fits(before, after):
            return None
        if not after and self._was_up(_Held(_TARGET, before, None, 0)):
            return None
        sources = {m.seq for m in heard if after and _says(m, after)} | {said.seq}
        reason = f"You said on {self._day(said.created_at)}: {_quoted(statement)}"
        if before:
            held = next(held for held in self._standing() if held.text == before)
            sources |= {held.cause_seq} - {0}
            reason += self._since(held)
        return self._proposal(_TARGET, before, after, reason, sources)

    def outdated(self, statement: str, said: Message) -> list[Proposal]:
        """Additions that wait for the person although the user has since said otherwise."""
        return [
            waiting
            for waiting in self._proposals.proposals()
            if waiting.target == _TARGET
            and waiting.after
            and max(waiting.sources) < said.seq
            and ends(waiting.after, statement)
        ]

    def ended_notes(self, statement: str, said: Message) -> Iterator[Proposal]:
        """For every note that this statement ends: hide it. The line that holds is the block's."""
        for note in self._notes():
            if _is_older(note, said) and ends(note.text, statement) and not self._was_up(note):
                reason = f"You said on {self._day(said.created_at)}: {_quoted(statement)}"
                sources = {said.seq, note.cause_seq} - {0}
                yield self._proposal(
                    note.target, note.text, "", reason + self._since(note), sources
                )

    def repeated(self, cancel: threading.Event) -> Iterator[Proposal]:
        """For every line or note that another one says too: take it out.

        Raises:
            Cancelled: `cancel` was set.
        """
        for held in (self._standing(), self._notes()):
            for one, other in _repeats(_pairs(held, cancel)):
                if not self._was_up(one):
                    yield self._in_favour_of(other, one, "This says the same")

    def outlived_notes(self, cancel: threading.Event) -> Iterator[Proposal]:
        """For every note that a newer one ends: let that one hold.

        Raises:
            Cancelled: `cancel` was set.
        """
        gone: set[str] = set()
        for one, other in _pairs(self._notes(), cancel):
            is_newer = one.at is not None and other.at is not None and one.at < other.at
            if is_newer and one.text not in gone and ends(one.text, other.text):
                gone.add(one.text)
                if not self._was_up(one):
                    yield self._in_favour_of(other, one, "This was noted later")

    def _in_favour_of(self, kept: _Held, gone: _Held, why: str) -> Proposal:
        reason = f"{why}: {_quoted(kept.text)}{self._since(kept)}"
        successor = kept.target.name if kept.target.kind is TargetKind.PASSAGE else ""
        sources = {gone.cause_seq, kept.cause_seq} - {0}
        return self._proposal(gone.target, gone.text, "", reason, sources, successor)

    def _proposal(
        self,
        target: Target,
        before: str,
        after: str,
        reason: str,
        sources: Iterable[int],
        successor: str = "",
    ) -> Proposal:
        now = self._clock.now()
        numbers = tuple(sorted(sources))
        return Proposal(target, before, after, reason, numbers, now, successor=successor)

    def _facts(self) -> list[Fact]:
        return [fact for fact in self._history.facts() if fact.block == BLOCK]

    def _standing(self) -> list[_Held]:
        brought = {fact.text: fact.brought_by for fact in self._facts() if fact.ended_by is None}
        lines = lines_of(self._working_context.block(BLOCK).text)
        return [_held(_TARGET, line, brought.get(line)) for line in lines]

    def _notes(self) -> list[_Held]:
        """The newest notes that hold, oldest first."""
        gone = {*self._history.hidden_passages(), *self._history.superseded()}
        notes = [c for c in self._history.inserted_notes() if c.target.name not in gone]
        return [_held(c.target, c.after, c) for c in notes[-NEWEST_NOTES:]]

    def _decided(self) -> list[Proposal]:
        return self._proposals.proposals(ProposalState.DISMISSED)

    def _was_up(self, held: _Held) -> bool:
        """Whether the person has been asked, and has not agreed, to let this line or note go."""
        asked = [*self._proposals.proposals(), *self._decided()]
        return any(p.target == held.target and folded(p.before) == folded(held.text) for p in asked)

    def _fits(self, before: str, after: str) -> bool:
        lines = lines_of(self._working_context.block(BLOCK).text)
        kept = [line for line in lines if line != before]
        return self._working_context.fits(BLOCK, "\n".join([*kept, *([after] if after else [])]))

    def _since(self, held: _Held) -> str:
        return f" (noted on {self._day(held.at)})" if held.at else ""

    def _day(self, moment: datetime) -> str:
        local = self._clock.to_local(moment)
        return f"{local.day} {local:%B %Y}"


def withdraw_overtaken(
    proposals: ProposalStore, context: WorkingContext, history: MemoryHistory, at: datetime
) -> bool:
    """Take back the open proposals whose line or note is no longer there; whether there were any.

    Raises:
        StoreError: It could not be written.
    """
    overtaken = [p for p in proposals.proposals() if _is_overtaken(p, context, history)]
    for proposal in overtaken:
        proposals.decide(proposal.proposal_id, ProposalState.WITHDRAWN, at)
    return bool(overtaken)


def _is_overtaken(proposal: Proposal, context: WorkingContext, history: MemoryHistory) -> bool:
    target = proposal.target
    if target.kind is TargetKind.BLOCK:
        return bool(proposal.before) and proposal.before not in lines_of(
            context.block(target.name).text
        )
    return any(
        name and history.is_hidden(Target(target.kind, name))
        for name in (target.name, proposal.successor)
    )


def _held(target: Target, text: str, brought_by: MemoryChange | None) -> _Held:
    if brought_by is None:
        return _Held(target, text, None, 0)
    return _Held(target, text, brought_by.at, brought_by.cause_seq)


def _pairs(held: Sequence[_Held], cancel: threading.Event) -> Iterator[tuple[_Held, _Held]]:
    """Each with each other one with which it has a word in common."""
    words = [set(roots(one.text)) for one in held]
    for place, one in enumerate(held):
        for other_place, other in enumerate(held):
            if cancel.is_set():
                raise Cancelled
            if place != other_place and words[place] & words[other_place]:
                yield one, other


def _repeats(pairs: Iterable[tuple[_Held, _Held]]) -> Iterator[tuple[_Held, _Held]]:
    """The pairs of which the other one says what the one says, and stays."""
    gone: list[_Held] = []
    for one, other in pairs:
        if one not in gone and other not in gone and says_nothing_new(one.text, other.text):
            gone.append(one)
            yield one, other


def _is_older(held: _Held, said: Message) -> bool:
    """Whether a line was there before the user said something."""
    if held.cause_seq:
        return held.cause_seq < said.seq
    return held.at is None or held.at < said.created_at


def _says(message: Message, line: str) -> bool:
    return any(says_already(said.text, line) for said in statements_in(message.text))


def _quoted(text: str) -> str:
    return f'"{text[:QUOTED]}"'
