"""`memory search` by conversation, speaker and date; what is forgotten or ended is marked."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helpers.memory_stores import HashEmbedder
from helpers.terminal import Streams
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import ChangeAction, MemoryChange, Target, TargetKind
from pagekeeper_desktop import composition
from pagekeeper_desktop.__main__ import run
from pagekeeper_desktop.cli.arguments import parse
from pagekeeper_desktop.options import Options
from pagekeeper_models import sentence_embedder

NOW = datetime.now(UTC)
YESTERDAY = NOW - timedelta(days=1)
LONG_AGO = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


def without_torch(patch: pytest.MonkeyPatch) -> None:
    """Put a bag of words in the embedder's place."""
    patch.setattr(sentence_embedder, "SentenceEmbedder", lambda folder, verify: HashEmbedder())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What was said about a vet, at three times, by two speakers, in two conversations."""
    folder = tmp_path_factory.mktemp("filled")
    with pytest.MonkeyPatch.context() as patch:
        without_torch(patch)
        memory = composition.open_memory(Options(folder))
        memory.threads.create(LONG_AGO, "Bento")
        for kind, text, at, thread in (
            (MessageKind.USER, "the vet in March", LONG_AGO, 1),
            (MessageKind.ASSISTANT, "the vet was kind", YESTERDAY, 1),
            (MessageKind.USER, "the vet again", YESTERDAY, 2),
            (MessageKind.USER, "the vet today", NOW, 2),
        ):
            memory.recall.append(Message(kind, text, text, at, thread_id=thread))
        memory.close()
    return folder


@pytest.fixture
def data(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    without_torch(monkeypatch)
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    return tmp_path


def keeper(data: Path, *words: str) -> tuple[int, Streams]:
    streams = Streams()
    return run(parse(["--data-dir", str(data), *words]), streams.console), streams


def found(data: Path, *words: str) -> list[str]:
    code, streams = keeper(data, "memory", "search", "--json", *words)
    assert code == 0, streams.remarks
    return sorted(hit["id"] for hit in streams.objects()[0]["conversations"]["hits"])


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ([], ["m1", "m2", "m3", "m4"]),
        (["--thread", "2"], ["m3", "m4"]),
        (["--by", "you"], ["m1", "m3", "m4"]),
        (["--by", "keeper"], ["m2"]),
        (["--when", "yesterday"], ["m2", "m3"]),
        (["--when", "昨天"], ["m2", "m3"]),
        (["--when", "March 2026", "--by", "you"], ["m1"]),
        (["--from", "yesterday"], ["m2", "m3", "m4"]),
        (["--to", "yesterday"], ["m1", "m2", "m3"]),
        (["--from", "2026-03-01", "--to", "2026-03-05"], ["m1"]),
    ],
)
def test_conversations_are_searched_by_thread_speaker_and_date(
    words: list[str], ids: list[str], data: Path
) -> None:
    assert found(data, "vet", *words) == ids


def test_without_words_all_that_the_options_admit_is_listed(data: Path) -> None:
    assert found(data, "--when", "yesterday") == ["m2", "m3"]
    _, streams = keeper(data, "memory", "search", "--thread", "2")
    assert "Conversations: 2 found, page 1 of 1\n  m3  " in streams.result
    assert "Notes and documents" not in streams.result
    assert (
        "archive" not in keeper(data, "memory", "search", "--by", "you", "--json")[1].objects()[0]
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "the text is empty"),
        ([" ", "--by", "you"], 2, "the text is empty"),
        (["vet", "--when", "xylophone"], 2, "'xylophone' is no date that I understand"),
        (["vet", "--when", "today", "--to", "today"], 2, "leave out --from and --to"),
        (["vet", "--from", "today", "--to", "2026-03-01"], 2, "--from is later than --to"),
        (["vet", "--thread", "9"], 1, "There is no conversation 9."),
    ],
)
def test_what_makes_no_sense_is_told(words: list[str], code: int, message: str, data: Path) -> None:
    result, streams = keeper(data, "memory", "search", *words)
    assert (result, streams.result) == (code, "")
    assert message in streams.remarks


@pytest.mark.thorough
def test_what_is_forgotten_or_ended_is_marked_with_its_day(data: Path) -> None:
    memory = composition.open_memory(Options(data))
    old = memory.archival.insert_note("Ana's vet is Dr. Costa in Lisbon")
    new = memory.archival.insert_note("She goes to a vet named Silva now")
    human = Target(TargetKind.BLOCK, "human")
    edits = (("", "Vet: Costa"), ("Vet: Costa", "Vet: Silva"))
    for before, after in edits:
        edit = MemoryChange(human, ChangeAction.EDIT, before, after, LONG_AGO, "assistant")
        memory.state.append_change(edit)
    passage = Target(TargetKind.PASSAGE, old.passage_id)
    memory.state.append_change(
        MemoryChange(
            passage,
            ChangeAction.SUPERSEDE,
            old.text,
            old.text,
            LONG_AGO,
            "assistant",
            successor=new.passage_id,
        )
    )
    memory.close()
    keeper(data, "memory", "forget", "m2")
    _, streams = keeper(data, "memory", "search", "vet")
    assert "About you: Vet: Silva\nAbout you: Vet: Costa  (until 2026-03-05)\n" in streams.result
    assert f"Keeper: the vet was kind  (forgotten {NOW.astimezone():%Y-%m-%d})\n" in streams.result
    short = f"p{new.passage_id[:8]}"
    assert f"in Lisbon  (until 2026-03-05, now {short})\n" in streams.result
    (result,) = keeper(data, "memory", "search", "vet", "--json")[1].objects()
    assert [(line["text"], line["until"] is None) for line in result["blocks"]] == [
        ("Vet: Silva", True),
        ("Vet: Costa", False),
    ]
    marks = {hit["id"]: hit.get("standing") for hit in result["archive"]["hits"]}
    assert marks == {f"p{old.passage_id[:8]}": "ended", short: None}
