"""What a person reads: figures, days, directions, phrases, regions, rows."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from helpers.scripted_assistant import message, usage
from pagekeeper_core.messages import FunctionCall, FunctionResult, Message, MessageKind
from pagekeeper_core.records import ChangeAction, MemoryChange, Target, TargetKind
from pagekeeper_core.updates import MemoryPressure, QueueFlushed
from pagekeeper_desktop.view_models.activity_model import (
    MOST_ENTRIES,
    ActivityModel,
    ActivityState,
)
from pagekeeper_desktop.view_models.call_phrases import argument_lines, block_title, call_phrase
from pagekeeper_desktop.view_models.context_regions import Region, figures, in_words, regions_of
from pagekeeper_desktop.view_models.formatting import (
    byte_size,
    counted,
    day_name,
    is_blank,
    is_right_to_left,
    one_line,
)
from pagekeeper_desktop.view_models.memory_words import change_title
from pagekeeper_desktop.view_models.transcript_items import DayItem, MessageItem, Sender, items_of
from pagekeeper_desktop.view_models.transcript_model import TranscriptModel


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (999_600, "1 MB"),
        (98_362_432, "98 MB"),
        (999_900_000, "1.0 GB"),
        (1_117_320_768, "1.1 GB"),
        (70_000_000_000, "70.0 GB"),
    ],
)
def test_sizes(size: int, shown: str) -> None:
    assert byte_size(size) == shown


def test_counts() -> None:
    assert [counted(n, "page") for n in (0, 1, 12, 1200)] == [
        "0 pages",
        "1 page",
        "12 pages",
        "1,200 pages",
    ]


@pytest.mark.parametrize(
    ("day", "shown"),
    [
        (date(2026, 11, 29), "Today"),
        (date(2026, 11, 28), "Yesterday"),
        (date(2026, 11, 24), "Tuesday"),
        (date(2026, 5, 3), "3 May"),
        (date(2025, 5, 3), "3 May 2025"),
        (date(2026, 12, 1), "1 December"),
    ],
)
def test_days(day: date, shown: str) -> None:
    assert day_name(day, date(2026, 11, 29)) == shown


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Hello שלום", False),
        ("שלום Hello", True),
        ("123 مرحبا", True),
        ("1. 你好", False),
        ("…", False),
        ("", False),
    ],
)
def test_the_first_strong_character_decides(text: str, right: bool) -> None:
    assert is_right_to_left(text) is right


def test_blank_and_shortened() -> None:
    assert is_blank(" \u200b\ufeff\n")
    assert not is_blank(" 猫 ")
    assert one_line("a\nb\t c" + "d" * 100, 10) == "a b cdddd…"


@pytest.mark.parametrize(
    ("call", "phrase"),
    [
        (
            FunctionCall("core_memory_append", {"block": "human", "text": "Dog: Bento"}),
            "Noted: Dog: Bento",
        ),
        (
            FunctionCall("core_memory_replace", {"block": "human", "old": "a", "new": ""}),
            "Corrected: a line taken out",
        ),
        (
            FunctionCall("conversation_search", {"queries": ["vet", "dog"]}),
            "Searched chats: “vet”, “dog”",
        ),
        (FunctionCall("conversation_search", {"wrong": {}}), "Conversation search"),
        (FunctionCall("core_memory_append", {"text": "{block} {0}"}), "Noted: {block} {0}"),
        (FunctionCall("new_function", {"x": 1}), "New function"),
    ],
)
def test_calls_in_plain_words(call: FunctionCall, phrase: str) -> None:
    assert call_phrase(call) == phrase


def test_arguments_and_titles() -> None:
    call = FunctionCall("f", {"queries": ["a"], "page": 1, "text": "x"})
    assert argument_lines(call) == "queries: “a”\npage: 1\ntext: x"
    assert [block_title(n) for n in ("human", "persona", "work_log")] == [
        "About you",
        "About me",
        "Work log",
    ]


def test_the_regions_make_up_the_whole_window() -> None:
    shown = usage(queue=3000)
    shares = {share.region: share.tokens for share in regions_of(shown)}
    assert sum(shares.values()) == shown.window
    assert shares[Region.QUEUE] == 3000
    assert all(share.meaning for share in regions_of(shown))
    assert figures(shown) == "5,380 / 8,192"
    words = in_words(shown)
    for expected in ("5,380 of 8,192", "75 percent", "messages 3,000", "warned at 5,017"):
        assert expected in words


def test_rows_of_stored_messages_stand_under_their_days() -> None:
    start = datetime(2026, 5, 3, 9, tzinfo=UTC)
    messages = [
        Message(MessageKind.USER, "one", "one", start),
        Message(MessageKind.ASSISTANT, "two", "two", start),
        Message(MessageKind.USER, "three", "three", start + timedelta(days=2)),
    ]
    rows = items_of(messages)
    assert [type(row) for row in rows] == [
        DayItem,
        MessageItem,
        MessageItem,
        DayItem,
        MessageItem,
    ]


def test_older_rows_share_the_day_s_heading(qapp: QApplication) -> None:
    model = TranscriptModel()
    model.prepend(items_of([message(MessageKind.USER, "newer")]))
    model.prepend(items_of([message(MessageKind.USER, "older")]))
    assert [type(item) for item in model.items()] == [DayItem, MessageItem, MessageItem]


def test_rows_keep_their_ids_while_others_come_and_go(qapp: QApplication) -> None:
    model = TranscriptModel()
    first = model.append(MessageItem(Sender.USER, "one"))
    second = model.append(MessageItem(Sender.USER, "two"))
    model.insert_after(first, MessageItem(Sender.ASSISTANT, "answer"))
    model.prepend([MessageItem(Sender.USER, "zero")])
    model.edit(second, text="TWO")
    model.remove(first)
    texts = [item.text for item in model.items() if isinstance(item, MessageItem)]
    assert texts == ["zero", "answer", "TWO"]
    assert model.get(first) is None


def edited(before: str, after: str, actor: str = "user", **fields: Any) -> MemoryChange:
    """A change of what is known about the person."""
    target = Target(TargetKind.BLOCK, "human")
    now = datetime.now(UTC)
    return MemoryChange(target, ChangeAction.EDIT, before, after, now, actor, **fields)


@pytest.mark.parametrize(
    ("change", "title"),
    [
        (edited("", "a\nb"), "You changed “About you”: a, b"),
        (edited("a\nb", "a", "assistant"), "The assistant changed “About you”: “b” went"),
        (edited("a", "b", undoes=3), "You took a change back: b"),
        (edited("a", "a \n"), "You changed “About you”: nothing but blanks"),
    ],
)
def test_a_change_on_one_line(change: MemoryChange, title: str) -> None:
    assert change_title(change) == title


def test_a_change_belongs_to_the_call_that_made_it(qapp: QApplication) -> None:
    model = ActivityModel()
    call = FunctionCall("core_memory_append", {"text": "Cat: Mia"})
    model.call_started(call)
    model.call_finished(call, FunctionResult("Saved.", changed_memory=True))
    model.memory_changed(edited("", "Cat: Mia", "assistant", change_id=7))
    model.memory_changed(edited("", "Dog", "assistant", change_id=8))
    assert [entry.change_id for entry in model.entries] == [8, 7]
    model.memory_changed(edited("Cat: Mia", "", undoes=7, change_id=9))
    assert [entry.change_id for entry in model.entries] == [9, 8, 0]


def test_activity_tells_calls_pressure_and_flushes(qapp: QApplication) -> None:
    model = ActivityModel()
    call = FunctionCall("conversation_search", {"queries": ["vet"]})
    model.call_started(call)
    model.call_finished(call, FunctionResult("No entry contains 'vet'.", ok=False))
    model.pressure(MemoryPressure(usage(4000)))
    model.flushed(QueueFlushed(12, 1820, "Ana has a dog."))
    model.memory_changed(edited("", "Dog: Bento"))
    titles = [entry.title for entry in model.entries]
    assert titles == [
        "You changed “About you”: Dog: Bento",
        "12 old messages left the context window",
        "The context window is filling up",
        "Searched chats: “vet”",
    ]
    assert model.entries[-1].state is ActivityState.FAILED


def test_an_interrupted_call_does_not_run_for_ever(qapp: QApplication) -> None:
    model = ActivityModel()
    model.call_started(FunctionCall("conversation_search", {"queries": ["vet"]}))
    model.chain_ended()
    assert model.entries[0].state is ActivityState.FAILED


def test_activity_keeps_the_newest_entries(qapp: QApplication) -> None:
    model = ActivityModel()
    for number in range(MOST_ENTRIES + 5):
        model.memory_changed(edited("", str(number)))
    assert len(model.entries) == MOST_ENTRIES
    assert model.entries[0].title == f"You changed “About you”: {MOST_ENTRIES + 4}"
