"""Refuses network connections, except while the person downloads a model.

The guard is an audit hook of the interpreter (PEP 578): it sees every socket call that Python code
makes, in whatever library, and raises before anything leaves the machine, a name look-up included.
It does not see native code that opens sockets by itself; the libraries here that hold such code
(llama.cpp, DuckDB, LanceDB, PyTorch) are given local files only, and the test suite proves them
quiet by running a conversation on a machine without any network interface. A child process has no
hook of its parent's: the one that reads documents puts up its own, the model check and the drawing
of pages open no network library, and the environment that they inherit tells libraries to stay
offline.
"""

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Iterator

from pagekeeper_core.errors import PagekeeperError

__all__ = ["NetworkRefusedError", "allow_network", "install_network_guard"]

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
_NO_TELEMETRY = ("HF_HUB_DISABLE_TELEMETRY", "DISABLE_TELEMETRY", "DO_NOT_TRACK")

_ADDRESSED = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"})
_LOOK_UPS = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})

# asyncio on Windows has no socket pair of its own and makes one over the loopback interface.
_LOOPBACK_IS_NEEDED = sys.platform == "win32"


class NetworkRefusedError(PagekeeperError, PermissionError):
    """Something wanted to open a network connection while none is allowed.

    It is a PermissionError too, so that a library that copes with a missing network copes with it.
    """

    def __init__(self, target: str) -> None:
        super().__init__(
            f"A connection to {target} was refused: Pagekeeper works offline.",
            hint="Only `pagekeeper models download` may use the network.",
        )


class _Guard:
    """The state behind the hook, which can be installed but never taken out again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._installed = False
        self._permits = 0

    def install(self) -> None:
        with self._lock:
            if not self._installed:
                sys.addaudithook(self._check)
                self._installed = True

    def permit(self, change: int) -> None:
        with self._lock:
            self._permits += change

    def _check(self, event: str, arguments: tuple[object, ...]) -> None:
        if not event.startswith("socket.") or self._permits:
            return
        if event in _ADDRESSED:
            _check_address(arguments)
        elif event in _LOOK_UPS:
            raise NetworkRefusedError(_host_name(arguments[0]))


_guard = _Guard()


def install_network_guard() -> None:
    """Refuse connections from now on, and tell libraries and children to stay offline."""
    for name in _OFFLINE + _NO_TELEMETRY:
        os.environ[name] = "1"
    _guard.install()


@contextlib.contextmanager
def allow_network() -> Iterator[None]:
    """Let connections through inside the `with` block: for the download of a model alone.

    The permission is the whole process's, since a download may use threads of its own.
    """
    saved = {name: os.environ.pop(name) for name in _OFFLINE if name in os.environ}
    _guard.permit(+1)
    try:
        yield
    finally:
        _guard.permit(-1)
        os.environ.update(saved)


def _check_address(arguments: tuple[object, ...]) -> None:
    """Refuse an Internet address; sockets of the machine's own kinds pass.

    Args:
        arguments: Of the audit event: the socket, then the address.
    """
    endpoint, address = arguments[0], arguments[1]
    family = getattr(endpoint, "family", None)
    if family not in (socket.AF_INET, socket.AF_INET6):
        return
    if _LOOPBACK_IS_NEEDED and isinstance(address, tuple) and address[0] in ("127.0.0.1", "::1"):
        return
    raise NetworkRefusedError(_host_name(address))


def _host_name(address: object) -> str:
    host = address[0] if isinstance(address, tuple) and address else address
    return host.decode(errors="replace") if isinstance(host, bytes) else str(host)
