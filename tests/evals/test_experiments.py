"""The experiments over a scripted model: what they put into the stores, and how they score."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.core_memory import CoreMemory
from evals.desk import Desk
from evals.dmr import DeepMemoryRetrieval
from evals.doc_qa import DocumentQuestions
from evals.locomo import LongConversations
from evals.nested_kv import HOPS, NestedKeyValue, nested
from evals.opener import ConversationOpener, similarities
from evals.trials import RunSettings, Trial
from helpers.agent_rig import append, reply, search
from helpers.memory_stores import HashEmbedder
from helpers.scripted_model import ScriptedModel
from pagekeeper_core.messages import FunctionCall

pytestmark = pytest.mark.thorough


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(8192)


@pytest.fixture
def desk(tmp_path: Path, model: ScriptedModel) -> Iterator[Desk]:
    made = Desk(
        RunSettings(), tmp_path, window=8192, load_model=lambda _: model, embedder=HashEmbedder()
    )
    yield made
    made.close()


def write_dialogue(folder: Path) -> None:
    turns = [
        {"speaker": 1, "text": "Do you have dogs?"},
        {"speaker": 2, "text": "Two dogs, Zemo and Spike."},
    ]
    sessions = [turns, turns[:1], turns[:1], [{"speaker": 1, "text": "How are the dogs?"}]]
    dialogue = {"id": "one", "init_personas": [["I like dogs."], ["I have two."]]}
    (folder / "dmr").mkdir()
    text = json.dumps({**dialogue, "sessions": sessions})
    (folder / "dmr" / "dialogues.jsonl").write_text(text + "\n", "utf-8")
    question = {"id": "one", "question": "What are your dogs called?", "answer": "Zemo and Spike"}
    line = json.dumps({**question, "accept": ["Zemo"], "evidence": "Two dogs, Zemo and Spike."})
    (folder / "dmr" / "questions.jsonl").write_text(line + "\n", "utf-8")


def test_deep_memory_retrieval_asks_in_a_new_conversation_and_scores_what_was_found(
    tmp_path: Path, desk: Desk, model: ScriptedModel
) -> None:
    write_dialogue(tmp_path)
    experiment = DeepMemoryRetrieval()
    trials = {trial.way: trial for trial in experiment.trials(tmp_path, [0, 1])}
    assert experiment.attempt(trials["search by words"], desk).scores == {"R@5": 1, "R@10": 1}
    model.enqueue(search("dogs"), reply("They are Zemo and Spike."))
    outcome = experiment.attempt(trials["memory"], desk)
    assert outcome.scores == {"right": 1, "ROUGE-L recall": 1, "evidence read": 1}
    assert [call["function"] for call in outcome.calls] == ["conversation_search", "send_message"]
    assert not any(message.text == "Do you have dogs?" for message in model.prompts[0])
    model.enqueue('{"answer": "Rex"}')
    assert experiment.attempt(trials["full context"], desk).scores["right"] == 0
    assert "Two dogs, Zemo" in model.prompts[-1][-1].text


def test_what_one_trial_writes_is_not_found_in_the_next(
    tmp_path: Path, desk: Desk, model: ScriptedModel
) -> None:
    write_dialogue(tmp_path)
    experiment = DeepMemoryRetrieval()
    trial = next(t for t in experiment.trials(tmp_path, [0]) if t.way == "memory")
    for _ in range(2):
        model.enqueue(search("Rex"), reply("I call them Rex."))
        outcome = experiment.attempt(trial, desk)
        assert "I call them Rex" not in str(outcome.calls[0]["result"])


def test_a_corrected_fact_counts_as_written_when_the_block_says_it(
    desk: Desk, model: ScriptedModel
) -> None:
    source = {"facts": ["Ana plays the flute."], "contradicting_fact": '"Ana plays the harp."'}
    trial = Trial(0, "memory", "update", "What does Ana play?", ("harp",), source)
    model.enqueue(append("Ana plays the harp."), reply("Noted."), reply("The harp."))
    outcome = CoreMemory().attempt(trial, desk)
    assert outcome.scores == {"written": 1, "right": 1}
    model.enqueue(reply("Nice."), reply("The flute."))
    assert CoreMemory().attempt(trial, desk).scores == {"written": 0, "right": 0}


def test_a_chain_of_pairs_has_as_many_links_as_hops_are_asked_for() -> None:
    record = [(f"key {n}", f"value {n}") for n in range(20)]
    pairs, chain = nested(record, seed=7)
    values = dict(pairs)
    assert len(pairs) == 20
    assert len(chain) == HOPS + 2
    assert [values[key] for key in chain[:-1]] == chain[1:]
    assert chain[-1] not in values


def test_an_opener_is_compared_with_the_persona_and_the_human() -> None:
    found = similarities("I like dogs.", ["I like dogs.", "I bake."], "Hi!", HashEmbedder())
    assert found["SIM-1"] == pytest.approx(1)
    assert found["SIM-3"] < 1
    assert similarities("", ["I bake."], "Hi!", HashEmbedder())["SIM-H"] == 0


def look_up(*queries: str) -> FunctionCall:
    arguments = {"queries": list(queries)}
    return FunctionCall("archival_memory_search", arguments, "I look.", request_heartbeat=True)


def test_a_chain_is_followed_through_the_archive_and_scored_by_its_last_value(
    tmp_path: Path, desk: Desk, model: ScriptedModel
) -> None:
    uuid = "{:08x}-0000-4000-8000-000000000000".format
    record = [(uuid(number), uuid(number + 100)) for number in range(20)]
    (tmp_path / "nested_kv").mkdir()
    with gzip.open(tmp_path / "nested_kv" / "kv_140_pairs.jsonl.gz", "wt") as file:
        file.write(json.dumps({"ordered_kv_records": record}) + "\n")
    experiment = NestedKeyValue()
    trials = {trial.name: trial for trial in experiment.trials(tmp_path, [0, 1])}
    trial = trials["memory, 1 hops, row 0"]
    _, chain = nested(record, 0)
    model.enqueue(look_up(chain[-3]), look_up(chain[-2]), reply(f"It is {chain[-1]}."))
    assert experiment.attempt(trial, desk).scores == {"right": 1, "last value read": 1}
    model.enqueue(json.dumps({"answer": chain[-2]}))
    assert experiment.attempt(trials["all pairs, 1 hops, row 0"], desk).scores == {"right": 0}
    assert all(f"{key}: " in model.prompts[-1][-1].text for key in chain[:-1])


def test_document_questions_are_asked_over_the_archive_and_over_its_first_passages(
    tmp_path: Path, desk: Desk, model: ScriptedModel
) -> None:
    passage = {"title": "Nobel prize", "text": "The first went to Röntgen.", "isgold": True}
    fields = {"question": "who got the first nobel prize", "answers": ["Röntgen"]}
    (tmp_path / "nq").mkdir()
    with gzip.open(tmp_path / "nq" / "nq_open_oracle.jsonl.gz", "wt") as file:
        file.write(json.dumps({**fields, "ctxs": [passage]}) + "\n")
    experiment = DocumentQuestions()
    trials = {trial.way: trial for trial in experiment.trials(tmp_path, [0])}
    assert experiment.attempt(trials["search by hybrid"], desk).scores["R@1"] == 1
    model.enqueue(look_up("first nobel prize"), reply("Röntgen."))
    assert experiment.attempt(trials["memory"], desk).scores == {"right": 1, "evidence read": 1}
    model.enqueue('{"answer": "Curie"}')
    assert experiment.attempt(trials["top 5"], desk).scores == {"right": 0}


def test_an_opener_is_asked_for_after_three_sessions(
    tmp_path: Path, desk: Desk, model: ScriptedModel
) -> None:
    write_dialogue(tmp_path)
    human, memory = ConversationOpener().trials(tmp_path, [0])
    assert ConversationOpener().attempt(human, desk).scores["SIM-H"] == pytest.approx(1)
    model.enqueue(reply("How are Zemo and Spike?"))
    assert ConversationOpener().attempt(memory, desk).answer == "How are Zemo and Spike?"
    assert any(message.text == "Do you have dogs?" for message in model.prompts[0])


def test_the_turn_that_holds_an_answer_is_looked_for(tmp_path: Path, desk: Desk) -> None:
    turns = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I bought a harp."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "How nice!"},
    ]
    asked = {"question": "Who has a harp?", "answer": "Ana", "evidence": ["D1:1"], "category": 4}
    talk = {"speaker_a": "Ana", "speaker_b": "Ben", "session_1": turns}
    sample = {"sample_id": "one", "conversation": talk, "qa": [asked, {**asked, "category": 5}]}
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo_first5.json").write_text(json.dumps([sample]), "utf-8")
    trials = list(LongConversations().trials(tmp_path, [0]))
    assert [trial.way.split()[0] for trial in trials] == ["search", "search", "search", "memory"]
    assert LongConversations().attempt(trials[0], desk).scores == {"R@5": 1, "R@10": 1}
