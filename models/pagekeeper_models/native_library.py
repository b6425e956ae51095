"""Reads large native libraries into the process while other threads go on.

Python holds its interpreter while it loads an extension module, the libraries beneath it included.
PyTorch's are hundreds of megabytes with thousands of initialisers: half a second, on a slow machine
some seconds, in which the window cannot draw. A function that is called through ctypes runs without
the interpreter. So the system's own loader is called that way first; the import then finds the
libraries loaded.

On Windows PyTorch calls the loader through ctypes by itself.
"""

import _imp
import ctypes
import importlib.util
import sys
from pathlib import Path

__all__ = ["load_libtorch"]

_NAMES = {"linux": "libtorch.so", "darwin": "libtorch.dylib"}


def load_libtorch() -> bool:
    """Load what PyTorch is made of, its Python module apart; False where that cannot be.

    Whatever is wrong with the library, `import torch` says it better.
    """
    name, spec = _NAMES.get(sys.platform), importlib.util.find_spec("torch")
    if name is None or spec is None or not spec.submodule_search_locations:
        return False
    path = Path(spec.submodule_search_locations[0]) / "lib" / name
    return path.is_file() and _load(path)


def _load(path: Path) -> bool:
    load = ctypes.CDLL(None).dlopen
    load.argtypes, load.restype = (ctypes.c_char_p, ctypes.c_int), ctypes.c_void_p
    # The loader does one library at a time. Another thread that imports an extension would wait for
    # it with the interpreter in its hand; here it waits for the import lock, without.
    _imp.acquire_lock()
    try:
        return bool(load(str(path).encode(), sys.getdlopenflags()))
    finally:
        _imp.release_lock()
