"""What was typed and not sent when the window closed: it stands in the composer at the next start.

A text of the person is never lost, not even one that waited for the model to be loaded.
"""

import logging
from pathlib import Path

from pagekeeper_core.messages import storable_text
from pagekeeper_desktop.settings import write_whole

__all__ = ["save_draft", "take_draft"]

log = logging.getLogger(__name__)

FILE_NAME = "draft.txt"


def save_draft(data_dir: Path, text: str) -> None:
    """Keep a text for the next start; an empty one leaves no file."""
    path = data_dir / FILE_NAME
    try:
        if text.strip():
            write_whole(path, storable_text(text))
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("The unsent text cannot be kept: %s", error)


def take_draft(data_dir: Path) -> str:
    """The text that was kept, or an empty one; the file stays until `save_draft` is called."""
    try:
        return (data_dir / FILE_NAME).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        log.warning("The unsent text cannot be read: %s", error)
        return ""
