"""Says whether a GGUF file can be used, and if not, why: before llama.cpp is asked to load it.

`check_gguf` reads the header only. `trial_load` then loads the file in a child process and decodes
one token, since llama.cpp answers some broken files with a crash; it is meant for files that the
catalogue does not vouch for. `python -m pagekeeper_models.gguf_check PATH` is that child.
"""

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from gguf import MODEL_ARCH_NAMES

from pagekeeper_core.errors import Cancelled, ModelError, ModelFileError
from pagekeeper_models.catalogue import memory_need, models_dir
from pagekeeper_models.gguf_header import ArrayLength, GgufFormatError, RawHeader, read_header
from pagekeeper_models.verification import records_dir

__all__ = ["GgufHeader", "check_gguf", "trial_load"]

_KV_BYTES_PER_NUMBER = 2
_NOT_WRITERS = ("bert", "clip", "mmproj", "embed", "t5encoder", "wavtokenizer")
"""Parts of the names of architectures that do not write text: embedders, image encoders, speech."""

_TRIAL_SECONDS = 60.0
_SLOWEST_DISK = 40_000_000
"""Bytes a second: a large file on a slow disk gets more time for its trial."""
_CRASH_CODES = {-11: "memory fault", -6: "abort", -4: "illegal instruction", -9: "killed"}
_POLL_SECONDS = 0.1
_TRIAL_WINDOW = 64


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a GGUF file says of itself.

    Attributes:
        architecture: llama.cpp's name of the model's kind, such as "qwen2".
        title: The model's own name, or the file's.
        context_length: Tokens that the model was trained for; 0 if the file does not say.
        kv_bytes_per_token: Size of the KV cache for one token, in 16-bit floats.
        bytes: Size of the file.
    """

    architecture: str
    title: str
    context_length: int
    kv_bytes_per_token: int
    bytes: int

    def memory_bytes(self, context_window: int) -> int:
        """Memory that the whole program needs with this model, at a window of so many tokens."""
        return memory_need(self.bytes, self.kv_bytes_per_token, context_window)


def check_gguf(
    path: Path, *, context_window: int = 8192, memory_bytes: int | None = None
) -> GgufHeader:
    """Read the header and see whether this machine can use the file.

    Args:
        path: The file.
        context_window: The window in tokens that will be asked for.
        memory_bytes: Memory of the machine; by default what it has.

    Raises:
        ModelFileError: The file is missing, unreadable, not GGUF, cut off, of an unknown kind, not
            a language model, or too large for the memory.
    """
    _check_path(path, sys.platform)
    try:
        size = path.stat().st_size
        raw = read_header(path)
    except GgufFormatError as error:
        raise _refused(path, str(error)) from error
    except OSError as error:
        raise _cannot_open(path, error) from error
    _check_whole(path, raw, size)
    _check_kind(path, raw)
    header = _summary(path, raw, size)
    _check_memory(header, context_window, memory_bytes or psutil.virtual_memory().total)
    return header


def _check_path(path: Path, platform: str) -> None:
    if path.is_dir():
        raise ModelFileError(
            f"{path} is a folder, not a model file.",
            hint="Choose the file in it that ends in .gguf.",
        )
    if platform == "win32" and not str(path).isascii():
        raise ModelFileError(
            f"{path} cannot be opened: on Windows llama.cpp reads only paths in plain letters.",
            hint="Move the file to a folder whose name has no accents or other scripts.",
        )


def _refused(path: Path, reason: str) -> ModelFileError:
    return ModelFileError(
        f"{path.name} cannot be used: the file {reason}",
        hint="Download it again, or choose another model file.",
    )


def _cannot_open(path: Path, error: OSError) -> ModelFileError:
    if isinstance(error, FileNotFoundError):
        return ModelFileError(
            f"There is no file {path}.", hint="It may have been moved; choose it again."
        )
    return ModelFileError(
        f"{path} cannot be opened: {error.strerror or error}.",
        hint="See to it that the file may be read by you, and that its disk is connected.",
    )


def _check_whole(path: Path, raw: RawHeader, size: int) -> None:
    end = max((tensor.end for tensor in raw.tensors), default=0)
    if not raw.tensors:
        raise _refused(path, "holds no weights, only a vocabulary.")
    if end > size:
        missing = (end - size) / 1e6
        raise _refused(path, f"is incomplete: {missing:,.1f} MB are missing at its end.")
    if _number(raw, "split.no") > 0:
        raise _refused(path, "is a later part of a model in several files; open the first part.")


def _check_kind(path: Path, raw: RawHeader) -> None:
    architecture = str(raw.metadata.get("general.architecture", ""))
    kind = raw.metadata.get("general.type", "model")
    if kind != "model":
        raise _refused(path, f"holds a part for another model ({kind}), not a model.")
    if not architecture:
        raise _refused(path, "does not say what kind of model it is.")
    if any(name in architecture for name in _NOT_WRITERS):
        raise _refused(path, f"holds a model that does not write text ({architecture}).")
    if architecture not in MODEL_ARCH_NAMES.values() and not _library_knows(architecture):
        raise _refused(path, f"holds a model of a kind unknown to this version: {architecture}.")
    if not _number(raw, "tokenizer.ggml.tokens"):
        raise _refused(path, "has no tokenizer in it.")


def _library_knows(architecture: str) -> bool:
    """Whether llama.cpp itself knows a kind that the package `gguf` has not heard of yet.

    The library has no function that says so before a model is loaded, so its file is searched for
    the name. A chance hit does no harm: the trial load follows.
    """
    spec = importlib.util.find_spec("llama_cpp")
    if spec is None or spec.origin is None:
        return False
    name = b"\0" + architecture.encode() + b"\0"
    libraries = (Path(spec.origin).parent / "lib").glob("*llama.*")
    return any(name in library.read_bytes() for library in libraries)


def _summary(path: Path, raw: RawHeader, size: int) -> GgufHeader:
    return GgufHeader(
        architecture=str(raw.metadata["general.architecture"]),
        title=str(raw.metadata.get("general.name") or path.stem),
        context_length=_own_number(raw, "context_length"),
        kv_bytes_per_token=_kv_bytes_per_token(raw),
        bytes=size,
    )


def _kv_bytes_per_token(raw: RawHeader) -> int:
    """Keys and values of all layers. Models with a cheaper cache (Mamba, sliding) need less."""
    layers = _own_number(raw, "block_count")
    heads = _own_number(raw, "attention.head_count")
    kv_heads = _own_number(raw, "attention.head_count_kv") or heads
    head_size = _own_number(raw, "embedding_length") // heads if heads else 0
    key_size = _own_number(raw, "attention.key_length") or head_size
    value_size = _own_number(raw, "attention.value_length") or head_size
    return layers * kv_heads * (key_size + value_size) * _KV_BYTES_PER_NUMBER


def _own_number(raw: RawHeader, key: str) -> int:
    """A number under the architecture's name; where layers differ (an array), it is unknown: 0."""
    value = raw.metadata.get(f"{raw.metadata['general.architecture']}.{key}", 0)
    return int(value) if isinstance(value, int) and not isinstance(value, ArrayLength) else 0


