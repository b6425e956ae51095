"""`pagekeeper summarise`: the summary on standard output, how far it is beside it."""

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.agent_rig import AgentRig
from helpers.terminal import Streams, memory_of, roomy_rig, scripted_session
from pagekeeper_core.records import DocumentInfo, DocumentRecord, Passage
from pagekeeper_desktop.__main__ import run
from pagekeeper_desktop.cli import importing, summarising
from pagekeeper_desktop.cli.arguments import parse


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> AgentRig:
    made = roomy_rig()

    @contextlib.contextmanager
    def open_session(*_: object) -> Iterator[Any]:
        with scripted_session(made) as session:
            yield session

    monkeypatch.setattr(summarising, "open_session", open_session)
    monkeypatch.setattr(
        summarising, "open_memory", lambda *_: contextlib.nullcontext(memory_of(made))
    )
    return made


def archive(rig: AgentRig, title: str, *, path: str = "", passages: int = 1) -> DocumentInfo:
    texts = [Passage(f"Harbour {n} was opened in {1700 + n}.", "page 1") for n in range(passages)]
    return rig.archival.add_document(DocumentRecord(title, "pdf", title, path, 1), texts)


def summarise(*words: str) -> tuple[int, Streams]:
    streams = Streams()
    return run(parse(["summarise", *words]), streams.console), streams


def test_a_document_is_named_by_its_title_or_identifier(rig: AgentRig) -> None:
    info = archive(rig, "ports.pdf")
    for name in ("ports.pdf", info.document_id):
        code, streams = summarise(name)
        assert (code, streams.result) == (
            0,
            "ports.pdf (PDF, 1 page):\n- Harbour 0 was opened in 1700. [1]\n"
            "[1] ports.pdf, page 1\n",
        )


def test_how_far_it_is_stands_beside_the_summary(rig: AgentRig) -> None:
    archive(rig, "ports.pdf", passages=600)
    code, streams = summarise("ports.pdf", "--json")
    assert code == 0
    assert "Reading part 1 of " in streams.remarks
    assert "Putting the parts of ports.pdf together" in streams.remarks
    (result,) = streams.objects()
    assert result["reply"].startswith("ports.pdf (PDF, 1 page):")
    assert "Reading part" not in summarise("ports.pdf")[1].remarks.replace("Reading ports", "")
    assert "Reading part 1 of " in summarise("ports.pdf", "--again")[1].remarks


def test_a_file_is_read_into_the_archive_first(
    rig: AgentRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ports.pdf"
    path.write_text("ports", encoding="utf-8")

    def read(invocation: Any, console: Any) -> int:
        (given,) = invocation.arguments.paths
        archive(rig, given.name, path=str(given))
        console.line("read")
        return 0

    monkeypatch.setattr(importing, "run", read)
    code, streams = summarise(str(path))
    assert (code, streams.result.startswith("ports.pdf")) == (0, True)


def test_a_file_that_was_read_under_another_name_is_known(
    rig: AgentRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "copy.pdf"
    path.write_text("ports", encoding="utf-8")
    sha256 = hashlib.sha256(b"ports").hexdigest()
    record = DocumentRecord("ports.pdf", "pdf", sha256, "/home/ana/ports.pdf", 1)
    rig.archival.add_document(record, [Passage("Harbour 0 was opened in 1700.", "page 1")])
    monkeypatch.setattr(importing, "run", lambda *_: 0)
    code, streams = summarise(str(path))
    assert code == 0
    assert streams.result.startswith("ports.pdf (PDF, 1 page):")


def test_what_is_not_there_is_said(rig: AgentRig) -> None:
    code, streams = summarise("nowhere.pdf")
    assert code == 1
    assert "There is no document nowhere.pdf." in streams.remarks
