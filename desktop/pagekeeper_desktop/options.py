"""What the person chose for this start, before settings and defaults fill the gaps."""

from dataclasses import dataclass
from pathlib import Path

import platformdirs

__all__ = ["Options", "default_data_dir"]


@dataclass(frozen=True, slots=True)
class Options:
    """The choices that the command line passes to the composition.

    Attributes:
        data_dir: The data folder: memory, settings, logs.
        model: A name from the catalogue or the path of a GGUF file; None: settings, then default.
        context_window: Tokens; None: settings, then what suits model and machine.
        n_gpu_layers: Layers that the graphics processor computes; 0: none, -1: all.
    """

    data_dir: Path
    model: str | None = None
    context_window: int | None = None
    n_gpu_layers: int = 0


def default_data_dir() -> Path:
    """Where the operating system wants a person's program data to be."""
    return Path(platformdirs.user_data_dir("pagekeeper", appauthor=False))
