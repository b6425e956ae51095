"""The promise of the program: what it was told it still knows, whatever happened in between.

A real model, the installed command, a window so small that the first facts leave it. The process is
killed twice: once while it waits, once in the middle of a reply.
"""

import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from helpers.keeper_process import ChatProcess, keeper
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore

MODEL = "qwen2.5-coder-1.5b"
OPTIONS = ("--model", MODEL, "--context-window", "3072")

FACTS = (
    "Hi, my name is Ana.",
    "I have a dog called Bento.",
    "I live in Porto.",
)
OTHER_TALK = (
    "A lighthouse is a tower with a lamp on top that shows ships where the coast is. The oldest "
    "ones burned wood or oil; since the nineteenth century they have lenses that bundle the light, "
    "and each has its own rhythm of flashes, so that sailors can tell them apart at night. Many "
    "stand on rocks in the sea, and their keepers stayed for weeks when a storm kept boats away. "
    "Today nearly all of them work by themselves. What colour are most lighthouses?",
    "Bread needs only flour, water, salt and yeast. The dough is kneaded, rests until it has "
    "doubled, is shaped, rests again, and is baked in a hot oven until it sounds hollow when it is "
    "knocked on from below. With sourdough instead of yeast it takes longer and keeps a week. "
    "A pot with a lid holds the steam, which makes the crust thin and crisp. How long does a loaf "
    "bake?",
    "Bees live in hives of up to fifty thousand workers, one queen and some hundred drones. The "
    "workers clean, build, guard and fetch nectar, one task after the other in the six weeks of "
    "their lives. With a dance they show each other where the flowers are: its direction is that "
    "to the sun, its length the way to go. In winter they sit close together around the queen and "
    "shiver to keep warm. How many queens does a hive have?",
    "Glaciers are rivers of ice. Snow that falls year after year is pressed into ice by its own "
    "weight, and the ice flows down the valley, a few centimetres or some metres a day, until it "
    "melts or breaks off into the sea. On the way it grinds the rock to flour, which colours the "
    "lakes below a milky blue, and carries boulders as large as houses. Where do they end?",
    "Paper was invented in China and came to Europe a thousand years later. It is made of fibres "
    "in water, rags in the past and wood today, which are lifted out with a sieve, pressed and "
    "dried. A water mark is a wire on the sieve, where the sheet becomes thinner. Good paper of "
    "rags is still white after five hundred years; that of wood turns yellow within fifty. Where "
    "was it invented?",
    "The tides come from the moon and the sun, which draw the water towards them. When both pull "
    "along one line, at full and new moon, the tides are high; at half moon they are low. In a "
    "narrow bay the water swings like that in a bath, and rises by fifteen metres; in closed seas "
    "one hardly sees it. What makes the tides?",
)
STORY = "Please tell me a long story about a lighthouse, with many details."
A_MOMENT = 3.0
"""Seconds into the reply: some words are written, and by far not all."""

QUESTIONS = (
    ("What is my name?", "Ana"),
    ("What is my dog called?", "Bento"),
    ("Where do I live?", "Porto"),
)


def memory_of(data_dir: Path) -> dict[str, Any]:
    shown = keeper(data_dir, "memory", "show", "--json", *OPTIONS)
    assert shown.returncode == 0, shown.stderr
    figures: dict[str, Any] = json.loads(shown.stdout)
    return figures


def recall_of(data_dir: Path) -> list[Message]:
    database = Database(data_dir / "memory" / "recall.duckdb")
    try:
        assert database.notices == []
        return DuckDBRecallStore(database).read(1)
    finally:
        database.close()


@pytest.mark.timeout(1800)  # a hundred replies' worth of tokens; a busy machine takes its time
@pytest.mark.slow
@pytest.mark.model
def test_facts_survive_eviction_and_two_kills(tmp_path: Path) -> None:
    said, answers = [], []

    def say(chat: ChatProcess, text: str) -> dict[str, Any]:
        said.append(text)
        answers.append(chat.say(text))
        return answers[-1]

    with ChatProcess(tmp_path, *OPTIONS) as chat:
        last_fact = max(say(chat, fact)["reply_seq"] for fact in FACTS)
        for text in (*OTHER_TALK, *map(" ".join, pairwise(OTHER_TALK))):
            if sum(answer["evicted"] for answer in answers) >= last_fact:
                break
            say(chat, text)
        chat.kill()

    assert memory_of(tmp_path)["queue"]["first_seq"] > last_fact

    with ChatProcess(tmp_path, *OPTIONS) as chat:
        say(chat, "Thank you!")
        before = time.time()
        chat.send(STORY)
        said.append(STORY)
        chat.wait_until_stored(before)
        time.sleep(A_MOMENT)
        chat.kill()
        assert len(chat.replies) == 1

    with ChatProcess(tmp_path, *OPTIONS) as chat:
        for question, fact in QUESTIONS:
            assert fact in say(chat, question)["reply"]
        assert chat.finish() == 0

    messages = recall_of(tmp_path)
    assert [m.seq for m in messages] == list(range(1, len(messages) + 1))
    assert [m.text for m in messages if m.kind is MessageKind.USER] == said
    log = (tmp_path / "logs" / "pagekeeper.log").read_text()
    assert "Bento" not in log
    replies = {m.seq: m.text for m in messages}
    assert all(replies[answer["reply_seq"]] == answer["reply"] for answer in answers)
