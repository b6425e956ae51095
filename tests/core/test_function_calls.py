"""The JSON text of calls: written, read, and read while it is being written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekeeper_core.errors import FunctionError
from pagekeeper_core.function_calls import ReplyReader, call_text, parse_call
from pagekeeper_core.messages import FunctionCall

texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(texts, texts)
def test_a_call_survives_its_text(message: str, thoughts: str) -> None:
    call = FunctionCall("send_message", {"message": message}, thoughts)
    assert parse_call(call_text(call)) == call


def test_only_other_functions_carry_a_heartbeat() -> None:
    assert "request_heartbeat" not in call_text(FunctionCall("send_message", {"message": "Hi"}))
    call = FunctionCall("archival_memory_insert", {"text": "a"}, "t", request_heartbeat=True)
    assert json.loads(call_text(call))["request_heartbeat"] is True
    assert parse_call(call_text(call)) == call


@pytest.mark.parametrize("text", ["", "Hello!", "[1]", '{"function": "send_message"}', "null"])
def test_prose_is_refused(text: str) -> None:
    with pytest.raises(FunctionError):
        parse_call(text)


@given(texts, st.integers(1, 9))
def test_the_reply_is_read_while_it_is_written(message: str, size: int) -> None:
    text = call_text(FunctionCall("send_message", {"message": message}, "I answer."))
    reader = ReplyReader()
    deltas = [reader.feed(text[i : i + size]) for i in range(0, len(text), size)]
    assert "".join(deltas) == message
    assert reader.text == text


def test_escaped_halves_of_an_emoji_are_never_shown() -> None:
    reader = ReplyReader()
    text = json.dumps(
        {"inner_thoughts": "a", "function": "send_message", "params": {"message": "Hi 😀!"}}
    )
    for sign in text:
        reader.feed(sign).encode()
    assert reader.reply == "Hi 😀!"


def test_the_arguments_of_other_functions_are_not_a_reply() -> None:
    reader = ReplyReader()
    call = FunctionCall("core_memory_append", {"block": "human", "text": "message"})
    assert reader.feed(call_text(call)) == ""


def test_a_call_without_thoughts_leaves_them_out_and_is_read_all_the_same() -> None:
    call = FunctionCall("send_message", {"message": "Hi"})
    assert "inner_thoughts" not in call_text(call)
    assert parse_call(call_text(call)) == call
