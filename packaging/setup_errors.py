"""What can go wrong while Pagekeeper is set up, in words that say what to do."""

import re
from dataclasses import dataclass

__all__ = ["CommandError", "SetupError", "explain"]


class SetupError(Exception):
    """Set-up cannot go on.

    Attributes:
        advice: What the person can do about it.
    """

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


class CommandError(Exception):
    """A command that set-up called has failed.

    Attributes:
        output: The last lines that it wrote.
    """

    def __init__(self, command: str, code: int, output: str) -> None:
        super().__init__(f"{command} ended with code {code}")
        self.output = output


@dataclass(frozen=True)
class _Cause:
    """How a cause shows in a command's output, and what it means."""

    pattern: str
    why: str
    advice: str


COMPILER_ADVICE = (
    "Install one and try again. Debian, Ubuntu: sudo apt-get install build-essential. Fedora: sudo "
    "dnf install gcc-c++. macOS: xcode-select --install. Windows: the Visual Studio Build Tools "
    "with the workload “Desktop development with C++”."
)

_CAUSES = (
    _Cause(
        r"No space left on device|Errno 28|not enough space on the disk",
        "The disk is full.",
        "Free about 6 GB and try again; what is done already is kept.",
    ),
    _Cause(
        r"ensurepip is not available|No module named '?(ensurepip|venv)",
        "This Python comes without the module venv.",
        "Debian, Ubuntu: sudo apt-get install python3-venv. Then try again.",
    ),
    _Cause(
        r"DO NOT MATCH THE HASHES|hash mismatch",
        "A package that was fetched is not the one that was published.",
        "Try again; if it stays so, something between you and the package index changes files.",
    ),
    _Cause(
        r"CERTIFICATE_VERIFY_FAILED|SSLError",
        "The package index could not prove who it is.",
        "Check the date of this machine, and ask whoever runs your network about its certificates "
        "(pip reads PIP_CERT).",
    ),
    _Cause(
        r"connection broken by|NewConnectionError|Temporary failure in name resolution"
        r"|Name or service not known|Network is unreachable|getaddrinfo failed|ReadTimeout",
        "There is no connection to the package index.",
        "Check the network and try again; what is done already is kept.",
    ),
    _Cause(
        r"CMAKE_CXX_COMPILER|No CMAKE_C(XX)?_COMPILER|C\+\+ compiler .*not (found|able)",
        "No C++ compiler that works was found.",
        COMPILER_ADVICE,
    ),
    _Cause(
        r"Killed signal terminated program|virtual memory exhausted|Cannot allocate memory",
        "The compiler ran out of memory.",
        "Close other programs and try again, or build with one processor only: set "
        "CMAKE_BUILD_PARALLEL_LEVEL=1.",
    ),
    _Cause(
        r"Permission denied|Access is denied|Read-only file system",
        "A folder may not be written.",
        "See to it that this folder belongs to you, and that no program holds files in .venv open.",
    ),
    _Cause(
        r"No matching distribution found|Could not find a version",
        "The package index does not have a package in the version that is needed.",
        "If pip is set to an index of your own (pip config list), that index may lack it.",
    ),
)


def explain(output: str) -> tuple[str, str]:
    """The likely cause behind a failed command's output, and what to do about it."""
    for cause in _CAUSES:
        if re.search(cause.pattern, output, re.IGNORECASE):
            return cause.why, cause.advice
    return "", "The lines above say why. Mend that and call the same command again."
