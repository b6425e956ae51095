"""Thirty everyday messages with a real model: what is evaluated, what is valid, who waits.

    .venv/bin/python tests/benchmarks/thirty_messages.py [--model NAME] [--window TOKENS]

Prints a table and writes build/thirty_messages.json. Tokens evaluated in the turns are set against
the tokens by which the prompt grew; turns with a flush, after which the tail is evaluated anew, are
apart.
"""

import argparse
import json
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pagekeeper_core.agent import Agent
from pagekeeper_core.events import UserMessage
from pagekeeper_core.updates import (
    CallFinished,
    ChainFinished,
    QueueFlushed,
    ReplyFinished,
    StepFinished,
    Update,
)
from pagekeeper_desktop.composition import load_assistant, open_memory
from pagekeeper_desktop.options import Options

RESULT = Path("build/thirty_messages.json")

MESSAGES = """\
Hello! My name is Ines and I live in Coimbra.
I teach chemistry at a secondary school.
What is the chemical symbol of gold?
My daughter Rita turns nine on 3 March.
She wants a telescope for her birthday.
How far away is the Moon?
I am allergic to peanuts.
Can you suggest a quick dinner for two?
We have a cat called Miso.
What is 15 percent of 240?
My husband Paulo is a carpenter.
He broke his left arm last week.
What should I write in a card for him?
Thank you, that helps.
I start my holiday on 12 July.
We want to walk in the Azores.
What should I pack for a week of walking?
What is the capital of Iceland?
Rita has changed her mind: she wants a microscope now.
How does a microscope work?
I read a book by Saramago this month.
Who wrote Pride and Prejudice?
Do you remember what my daughter wants for her birthday?
When does my holiday start?
What am I allergic to?
What is my cat called?
Which arm did Paulo break?
我也会说一点中文。
Tell me something about the Azores.
What do you know about me?
""".splitlines()


@dataclass
class Tally:
    """What the chat cost and gave."""

    evaluated: int = 0
    added: int = 0
    steps: int = 0
    valid: int = 0
    failed_calls: int = 0
    unanswered: int = 0
    flushes: int = 0
    lines: list[dict[str, object]] = field(default_factory=list)

    def take(self, message: str, updates: Iterator[Update], grown: "Growth") -> None:
        """Count one turn."""
        evaluated, flushed, answer = 0, False, ""
        for update in updates:
            match update:
                case StepFinished(usage):
                    evaluated += usage.evaluated_tokens + usage.generated_tokens
                    self.steps += 1
                    self.valid += usage.complete
                case CallFinished(_, result):
                    self.failed_calls += not result.ok
                case QueueFlushed():
                    flushed = True
                    self.flushes += 1
                case ReplyFinished(reply):
                    answer = reply.text
                case ChainFinished() | _:
                    pass
        added = grown.since_last()
        self.unanswered += not answer
        if not flushed:
            self.evaluated += evaluated
            self.added += added
        self.lines.append({"message": message, "answer": answer, "new": added, "cost": evaluated})


class Growth:
    """By how many tokens the prompt grew."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._before = agent.usage().total

    def since_last(self) -> int:
        before, self._before = self._before, self._agent.usage().total
        return self._before - before


def run(model: str, window: int) -> Tally:
    cancel = threading.Event()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        options = Options(data_dir=Path(folder), model=model, context_window=window)
        memory = open_memory(options)
        loading = load_assistant(memory, options, cancel)
        while True:
            try:
                next(loading)
            except StopIteration as end:
                assistant = end.value
                break
        growth = Growth(assistant.agent)
        for message in MESSAGES:
            tally.take(message, assistant.agent.handle(UserMessage(message), cancel), growth)
            print(f"> {message}\n  {tally.lines[-1]['answer']}", flush=True)
        assistant.close()
        memory.close()
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="qwen2.5-coder-0.5b")
    parser.add_argument("--window", type=int, default=8192)
    arguments = parser.parse_args()
    tally = run(arguments.model, arguments.window)
    rows = [
        ("tokens evaluated over tokens added", tally.evaluated / tally.added, 1.1),
        ("share of steps whose JSON was whole and valid", tally.valid / tally.steps, 1.0),
        ("chains without a message to the user", tally.unanswered, 0),
        ("steps", tally.steps, None),
        ("failed calls", tally.failed_calls, None),
        ("flushes", tally.flushes, None),
    ]
    for name, value, aim in rows:
        print(f"{name:50} {value:8.3f}" + ("" if aim is None else f"   aim {aim}"))
    RESULT.parent.mkdir(exist_ok=True)
    figures = [{"name": name, "value": value, "aim": aim} for name, value, aim in rows]
    RESULT.write_text(json.dumps({"figures": figures, "turns": tally.lines}, ensure_ascii=False))


if __name__ == "__main__":
    main()
