"""One window a data folder: a second start raises the first one's window and ends.

The first start listens on a local socket named after the data folder and the person. The socket
only carries "show yourself"; what keeps two processes from the data is the folder's lock.
"""

import hashlib
import logging
from pathlib import Path

from PySide6.QtCore import QDir, QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

__all__ = ["SingleInstance"]

log = logging.getLogger(__name__)

TIMEOUT = 500
"""Milliseconds for the first instance to answer."""

CLAIM_TIMEOUT = 2000
"""Milliseconds for another start that is at the same step."""


class SingleInstance(QObject):
    """The claim on a data folder's window.

    Signals:
        raise_requested: A second start asked for the window.
    """

    raise_requested = Signal()

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = _socket_name(data_dir)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._greet)

    def claim(self) -> bool:
        """Be the first instance, or ask the first one to show itself and give False.

        Two starts at the same moment take turns by a lock file, so that neither removes the other's
        socket as a stale one.
        """
        turn = QLockFile(QDir.temp().filePath(f"{self._name}.claim"))
        turn.tryLock(CLAIM_TIMEOUT)
        try:
            if self._first_answers():
                return False
            self._listen()
            return True
        finally:
            turn.unlock()

    def release(self) -> None:
        """Let the next start be the first."""
        self._server.close()

    def _first_answers(self) -> bool:
        """Whether somebody listens; a stale socket refuses at once, a busy program greets late."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        connected = socket.waitForConnected(TIMEOUT)
        if connected and socket.bytesAvailable() == 0:
            socket.waitForReadyRead(TIMEOUT)
        socket.abort()
        return connected

    def _listen(self) -> None:
        """Listen; a socket that nobody answers is the leavings of a crash and is removed."""
        QLocalServer.removeServer(self._name)
        if not self._server.listen(self._name):
            log.warning("A second start cannot be noticed: %s", self._server.errorString())

    def _greet(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.write(b"here")
            socket.flush()
            socket.disconnected.connect(socket.deleteLater)
            self.raise_requested.emit()


def _socket_name(data_dir: Path) -> str:
    """A name of its own for each person and folder; short, since socket paths have a limit."""
    identity = f"{QDir.homePath()}\0{data_dir.expanduser().resolve()}"
    return (
        "pagekeeper-" + hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    )
