"""What the assistant knows, why, and how a person takes it back: over real stores."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from helpers.memory_stores import HashEmbedder
from helpers.terminal import Streams
from pagekeeper_core.errors import StoreError
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import (
    ChangeAction,
    DocumentRecord,
    MemoryChange,
    Passage,
    Proposal,
    Target,
    TargetKind,
)
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_desktop import composition
from pagekeeper_desktop.__main__ import run
from pagekeeper_desktop.cli.arguments import parse
from pagekeeper_desktop.options import Options
from pagekeeper_models import sentence_embedder

WHEN = datetime(2026, 5, 3, 10, 42, tzinfo=UTC)
LOCAL = f"{WHEN.astimezone():%Y-%m-%d %H:%M}"


class Person:
    """Someone at a terminal, with a data folder of real stores."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.notes: list[str] = []

    def keeper(self, *words: str) -> tuple[int, Streams]:
        streams = Streams()
        return run(parse(["--data-dir", str(self.data), *words]), streams.console), streams

    def ask(self, *words: str) -> dict[str, Any]:
        code, streams = self.keeper(*words, "--json")
        assert code == 0, streams.remarks
        return streams.objects()[0]

    def fill(self) -> None:
        """She said who her dog is, and corrected it; one note, one document."""
        memory = composition.open_memory(Options(self.data))
        for text in ("My dog is called Rex", "No, he is called Bento"):
            memory.recall.append(Message(MessageKind.USER, text, text, WHEN))
        human = Target(TargetKind.BLOCK, "human")
        for before, after, cause in (
            ("", "Name: Ana", 0),
            ("Name: Ana", "Name: Ana\nDog: Rex", 1),
            ("Name: Ana\nDog: Rex", "Name: Ana\nDog: Bento", 2),
        ):
            edit = MemoryChange(human, ChangeAction.EDIT, before, after, WHEN, "assistant", cause)
            memory.state.append_change(edit)
        note = memory.archival.insert_note("The vet is Dr. Costa")
        self.notes.append(f"p{note.passage_id[:8]}")
        record = DocumentRecord("lease.pdf", "pdf", "a1")
        memory.archival.add_document(record, [Passage("The rent is 700 euros.", "page 3")])
        memory.close()

    def blocks(self) -> dict[str, str]:
        memory = composition.open_memory(Options(self.data))
        blocks = memory.state.current_blocks()
        memory.close()
        return blocks

    def last_word(self) -> Message:
        memory = composition.open_memory(Options(self.data))
        (word,) = memory.recall.read_last(1)
        memory.close()
        return word


