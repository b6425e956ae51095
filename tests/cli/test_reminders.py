"""Reminders set, listed and ended by hand: from the shell over real stores, and in the chat."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from helpers.keyboard import CTRL_D, ENTER, Keyboard
from helpers.terminal import Streams
from pagekeeper_desktop.__main__ import run
from pagekeeper_desktop.cli.arguments import parse


def keeper(data: Path, *words: str) -> tuple[int, Streams]:
    streams = Streams()
    return run(parse(["--data-dir", str(data), *words]), streams.console), streams


def listed(data: Path) -> list[tuple[int, str]]:
    _, streams = keeper(data, "reminders", "--json")
    return [(entry["id"], entry["text"]) for entry in streams.objects()[0]["reminders"]]


@pytest.mark.thorough
def test_reminders_are_set_listed_and_ended(tmp_path: Path) -> None:
    code, streams = keeper(tmp_path, "reminders", "add", "every day at 18:30", "feed", "Bento 🐕")
    assert code == 0
    assert "at 18:30, then every day: feed Bento 🐕\n" in streams.result
    assert keeper(tmp_path, "reminders", "add", "明天早上八点", "打电话")[0] == 0
    assert sorted(listed(tmp_path)) == [(1, "feed Bento 🐕"), (2, "打电话")]
    code, streams = keeper(tmp_path, "reminders")
    assert (code, len(streams.result.splitlines()), streams.remarks) == (0, 2, "")
    code, streams = keeper(tmp_path, "reminders", "cancel", "1")
    assert (code, streams.result) == (0, "Reminder 1 will not come any more.\n")
    assert listed(tmp_path) == [(2, "打电话")]


def test_a_reminder_for_a_program(tmp_path: Path) -> None:
    words = ["reminders", "add", "every Monday at 9:00", "water", "--json"]
    (reminder,) = keeper(tmp_path, *words)[1].objects()
    assert datetime.fromisoformat(reminder["due_at"]).astimezone().hour == 9
    assert reminder["recurrence"].startswith("FREQ=WEEKLY")
    assert (reminder["id"], reminder["by"], reminder["cause_seq"]) == (1, "user", None)


def test_without_reminders_it_says_how_one_is_set(tmp_path: Path) -> None:
    code, streams = keeper(tmp_path, "reminders")
    assert (code, streams.result) == (0, "")
    assert "reminders add" in streams.remarks


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["add", "when pigs fly", "dance"], 1, "That was not understood.\nSay it like"),
        (["add", "tomorrow", " "], 2, "the text is empty"),
        (["cancel", "7"], 1, "7"),
    ],
)
def test_what_makes_no_sense_is_told_and_kept_out_of_the_log(
    words: list[str], code: int, message: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    result, streams = keeper(tmp_path, "reminders", *words)
    assert (result, streams.result) == (code, "")
    assert message in streams.remarks
    assert "pigs" not in caplog.text
    assert listed(tmp_path) == []


@pytest.fixture
def person() -> Iterator[Keyboard]:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield Keyboard(keys)


def test_reminders_in_the_chat(person: Keyboard) -> None:
    typed = (
        "/remind tomorrow at 9:30: call the vet",
        "/remind 明天早上八点：打电话",
        "/cancel 2",
        "/remind tomorrow",
        "/remind when pigs fly: dance",
        "/reminders",
        "/cancel 1",
        "/cancel 1",
        "/reminders",
    )
    assert person.run("".join(line + ENTER for line in typed) + CTRL_D) == 0
    assert person.streams.result.count("at 09:30: call the vet\n") == 2
    assert "at 08:00: 打电话\n" in person.streams.result
    assert "Right use: /remind WHEN: TEXT" in person.streams.remarks
    assert "That was not understood.\nSay it like" in person.streams.remarks
    assert "Reminder 1 will not come any more." in person.streams.remarks
    assert "No reminders. /remind on Friday at nine: TEXT sets one." in person.streams.remarks
    assert person.said == []
