"""A session: the agent's thread, Ctrl+C, idle time."""

import threading
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from helpers.agent_rig import append, reply
from helpers.terminal import roomy_rig, said, scripted_session
from pagekeeper_core.errors import StoreError
from pagekeeper_core.messages import FunctionResult
from pagekeeper_core.updates import (
    CallFinished,
    PromptProgress,
    QueueFlushed,
    ReplyDelta,
    Update,
)
from pagekeeper_desktop.cli.agent_thread import AgentThread


def test_all_of_the_agents_work_happens_on_one_thread() -> None:
    def work() -> Generator[int, None, str]:
        names.add(threading.current_thread().name)
        yield 1
        names.add(threading.current_thread().name)
        yield 2
        return "done"

    names: set[str] = set()
    with AgentThread() as thread:
        stream = thread.stream(work())
        items = [next(stream), next(stream)]
        with pytest.raises(StopIteration, match="done"):
            next(stream)
        names.add(thread.call(lambda: threading.current_thread().name))
    assert items == [1, 2]
    assert len(names) == 1
    assert threading.current_thread().name not in names


def test_an_error_on_the_thread_comes_out_where_it_is_waited_for() -> None:
    def work() -> Generator[int, None, None]:
        yield 1
        raise StoreError("It broke.")

    with AgentThread() as thread, pytest.raises(StoreError, match="It broke"):
        list(thread.stream(work()))


def test_idle_time_evaluates_the_prompt_ahead_and_ends_when_the_person_is_back() -> None:
    rig, evaluating = roomy_rig(), threading.Event()

    def endless(*arguments: Any, cancel: threading.Event) -> Generator[Any, None, None]:
        evaluating.set()
        cancel.wait()
        yield from ()

    rig.model.evaluate = endless  # type: ignore[method-assign, assignment]
    with scripted_session(rig) as session:
        with session.idle():
            assert evaluating.wait(timeout=10)
        assert session.converse("hi", lambda _: None).reply == "Yes."


def test_what_was_done_in_idle_time_is_told_with_the_next_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def idle(cancel: threading.Event) -> Iterator[Update]:
        yield PromptProgress(1, 2)
        yield flushed
        yield saved
        finished.set()

    rig, watched, finished = roomy_rig(), list[Update](), threading.Event()
    flushed = QueueFlushed(5, 100, "They talked.")
    saved = CallFinished(append("Name: Ana."), FunctionResult("Saved."))
    monkeypatch.setattr(rig.agent, "idle", idle)
    with scripted_session(rig) as session:
        with session.idle():
            assert finished.wait(timeout=10)
        exchange = session.converse("hi", watched.append)
        assert session.converse("again", watched.append).evicted == 0
    assert (exchange.evicted, exchange.calls, exchange.reply) == (5, [saved], "Yes.")
    assert watched[:2] == [flushed, saved]


def test_a_watcher_that_fails_stops_the_reply_too() -> None:
    def watch(update: Update) -> None:
        if isinstance(update, ReplyDelta):
            raise BrokenPipeError

    rig = roomy_rig()
    rig.model.enqueue(reply("A very long reply. " * 100))
    with scripted_session(rig) as session, pytest.raises(BrokenPipeError):
        session.converse("hi", watch)
    assert said(rig) == ["hi"]
