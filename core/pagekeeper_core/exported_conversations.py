"""What ChatGPT and Claude write into the `conversations.json` of an export.

ChatGPT: an array of conversations, each a tree of nodes in `mapping`: {id: {message, parent,
children}}. `current_node` is the leaf of the branch that the person saw last. Times are seconds
since 1970, UTC. Claude: an array with `chat_messages` in order, times in ISO 8601.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from pagekeeper_core import prompts
from pagekeeper_core.function_calls import SEND_MESSAGE, call_text
from pagekeeper_core.imported_conversations import ImportedConversation, ImportedMessage
from pagekeeper_core.messages import FunctionCall, Message, MessageKind, storable_text

__all__ = ["exported_conversation", "is_export_head"]

_SPEAKERS = {
    "user": MessageKind.USER,
    "human": MessageKind.USER,
    "assistant": MessageKind.ASSISTANT,
}

# Content of ChatGPT's messages that was not said: its thoughts, settings, what tools gave back.
_NOT_SAID = frozenset(
    {
        "thoughts",
        "reasoning_recap",
        "user_editable_context",
        "model_editable_context",
        "execution_output",
        "system_error",
        "tether_browsing_display",
        "tether_quote",
        "sonic_webpage",
    }
)

# Characters of a message that the model sees when the conversation is opened; search finds all.
_SHOWN = 2000

_LATEST = 253402300799.0
_HEAD_KEYS = (('"mapping"', '"current_node"'), ('"chat_messages"', '"uuid"'))
_FIRST_KEYS = ('"title"', '"conversation_id"', '"uuid"', '"mapping"', '"create_time"', '"id"')


def is_export_head(head: str) -> bool:
    """Whether a `conversations.json` begins like this."""
    beginning = head.lstrip("\ufeff \t\r\n")
    if not beginning.startswith("["):
        return False
    first = beginning[1:].lstrip().removeprefix("{").lstrip()
    if any(all(key in head for key in keys) for keys in _HEAD_KEYS):
        return True
    return first.startswith(_FIRST_KEYS) and any(key in head for keys in _HEAD_KEYS for key in keys)


def exported_conversation(value: object) -> ImportedConversation | None:
    """One element of the array; None where nothing was said in it.

    Raises:
        ValueError: It is not of a known form; so say KeyError and TypeError of a damaged one.
    """
    fields = _mapping(value)
    if "chat_messages" in fields:
        return _from_claude(fields)
    if "mapping" in fields:
        return _from_chatgpt(fields)
    raise ValueError("it is no conversation of ChatGPT or Claude")


def _from_chatgpt(fields: Mapping[str, object]) -> ImportedConversation | None:
    identifier = str(fields.get("conversation_id") or fields["id"])
    begun = _seconds(fields.get("create_time"))
    messages: list[ImportedMessage] = []
    for node_id, message in _branch(fields):
        kind, text = _said(message)
        if kind is None or not text:
            continue
        at = _seconds(message.get("create_time")) or _last_time(messages) or begun
        messages.append(_imported(str(message.get("id") or node_id), kind, text, at))
    return _conversation("ChatGPT", identifier, fields.get("title"), begun, messages)


def _branch(fields: Mapping[str, object]) -> list[tuple[str, Mapping[str, object]]]:
    """The messages of the chosen branch, from the root on."""
    nodes = _mapping(fields["mapping"])
    at = fields.get("current_node") or _last_leaf(nodes)
    branch: list[tuple[str, Mapping[str, object]]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        node = _mapping(nodes[at])
        if isinstance(node.get("message"), Mapping):
            branch.append((at, _mapping(node["message"])))
        at = node.get("parent")
    return branch[::-1]


def _last_leaf(nodes: Mapping[str, object]) -> str | None:
    """Where the chosen branch is not named: the last node that nothing follows."""
    leaves = [name for name, node in nodes.items() if not _mapping(node).get("children")]
    return leaves[-1] if leaves else None


def _said(message: Mapping[str, object]) -> tuple[MessageKind | None, str]:
    """Who said it, None where it was not said to anyone, and the text."""
    role = _mapping(message.get("author") or {}).get("role")
    metadata = message.get("metadata")
    hidden = isinstance(metadata, Mapping) and metadata.get("is_visually_hidden_from_conversation")
    content = _mapping(message.get("content") or {})
    to_a_tool = message.get("recipient") not in {None, "all"}
    if hidden or to_a_tool or content.get("content_type") in _NOT_SAID:
        return None, ""
    parts = [*_parts(content), *_attachments(metadata)]
    return _SPEAKERS.get(str(role)), "\n\n".join(part for part in parts if part.strip()).strip()


def _parts(content: Mapping[str, object]) -> Iterator[str]:
    if content.get("content_type") == "code":
        language = content.get("language")
        name = language if isinstance(language, str) and language != "unknown" else ""
        yield f"```{name}\n{content.get('text') or ''}\n```"
        return
    text = content.get("text")
    if isinstance(text, str):
        yield text
    for part in _sequence(content.get("parts")):
        yield part if isinstance(part, str) else _part_in_words(part)


def _part_in_words(part: object) -> str:
    if not isinstance(part, Mapping):
        return ""
    kind = str(part.get("content_type") or "")
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if "image" in kind:
        metadata = part.get("metadata")
        dalle = metadata.get("dalle") if isinstance(metadata, Mapping) else None
        prompt = dalle.get("prompt") if isinstance(dalle, Mapping) else None
        return f"[picture: {prompt}]" if prompt else "[picture]"
    return "[sound]" if "audio" in kind else ""


def _attachments(metadata: object) -> Iterator[str]:
    if isinstance(metadata, Mapping):
        for file in _sequence(metadata.get("attachments")):
            if isinstance(file, Mapping) and file.get("name"):
                yield f"[file: {file['name']}]"


def _from_claude(fields: Mapping[str, object]) -> ImportedConversation | None:
    begun = _moment(fields.get("created_at"))
    messages: list[ImportedMessage] = []
    for value in _sequence(fields["chat_messages"]):
        message = _mapping(value)
        kind = _SPEAKERS.get(str(message.get("sender")))
        text = "\n\n".join(part for part in _claude_parts(message) if part.strip()).strip()
        if kind is not None and text:
            at = _moment(message.get("created_at")) or _last_time(messages) or begun
            messages.append(_imported(str(message["uuid"]), kind, text, at))
    return _conversation("Claude", str(fields["uuid"]), fields.get("name"), begun, messages)


def _claude_parts(message: Mapping[str, object]) -> Iterator[str]:
    """The text blocks; older exports have the text alone. Then the names of what was attached."""
    blocks = [block for block in _sequence(message.get("content")) if isinstance(block, Mapping)]
    texts = [str(block.get("text") or "") for block in blocks if block.get("type") == "text"]
    yield from texts if any(texts) else [str(message.get("text") or "")]
    for key in ("attachments", "files"):
        for file in _sequence(message.get(key)):
            if isinstance(file, Mapping) and file.get("file_name"):
                yield f"[file: {file['file_name']}]"


def _conversation(
    origin: str,
    identifier: str,
    title: object,
    begun: datetime | None,
    messages: Sequence[ImportedMessage],
) -> ImportedConversation | None:
    if not messages:
        return None
    at = begun or messages[0].message.created_at
    name = title if isinstance(title, str) else ""
    return ImportedConversation(origin, identifier, name, at, tuple(messages))


def _imported(
    identifier: str, kind: MessageKind, text: str, at: datetime | None
) -> ImportedMessage:
    if at is None:
        raise ValueError("a message has no time")
    cleaned = storable_text(text)
    shown = cleaned if len(cleaned) <= _SHOWN else f"{cleaned[:_SHOWN]}…"
    if kind is MessageKind.USER:
        return ImportedMessage(identifier, Message(kind, cleaned, prompts.user_message(shown), at))
    call = FunctionCall(SEND_MESSAGE, {"message": shown})
    return ImportedMessage(identifier, Message(kind, cleaned, call_text(call), at, call))


def _last_time(messages: Sequence[ImportedMessage]) -> datetime | None:
    return messages[-1].message.created_at if messages else None


def _seconds(value: object) -> datetime | None:
    if isinstance(value, int | float) and 0 < value < _LATEST:
        return datetime.fromtimestamp(value, UTC)
    return _moment(value)


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str) or not value:
        return None
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise TypeError(f"there is {type(value).__name__} in the place of an object")
    return value


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()
