"""Low relevance is said to the model, and told by meaning or by words."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from helpers.agent_rig import AgentRig, reply
from pagekeeper_core.fence import BEGIN, END
from pagekeeper_core.messages import FunctionCall
from pagekeeper_core.records import ArchivalHit, DocumentRecord, Passage
from pagekeeper_core.relevance import LEAST_SIMILARITY, is_relevant
from pagekeeper_core.updates import CallFinished

HIT = ArchivalHit(
    Passage("The last ferry leaves at 21:40."),
    "ferry.txt",
    datetime(2026, 5, 3, tzinfo=UTC),
    0.1,
    similarity=0.0,
)
LOW = "None of these may answer it"


def result(rig: AgentRig, question: str, *queries: str) -> str:
    call = FunctionCall("archival_memory_search", {"queries": list(queries)}, "I look.", True)
    rig.model.enqueue(call, reply("I see."))
    (text,) = [u.result.text for u in rig.say(question) if isinstance(u, CallFinished)]
    return text


def test_a_passage_is_relevant_by_meaning_or_by_its_words() -> None:
    assert is_relevant(replace(HIT, similarity=LEAST_SIMILARITY), ["boats at night"])
    assert not is_relevant(replace(HIT, similarity=LEAST_SIMILARITY - 0.01), ["boats at night"])
    assert is_relevant(HIT, ["boats at night", "when is the last ferry"])
    assert not is_relevant(HIT, [])
    chinese = replace(HIT, passage=Passage("市立博物馆星期三闭馆。"))
    assert is_relevant(chinese, ["博物馆闭馆"])
    assert not is_relevant(chinese, ["绿茶怎么泡"])


@pytest.mark.parametrize("question", ["When does the last ferry leave?", "Is there a last ferry?"])
def test_the_model_is_told_of_low_relevance_only(question: str) -> None:
    rig = AgentRig()
    record = DocumentRecord("ferry.txt", "text", "a")
    rig.archival.add_document(record, [Passage(HIT.passage.text)])
    assert LOW not in result(rig, question, "last ferry")
    assert LOW in result(rig, "Who wrote the ferry song of the north?", "ferry song author")


def test_a_long_passage_that_is_cut_keeps_its_fence_closed() -> None:
    rig = AgentRig()
    passages = [Passage(f"ferry {number} " + "goes over the water " * 60) for number in range(6)]
    rig.archival.add_document(DocumentRecord("ferry.txt", "text", "a"), passages)
    lines = [line for line in result(rig, "ferry?", "ferry").splitlines() if line[:1] == "["]
    assert len(lines) == 5
    assert all(line.count(BEGIN) == 1 and line.endswith(END) for line in lines)
