"""What is loaded ahead of an import, so that the import holds nobody up."""

import importlib.util
import subprocess
import sys
import textwrap
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from pagekeeper_models import native_library


@pytest.mark.thorough
def test_libtorch_is_loaded_without_torch_and_torch_works_behind_it() -> None:
    script = """
        import ctypes, os, sys
        from importlib.util import find_spec
        from pathlib import Path
        from pagekeeper_models.native_library import _NAMES, load_libtorch
        name = _NAMES.get(sys.platform)
        assert load_libtorch() == (name is not None)
        assert "torch" not in sys.modules
        folder = Path(find_spec("torch").submodule_search_locations[0]) / "lib"
        if name:
            ctypes.CDLL(str(folder / name), mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        import torch
        assert torch.ones(3).sum().item() == 3
    """
    child = [sys.executable, "-c", textwrap.dedent(script)]
    assert subprocess.run(child, check=False).returncode == 0


def test_what_is_missing_or_damaged_is_left_to_the_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    spec = ModuleSpec("torch", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    for found in (None, spec):
        monkeypatch.setattr(importlib.util, "find_spec", lambda _, found=found: found)
        assert not native_library.load_libtorch()
    for name in native_library._NAMES.values():
        (tmp_path / "lib" / name).write_bytes(b"no library")
    assert not native_library.load_libtorch()