def _number(raw: RawHeader, key: str) -> int:
    value = raw.metadata.get(key, 0)
    return int(value) if isinstance(value, int) else 0


def _check_memory(header: GgufHeader, context_window: int, memory_bytes: int) -> None:
    need = header.memory_bytes(context_window)
    if need > memory_bytes:
        raise ModelFileError(
            f"{header.title} needs about {need / 1e9:.1f} GB of memory with a window of "
            f"{context_window:,} tokens; this machine has {memory_bytes / 1e9:.1f} GB.",
            hint="Choose a smaller model or a smaller context window.",
        )


def trial_load(
    path: Path,
    *,
    cancel: threading.Event | None = None,
    timeout: float | None = None,
    records: Path | None = None,
) -> None:
    """Load the file in a child process and decode one token; at once done if it passed before.

    Args:
        path: The file; it should have passed `check_gguf`.
        cancel: Ends the child when it is set.
        timeout: Seconds; by default a minute, and more for large files.
        records: Folder for what was found sound; by default beside the models.

    Raises:
        Cancelled: `cancel` was set.
        ModelFileError: llama.cpp refuses the file, crashes on it, or takes too long.
    """
    record = _trial_record(path, records or records_dir(models_dir()))
    fingerprint = _fingerprint(path)
    if _read(record) == fingerprint:
        return
    limit = timeout or _TRIAL_SECONDS + path.stat().st_size / _SLOWEST_DISK
    _run_trial(path, cancel or threading.Event(), limit)
    with contextlib.suppress(OSError):
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(fingerprint, "utf-8")


def _run_trial(path: Path, cancel: threading.Event, limit: float) -> None:
    command = [sys.executable, "-m", "pagekeeper_models.gguf_check", str(path)]
    deadline = time.monotonic() + limit
    # A file, since a pipe that nobody reads meanwhile would hold up a child that says much.
    with tempfile.TemporaryFile() as complaints:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=complaints)  # noqa: S603 - our own command line
        try:
            while child.poll() is None:
                if cancel.wait(_POLL_SECONDS):
                    raise Cancelled
                if time.monotonic() > deadline:
                    raise _refused(path, f"did not load within {limit:.0f} seconds.")
        finally:
            child.kill()
            child.wait()
        if child.returncode:
            complaints.seek(0)
            raise _trial_failure(path, child.returncode, complaints.read())


def _trial_failure(path: Path, code: int, complaints: bytes) -> ModelFileError:
    lines = complaints.decode("utf-8", errors="replace").strip().splitlines()
    if code != 1 or not lines:
        crash = _CRASH_CODES.get(code, f"code {code}")
        return _refused(path, f"makes llama.cpp crash ({crash}).")
    return _refused(path, f"does not load in llama.cpp: {lines[-1]}")


def _trial_record(path: Path, records: Path) -> Path:
    name = hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:16]
    return records / f"trial-{name}.json"


def _fingerprint(path: Path) -> str:
    """What the trial's result depends on: the file, and the library that loaded it."""
    try:
        status = path.stat()
    except OSError as error:
        raise _cannot_open(path, error) from error
    library = importlib.metadata.version("llama-cpp-python")
    return json.dumps([str(path.absolute()), status.st_size, status.st_mtime_ns, library])


def _read(record: Path) -> str | None:
    try:
        return record.read_text("utf-8")
    except (OSError, ValueError):
        return None


def main(argv: Sequence[str]) -> int:
    """Load the model at argv[0] with a tiny window and decode one token.

    Returns:
        0 if that worked, else 1 with the reason as the last line on stderr.
    """
    from pagekeeper_models import kv_cache, llama_library  # noqa: PLC0415 - only in the child

    try:
        # Closed here, since the library must not call back while the interpreter goes down.
        with contextlib.closing(llama_library.LlamaModel.load(Path(argv[0]))) as model:
            cache = kv_cache.KvCache(model, window=_TRIAL_WINDOW, batch_size=1, threads=1)
            with contextlib.closing(cache):
                cache.append([0], threading.Event())
                reason = "" if np.isfinite(cache.logits()).all() else "its weights are not numbers"
    except ModelError as error:
        reason = llama_library.library_log.reason() or str(error)
    sys.stderr.write(reason)
    return 1 if reason else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
