"""The window answers whatever happens behind it; how well is reported, not asserted in seconds."""

import logging
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers.scripted_assistant import ADMIT, Reply, ScriptedComposition, message, steps
from helpers.window_rig import OpenWindow
from pagekeeper_core.messages import MessageKind
from pagekeeper_core.updates import ChainFinished, PromptProgress, ReplyDelta, Update
from pagekeeper_desktop import main_thread_watchdog
from pagekeeper_desktop.main_thread_watchdog import MainThreadWatchdog
from pagekeeper_desktop.relay import Relay

Report = Callable[[str, object], None]

TOKENS = 5000
MARKDOWN = "Some **bold** words, `code` and a [link](https://example.org).\n\n- a\n- b\n\n"


@pytest.fixture
def watchdog(qapp: QApplication) -> Iterator[MainThreadWatchdog]:
    dog = MainThreadWatchdog()
    dog.start()
    yield dog
    dog.stop()


@pytest.mark.thorough
def test_five_thousand_streamed_tokens_leave_stop_alive(
    open_window: OpenWindow, watchdog: MainThreadWatchdog, record_testsuite_property: Report
) -> None:
    text = (MARKDOWN * (TOKENS * 4 // len(MARKDOWN) + 1))[: TOKENS * 4]
    script = steps(ADMIT, Reply(text, pieces=TOKENS, pause=0.0002))
    rig = open_window(ScriptedComposition(scripts=[script])).until_ready()
    watchdog.longest_block = 0.0
    rig.type_and_send("Write a long text")
    rig.until_idle()
    assert rig.replies() == [text]
    record_testsuite_property("longest_block_while_streaming", round(watchdog.longest_block, 3))


@pytest.mark.thorough
def test_a_long_past_does_not_slow_the_window(
    open_window: OpenWindow, watchdog: MainThreadWatchdog, record_testsuite_property: Report
) -> None:
    composition = ScriptedComposition()
    for number in range(2000):
        kind = MessageKind.ASSISTANT if number % 2 else MessageKind.USER
        composition.recall.append(message(kind, MARKDOWN * 3))
    rig = open_window(composition).until_ready()
    rig.until(lambda: len(rig.messages()) == 100)
    watchdog.longest_block = 0.0
    for number in range(3):
        rig.type_and_send(f"message {number}")
        rig.until_idle()
    assert len(rig.window.pane.transcript.live_rows) <= 60
    record_testsuite_property("longest_block_with_a_long_past", round(watchdog.longest_block, 3))


def test_the_watchdog_says_where_the_window_was_stuck(
    qtbot: QtBot, watchdog: MainThreadWatchdog, caplog: pytest.LogCaptureFixture
) -> None:
    qtbot.wait(100)
    with caplog.at_level(logging.INFO):
        busy_for(0.15)
        qtbot.waitUntil(lambda: "did not answer for" in caplog.text)
    assert "busy_for" in caplog.text
    assert {record.levelname for record in caplog.records} == {"INFO"}
    assert watchdog.longest_block > 0.1


def test_a_long_block_is_a_warning_and_shorter_ones_after_it_are_only_counted(
    qtbot: QtBot, watchdog: MainThreadWatchdog, caplog: pytest.LogCaptureFixture
) -> None:
    qtbot.wait(100)
    with caplog.at_level(logging.INFO):
        busy_for(0.4)
        qtbot.waitUntil(lambda: "did not answer for" in caplog.text)
        for _ in range(3):
            busy_for(0.1)
            qtbot.wait(100)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_the_watchdog_names_the_thread_that_held_the_interpreter(
    qtbot: QtBot, watchdog: MainThreadWatchdog, caplog: pytest.LogCaptureFixture
) -> None:
    qtbot.wait(100)
    with caplog.at_level(logging.INFO):
        other = threading.Thread(target=hold_the_interpreter, name="greedy")
        other.start()
        qtbot.waitUntil(lambda: "did not answer for" in caplog.text)
        other.join()
    assert "greedy (most recent call first)" in caplog.text
    assert caplog.text.index("MainThread (") < caplog.text.index("greedy (")


def test_a_window_that_never_answers_again_is_told_of_while_it_hangs(
    qtbot: QtBot,
    watchdog: MainThreadWatchdog,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(main_thread_watchdog, "HANG", 0.15)
    qtbot.wait(100)
    with caplog.at_level(logging.INFO):
        busy_until(lambda: "does not answer" in caplog.text)
    assert "busy_until" in caplog.text


def hold_the_interpreter() -> None:
    """Let no other thread run for a while: a sort is one piece, as native code often is."""
    [-n % 7919 for n in range(1_000_000)].sort()
    time.sleep(0.2)


def busy_until(is_so: Callable[[], bool]) -> None:
    """Keep the main thread from its event loop until something is so."""
    end = time.monotonic() + 10
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)


def busy_for(seconds: float) -> None:
    """Keep the main thread from its event loop."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.01)


class Emitter(QObject):
    """Has a signal to relay."""

    update = Signal(object)


def relayed(qtbot: QtBot, updates: list[Update], pause: float = 0.0) -> list[tuple[float, Update]]:
    """What arrives of these updates when a thread posts them, and when."""
    emitter, relay = Emitter(), Relay()
    arrived: list[tuple[float, Update]] = []
    emitter.update.connect(lambda update: arrived.append((time.monotonic(), update)))

    def post() -> None:
        for update in updates:
            relay.post(emitter.update, update)
            time.sleep(pause)

    thread = threading.Thread(target=post)
    thread.start()
    qtbot.waitUntil(lambda: bool(arrived) and isinstance(arrived[-1][1], ChainFinished))
    thread.join()
    return arrived


def test_pieces_are_joined_and_arrive_at_most_thirty_times_a_second(qtbot: QtBot) -> None:
    pieces: list[Update] = [ReplyDelta(f"{n} ") for n in range(500)]
    arrived = relayed(qtbot, [*pieces, ChainFinished(1)], pause=0.001)
    deltas = [update.text for _, update in arrived if isinstance(update, ReplyDelta)]
    assert "".join(deltas) == "".join(f"{n} " for n in range(500))
    times = [at for at, update in arrived if isinstance(update, ReplyDelta)]
    assert len(times) <= 30 * (times[-1] - times[0]) + 2


def test_the_last_piece_does_not_wait_for_another(qtbot: QtBot) -> None:
    emitter, relay = Emitter(), Relay()
    with qtbot.waitSignal(emitter.update, timeout=2000):
        relay.post(emitter.update, ReplyDelta("only"))


def test_the_order_is_kept_and_only_the_newest_progress_counts(qtbot: QtBot) -> None:
    updates: list[Update] = [
        PromptProgress(1, 9),
        PromptProgress(9, 9),
        ReplyDelta("a"),
        ReplyDelta("b"),
        ChainFinished(1),
    ]
    emitter, relay = Emitter(), Relay()
    arrived: list[Update] = []
    emitter.update.connect(arrived.append)
    for update in updates:
        relay.post(emitter.update, update)
    qtbot.waitUntil(lambda: len(arrived) == 3)
    assert arrived == [PromptProgress(9, 9), ReplyDelta("ab"), ChainFinished(1)]
