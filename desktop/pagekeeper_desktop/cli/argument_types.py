"""What a word of the command line may be: the checks that argparse makes of it."""

import argparse
from pathlib import Path

__all__ = ["folder", "layers", "positive", "text", "thread"]

NEW_THREAD = 0
"""What `thread` makes of the word "new"."""


def text(word: str) -> str:
    """Any text but an empty one."""
    if not word.strip():
        raise argparse.ArgumentTypeError("the value is empty")
    return word


def folder(word: str) -> Path:
    """A path; whether something is there is another's question."""
    return Path(text(word))


def positive(word: str) -> int:
    """A whole number above 0, in ASCII digits."""
    if not (word.isascii() and word.isdigit() and int(word) > 0):
        raise argparse.ArgumentTypeError(f"'{word}' is not a number above 0")
    return int(word)


def layers(word: str) -> int:
    """A number of layers; -1 stands for all."""
    return -1 if word == "-1" else (0 if word == "0" else positive(word))


def thread(word: str) -> int:
    """A conversation's number; "new" is 0."""
    return NEW_THREAD if word == "new" else positive(word)
