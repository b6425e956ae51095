"""`documents`: list, remove, read again, watch; what is removed leaves the data folder."""

from pathlib import Path

import pytest

from helpers.memory_stores import HashEmbedder
from helpers.terminal import Streams
from pagekeeper_desktop.__main__ import run
from pagekeeper_desktop.cli.arguments import parse
from pagekeeper_desktop.settings import load_settings
from pagekeeper_models import sentence_embedder


@pytest.fixture(autouse=True)
def quick_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real stores and readers, and an embedder that loads no torch."""
    monkeypatch.setattr(sentence_embedder, "SentenceEmbedder", lambda folder, **_: HashEmbedder())


def command(data: Path, *words: Path | str) -> tuple[int, Streams]:
    streams = Streams()
    return run(parse(["--data-dir", str(data), *map(str, words)]), streams.console), streams


def listed(data: Path) -> list[dict[str, object]]:
    documents: list[dict[str, object]] = command(data, "documents", "--json")[1].objects()[0][
        "documents"
    ]
    return documents


def holding(folder: Path, word: str) -> list[str]:
    """The files anywhere below that hold this word."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return [str(file) for file in files if word.encode() in file.read_bytes()]


def test_a_removed_document_leaves_the_whole_data_folder(tmp_path: Path) -> None:
    data, letter = tmp_path / "data", tmp_path / "letter.txt"
    letter.write_text("Ana keeps a xylophone and a zyzzyva in the attic.")
    assert command(data, "import", letter)[0] == 0
    kept = data / "state" / "conversation.kv"
    kept.write_text("zyzzyva")
    assert holding(data, "zyzzyva")
    ((document),) = listed(data)
    assert (document["title"], document["passages"], document["state"]) == (
        "letter.txt",
        1,
        "ready",
    )
    assert document["size"] == letter.stat().st_size
    code, streams = command(data, "documents", "remove", str(document["id"])[:8])
    assert code == 0
    assert streams.result.startswith("letter.txt and its 1 passage are gone.")
    assert listed(data) == []
    assert holding(data, "zyzzyva") == holding(data, "xylophone") == []
    assert letter.exists()


def test_an_unknown_document_is_told(tmp_path: Path) -> None:
    code, streams = command(tmp_path / "data", "documents", "remove", "nothing")
    assert code == 1
    assert "There is no document nothing." in streams.remarks


def test_a_document_is_never_removed_by_the_chance_of_one_character(tmp_path: Path) -> None:
    data, letter = tmp_path / "data", tmp_path / "letter.txt"
    letter.write_text("Dear Ana, Bento is well.")
    command(data, "import", letter)
    ((document),) = listed(data)
    for beginning in ("", str(document["id"])[:1], str(document["id"])[:3]):
        assert command(data, "documents", "remove", beginning)[0] == 1
    assert listed(data) == [document]


@pytest.mark.thorough
def test_a_document_is_read_again_by_its_name(tmp_path: Path) -> None:
    data, letter = tmp_path / "data", tmp_path / "letter.txt"
    letter.write_text("Dear Ana, Bento is well.")
    command(data, "import", letter)
    (before,) = listed(data)
    code, streams = command(data, "documents", "reimport", "letter.txt")
    assert code == 0
    assert "letter.txt: read, 1 passage" in streams.result
    (after,) = listed(data)
    assert after["id"] != before["id"]
    letter.write_text("Dear Ana, Bento is ill.")
    code, streams = command(data, "import", letter)
    assert "older version" in streams.result
    assert len(listed(data)) == 1


def test_folders_are_watched_and_not_any_more(tmp_path: Path) -> None:
    data, inbox = tmp_path / "data", tmp_path / "inbox"
    inbox.mkdir()
    assert command(data, "documents", "watch", inbox)[0] == 0
    assert command(data, "documents", "watch", inbox)[0] == 0
    assert load_settings(data).watched_folders == (str(inbox),)
    assert f"watched: {inbox}" in command(data, "documents")[1].result
    assert command(data, "documents", "unwatch", inbox)[0] == 0
    assert load_settings(data).watched_folders == ()
    for words in (("unwatch", inbox), ("watch", tmp_path / "nowhere")):
        code, streams = command(data, "documents", *words)
        assert code == 1
        assert "is not" in streams.remarks
