"""What was typed and not sent, of each conversation: kept in drafts.json when the window closes.

It stands in the composer again at the next start. Messages that waited for an answer and stand in
no storage yet are kept with it. What is typed while the program is killed is lost.
"""

import json
import logging
from collections.abc import Mapping
from pathlib import Path

from pagekeeper_core.messages import storable_text
from pagekeeper_desktop.settings import set_aside, write_whole

__all__ = ["load_drafts", "save_drafts"]

log = logging.getLogger(__name__)

FILE_NAME = "drafts.json"


def save_drafts(data_dir: Path, drafts: Mapping[int, str]) -> None:
    """Keep the texts by the numbers of their conversations; without any there is no file."""
    path = data_dir / FILE_NAME
    kept = {str(number): storable_text(text) for number, text in drafts.items() if text.strip()}
    try:
        if kept:
            write_whole(path, json.dumps(kept, ensure_ascii=False, indent=2) + "\n")
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("The unsent text cannot be kept: %s", error)


def load_drafts(data_dir: Path) -> dict[int, str]:
    """The texts that were kept; the file stays until `save_drafts` is called.

    One that cannot be read is kept under another name, for the texts that may still be in it.
    """
    path = data_dir / FILE_NAME
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {int(number): str(text) for number, text in kept.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        set_aside(path, error)
        return {}
