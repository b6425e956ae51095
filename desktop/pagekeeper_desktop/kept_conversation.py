"""The evaluated conversation on disk, so that after a restart the first reply starts at once.

There is one file, of the conversation that was open last. It is a cache: thrown away at will, and
what is read of it is only what the prompt still says. A state takes some ten kilobytes a token, so
it is written when Pagekeeper closes and after a long quiet, not after every turn.
"""

from __future__ import annotations

import logging
import shutil
from typing import TYPE_CHECKING

from pagekeeper_core.errors import Cancelled, ModelError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pagekeeper_core.messages import PromptMessage
    from pagekeeper_core.updates import Update
    from pagekeeper_models.llama_runtime import LlamaRuntime

__all__ = ["KeptConversation"]

log = logging.getLogger(__name__)

QUIET_SECONDS = 300.0
"""Without a message for so long, the state is written although Pagekeeper stays open."""

FEWEST_TOKENS = 64
"""Fewer are evaluated again in a second or two: not worth writing the whole state for."""

LARGEST_FILE = 2 << 30
SPARE_DISK = 1 << 30
"""Bytes: the databases come first."""


class KeptConversation:
    """The file of the conversation's evaluated tokens; also the last of the idle jobs.

    Attributes:
        prompt: Gives the prompt as it stands now; set when there is an agent.
    """

    def __init__(self, runtime: LlamaRuntime, file: Path) -> None:
        self.prompt: Callable[[], Sequence[PromptMessage]] = tuple
        self._runtime = runtime
        self._file = file

    def restore(self) -> int:
        """Let the runtime hold what the file has of the prompt; gives the number of tokens."""
        return self._runtime.load_state(self._file, self.prompt())

    def work(self, cancel: threading.Event) -> Iterator[Update]:
        """Save after a long quiet.

        Raises:
            Cancelled: `cancel` was set.
        """
        yield from ()
        if self._is_worth_saving():
            if cancel.wait(QUIET_SECONDS):
                raise Cancelled
            self.save()

    def save(self) -> None:
        """Write the file if it lacks enough. That it cannot be written concerns nobody."""
        try:
            if self._is_worth_saving() and self._has_room():
                self._runtime.save_state(self._file, self.prompt())
        except (OSError, ModelError):
            log.info("The evaluated conversation was not saved", exc_info=True)

    def _is_worth_saving(self) -> bool:
        return self._runtime.unsaved(self._file, self.prompt()) >= FEWEST_TOKENS

    def _has_room(self) -> bool:
        size = self._runtime.state_size()
        return (
            size <= LARGEST_FILE and size + SPARE_DISK <= shutil.disk_usage(self._file.parent).free
        )
