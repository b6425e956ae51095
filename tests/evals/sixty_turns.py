"""Sixty real turns in a small window: what the model makes of its memory when it runs full.

    .venv/bin/python tests/evals/sixty_turns.py [--model NAME] [--window TOKENS] [--turns COUNT]
                                           [--idle SECONDS]

One person over three weeks: facts, corrections, small talk, long messages, Chinese, and questions
about what has left the window. Idle work runs between the turns for as long as a person reads and
types, and is then interrupted. Prints every write to memory, so that a reader can judge it, then a
table; writes both as JSON to build/sixty_turns.json. Ctrl+C ends it with the figures so far. A
question counts as answered when the reply holds one of its words.
"""

import argparse
import contextlib
import json
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.assistants import assistant, folder
from pagekeeper_core.agent import Agent
from pagekeeper_core.events import UserMessage
from pagekeeper_core.updates import (
    CallFinished,
    MemoryPressure,
    QueueFlushed,
    ReplyFinished,
    StepFinished,
    Update,
)
from pagekeeper_core.wording import gist

RESULT = Path("build/sixty_turns.json")

WRITES = ("core_memory_append", "core_memory_replace", "archival_memory_insert")

LONG = (
    "Let me tell you how the allotment went this week, because a lot happened and I want to have "
    "it off my chest. On Monday the water pump broke and we carried cans from the brook, forty of "
    "them, until my back ached. On Tuesday Henrik, the neighbour with the bees, lent us his hose "
    "and we found that the filter was full of sand. On Wednesday it rained so hard that the beans "
    "lay flat on the ground, and half of the lettuce was gone to the slugs. On Thursday the "
    "committee met and decided, after two hours, to raise the fee from ninety to one hundred and "
    "ten a year, which I think is fair, though my wife does not. "
)

TURNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Hi there! I'm Tomas, and I live in Ghent.", ()),
    ("I drive a tram for a living.", ()),
    ("What is the capital of Norway?", ("oslo",)),
    ("My wife is called Lieve and she repairs violins.", ()),
    ("How many strings does a violin have?", ("four", "4")),
    ("We have two children, Wout and Fien.", ()),
    ("Wout is eleven and plays chess.", ()),
    ("Fien is seven. She is afraid of thunder.", ()),
    ("What helps a child who is afraid of thunder?", ()),
    ("I have an allotment where I grow beans and lettuce.", ()),
    (LONG, ()),
    ("Do you think the new fee is fair?", ()),
    ("What did Henrik lend us?", ("hose",)),
    ("I can't eat shellfish, it makes me ill.", ()),
    ("Suggest a dinner for four, quick please.", ()),
    ("What is 12 times 14?", ("168",)),
    ("My early shift begins at 4:50 in the morning.", ()),
    ("When does my early shift begin?", ("4:50", "4.50")),
    ("I'm learning Swedish because Henrik is from Malmö.", ()),
    ("How do you say thank you in Swedish?", ("tack",)),
    ("Good news: we bought a rabbit. Fien called her Pluim.", ()),
    ("What do rabbits eat?", ("hay", "grass", "vegetable", "leaf", "carrot")),
    ("我太太会说一点中文。", ()),
    ("我的女儿叫什么名字？", ("fien",)),
    (LONG.replace("this week", "last week").replace("pump", "fence"), ()),
    ("How much is the fee at the allotment now?", ("110", "hundred and ten", "hundred ten")),
    ("I take the tram line 4 on most days.", ()),
    ("Wout won a chess tournament in Bruges!", ()),
    ("Write one line for his card.", ()),
    ("Where did Wout win the tournament?", ("bruges",)),
    ("We are moving: from next month we live in Leuven.", ()),
    ("Where will I live next month?", ("leuven",)),
    ("Lieve opens her own workshop there in March.", ()),
    ("What does my wife do?", ("violin",)),
    ("Tell me a short joke.", ()),
    ("What is the boiling point of water in Fahrenheit?", ("212",)),
    ("I ran ten kilometres on Sunday, in 58 minutes.", ()),
    ("How long did I need for the ten kilometres?", ("58",)),
    ("My sister Katrien visits us at Easter.", ()),
    (LONG.replace("Monday the water pump", "Monday the shed door"), ()),
    ("Which animals did the neighbour with the hose keep?", ("bee",)),
    ("I have a dentist appointment on 14 May at nine.", ()),
    ("When is my dentist appointment?", ("14 may", "may 14", "14th", "05-14")),
    ("I no longer drive line 4; it is line 1 now.", ()),
    ("Which line do I drive?", ("line 1", "1")),
    ("What can't I eat?", ("shellfish",)),
    ("Explain in one sentence how bees make honey.", ()),
    ("Fien has got over her fear of thunder.", ()),
    ("Is Fien still afraid of thunder?", ("no", "not", "over")),
    ("Who is Pluim?", ("rabbit",)),
    ("I feel tired today.", ()),
    ("Who visits us at Easter?", ("katrien", "sister")),
    ("我们家的兔子叫什么？", ("pluim",)),
    ("What language am I learning, and why?", ("swedish",)),
    ("Which town did I live in before Leuven?", ("ghent",)),
    ("How old is Wout?", ("eleven", "11")),
    ("What does Lieve open in March?", ("workshop",)),
    ("What is my name and my job?", ("tomas",)),
    ("What do you know about my family?", ("lieve", "wout", "fien")),
    ("Thanks, that was a good talk. Bye!", ()),
)


