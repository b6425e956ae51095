"""The JSON text of a function call: written under a schema, read while it is being written.

    {"inner_thoughts": "…", "function": "send_message", "params": {"message": "…"}}

`inner_thoughts` comes first: what a small model writes before it chooses improves the choice
(measured; paper, section 2.4 calls it the inner monologue). A model that is to write none leaves
them out.
"""

import json
from collections.abc import Mapping

from pydantic_core import from_json

from pagekeeper_core.errors import FunctionError
from pagekeeper_core.messages import FunctionCall

__all__ = [
    "LAST_CALLS",
    "SEND_MESSAGE",
    "WAIT_FOR_USER",
    "ReplyReader",
    "call_text",
    "parse_call",
    "partial_reply",
]

SEND_MESSAGE = "send_message"
WAIT_FOR_USER = "wait_for_user"
LAST_CALLS = (SEND_MESSAGE, WAIT_FOR_USER)
"""Functions after which no further step makes sense: they carry no heartbeat."""


def call_text(call: FunctionCall) -> str:
    """The call as the model would write it: same keys, same order, same separators."""
    fields: dict[str, object] = {"function": call.name, "params": dict(call.arguments)}
    if call.inner_thoughts:
        fields = {"inner_thoughts": call.inner_thoughts, **fields}
    if call.name not in LAST_CALLS:
        fields["request_heartbeat"] = call.request_heartbeat
    return json.dumps(fields, ensure_ascii=False)


def parse_call(text: str) -> FunctionCall:
    """Read a whole call; its arguments are validated by the executor.

    Raises:
        FunctionError: The text is not a function call.
    """
    try:
        fields = json.loads(text)
        return FunctionCall(
            name=str(fields["function"]),
            arguments=dict(fields["params"]),
            inner_thoughts=str(fields.get("inner_thoughts", "")),
            request_heartbeat=bool(fields.get("request_heartbeat", False)),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise FunctionError(f"That was not a function call in JSON: {error}") from error


def partial_reply(text: str) -> str | None:
    """The message of a `send_message` call of which only the beginning is written yet."""
    try:
        fields = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return None
    if not isinstance(fields, Mapping) or fields.get("function") != SEND_MESSAGE:
        return None
    params = fields.get("params")
    message = params.get("message") if isinstance(params, Mapping) else None
    return message if isinstance(message, str) else None


class ReplyReader:
    """Collects the pieces of a call and gives the reply's text as far as it goes.

    Attributes:
        text: All that was written.
        reply: The reply's text until now; empty while there is none.
    """

    def __init__(self) -> None:
        self.text = ""
        self.reply = ""

    def feed(self, piece: str) -> str:
        """Take a piece; gives the text that the reply grew by."""
        self.text += piece
        reply = partial_reply(self.text)
        if reply is None or len(reply) <= len(self.reply):
            return ""
        delta, self.reply = reply[len(self.reply) :], reply
        return delta
