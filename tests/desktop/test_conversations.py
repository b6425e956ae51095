"""Several conversations: listed, opened, begun, renamed, put away, searched."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from helpers.scripted_assistant import ADMIT, Gate, Reply, ScriptedComposition, message, steps
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.errors import StoreError
from pagekeeper_core.events import ThreadArchived, ThreadOpened, ThreadRenamed, UserMessage
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import RecallStore, ThreadStore
from pagekeeper_core.records import Reminder, Thread
from pagekeeper_desktop.draft import load_drafts, save_drafts
from pagekeeper_desktop.model_choice import MissingModel
from pagekeeper_desktop.view_models import conversation_rows, day_watch
from pagekeeper_desktop.view_models.conversation_list import NEW
from pagekeeper_desktop.view_models.conversation_rows import (
    Heading,
    HitRow,
    ThreadRow,
    group_name,
    heading_of,
    snippet,
)
from pagekeeper_desktop.view_models.session_state import Phase
from pagekeeper_desktop.view_models.transcript_items import ImportItem
from pagekeeper_desktop.widgets import notice_rows, reminder_page
from pagekeeper_desktop.widgets.message_row import MessageRow
from pagekeeper_desktop.widgets.notice_rows import LineRow


def say(composition: ScriptedComposition, thread_id: int, *texts: str, days: float = 0) -> None:
    """What was said in a conversation, so many days ago."""
    at = datetime.now(UTC) - timedelta(days=days)
    for number, text in enumerate(texts):
        kind = MessageKind.ASSISTANT if number % 2 else MessageKind.USER
        composition.recall.append(Message(kind, text, text, at, thread_id=thread_id))


def three(**fields: object) -> ScriptedComposition:
    """Three conversations; the third is the newest."""
    composition = ScriptedComposition(**fields)  # type: ignore[arg-type]
    now = datetime.now(UTC)
    composition.store.rename(1, "Trip to Porto")
    composition.store.create(now, "Tax papers")
    composition.store.create(now, "Bento's vet")
    say(composition, 1, "We go to Porto in May", "How nice", days=60)
    say(composition, 2, "Where is the tax letter?", "In the blue folder", days=1.01)
    say(composition, 3, "Bento was at the vet", "What did the vet say?")
    return composition


def texts(rig: WindowRig) -> list[str]:
    return [m.text for m in rig.messages()]


def listed(rig: WindowRig) -> list[str]:
    """The rows of the list, headings too, the open one marked."""
    words = {
        Heading: lambda row: f"# {row.text}",
        ThreadRow: lambda row: ("> " if row.is_shown else "") + row.thread.title,
        HitRow: lambda row: f"{row.title}: {row.snippet}",
    }
    return [words[type(row)](row) for row in rig.window.conversations.rows.rows]  # type: ignore[no-untyped-call]


def row_of(rig: WindowRig, thread_id: int) -> QModelIndex:
    return rig.window.conversations.rows.index_of(thread_id)


def click(rig: WindowRig, thread_id: int) -> None:
    view = rig.window.conversations.list
    place = view.visualRect(row_of(rig, thread_id)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_the_conversations_stand_under_their_days(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    month = (datetime.now().astimezone() - timedelta(days=60)).date()
    rows = listed(rig)
    assert rows[:2] == ["# Today", "> Bento's vet"]
    assert rows[3] == "Tax papers"
    assert rows[4] == f"# {group_name(month, datetime.now().astimezone().date())}"
    assert rows[5] == "Trip to Porto"
    assert texts(rig) == ["Bento was at the vet", "What did the vet say?"]


@pytest.mark.parametrize(
    ("day", "name"),
    [
        (date(2026, 5, 20), "Today"),
        (date(2026, 5, 21), "Today"),
        (date(2026, 5, 19), "Yesterday"),
        (date(2026, 5, 13), "Last week"),
        (date(2026, 5, 12), "May"),
        (date(2026, 1, 1), "January"),
        (date(2025, 12, 31), "December 2025"),
    ],
)
def test_names_of_groups(day: date, name: str) -> None:
    assert group_name(day, date(2026, 5, 20)) == name


def test_imported_conversations_stand_under_where_they_come_from() -> None:
    at = datetime(2026, 5, 20, 12, tzinfo=UTC)
    thread = Thread(2, "Peas", at, at, origin="ChatGPT")
    assert heading_of(thread, date(2026, 5, 20)) == "Imported from ChatGPT"
    assert heading_of(replace(thread, origin=""), date(2026, 5, 20)) == "Today"


def test_a_click_opens_another_conversation(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    click(rig, 1)
    rig.until(lambda: texts(rig) == ["We go to Porto in May", "How nice"])
    assert "> Trip to Porto" in listed(rig)
    assert rig.window.pane.composer.field.hasFocus()
    rig.type_and_send("And in June?")
    rig.until(lambda: rig.replies()[-1:] == ["Echo: And in June?"])
    assert ThreadOpened(1) in rig.agent.events
    assert [m.thread_id for m in rig.composition.recall.messages[-2:]] == [1, 1]
    rig.until(lambda: listed(rig)[:2] == ["# Today", "> Trip to Porto"])


def test_a_conversation_is_shown_before_the_model_is_loaded(open_window: OpenWindow) -> None:
    gate = Gate()
    rig = open_window(three(load_gate=gate))
    rig.until_phase(Phase.LOADING)
    click(rig, 2)
    rig.until(lambda: texts(rig) == ["Where is the tax letter?", "In the blue folder"])
    rig.type_and_send("Which folder?")
    gate.set()
    rig.until(lambda: rig.replies()[-1:] == ["Echo: Which folder?"])
    assert rig.composition.recall.messages[-1].thread_id == 2


def test_a_switch_waits_for_the_reply(open_window: OpenWindow) -> None:
    gate = Gate()
    script = steps(ADMIT, gate, Reply("Fine."))
    rig = open_window(three(scripts=[script])).until_ready()
    rig.type_and_send("How is he?")
    rig.until(lambda: rig.session.state.busy)
    click(rig, 1)
    banner = rig.window.pane.banner
    assert banner.accessibleName() == "“Trip to Porto” waits until this conversation is answered."
    assert "How is he?" in texts(rig)
    gate.set()
    rig.until(lambda: texts(rig) == ["We go to Porto in May", "How nice"])
    assert banner.isHidden()
    assert rig.composition.recall.messages[-1].text == "Fine."
    assert rig.composition.recall.messages[-1].thread_id == 3


def test_stop_makes_way_for_the_switch(open_window: OpenWindow) -> None:
    rig = open_window(three(scripts=[steps(ADMIT, Gate())])).until_ready()
    rig.type_and_send("How is he?")
    rig.until(lambda: rig.session.state.busy)
    click(rig, 2)
    QTest.mouseClick(rig.window.pane.banner._button, Qt.MouseButton.LeftButton)
    rig.until(lambda: "Where is the tax letter?" in texts(rig))


def test_a_reply_that_fails_stays_in_sight_though_another_conversation_waits(
    open_window: OpenWindow,
) -> None:
    gate = Gate()
    failing = steps(gate, StoreError("The disk is full.", hint="Make room."))
    rig = open_window(three(scripts=[failing])).until_ready()
    rig.type_and_send("How is he?")
    rig.until(lambda: rig.session.state.busy)
    click(rig, 1)
    gate.set()
    banner = rig.window.pane.banner
    rig.until(lambda: banner.accessibleName() == "The disk is full.")
    assert banner.isVisible()
    assert rig.session.conversations.shown == 3
    assert rig.session.conversations.wanted is None
    QTest.mouseClick(banner._button, Qt.MouseButton.LeftButton)
    rig.until(lambda: rig.replies()[-1:] == ["Echo: How is he?"])


def test_messages_that_wait_are_answered_in_their_own_conversation(
    open_window: OpenWindow,
) -> None:
    gate = Gate()
    rig = open_window(three(load_gate=gate))
    rig.until_phase(Phase.LOADING)
    rig.type_and_send("Is he well?")
    click(rig, 1)
    assert "Is he well?" in texts(rig)
    gate.set()
    rig.until(lambda: texts(rig) == ["We go to Porto in May", "How nice"])
    assert [m.text for m in rig.composition.recall.messages if m.thread_id == 3][-2:] == [
        "Is he well?",
        "Echo: Is he well?",
    ]


def test_each_conversation_keeps_its_draft(open_window: OpenWindow, tmp_path: Path) -> None:
    rig = open_window(three()).until_ready()
    rig.window.pane.composer.set_text("about the vet")
    click(rig, 1)
    rig.until(lambda: rig.window.pane.composer.text == "")
    rig.window.pane.composer.set_text("about Porto")
    click(rig, 3)
    rig.until(lambda: rig.window.pane.composer.text == "about the vet")
    rig.close()
    again = open_window(three()).until_ready()
    assert again.window.pane.composer.text == "about the vet"
    click(again, 1)
    again.until(lambda: again.window.pane.composer.text == "about Porto")


def new_conversation(rig: WindowRig) -> None:
    QTest.keyClick(rig.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)


def test_the_draft_of_an_unused_conversation_survives_a_new_one(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    composer = rig.window.pane.composer
    new_conversation(rig)
    rig.until(lambda: rig.session.conversations.shown == 4)
    composer.set_text("half a thought")
    new_conversation(rig)
    rig.until(lambda: rig.session.conversations.shown == 4)
    assert composer.text == "half a thought"
    click(rig, 3)
    click(rig, 4)
    assert composer.text == "half a thought"


def test_a_draft_without_a_conversation_survives_a_start_that_is_refused(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    drafts = {NEW: "written first", 1: "about Porto"}
    save_drafts(tmp_path, drafts)
    busy = StoreError("Another Pagekeeper uses this folder.")
    rig = open_window(ScriptedComposition(open_errors=[busy]))
    rig.until_phase(Phase.FAILED)
    assert rig.window.pane.composer.text == "written first"
    rig.close()
    assert load_drafts(tmp_path) == drafts
    again = open_window().until_ready()
    assert again.window.pane.composer.text == "about Porto\n\nwritten first"


def test_a_draft_without_a_number_does_not_move_into_another_conversation(
    open_window: OpenWindow,
) -> None:
    rig = open_window(three(load_gate=Gate()))
    rig.until_phase(Phase.LOADING)
    composer = rig.window.pane.composer
    new_conversation(rig)
    composer.set_text("something new")
    click(rig, 1)
    assert composer.text == ""
    new_conversation(rig)
    assert composer.text == "something new"


def test_a_new_conversation(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    QTest.keyClick(rig.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert texts(rig) == []
    rig.until(lambda: rig.session.conversations.shown == 4)
    assert rig.window.pane._pages.currentWidget() is rig.window.pane.welcome
    assert rig.window.pane.composer.field.hasFocus()
    rig.type_and_send("Something else")
    rig.until(lambda: rig.replies() == ["Echo: Something else"])
    assert rig.composition.recall.messages[-1].thread_id == 4
    click(rig, 3)
    rig.until(lambda: texts(rig) == ["Bento was at the vet", "What did the vet say?"])


def test_a_new_conversation_that_has_no_number_yet_cannot_be_put_away(
    open_window: OpenWindow,
) -> None:
    rig = open_window(three(load_gate=(gate := Gate())))
    rig.until_phase(Phase.LOADING)
    rig.window.conversations.begin()
    view = rig.window.conversations.list
    view.setCurrentIndex(row_of(rig, 0))
    assert view.menu_for(row_of(rig, 0)) is None
    QTest.keyClick(view, Qt.Key.Key_Delete)
    QTest.keyClick(view, Qt.Key.Key_F2)
    gate.set()
    rig.until_ready()
    rig.until(lambda: rig.session.conversations.shown == 4)
    assert not any(isinstance(event, ThreadArchived) for event in rig.agent.events)


def test_the_greeting_does_not_flash_up_between_two_conversations(
    open_window: OpenWindow,
) -> None:
    rig = open_window(three()).until_ready()
    pages = rig.window.pane._pages
    shown: list[object] = []
    pages.currentChanged.connect(lambda index: shown.append(pages.widget(index)))
    click(rig, 1)
    rig.until(lambda: "How nice" in texts(rig))
    assert shown == []


def test_an_unused_new_conversation_is_not_made_twice(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    for _ in range(3):
        rig.window.conversations.begin()
        rig.until(lambda: rig.session.conversations.shown == 4)
    assert len(rig.composition.store.threads()) == 4
    assert [row for row in rig.window.conversations.rows.rows if isinstance(row, ThreadRow)]


def test_a_title_is_written_in_place(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    view = rig.window.conversations.list
    view.setFocus()
    view.setCurrentIndex(row_of(rig, 2))
    QTest.keyClick(view, Qt.Key.Key_F2)
    editor = view.findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "Tax papers"
    editor.setText("  Taxes\n2026 猫 ")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    rig.until(lambda: ThreadRenamed(2, "Taxes 2026 猫") in rig.agent.events)
    assert "Taxes 2026 猫" in listed(rig)
    assert rig.composition.store.get(2).title == "Taxes 2026 猫"


def test_a_title_that_is_being_written_survives_what_the_agent_tells(
    open_window: OpenWindow,
) -> None:
    rig = open_window(three()).until_ready()
    view = rig.window.conversations.list
    view.rename(row_of(rig, 2))
    editor = view.findChild(QLineEdit)
    assert editor is not None
    editor.setText("Half a ti")
    rig.session.conversations.archive(1)
    rig.until(lambda: ThreadArchived(1, archived=True) in rig.agent.events)
    assert editor.isVisible()
    assert editor.text() == "Half a ti"
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    rig.until(lambda: "Trip to Porto" not in listed(rig))
    assert "Tax papers" in listed(rig)


def test_a_blank_title_changes_nothing(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    rig.session.conversations.rename(2, " \n ")
    assert "Tax papers" in listed(rig)
    assert not any(isinstance(event, ThreadRenamed) for event in rig.agent.events)


def test_one_is_put_away_and_fetched_back(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    view = rig.window.conversations.list
    view.setFocus()
    view.setCurrentIndex(row_of(rig, 1))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    rig.until(lambda: rig.composition.store.get(1).archived)
    assert "Trip to Porto" not in listed(rig)
    rig.window.conversations.away.click()
    assert listed(rig)[-2:] == ["# Put away", "Trip to Porto"]
    view.setCurrentIndex(row_of(rig, 1))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    rig.until(lambda: not rig.composition.store.get(1).archived)
    rig.until(lambda: listed(rig)[-1] == "# Nothing is put away")


def test_putting_the_open_one_away_opens_another(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    rig.session.conversations.archive(3)
    rig.until(lambda: texts(rig) == ["Where is the tax letter?", "In the blue folder"])
    assert "> Tax papers" in listed(rig)


def test_putting_the_open_one_away_while_the_model_loads_opens_another_at_once(
    open_window: OpenWindow,
) -> None:
    rig = open_window(three(load_gate=(gate := Gate())))
    rig.until_phase(Phase.LOADING)
    rig.session.conversations.archive(3)
    assert rig.session.conversations.shown == 2
    rig.type_and_send("Which folder?")
    gate.set()
    rig.until(lambda: rig.replies()[-1:] == ["Echo: Which folder?"])
    assert "Where is the tax letter?" in texts(rig)
    assert {m.thread_id for m in rig.composition.recall.messages[-2:]} == {2}
    assert rig.composition.store.get(3).archived


def test_putting_the_only_one_away_shows_a_new_one(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    rig.type_and_send("Hello")
    rig.until_idle()
    rig.session.conversations.archive(1)
    assert texts(rig) == []
    rig.until(lambda: rig.session.conversations.shown == 2)
    assert [t.thread_id for t in rig.composition.store.threads()] == [2]


def test_the_one_that_is_answered_is_not_put_away(open_window: OpenWindow) -> None:
    rig = open_window(three(scripts=[steps(ADMIT, Gate())])).until_ready()
    rig.type_and_send("How is he?")
    rig.until(lambda: rig.session.state.busy)
    rig.session.conversations.archive(3)
    assert rig.window.pane.banner.accessibleName() == ("This conversation is still being answered.")
    assert "> Bento's vet" in listed(rig)


def test_what_the_agent_refuses_is_told_and_shown_as_it_is(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    refusal = StoreError("There is no conversation 1.", hint="Choose one from the list.")
    rig.agent.refusals.append(refusal)
    click(rig, 1)
    rig.until(rig.window.pane.banner.isVisible)
    assert rig.window.pane.banner.accessibleName() == "There is no conversation 1."
    rig.until(lambda: texts(rig) == ["Bento was at the vet", "What did the vet say?"])
    assert rig.session.conversations.shown == 3
    assert rig.window.pane.banner.isVisible()


@pytest.mark.thorough
def test_search_finds_in_all_conversations_and_opens_there(open_window: OpenWindow) -> None:
    composition = three()
    say(composition, 1, *[f"message {n} " + "word " * 30 for n in range(400)], days=50)
    say(composition, 3, "And the weather?", "Sunny.")
    rig = open_window(composition).until_ready()
    rig.until(rig.window.isActiveWindow)
    QTest.keyClick(rig.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = rig.window.conversations.search
    assert field.hasFocus()
    field.setText("Porto")
    rig.until(
        lambda: (
            listed(rig)
            == ["# Titles", "Trip to Porto", "# 1 message", "Trip to Porto: We go to Porto in May"]
        )
    )
    QTest.keyClick(field, Qt.Key.Key_Down)
    view = rig.window.conversations.list
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Return)
    rig.until(lambda: texts(rig)[:1] == ["We go to Porto in May"])
    rig.until(
        lambda: any(
            isinstance(row, MessageRow) and row._header.text().endswith("found")
            for row in rig.window.pane.transcript.live_rows
        )
    )
    assert rig.window.pane.transcript.verticalScrollBar().value() < 200


@pytest.mark.thorough
def test_a_hit_in_the_shown_conversation_is_scrolled_to(open_window: OpenWindow) -> None:
    composition = ScriptedComposition()
    say(composition, 1, *[f"message {n} " + "word " * 30 for n in range(600)])
    rig = open_window(composition).until_ready()
    rig.session.conversations.show_message(3)
    rig.until(lambda: texts(rig)[0].startswith("message 0"))
    assert len(texts(rig)) == 600
    bar = rig.window.pane.transcript.verticalScrollBar()
    rig.until(lambda: bar.value() < bar.maximum() // 4)


def test_nothing_found_is_said_and_escape_leaves_the_search(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    field = rig.window.conversations.search
    field.setFocus()
    field.setText("zebra")
    rig.until(lambda: listed(rig) == ["# Nothing was found for “zebra”"])
    QTest.keyClick(field, Qt.Key.Key_Escape)
    rig.until(lambda: "> Bento's vet" in listed(rig))


def test_a_store_that_cannot_be_searched_is_told(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = open_window(three()).until_ready()
    monkeypatch.setattr(rig.composition.recall, "search", broken)
    rig.window.conversations.search.setText("vet")
    rig.until(lambda: listed(rig) == ["# The database is damaged. Close Pagekeeper."])


def broken(*_: object, **__: object) -> None:
    raise StoreError("The database is damaged.", hint="Close Pagekeeper.")


def test_a_page_that_cannot_be_read_is_told_and_can_be_asked_for_again(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    composition = ScriptedComposition()
    say(composition, 1, *[f"message {n}" for n in range(140)])
    rig = open_window(composition).until_ready()
    banner = rig.window.pane.banner
    with monkeypatch.context() as patch:
        patch.setattr(composition.recall, "read_last", broken)
        rig.session.history.load_older()
        rig.until(lambda: banner.accessibleName() == "The database is damaged.")
    rig.session.history.load_older()
    rig.until(lambda: len(texts(rig)) == 140)


@pytest.mark.parametrize(
    ("store", "method", "act"),
    [
        ("recall", "read", lambda rig: rig.session.conversations.show_message(1)),
        ("store", "threads", lambda rig: rig.session.conversations.use(*stores(rig), ())),
        ("reminders", "active", lambda rig: rig.session.reminders.use(rig.composition.reminders)),
        (
            "proposals",
            "proposals",
            lambda rig: rig.session.proposals.use(
                rig.composition.proposals, rig.composition.recall
            ),
        ),
    ],
)
def test_what_cannot_be_read_does_not_look_like_nothing(
    store: str,
    method: str,
    act: Callable[[WindowRig], None],
    open_window: OpenWindow,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = open_window(three()).until_ready()
    with monkeypatch.context() as patch:
        patch.setattr(getattr(rig.composition, store), method, broken)
        act(rig)
        banner = rig.window.pane.banner
        rig.until(lambda: banner.accessibleName() == "The database is damaged.")


def stores(rig: WindowRig) -> tuple[ThreadStore, RecallStore]:
    return rig.composition.store, rig.composition.recall


def test_closing_waits_for_no_search_but_memory_does(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = open_window(three()).until_ready()
    began, gate = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> None:
        began.set()
        assert gate.wait(10)
        assert rig.composition.memory is not None
        assert not rig.composition.memory.closed

    monkeypatch.setattr(rig.composition.recall, "search", slow)
    rig.window.conversations.search.setText("vet")
    rig.until(began.is_set)
    rig.window.close()
    assert rig.window.isHidden()
    gate.set()
    rig.until(lambda: rig.session.join(0))


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("We go to Porto in May", "porto", "We go to Porto in May"),
        (
            "word " * 30 + "Porto in May",
            "Porto",
            "…word word word word word word word Porto in May",
        ),
        ("猫" * 100 + "兽医", "兽医", "…" + "猫" * 40 + "兽医"),
        ("two\nlines", "lines", "two lines"),
    ],
)
def test_the_part_of_a_message_that_is_shown(text: str, query: str, shown: str) -> None:
    assert snippet(text, query) == shown


def test_a_running_import_stays_in_sight(open_window: OpenWindow) -> None:
    composition = three()
    composition.importer.outcomes["slow.pdf"] = gate = Gate()
    rig = open_window(composition).until_ready()
    rig.session.imports.add([Path("/tmp/slow.pdf")])
    rig.until(lambda: len(rig.imports()) == 1)
    click(rig, 1)
    rig.until(lambda: "How nice" in texts(rig))
    assert [i.name for i in rig.imports()] == ["slow.pdf"]
    gate.set()
    rig.until(lambda: "passages" in rig.imports()[0].message)
    assert isinstance(rig.session.transcript.items()[-1], ImportItem)


class Tomorrow(datetime):
    """A clock that is a day ahead."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) + timedelta(days=1)


