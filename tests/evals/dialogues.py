"""The four-session dialogues of Multi-Session Chat, which two experiments ask about.

Data: dmr/dialogues.jsonl and dmr/questions.jsonl, made from the validation split of Multi-Session
Chat (Xu and others, 2021), parl.ai/projects/msc. Speaker 1 is the user, speaker 2 the assistant.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.filling import Said
from pagekeeper_core.messages import MessageKind

__all__ = ["Dialogue", "read_dialogues", "read_lines", "transcript"]

SPEAKERS = {1: MessageKind.USER, 2: MessageKind.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Sessions in order, and what each speaker was told to be."""

    name: str
    sessions: tuple[tuple[Said, ...], ...]
    personas: tuple[tuple[str, ...], ...]

    def numbers_of(self, text: str) -> frozenset[int]:
        """Numbers of the messages, counted from 1, that say just this."""
        said = [line for session in self.sessions for _, line in session]
        return frozenset(number for number, line in enumerate(said, 1) if line == text)


def read_dialogues(data: Path) -> list[Dialogue]:
    """All dialogues, in the order of the file."""
    return [_dialogue(fields) for fields in read_lines(data / "dmr" / "dialogues.jsonl")]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def transcript(sessions: Sequence[Sequence[Said]]) -> str:
    """The sessions as a text, for a baseline."""
    names = {MessageKind.USER: "User", MessageKind.ASSISTANT: "You"}
    parts = []
    for number, session in enumerate(sessions, 1):
        lines = [f"{names[kind]}: {text}" for kind, text in session]
        parts.append("\n".join([f"Session {number}", *lines]))
    return "\n\n".join(parts)


def _dialogue(fields: Mapping[str, Any]) -> Dialogue:
    sessions = tuple(
        tuple((SPEAKERS[turn["speaker"]], turn["text"]) for turn in session)
        for session in fields["sessions"]
    )
    personas = tuple(tuple(lines) for lines in fields["init_personas"])
    return Dialogue(fields["id"], sessions, personas)
