"""What a model writes, as a whole, where nobody watches it grow."""

from collections.abc import Generator, Iterable

from pagekeeper_core.updates import PromptProgress

__all__ = ["whole_text"]


def whole_text(writing: Iterable[PromptProgress | str]) -> Generator[PromptProgress, None, str]:
    """The text of a generation; how far the prompt is evaluated is passed on.

    What the generation raises is raised.
    """
    text = ""
    for piece in writing:
        if isinstance(piece, PromptProgress):
            yield piece
        else:
            text += piece
    return text
