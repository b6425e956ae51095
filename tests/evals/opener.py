"""The conversation opener: the first line of a new session, from what is remembered (paper, 3.1.2).

Sessions 1 to 3 of a dialogue have been held; the opener of session 4 is compared with what the user
was told to be (SIM-1: the nearest of the persona's sentences, SIM-3: the mean of the nearest three)
and with the human opener (SIM-H), by the cosine of all-MiniLM-L6-v2. The human's own figures stand
beside.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType

from evals.desk import Desk
from evals.dialogues import Dialogue, read_dialogues
from evals.filling import say
from evals.trials import Outcome, Published, Trial
from pagekeeper_core.protocols import Embedder

__all__ = ["ConversationOpener"]

REQUEST = """\
I am back. Open our conversation with one warm line that takes up what you know about me: what I \
like, what I do, my people."""

HELD = 3
"""Sessions before the one that is opened."""


class ConversationOpener:
    """Asks for the opening line of the fourth session."""

    name = "opener"
    window = 8192
    rows = 40
    main_score = "SIM-1"
    published: Published = MappingProxyType(
        {
            "human (paper)": {"openers": 0.800},
            "MemGPT + GPT-3.5": {"openers": 0.830},
            "MemGPT + GPT-4": {"openers": 0.868},
            "MemGPT + GPT-4 Turbo": {"openers": 0.857},
        }
    )

    def trials(self, data: Path, rows: Sequence[int]) -> Iterator[Trial]:
        """The dialogues of these rows: the human's line, then the agent's."""
        dialogues = read_dialogues(data)
        for row in rows:
            if row >= len(dialogues):
                return
            human = dialogues[row].sessions[HELD][0][1]
            for way in ("human", "memory"):
                yield Trial(row, way, "openers", REQUEST, (human,), dialogues[row])

    def attempt(self, trial: Trial, desk: Desk) -> Outcome:
        """Score the human's opener, or have the agent write one."""
        dialogue: Dialogue = trial.source
        (human,) = trial.accept
        if trial.way == "human":
            return Outcome(human, similarities(human, dialogue.personas[0], human, desk.embedder))
        held = dialogue.sessions[:HELD]
        with desk.borrow(dialogue.name, lambda stores: say(stores, held)) as stores:
            asked = desk.ask(desk.agent(stores), trial.question)
        scores = similarities(asked.answer, dialogue.personas[0], human, desk.embedder)
        return Outcome(asked.answer, scores, asked.calls, asked.note)

    def aim(self, way: str, group: str, score: str) -> float | None:
        """The human's figures are the aim; they are measured in the same run and stand beside."""
        return None


def similarities(
    opener: str, persona: Sequence[str], human: str, embedder: Embedder
) -> dict[str, float]:
    """SIM-1, SIM-3 and SIM-H of an opener; 0 for none at all."""
    if not opener.strip():
        return {"SIM-1": 0.0, "SIM-3": 0.0, "SIM-H": 0.0}
    vector, to_human, *to_persona = embedder.embed([opener, human, *persona])
    nearest = sorted((_cosine(vector, label) for label in to_persona), reverse=True)
    best = nearest[:3]
    return {
        "SIM-1": best[0],
        "SIM-3": sum(best) / len(best),
        "SIM-H": _cosine(vector, to_human),
    }


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Of vectors of unit length; what points away counts as unlike."""
    return max(sum(a * b for a, b in zip(first, second, strict=True)), 0.0)
