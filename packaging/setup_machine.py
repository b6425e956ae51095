"""What this machine is and what it lacks: compiler, processor, display, Qt's system libraries."""

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from setup_errors import COMPILER_ADVICE, SetupError

__all__ = ["check_compiler", "check_qt_libraries", "cmake_flags", "has_display", "instruction_sets"]

_SLIM = (
    "-DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_SERVER=OFF "
    "-DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF"
)
_NO_AMX = "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"

_QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
}
"""What the Qt wheels expect of a Linux system, and the Debian package that holds each."""


def cmake_flags(system: str | None = None, machine: str | None = None) -> str:
    """The flags that llama.cpp is built with: for this processor, without tools and servers.

    GCC 12 drops the stores that set up AMX, so a native build dies with SIGILL on processors that
    have it: on x86, AMX is switched off. MSVC does not know it.
    """
    system = system or platform.system()
    machine = (machine or platform.machine()).lower()
    if machine in {"x86_64", "amd64", "i686"} and system != "Windows":
        return f"-DCMAKE_C_FLAGS='{_NO_AMX}' -DCMAKE_CXX_FLAGS='{_NO_AMX}' {_SLIM}"
    return _SLIM


def instruction_sets(cpu_info: Path = Path("/proc/cpuinfo")) -> str:
    """The vector instructions that a native build may use; empty where they cannot be read.

    A build that is carried to a machine without one of them would crash, so set-up builds anew.
    """
    try:
        text = cpu_info.read_text("utf-8", errors="replace")
    except OSError:
        return ""
    line = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    wanted = r"\b(?:avx\w*|amx\w*|fma|f16c|bmi2|sse4_2|asimd\w*|sve\w*|sme\w*|i8mm|bf16)\b"
    return " ".join(sorted(set(re.findall(wanted, line[1])))) if line else ""


def check_compiler(environment: Mapping[str, str] = os.environ) -> None:
    """See to it that a C++ compiler is there, before minutes are spent.

    Raises:
        SetupError: There is none.
    """
    if not _has_compiler(environment):
        raise SetupError(
            "llama.cpp has to be built, and there is no C++ compiler.", COMPILER_ADVICE
        )


def _has_compiler(environment: Mapping[str, str]) -> bool:
    path = environment.get("PATH")
    chosen = environment.get("CXX", "").split()
    if chosen:
        return shutil.which(chosen[0], path=path) is not None
    if sys.platform == "win32":
        return _has_visual_studio(environment) or shutil.which("g++", path=path) is not None
    if sys.platform == "darwin" and not _has_xcode_tools():
        return False
    return any(shutil.which(name, path=path) for name in ("c++", "g++", "clang++"))


def _has_visual_studio(environment: Mapping[str, str]) -> bool:
    """Ask the Visual Studio installer's `vswhere`, which lies at a fixed place."""
    if shutil.which("cl", path=environment.get("PATH")):
        return True
    programs = environment.get("ProgramFiles(x86)", r"C:\Program Files (x86)")
    vswhere = Path(programs) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
    if not vswhere.exists():
        return False
    component = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
    command = [str(vswhere), "-products", "*", "-requires", component, "-property", "instanceId"]
    return bool(subprocess.run(command, capture_output=True, check=False).stdout.strip())


def _has_xcode_tools() -> bool:
    """On macOS `c++` exists without them, and only offers to install them."""
    result = subprocess.run(["/usr/bin/xcode-select", "-p"], capture_output=True, check=False)
    return result.returncode == 0


def has_display(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether Qt can open a window; only Linux runs without a display."""
    if not sys.platform.startswith("linux"):
        return True
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return any(environment.get(name) for name in names)


def check_qt_libraries(otherwise: str) -> None:
    """See to it that the system libraries are there that Qt's wheels do not bring.

    Args:
        otherwise: What the person can do without them; follows the advice.

    Raises:
        SetupError: Some are missing.
    """
    if not sys.platform.startswith("linux"):
        return
    missing = [name for name in _QT_LIBRARIES if not _loads(name)]
    if missing:
        packages = " ".join(_QT_LIBRARIES[name] for name in missing)
        raise SetupError(
            f"The window needs system libraries that are missing: {', '.join(missing)}.",
            f"Debian, Ubuntu: sudo apt-get install {packages}. {otherwise}".strip(),
        )


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