@dataclass
class Record:
    """What happened in the sixty turns.

    Attributes:
        acted_on: Warnings after which the model saved something before the next flush.
    """

    turns: list[dict[str, object]] = field(default_factory=list)
    writes: list[dict[str, object]] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    warnings: int = 0
    acted_on: int = 0
    flushes: int = 0
    unanswered: int = 0
    asked: int = 0
    right: int = 0
    steps: int = 0
    failed_calls: int = 0
    _warned: bool = False

    def take(self, turn: int, updates: Iterable[Update]) -> str:
        """Count the updates of a turn, or of the idle time after it; gives the reply."""
        answer = ""
        for update in updates:
            match update:
                case MemoryPressure():
                    self.warnings += 1
                    self._warned = True
                case QueueFlushed(summary=summary):
                    self.flushes += 1
                    self._warned = False
                    self.summaries.append(summary)
                case CallFinished(call, result):
                    self.failed_calls += not result.ok
                    if call.name in WRITES:
                        self._note_write(turn, update)
                case StepFinished():
                    self.steps += 1
                case ReplyFinished(message):
                    answer = message.text
                case _:
                    pass
        return answer

    def _note_write(self, turn: int, update: CallFinished) -> None:
        done = update.result.ok and update.result.changed_memory
        written = {k: v for k, v in update.call.arguments.items() if k != "block"}
        self.writes.append(
            {"turn": turn, "function": update.call.name, "written": written, "done": done}
        )
        print(f"     {'saves' if done else 'does not save'} {written}", flush=True)
        self.acted_on += self._warned and done
        self._warned = self._warned and not done

    def judge(self, turn: int, said: str, accept: tuple[str, ...], answer: str) -> None:
        """Note a turn and whether its question was answered."""
        right = any(word in answer.casefold() for word in accept) if accept else None
        self.unanswered += not answer
        self.asked += bool(accept)
        self.right += bool(right)
        self.turns.append({"turn": turn, "said": said, "answer": answer, "right": right})
        mark = {None: " ", True: "+", False: "-"}[right]
        print(f"{turn:2} {mark} > {said[:100]}\n       {answer}", flush=True)


def rest(agent: Agent, seconds: float) -> Iterator[Update]:
    """Idle work until the person is back."""
    is_back = threading.Event()
    timer = threading.Timer(seconds, is_back.set)
    timer.start()
    try:
        yield from agent.idle(is_back)
    finally:
        timer.cancel()


def run(arguments: argparse.Namespace) -> tuple[Record, dict[str, str]]:
    """Hold the conversation; gives what happened and the blocks at its end."""
    record = Record()
    cancel = threading.Event()
    with (
        folder() as data,
        assistant(data, model=arguments.model, window=arguments.window) as loaded,
    ):
        agent = loaded.agent
        with contextlib.suppress(KeyboardInterrupt):
            for turn, (said, accept) in enumerate(TURNS[: arguments.turns], start=1):
                answer = record.take(turn, agent.handle(UserMessage(said), cancel))
                record.judge(turn, said, accept, answer)
                record.take(turn, rest(agent, arguments.idle))
        blocks = {block.name: block.text for block in agent.working_context.blocks}
    return record, blocks


def repeated(lines: Iterable[str]) -> int:
    """Lines that say what an earlier one says."""
    gists = [gist(line) for line in lines]
    return len(gists) - len(set(gists))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--window", type=int, default=3072)
    parser.add_argument("--turns", type=int, default=len(TURNS), help="stop after so many")
    parser.add_argument("--idle", type=float, default=20, help="seconds between the turns")
    arguments = parser.parse_args()
    record, blocks = run(arguments)
    print("\nWrites to memory, to be judged by a reader:")
    for write in record.writes:
        print(f"  turn {write['turn']:2} {'' if write['done'] else 'NOT DONE '}{write['written']}")
    print("\nThe block human at the end:")
    print("\n".join(f"  {line}" for line in blocks["human"].splitlines()))
    rows = {
        "turns": len(record.turns),
        "turns without an answer": record.unanswered,
        "questions answered": f"{record.right} of {record.asked}",
        "flushes": record.flushes,
        "warnings": record.warnings,
        "warnings acted on": record.acted_on,
        "writes done": sum(bool(write["done"]) for write in record.writes),
        "repeated lines in the block": repeated(blocks["human"].splitlines()),
        "steps": record.steps,
        "failed calls": record.failed_calls,
    }
    print()
    for name, value in rows.items():
        print(f"{name:32} {value}")
    RESULT.parent.mkdir(exist_ok=True)
    found = {
        "figures": rows,
        "writes": record.writes,
        "summaries": record.summaries,
        "blocks": blocks,
        "turns": record.turns,
    }
    RESULT.write_text(json.dumps(found, ensure_ascii=False, indent=1), "utf-8")


if __name__ == "__main__":
    main()
