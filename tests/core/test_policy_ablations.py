"""The settings that evaluations compare: each reaches what the model is offered."""

from typing import Any

from helpers.agent_rig import AgentRig, reply
from pagekeeper_core.config import MemoryPolicy


def calls_offered(policy: MemoryPolicy) -> tuple[AgentRig, dict[str, Any]]:
    rig = AgentRig(policy=policy)
    if policy.thoughts:
        rig.model.enqueue(reply("Fine."))
    else:
        rig.model.enqueue('{"function": "send_message", "params": {"message": "Fine."}}')
    rig.say("How are you?")
    (schema,) = rig.model.schemas
    options: Any = schema["anyOf"]
    return rig, {call["properties"]["function"]["const"]: call for call in options}


def test_a_search_carries_as_many_queries_as_the_policy_says() -> None:
    _, calls = calls_offered(MemoryPolicy(queries=1))
    search = calls["conversation_search"]["properties"]["params"]["properties"]["queries"]
    assert search["maxItems"] == 1
    _, calls = calls_offered(MemoryPolicy())
    search = calls["archival_memory_search"]["properties"]["params"]["properties"]["queries"]
    assert search["maxItems"] == 3


def test_thoughts_are_bounded_as_the_policy_says() -> None:
    _, calls = calls_offered(MemoryPolicy(thoughts=60))
    assert calls["send_message"]["properties"]["inner_thoughts"]["maxLength"] == 60


def test_without_thoughts_the_model_neither_sees_nor_writes_any() -> None:
    rig, calls = calls_offered(MemoryPolicy(thoughts=0))
    assert all("inner_thoughts" not in call["properties"] for call in calls.values())
    assert '"inner_thoughts"' not in " ".join(message.text for message in rig.agent.prompt())