def test_today_is_yesterday_after_midnight(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    composition = three()
    due = datetime.now(UTC) + timedelta(days=1)
    composition.reminders.add(Reminder("Call the vet", due, "", datetime.now(UTC), "user"))
    rig = open_window(composition).until_ready()
    rig.until(lambda: 1 in rig.window.reminders.cards)
    assert listed(rig)[:2] == ["# Today", "> Bento's vet"]
    for module in (conversation_rows, notice_rows, reminder_page, day_watch):
        monkeypatch.setattr(module, "datetime", Tomorrow)
    rig.session.days.look()
    assert listed(rig)[:2] == ["# Yesterday", "> Bento's vet"]
    cards = rig.window.reminders.cards
    assert cards[1].due.text().startswith("Today, ")
    (day,) = [row for row in rig.window.pane.transcript.live_rows if isinstance(row, LineRow)]
    assert day.accessibleName() == "Yesterday"


def test_the_list_folds_in_a_narrow_window(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    assert rig.window.conversations.isVisible()
    rig.window.resize(900, 600)
    rig.until(rig.window.conversations.isHidden)
    QTest.keyClick(rig.window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert rig.window.conversations.isVisible()
    QApplication.processEvents()
    assert (rig.window.width(), rig.window.height()) == (900, 600)
    assert rig.window.panel.isVisible()
    rig.window.resize(760, 600)
    rig.window.rail._list.click()
    rig.window.rail._list.click()
    QApplication.processEvents()
    assert rig.window.conversations.isVisible()
    assert rig.window.panel.isHidden()
    assert rig.window.width() == 760
    rig.window.resize(1200, 700)
    rig.until(rig.window.conversations.isVisible)


def test_a_list_that_was_closed_stays_closed(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    rig.window.rail._list.click()
    assert rig.window.conversations.isHidden()
    rig.close()
    assert open_window(three()).window.conversations.isHidden()


def test_titles_and_what_is_put_away_are_stored_without_a_model(
    open_window: OpenWindow,
) -> None:
    missing = [MissingModel("Qwen2.5 Coder 1.5B", 1_117_320_768)]
    rig = open_window(three(missing=missing))
    rig.until_phase(Phase.MODEL_MISSING)
    rig.session.conversations.rename(1, "Porto")
    rig.session.conversations.archive(3)
    rig.until(lambda: rig.composition.store.get(3).archived)
    assert rig.composition.store.get(1).title == "Porto"
    rig.until(lambda: texts(rig) == ["Where is the tax letter?", "In the blue folder"])
    rig.session.conversations.open(1)
    rig.until(lambda: "How nice" in texts(rig))
    rig.session.conversations.archive(2)
    rig.until(lambda: rig.composition.store.get(2).archived)
    assert "> Porto" in listed(rig)


def test_what_is_done_just_before_closing_is_stored(open_window: OpenWindow) -> None:
    script = steps(ADMIT, Reply("word " * 1000, pieces=1000, pause=0.01))
    rig = open_window(three(scripts=[script])).until_ready()
    rig.type_and_send("Tell me a story")
    rig.until(lambda: bool(rig.replies() and rig.replies()[-1]))
    rig.session.conversations.rename(1, "Porto")
    rig.session.edit_block("human", "Name: Anna")
    rig.close()
    assert rig.composition.store.get(1).title == "Porto"
    assert rig.composition.state.current_blocks() == {"human": "Name: Anna"}


def test_the_menu_of_a_row_has_all_of_it(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    menu = rig.window.conversations.list.menu_for(row_of(rig, 1))
    assert menu is not None
    assert [a.text().partition("\t")[0] for a in menu.actions()] == ["Open", "Rename", "Put away"]
    menu.actions()[2].trigger()
    rig.until(lambda: ThreadArchived(1, archived=True) in rig.agent.events)


def test_rows_are_read_out(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    spoken = [
        str(rig.window.conversations.rows.index(n).data(Qt.ItemDataRole.AccessibleTextRole))
        for n in range(2)
    ]
    assert spoken == ["Today", "Bento's vet, open"]


def test_one_hundred_quick_clicks_end_at_the_last(open_window: OpenWindow) -> None:
    rig = open_window(three()).until_ready()
    for number in range(99):
        rig.session.conversations.open(number % 3 + 1)
    rig.session.conversations.open(2)
    rig.until(lambda: sum(isinstance(e, ThreadOpened) for e in rig.agent.events) >= 99)
    rig.until(lambda: texts(rig) == ["Where is the tax letter?", "In the blue folder"])
    rig.type_and_send("Where?")
    rig.until_idle()
    assert rig.agent.events[-1] == UserMessage("Where?")
    assert rig.composition.recall.messages[-1].thread_id == 2


def test_a_message_is_of_now(open_window: OpenWindow) -> None:
    assert message(MessageKind.USER, "x", thread_id=2).thread_id == 2
