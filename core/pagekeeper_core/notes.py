"""Notes to self in the archive: inserted through the history, each fact once, newest value first.

A note is written to the history before it is written to the archive. So whatever ends the program
in between, its row with its cause is there, and the text in it: the note is completed the next time
that notes are used. The other way round a kill would leave a note that nobody can explain.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from uuid import uuid4

from pagekeeper_core.contradiction import contradiction
from pagekeeper_core.errors import FunctionError, PagekeeperError
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import storable_text
from pagekeeper_core.protocols import ArchivalStore
from pagekeeper_core.records import (
    ArchivalHit,
    ChangeAction,
    MemoryChange,
    SearchPage,
    Target,
    TargetKind,
)
from pagekeeper_core.sameness import says_nothing_new
from pagekeeper_core.storage.search_terms import fingerprint
from pagekeeper_core.wording import is_said_in

__all__ = ["KeptNote", "NoteOutcome", "Notes"]

ALIKE = 0.5
"""Cosine from which two notes may state one fact; their words decide.

Measured (tests/evals/near_duplicates.py): from 0 to .75 it changes nothing, all rewordings lie
above .75, and so do most pairs of facts that differ in a number or a name.
"""

LONG_MESSAGE = 256
"""Characters below which a message always fits the window, so that no copy of it is archived."""

PASTED = "paste"
"""The kind of document that a message becomes which is too long for the window."""

LOOKED_AT = 8
"""Nearest notes that a new one is compared with."""


class NoteOutcome(StrEnum):
    """What became of a note that was to be kept."""

    NEW = "new"
    KNOWN = "known"
    """The archive held one that says the same."""
    RETURNED = "returned"
    """One that says the same was forgotten or superseded, and holds again."""


@dataclass(frozen=True, slots=True)
class KeptNote:
    """A note in the archive.

    Attributes:
        passage_id: Its identifier.
        text: As it stands there, which may be another wording of what was to be kept.
        outcome: What became of it.
        superseded: The text of a note in whose place it holds now; empty if there is none.
        beside: The text of a note that may say otherwise; both hold. Empty if there is none.
    """

    passage_id: str
    text: str
    outcome: NoteOutcome
    superseded: str = ""
    beside: str = ""


class Notes:
    """The one way in which notes are archived, superseded, and passages searched for the model."""

    def __init__(self, archival: ArchivalStore, history: MemoryHistory) -> None:
        self._archival = archival
        self._history = history
        self._is_complete = False
        self._copies: dict[int, list[str]] = {}

    def insert(self, text: str, *, said: str, actor: str, cause_seq: int = 0) -> KeptNote:
        """Keep a note, unless one says the same already.

        Args:
            text: The note.
            said: What the user just said: only that brings back what the user had forgotten.
            actor: Who keeps it.
            cause_seq: The message that caused it; 0 if none did.

        Raises:
            FunctionError: It is empty, or the user had it forgotten.
            StoreError: It could not be written. The model must not count on it; where its row could
                not be taken back, the archive gets it later.
            ModelError: The embedder failed; nothing is kept.
        """
        text = storable_text(text).strip()
        if not text:
            raise FunctionError("The text is empty. Give the note to keep.")
        self._complete()
        near = self._archival.notes_like(text, LOOKED_AT)
        for hit in near:
            if hit.score >= ALIKE and _is_one_fact(text, hit):
                note = self._known(hit, said, actor, cause_seq)
                break
        else:
            note = KeptNote(self._insert(text, actor, cause_seq), text, NoteOutcome.NEW)
        if note.outcome is NoteOutcome.KNOWN:
            return note
        return self._set_right(note, near, actor, cause_seq)

    def supersede(
        self, passage_id: str, text: str, successor: str, *, actor: str, cause_seq: int = 0
    ) -> None:
        """Let the passage `successor` hold in place of this one, which stays, with its dates.

        Raises:
            StoreError: It could not be written; nothing has changed.
        """
        self._history.record(
            Target(TargetKind.PASSAGE, passage_id),
            ChangeAction.SUPERSEDE,
            before=text,
            after=text,
            actor=actor,
            cause_seq=cause_seq,
            successor=successor,
        )

    def search(
        self, queries: Sequence[str], *, page: int, page_size: int
    ) -> SearchPage[ArchivalHit]:
        """Passages of documents and notes, what holds now first, nothing that is forgotten.

        Raises:
            StoreError: The archive could not be read.
            ModelError: The embedder failed.
        """
        self._complete()
        return self._archival.search(
            queries,
            page=page,
            page_size=page_size,
            hidden=self._history.hidden_passages() | self._copies_of_forgotten(),
            behind=self._history.superseded(),
        )

    def _copies_of_forgotten(self) -> frozenset[str]:
        """The passages of long messages that are forgotten: the archive holds those whole."""
        return frozenset(
            passage_id
            for change in self._history.forgotten()
            if change.target.kind is TargetKind.MESSAGE and len(change.before) >= LONG_MESSAGE
            for passage_id in self._passages_with(change)
        )

    def _passages_with(self, forgotten: MemoryChange) -> list[str]:
        known = self._copies.get(forgotten.change_id)
        if known is None:
            sha256 = hashlib.sha256(storable_text(forgotten.before).encode()).hexdigest()
            copy = self._archival.find_document(sha256)
            if copy is None or copy.record.kind != PASTED:
                return []
            known = self._archival.passages_of(copy.document_id)
            self._copies[forgotten.change_id] = known
        return known

    def _known(self, hit: ArchivalHit, said: str, actor: str, cause_seq: int) -> KeptNote:
        target, text = Target(TargetKind.PASSAGE, hit.passage_id), hit.passage.text
        hidden = self._history.is_hidden(target)
        if not hidden and hit.passage_id not in self._history.superseded():
            return KeptNote(hit.passage_id, text, NoteOutcome.KNOWN)
        if hidden and not (said and is_said_in(text, [said])):
            raise FunctionError("The user had that forgotten. Do not save it again.")
        self._history.record(
            target,
            ChangeAction.RESTORE,
            before="" if hidden else text,
            after=text,
            actor=actor,
            cause_seq=cause_seq,
        )
        return KeptNote(hit.passage_id, text, NoteOutcome.RETURNED)

    def _set_right(
        self, note: KeptNote, near: Sequence[ArchivalHit], actor: str, cause_seq: int
    ) -> KeptNote:
        """Let the note hold in place of one that cannot hold beside it."""
        held = {hit.passage.text: hit for hit in near if self._holds(hit)}
        other = contradiction(note.text, held)
        if other is None:
            return note
        if not other.certain:
            return replace(note, beside=other.text)
        old = held[other.text].passage_id
        self.supersede(old, other.text, note.passage_id, actor=actor, cause_seq=cause_seq)
        return replace(note, superseded=other.text)

    def _insert(self, text: str, actor: str, cause_seq: int) -> str:
        """History first, then archive: see the module's docstring."""
        target = Target(TargetKind.PASSAGE, uuid4().hex)
        row = self._history.record(
            target,
            ChangeAction.INSERT,
            before="",
            after=text,
            actor=actor,
            cause_seq=cause_seq,
        )
        try:
            self._archival.insert_note(text, passage_id=target.name)
        except PagekeeperError:
            self._history.record(
                target,
                ChangeAction.FORGET,
                before=text,
                after="",
                actor="program",
                undoes=row.change_id,
            )
            raise
        return target.name

    def _holds(self, hit: ArchivalHit) -> bool:
        hidden = self._history.is_hidden(Target(TargetKind.PASSAGE, hit.passage_id))
        return not hidden and hit.passage_id not in self._history.superseded()

    def _complete(self) -> None:
        """Archive the notes of which the program was ended between their row and their text."""
        if self._is_complete:
            return
        rows = self._history.inserted_notes()
        there = {hit.passage_id for hit in self._archival.notes()} if rows else set()
        for row in rows:
            if row.target.name not in there:
                self._archival.insert_note(row.after, passage_id=row.target.name)
        self._is_complete = True


def _is_one_fact(text: str, hit: ArchivalHit) -> bool:
    """By the words: an embedder may give one vector to many texts in a script it does not know."""
    known = hit.passage.text
    return fingerprint(text) == fingerprint(known) or says_nothing_new(text, known)
