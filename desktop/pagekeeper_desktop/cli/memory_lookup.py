"""From what a person typed to what memory holds: a name such as m12, or words of its text.

Texts are looked for as they stand, without the embedder: `memory search` looks by meaning. Errors
do not repeat the person's words: they go to the log, which holds none.
"""

from dataclasses import dataclass

from pagekeeper_core.block_definitions import BUILT_IN
from pagekeeper_core.errors import ModelError, PagekeeperError, StoreError
from pagekeeper_core.provenance import Explanation, Provenance, Standing
from pagekeeper_core.records import Target, TargetKind
from pagekeeper_core.wording import folded
from pagekeeper_desktop.cli.changes import explanation_lines
from pagekeeper_desktop.cli.identifiers import change_named, named_change, named_target
from pagekeeper_desktop.composition import Memory

__all__ = ["Found", "block_names", "explain", "to_forget", "to_restore"]

_MOST_MESSAGES = 5


@dataclass(frozen=True, slots=True)
class Found:
    """What memory holds about a text or a name.

    Attributes:
        explanations: What it is and why it is there, what holds now first.
        fault: Why the archive could not be looked into; the rest is whole without it.
    """

    explanations: tuple[Explanation, ...]
    fault: StoreError | ModelError | None = None


def explain(memory: Memory, words: str) -> Found:
    """Why memory holds what the words name.

    Raises:
        PagekeeperError: It holds nothing of the kind.
    """
    provenance = memory.provenance()
    if number := named_change(words):
        return Found(_explain_change(provenance, number))
    if target := named_target(words, memory.archival):
        return Found(provenance.why(target))
    if words in block_names(memory):
        return Found(_explain_block(provenance, words))
    found = _find(memory, provenance, words)
    if not found.explanations:
        raise found.fault or PagekeeperError(
            "Nothing in memory says that.",
            hint="A part of the line or message is enough, but in the same words.",
        )
    return found


def to_forget(memory: Memory, words: str) -> Target:
    """The one passage or message that the words name.

    Raises:
        PagekeeperError: There is none, or more than one; the hint names them.
    """
    target = named_target(words, memory.archival)
    if target:
        return target
    provenance = memory.provenance()
    notes, fault = _notes(memory, provenance, words)
    candidates = [
        found
        for found in (*notes, *_messages(memory, provenance, words))
        if found.standing is not Standing.FORGOTTEN
    ]
    if fault:
        raise fault
    if len(candidates) == 1:
        return candidates[0].target
    if candidates:
        listed = "\n".join(explanation_lines(found)[0] for found in candidates)
        raise PagekeeperError("Which one? Say it with its name.", hint=listed)
    raise _nothing_to_forget(provenance, words)


def to_restore(memory: Memory, word: str) -> Target:
    """The passage or message of that name.

    Raises:
        PagekeeperError: It is no name.
    """
    target = named_target(word, memory.archival)
    if target is None:
        raise PagekeeperError(
            "That is no message and no passage.",
            hint="They are called m12 or p1a2b3c4d; the history shows what was forgotten.",
        )
    return target


def block_names(memory: Memory) -> list[str]:
    """All blocks, the person's own among them."""
    return sorted({*BUILT_IN, *(block.name for block in memory.state.made_blocks())})


def _explain_change(provenance: Provenance, number: int) -> tuple[Explanation, ...]:
    change = provenance.change(number)
    explained = provenance.why(change.target)
    own = [e for e in explained if change in {e.change, e.ended_by}]
    return tuple(own) or explained


def _explain_block(provenance: Provenance, name: str) -> tuple[Explanation, ...]:
    lines = provenance.why(Target(TargetKind.BLOCK, name))
    if not lines:
        raise PagekeeperError(f"Nothing was ever written into the block '{name}'.")
    return lines


def _find(memory: Memory, provenance: Provenance, words: str) -> Found:
    """Lines and notes that say it; where there is none, messages that do."""
    lines = provenance.why(words)
    notes, fault = _notes(memory, provenance, words)
    known = (*lines, *notes)
    return Found(known or tuple(_messages(memory, provenance, words)), fault)


def _notes(
    memory: Memory, provenance: Provenance, words: str
) -> tuple[list[Explanation], StoreError | ModelError | None]:
    wanted = folded(words)
    try:
        notes = [hit for hit in memory.archival.notes() if wanted in folded(hit.passage.text)]
        targets = [Target(TargetKind.PASSAGE, note.passage_id) for note in notes]
        return [provenance.why(target)[0] for target in targets], None
    except (StoreError, ModelError) as error:
        return [], error


def _messages(memory: Memory, provenance: Provenance, words: str) -> list[Explanation]:
    wanted = folded(words)
    found = memory.recall.search([words], page_size=10 * _MOST_MESSAGES)
    said = [hit.message for hit in found.hits if wanted in folded(hit.message.text)]
    targets = [Target(TargetKind.MESSAGE, str(message.seq)) for message in said[:_MOST_MESSAGES]]
    return [provenance.why(target)[0] for target in targets]


def _nothing_to_forget(provenance: Provenance, words: str) -> PagekeeperError:
    for line in provenance.why(words):
        if line.standing is Standing.HOLDS and line.change:
            change = change_named(line.change.change_id)
            return PagekeeperError(
                f"That is a line of the block '{line.target.name}'.",
                hint=f"Undo {change}, the change that wrote it.",
            )
    return PagekeeperError(
        "No note and no message says that.",
        hint="A search shows what is there, with names to forget it by.",
    )
