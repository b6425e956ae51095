"""Settings and unsent text survive; broken files never keep the window from opening."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pagekeeper_core.config import Consolidation, Eviction, MemoryPolicy
from pagekeeper_desktop.draft import load_drafts, save_drafts
from pagekeeper_desktop.settings import (
    MemoryChoices,
    Settings,
    ThemeChoice,
    WindowLayout,
    load_settings,
    save_settings,
    write_whole,
)

CHOSEN = Settings(
    theme=ThemeChoice.DARK,
    model="/modèles/日本.gguf",
    context_window=4096,
    memory=MemoryChoices(
        warning_level=0.6,
        flush_level=0.9,
        evicted_share=0.3,
        eviction=Eviction.SECOND_CHANCE,
        read_ahead=False,
        consolidation=Consolidation.OFF,
    ),
    layout=WindowLayout(
        geometry="AdnQ",
        columns=(200, 700, 300),
        panel_rows=(0, 9),
        panel_open=False,
        list_open=False,
    ),
)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    save_settings(tmp_path, CHOSEN)
    assert load_settings(tmp_path) == CHOSEN
    assert [file.name for file in tmp_path.iterdir()] == ["settings.json"]


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "not there") == Settings()


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        '{"theme": "pink"}',
        '{"context_window": -1}',
        '{"context_window": true}',
        '{"context_window": "large"}',
        '{"model": 7}',
        '{"layout": []}',
        '{"layout": 3}',
        '{"layout": {"columns": "wide"}}',
        "[" * 10_000,
    ],
)
def test_a_broken_file_is_set_aside_and_the_defaults_hold(tmp_path: Path, broken: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(broken)
    assert load_settings(tmp_path).model is None
    if broken != '{"layout": []}':
        assert not file.exists()
        (aside,) = tmp_path.glob("settings.broken-*.json")
        assert aside.read_text() == broken


def test_a_file_that_is_not_text_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_bytes(b"\xff\xfe\x00")
    assert load_settings(tmp_path) == Settings()
    assert len(list(tmp_path.glob("settings.broken-*.json"))) == 1


def test_a_folder_in_its_place_is_survived(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "settings.json").mkdir()
    assert load_settings(tmp_path) == Settings()
    save_settings(tmp_path, CHOSEN)
    assert "cannot be saved" in caplog.text
    assert [file.name for file in tmp_path.iterdir()] == ["settings.json"]


def test_unknown_fields_of_a_newer_version_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(json.dumps({"theme": "dark", "hotkey": "Ctrl+Space"}))
    assert load_settings(tmp_path) == replace(Settings(), theme=ThemeChoice.DARK)


def test_the_policy_is_what_was_chosen() -> None:
    assert CHOSEN.memory.policy() == MemoryPolicy(
        warning_level=0.6,
        flush_level=0.9,
        evicted_share=0.3,
        eviction=Eviction.SECOND_CHANCE,
        read_ahead=False,
        consolidation=Consolidation.OFF,
    )
    assert MemoryChoices().policy() == MemoryPolicy()


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"warning_level": 7}, "memory.warning_level is 7, not a number from 0.4 to 0.95; 0.7 hol"),
        ({"warning_level": True}, "memory.warning_level is true"),
        ({"flush_level": "high"}, 'memory.flush_level is "high", not a number from 0.5 to 1.0'),
        ({"flush_level": float("nan")}, "memory.flush_level is NaN"),
        ({"evicted_share": None}, "memory.evicted_share is null"),
        ({"evicted_share": 0}, "memory.evicted_share is 0"),
        ({"eviction": "random"}, 'memory.eviction is "random", not "fifo" or "second-chance"'),
        ({"read_ahead": "yes"}, 'memory.read_ahead is "yes", not true or false; true holds'),
        ({"consolidation": []}, 'memory.consolidation is [], not "off" or "propose"'),
        ({"warning_level": 0.9, "flush_level": 0.9}, "memory.flush_level (0.9) must be at least"),
        (7, "memory is 7, not a group of choices"),
    ],
)
def test_a_choice_about_memory_that_makes_no_sense_is_told_and_its_default_holds(
    tmp_path: Path, chosen: object, said: str
) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"theme": "dark", "memory": chosen}))
    settings = load_settings(tmp_path)
    (notice,) = settings.notices
    assert said in notice
    assert settings.memory == MemoryChoices()
    assert settings.theme is ThemeChoice.DARK
    save_settings(tmp_path, settings)
    assert load_settings(tmp_path).notices == ()


def test_one_bad_choice_about_memory_leaves_the_others(tmp_path: Path) -> None:
    chosen = {"eviction": "second-chance", "evicted_share": -1, "warning_level": 0.5}
    (tmp_path / "settings.json").write_text(json.dumps({"memory": chosen}))
    memory = load_settings(tmp_path).memory
    assert memory == MemoryChoices(eviction=Eviction.SECOND_CHANCE, warning_level=0.5)


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.json"
    write_whole(file, "old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(file, "new")
    assert file.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_unsent_text_is_kept_until_it_is_sent(tmp_path: Path) -> None:
    save_drafts(tmp_path, {1: "half a thought \ud83d 猫", 2: "another"})
    assert load_drafts(tmp_path) == {1: "half a thought \ufffd 猫", 2: "another"}
    save_drafts(tmp_path, {1: "  "})
    assert load_drafts(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"one": "text"}', "null"])
def test_broken_drafts_are_survived_and_kept_aside(
    tmp_path: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "drafts.json").write_text(broken)
    assert load_drafts(tmp_path) == {}
    save_drafts(tmp_path, {1: "a new one"})
    (aside,) = tmp_path.glob("drafts.broken-*.json")
    assert aside.read_text() == broken
    assert aside.name in caplog.text