def without_torch(patch: pytest.MonkeyPatch) -> None:
    """Put a bag of words in the embedder's place."""
    patch.setattr(sentence_embedder, "SentenceEmbedder", lambda folder, verify: HashEmbedder())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Her memory, to be copied."""
    person = Person(tmp_path_factory.mktemp("ana"))
    with pytest.MonkeyPatch.context() as patch:
        without_torch(patch)
        person.fill()
    return person


@pytest.fixture
def ana(filled: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    without_torch(monkeypatch)
    shutil.copytree(filled.data, tmp_path, dirs_exist_ok=True)
    person = Person(tmp_path)
    person.notes = list(filled.notes)
    return person


def test_the_history_tells_what_changed_the_newest_first(ana: Person) -> None:
    code, streams = ana.keeper("memory", "history")
    assert code == 0
    assert streams.result == (
        f"c3  {LOCAL}  Keeper changed “About you”\n    - Dog: Rex\n    + Dog: Bento\n"
        f"c2  {LOCAL}  Keeper changed “About you”\n    + Dog: Rex\n"
        f"c1  {LOCAL}  Keeper changed “About you”\n    + Name: Ana\n"
    )
    assert streams.remarks == ""


def test_the_history_of_a_block_that_never_changed_is_empty(ana: Person) -> None:
    code, streams = ana.keeper("memory", "history", "--block", "persona")
    assert (code, streams.result, streams.remarks) == (0, "", "Nothing has changed yet.\n")


@pytest.mark.thorough
def test_the_history_of_a_block_that_is_not_there_names_those_that_are(ana: Person) -> None:
    ana.keeper("memory", "add-block", "work", "--about", "projects", "--limit", "100")
    code, streams = ana.keeper("memory", "history", "--block", "wrok")
    assert (code, streams.result) == (1, "")
    assert streams.remarks == (
        "pagekeeper: There is no block 'wrok'.\nThe blocks are: human, persona, work.\n"
    )
    assert ana.keeper("memory", "history", "--block", "work")[0] == 0


@pytest.mark.thorough
def test_a_long_history_has_pages(ana: Person) -> None:
    memory = composition.open_memory(Options(ana.data))
    human = Target(TargetKind.BLOCK, "human")
    for number in range(40):
        edit = MemoryChange(human, ChangeAction.EDIT, "", f"Line {number}", WHEN, "user")
        memory.state.append_change(edit)
    memory.close()
    _, streams = ana.keeper("memory", "history")
    assert streams.result.startswith("c43")
    assert streams.remarks == "Page 1 of 3; --page 2 shows another.\n"
    page = ana.ask("memory", "history", "--page", "3")
    assert (page["page"], page["pages"], page["total"]) == (3, 3, 43)
    _, streams = ana.keeper("memory", "history", "--page", "4")
    assert (streams.result, streams.remarks) == ("", "The last page is 3.\n")


@pytest.mark.thorough
def test_why_shows_the_message_and_what_was_believed_before(ana: Person) -> None:
    code, streams = ana.keeper("memory", "why", "bento")
    assert code == 0
    assert streams.result == (
        "About you: Dog: Bento\n"
        f"    since {LOCAL}: Keeper changed “About you” (c3)\n"
        f"    because of m2, {LOCAL}, You: No, he is called Bento\n"
        "    in place of: Dog: Rex\n"
    )
    _, streams = ana.keeper("memory", "why", "Dog: Rex")
    assert f"    until {LOCAL} (c3); now: Dog: Bento\n" in streams.result


def test_why_for_a_program(ana: Person) -> None:
    (found,) = ana.ask("memory", "why", "Bento")["found"]
    assert (found["target"], found["standing"], found["replaced"]) == ("human", "holds", "Dog: Rex")
    assert (found["change"]["id"], found["cause"]["text"]) == ("c3", "No, he is called Bento")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("human", "About you: Name: Ana\n"),
        ("c3", "About you: Dog: Bento\n"),
        ("m1", f"m1  You: My dog is called Rex\n    said {LOCAL}, in conversation 1\n"),
        ("My dog is", "m1  You: My dog is called Rex\n"),
        ("dr. costa", "  note: The vet is Dr. Costa\n"),
    ],
)
def test_why_takes_names_and_words(words: str, expected: str, ana: Person) -> None:
    code, streams = ana.keeper("memory", "why", words)
    assert code == 0
    assert expected in streams.result


@pytest.mark.thorough
def test_undo_takes_a_change_back_and_leaves_word_of_it(ana: Person) -> None:
    code, streams = ana.keeper("memory", "undo", "c3")
    assert code == 0
    assert "you changed “About you” (takes back c3)\n    - Dog: Bento\n    + Dog: Rex\n" in (
        streams.result
    )
    assert streams.remarks == "`pagekeeper memory undo c4` takes this back.\n"
    assert ana.blocks() == {"human": "Name: Ana\nDog: Rex"}
    word = ana.last_word()
    assert word.kind is MessageKind.SYSTEM
    assert "Dog: Rex" in word.prompt_text
    assert ana.keeper("memory", "undo", "4")[0] == 0
    assert ana.blocks() == {"human": "Name: Ana\nDog: Bento"}


@pytest.mark.thorough
def test_forget_hides_and_restore_shows_again(ana: Person) -> None:
    (note,) = ana.notes
    for words, expected in (("the vet is", note), ("m1", "m1")):
        assert f"you had {expected} forgotten" in ana.keeper("memory", "forget", words)[1].result
        assert "forgot" in ana.last_word().prompt_text
        found = ana.ask("memory", "why", expected)["found"]
        assert [e["standing"] for e in found] == ["forgotten"]
        code, streams = ana.keeper("memory", "restore", expected)
        assert code == 0
        assert f"you put {expected} back" in streams.result


@pytest.mark.thorough
def test_a_passage_of_a_document_is_forgotten_by_the_name_that_a_search_shows(ana: Person) -> None:
    (hit,) = (
        hit
        for hit in ana.ask("memory", "search", "rent")["archive"]["hits"]
        if hit["source"] == "lease.pdf"
    )
    assert f"you had {hit['id']} forgotten" in ana.keeper("memory", "forget", hit["id"])[1].result
    assert f"{hit['id']}  lease.pdf, page 3: The rent is 700 euros.  (forgotten " in (
        ana.keeper("memory", "search", "rent")[1].result
    )
    explained = ana.keeper("memory", "why", hit["id"])[1].result
    assert explained.startswith(f"{hit['id']}  lease.pdf, page 3: The rent")


def test_forgetting_what_several_texts_say_lists_them_and_forgets_none(ana: Person) -> None:
    code, streams = ana.keeper("memory", "forget", "called")
    assert (code, streams.result) == (1, "")
    assert "m2  You: No, he is called Bento\nm1  You: My" in streams.remarks
    assert ana.ask("memory", "history")["total"] == 3


def test_a_line_of_a_block_is_undone_and_not_forgotten(ana: Person) -> None:
    code, streams = ana.keeper("memory", "forget", "Dog: Bento")
    assert code == 1
    assert "That is a line of the block 'human'.\nUndo c3" in streams.remarks


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["undo", "c99"], 1, "There is no change 99."),
        (["undo", "Bento"], 2, "'Bento' is no change: they are called c1, c2, c3 …"),
        (["forget", "m99"], 1, "There is no message 99."),
        (["forget", "pffffffff"], 1, "pffffffff names no passage."),
        (["forget", "m99999999999999999999"], 1, "No note and no message says that."),
        (["forget", "xylophone"], 1, "No note and no message says that."),
        (["restore", "m1"], 1, "This message is not forgotten: there is nothing to do."),
        (["restore", "Bento"], 1, "That is no message and no passage."),
        (["why", "xylophone"], 1, "Nothing in memory says that."),
        (["why", "persona"], 1, "Nothing was ever written into the block 'persona'."),
        (["why", "c99"], 1, "There is no change 99."),
        (["why", "\u200b"], 2, "the text is empty"),
    ],
)
def test_what_is_not_there_is_told_and_changes_nothing(
    words: list[str], code: int, message: str, ana: Person
) -> None:
    result, streams = ana.keeper("memory", *words)
    assert (result, streams.result) == (code, "")
    assert message in streams.remarks
    assert ana.ask("memory", "history")["total"] == 3


@pytest.mark.thorough
def test_a_block_of_ones_own_is_made_checked_and_told(ana: Person) -> None:
    words = ["memory", "add-block", "Work", "--about", "projects, 项目", "--limit", "100"]
    code, streams = ana.keeper(*words)
    assert code == 0
    assert "(work: 0 lines, at most 100 tokens, about: projects, 项目)" in streams.result
    assert "made the block 'work'" in ana.last_word().prompt_text
    blocks = ana.ask("memory", "blocks")["blocks"]
    assert [block["name"] for block in blocks] == ["persona", "human", "work"]
    assert "Nothing was ever written" in ana.keeper("memory", "why", "work")[1].remarks


@pytest.mark.parametrize(
    ("name", "limit", "message"),
    [
        ("my work", "100", "cannot be the name of a block"),
        ("human", "100", "comes with the program"),
        ("work", "3", "holds nothing"),
        ("work", "100000", "does not fit the context window"),
    ],
)
def test_a_block_that_cannot_be_is_refused(
    name: str, limit: str, message: str, ana: Person
) -> None:
    code, streams = ana.keeper("memory", "add-block", name, "--about", "x", "--limit", limit)
    assert (code, streams.result) == (1, "")
    assert message in streams.remarks
    assert len(ana.ask("memory", "blocks")["blocks"]) == 2


def propose(ana: Person, before: str, after: str) -> None:
    memory = composition.open_memory(Options(ana.data))
    human = Target(TargetKind.BLOCK, "human")
    memory.proposals.add(Proposal(human, before, after, "You said so.", (1, 2), WHEN))
    memory.close()


@pytest.mark.thorough
def test_proposals_are_listed_accepted_and_dismissed(ana: Person) -> None:
    assert ana.keeper("memory", "proposals")[1].remarks.startswith("Nothing is proposed.")
    propose(ana, "", "Lives in Porto")
    propose(ana, "Name: Ana", "Name: Anna")
    _, streams = ana.keeper("memory", "proposals")
    assert streams.result == (
        "  1  About you: You said so.\n     + Lives in Porto\n     from m1, m2\n"
        "  2  About you: You said so.\n     - Name: Ana\n     + Name: Anna\n     from m1, m2\n"
    )
    code, streams = ana.keeper("memory", "proposals", "accept", "1")
    assert (code, streams.remarks) == (0, "`pagekeeper memory undo c4` takes this back.\n")
    assert ana.blocks() == {"human": "Name: Ana\nDog: Bento\nLives in Porto"}
    assert "Lives in Porto" in ana.last_word().prompt_text
    code, streams = ana.keeper("memory", "proposals", "dismiss", "2")
    assert (code, streams.result) == (0, "Proposal 2 is dismissed.\n")
    assert ana.ask("memory", "proposals")["proposals"] == []
    assert ana.keeper("memory", "undo", "c4")[0] == 0
    assert ana.blocks() == {"human": "Name: Ana\nDog: Bento"}


@pytest.mark.thorough
def test_a_proposal_that_has_become_untrue_stays_open(ana: Person) -> None:
    propose(ana, "Dog: Rex", "Dog: Max")
    code, streams = ana.keeper("memory", "proposals", "accept", "1")
    assert (code, streams.result) == (1, "")
    assert "The proposal cannot be carried out." in streams.remarks
    assert "Dismiss the proposal" in streams.remarks
    (open_one,) = ana.ask("memory", "proposals")["proposals"]
    assert (open_one["id"], open_one["source_seqs"]) == (1, [1, 2])
    code, streams = ana.keeper("memory", "proposals", "accept", "9")
    assert (code, streams.result) == (1, "")
    assert "There is no open proposal 9." in streams.remarks


def test_what_stands_in_the_way_of_an_undo_is_told_and_kept_out_of_the_log(
    ana: Person, caplog: pytest.LogCaptureFixture
) -> None:
    code, streams = ana.keeper("memory", "undo", "c2")
    assert (code, streams.result) == (1, "")
    assert "Dog: Rex" in streams.remarks
    assert "Rex" not in caplog.text


def test_an_archive_that_cannot_be_read_hides_nothing_else(
    ana: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("archive.lance cannot be read", hint="Put a backup in its place.")

    monkeypatch.setattr(LanceDBArchivalStore, "notes", fail)
    code, streams = ana.keeper("memory", "why", "Bento")
    assert code == 1
    assert "About you: Dog: Bento\n" in streams.result
    assert "archive.lance cannot be read\nPut a backup" in streams.remarks
    code, streams = ana.keeper("memory", "forget", "called Rex")
    assert (code, streams.result) == (1, "")
    assert "archive.lance cannot be read" in streams.remarks
