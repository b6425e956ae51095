"""The experiments over a scripted model: what they put into the stores, and how they score."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.core_memory import CoreMemory
from evals.desk import Desk
from evals.dmr import DeepMemoryRetrieval
from evals.nested_kv import HOPS, nested
from evals.opener import similarities
from evals.trials import RunSettings, Trial
from helpers.agent_rig import append, reply, search
from helpers.memory_stores import HashEmbedder
from helpers.scripted_model import ScriptedModel

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
