"""Says whether an installation works: every library loads, and each model gives a first result.

Run with the Python of the installation: `.venv/bin/python packaging/smoke_test.py`. It tries the
smallest language model that is here, and the embedder.
"""

import importlib
import sys
import tempfile
from pathlib import Path

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_models.catalogue import load_catalogue, models_dir
from pagekeeper_models.gguf_check import check_gguf, trial_load
from pagekeeper_models.sentence_embedder import SentenceEmbedder
from pagekeeper_models.verification import is_verified

_LIBRARIES = (
    "PySide6.QtCore",
    "duckdb",
    "lancedb",
    "llama_cpp",
    "outlines",
    "pypdfium2",
    "rapidocr",
    "tiktoken",
    "pagekeeper_desktop.composition",
)


def main() -> int:
    """Try everything once.

    Returns:
        0 if all works, else 1 with the reason on standard error.
    """
    try:
        for library in _LIBRARIES:
            importlib.import_module(library)
        _try_language_model()
        _try_embedder()
    except (ImportError, PagekeeperError) as error:
        print(f"{error} {getattr(error, 'hint', '')}".rstrip(), file=sys.stderr)
        return 1
    print("Pagekeeper is up.")
    return 0


def _try_language_model() -> None:
    """Decode a token in a child process: a build for another processor ends it with a signal."""
    here = [model for model in load_catalogue().models if is_verified(model, models_dir())]
    if here:
        path = models_dir() / min(here, key=lambda model: model.bytes).location
        check_gguf(path)
        with tempfile.TemporaryDirectory() as nothing_known:
            trial_load(path, records=Path(nothing_known))


def _try_embedder() -> None:
    embedder = load_catalogue().embedder
    if is_verified(embedder, models_dir()):
        (vector,) = SentenceEmbedder(models_dir() / embedder.location).embed(["A first sentence."])
        if len(vector) != embedder.dimension:
            raise PagekeeperError("The embedding model gives vectors of a wrong length.")


if __name__ == "__main__":
    sys.exit(main())
