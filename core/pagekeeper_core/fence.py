"""The fence around text of documents in the prompt: it is to be read, and it is never an order.

Whatever looks like the fence inside such a text is taken apart, so that no document can end its own
fence. Control tokens of a chat template need nothing here: a tokenizer reads the text of messages
as plain text.
"""

import re
import unicodedata

__all__ = ["BEGIN", "END", "closed", "fenced", "fenced_in", "name_line", "unfenced"]

BEGIN, END = "<<<", ">>>"

_MARKS = re.compile("[<＜﹤]{2,}|[>＞﹥]{2,}")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069]")
_FENCED = re.compile(f"{BEGIN}(.*?)(?:{END}|$)", re.DOTALL)


def unfenced(text: str) -> str:
    """The text on one line, without marks that look like the fence and signs that hide them."""
    flat = " ".join(_INVISIBLE.sub("", text).split())
    return _MARKS.sub(lambda marks: " ".join(marks.group()), flat)


def fenced(text: str) -> str:
    """The text of a document in its fence."""
    return f"{BEGIN}{unfenced(text)}{END}"


def closed(text: str) -> str:
    """The text with the fence closed in which cutting it has left it open."""
    return text + END if text.rfind(BEGIN) > text.rfind(END) else text


def fenced_in(text: str) -> list[str]:
    """What stands in fences in a text of the prompt."""
    return _FENCED.findall(text)


def name_line(name: str, longest: int) -> str:
    """A name that comes from a file, its own or one in it, such as a title: short, no fence."""
    visible = "".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in name)
    flat = unfenced(visible)
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
