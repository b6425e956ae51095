"""The promise of the program: what it was told it still knows, whatever happened in between.

A real model, the installed command, a window so small that the first facts leave it. The process is
killed twice: once while it waits, once in the middle of a reply.
"""

import json
import time
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
    "Here is the plan for the garden this spring. First the old roses along the wall have to go, "
    "because they are full of mildew, then the soil is dug over and mixed with compost, and in "
    "April the tomatoes, the beans and the courgettes go in. What do you think?",
    "The recipe for the soup says: two onions, a clove of garlic, half a kilo of carrots, a litre "
    "of stock, some ginger, a spoon of cream. Fry the onions, add the rest, let it boil for twenty "
    "minutes, then blend it until it is smooth. Does that sound good?",
    "The train leaves at half past seven, changes in Coimbra, and arrives a little after eleven. "
    "The later one is cheaper but slower, and it has no seats with a table. Which one is better "
    "for working on the way?",
    "The book is about a lighthouse keeper who writes letters to people he has never met, and "
    "about what happens when one of them answers after thirty years. It is slow at first and "
    "becomes better with every chapter. Is that something to read on a holiday?",
)
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


@pytest.mark.slow
@pytest.mark.model
def test_facts_survive_eviction_and_two_kills(tmp_path: Path) -> None:
    said, answers = [], []
    with ChatProcess(tmp_path, *OPTIONS) as chat:
        for text in (*FACTS, *OTHER_TALK):
            answers.append(chat.say(text))
            said.append(text)
        chat.kill()

    last_fact = answers[len(FACTS) - 1]["message_seq"]
    assert memory_of(tmp_path)["queue"]["first_seq"] > last_fact

    story = "Please tell me a long story about a lighthouse, with many details."
    with ChatProcess(tmp_path, *OPTIONS) as chat:
        answers.append(chat.say("Thank you, that is all for now."))
        said.append("Thank you, that is all for now.")
        before = time.time()
        chat.send(story)
        said.append(story)
        chat.wait_until_stored(before)
        time.sleep(1.5)
        chat.kill()
        assert len(chat.replies) == 1

    with ChatProcess(tmp_path, *OPTIONS) as chat:
        for question, fact in QUESTIONS:
            answers.append(chat.say(question))
            said.append(question)
            assert fact in answers[-1]["reply"]
        assert chat.finish() == 0

    messages = recall_of(tmp_path)
    assert [m.seq for m in messages] == list(range(1, len(messages) + 1))
    assert [m.text for m in messages if m.kind is MessageKind.USER] == said
    by_seq = {m.seq: m.text for m in messages}
    assert all(by_seq[answer["reply_seq"]] == answer["reply"] for answer in answers)
