"""A reply cites what was retrieved in its chain, and nothing else."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.agent_rig import AgentRig, replies, reply
from pagekeeper_core.citations import ReplyText, cited, without_unknown
from pagekeeper_core.messages import Citation, FunctionCall
from pagekeeper_core.records import ArchivalHit, DocumentRecord, Passage
from pagekeeper_core.sources import Sources
from pagekeeper_core.updates import CallFinished, ReplyDelta, ReplyFinished, Update

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
VET = "The vet, Dr. Costa, says that Bento is fine and should come back in May."
TEA = "Green tea is steeped at eighty degrees."


def hit(text: str, name: str, place: str = "page 3") -> ArchivalHit:
    return ArchivalHit(
        Passage(text, place), f"{name}.pdf", NOON, 1.0, name, document_id=f"d-{name}"
    )


def retrieved(*texts: str) -> Sources:
    sources = Sources()
    for number, text in enumerate(texts, 1):
        sources.number(hit(text, f"p{number}"))
    return sources


SEARCH = FunctionCall("archival_memory_search", {"queries": ["vet"]}, "I look.", True)


@pytest.fixture
def rig() -> AgentRig:
    made = AgentRig()
    passages = [Passage(VET, "page 3"), Passage(TEA, "page 4")]
    made.archival.add_document(DocumentRecord("vet.pdf", "pdf", "a"), passages)
    return made


def citations(updates: list[Update]) -> tuple[Citation, ...]:
    (finished,) = [update for update in updates if isinstance(update, ReplyFinished)]
    return finished.message.citations


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("In May [1].", "In May [1]."),
        ("In May [7].", "In May."),
        ("In May[7], he says [2][8].", "In May, he says [2]."),
        ("In May [1, 7].", "In May [1]."),
        ("五月【1】和【９】。", "五月[1]和。"),
        ("In May [^7](https://example.org/a).", "In May."),
        ("`a[7]` and `b [7]`", "`a[7]` and `b [7]`"),
        ("```\nx = y [7]\n```\nso [7]", "```\nx = y [7]\n```\nso"),
        ("x = [7]", "x = [7]"),
        ("[see the note] stays", "[see the note] stays"),
    ],
)
def test_what_was_not_retrieved_is_taken_out(written: str, shown: str) -> None:
    assert without_unknown(written, retrieved(VET, TEA)) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("As the report says [1].", "As the report says."),
        ("In Python a[0] is the first, a[1] the second.", None),
        ("The list [1, 2, 3] has three.", None),
    ],
)
def test_without_any_source_code_stays_and_citations_go(written: str, shown: str | None) -> None:
    assert without_unknown(written, Sources()) == (shown or written)


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="a1 7[]【】(),^`\n=.", max_size=40))
def test_what_is_shown_while_it_is_written_is_what_is_stored(written: str) -> None:
    text = ReplyText(retrieved(VET))
    shown = "".join(text.grown(written[: end + 1]) for end in range(len(written)))
    assert shown + text.rest(written) == without_unknown(written, retrieved(VET))


def test_a_number_stands_for_its_passage_through_the_chain(rig: AgentRig) -> None:
    again = FunctionCall("archival_memory_search", {"queries": ["green tea", "vet"]}, "…", True)
    rig.model.enqueue(SEARCH, again, reply("In May [1]."))
    updates = rig.say("What did the vet say?")
    first, second = [u.result.text for u in updates if isinstance(u, CallFinished)]
    assert "[1] vet.pdf, page 3: <<<The vet" in first
    assert "[1] vet.pdf, page 3: <<<The vet" in second
    assert "[2] vet.pdf, page 4: <<<Green tea" in second
    (found,) = citations(updates)
    assert (found.number, found.title, found.location) == (1, "vet.pdf", "page 3")
    assert found.document_id == rig.archival.documents()[0].document_id


def test_a_citation_that_was_not_retrieved_is_neither_shown_nor_stored(rig: AgentRig) -> None:
    rig.model.enqueue(SEARCH, reply("In May [1], or in June [9]."))
    updates = rig.say("What did the vet say?")
    streamed = "".join(update.text for update in updates if isinstance(update, ReplyDelta))
    assert streamed == replies(updates)[0] == "In May [1], or in June."
    assert "[9]" not in rig.recall.read_last(1)[0].prompt_text
    assert [citation.number for citation in citations(updates)] == [1]


def test_a_citation_of_an_earlier_chain_is_none_of_this_one(rig: AgentRig) -> None:
    rig.model.enqueue(SEARCH, reply("In May [1]."))
    rig.say("What did the vet say?")
    rig.model.enqueue(reply("As I said, in May [1]."))
    updates = rig.say("Say when, once more.")
    assert replies(updates) == ["As I said, in May."]
    assert citations(updates) == ()
    rig.model.enqueue(SEARCH, reply("In May [1]."))
    updates = rig.say("What did the vet say about Bento?")
    (result,) = [u.result.text for u in updates if isinstance(u, CallFinished)]
    assert "[1] " not in result
    assert "[2] vet.pdf, page 3" in result
    assert replies(updates) == ["In May."]
    assert [c.number for c in citations(updates)] == [2]
    rig.model.enqueue(SEARCH, reply("Bento is fine, says Dr. Costa [3]."))
    assert [c.number for c in citations(rig.say("How is Bento, says the vet?"))] == [3]


def test_the_program_cites_what_the_reply_takes(rig: AgentRig) -> None:
    rig.model.enqueue(SEARCH, reply("Bento is fine and should come back in May."))
    assert [c.location for c in citations(rig.say("What did the vet say?"))] == ["page 3"]
    assert rig.recall.read_last(1)[0].citations[0].location == "page 3"


@pytest.mark.parametrize(
    "said",
    ["I do not know.", "Your documents do not say.", "Yes.", "Lisbon is the capital.", "你好！"],
)
def test_a_reply_that_takes_nothing_cites_nothing(said: str) -> None:
    assert cited(said, "What did the vet say?", retrieved(VET, TEA)) == ()


def test_chinese_replies_cite_too() -> None:
    sources = retrieved("市立博物馆星期三闭馆，门票四十元。", "绿茶用八十度的水泡三分钟。")
    assert [c.number for c in cited("星期三闭馆。", "博物馆星期几闭馆？", sources)] == [1]
    assert [c.number for c in cited("用八十度的水。", "绿茶怎么泡？", sources)] == [2]


def test_a_reply_that_is_nothing_but_an_unknown_citation_is_written_again(rig: AgentRig) -> None:
    rig.model.enqueue(SEARCH, reply("[9]"), reply("In May."))
    assert replies(rig.say("What did the vet say?")) == ["In May."]
