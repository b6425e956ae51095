"""The window's program.

How a start goes, in this order:

1. Qt is loaded and the application object is made. No model library, no database is imported yet.
2. If a window stands on this data folder already, it is asked to come to the front, and this start
   ends without having touched the data.
3. The settings are read (broken ones are set aside) and give the colours.
4. The window is built and shown, with what was typed and not sent the last time.
5. After its first picture the session starts: the agent thread opens memory (the past conversation
   appears), then loads the model behind the window. Writing is possible all the while.
6. The event loop runs, watched by a watchdog that logs what blocks it for over 0.05 seconds.
7. Closing (or SIGINT, or SIGTERM) hides the window, interrupts what runs, and ends the loop when
   the threads have ended: a write is never cut off.
"""

import logging
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QMessageLogContext, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from pagekeeper_desktop.assistant_parts import Composition
from pagekeeper_desktop.main_thread_watchdog import MainThreadWatchdog
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.settings import load_settings
from pagekeeper_desktop.single_instance import SingleInstance
from pagekeeper_desktop.theme import Theme
from pagekeeper_desktop.view_models.session import Session
from pagekeeper_desktop.widgets.icons import app_icon
from pagekeeper_desktop.windows.main_window import MainWindow
from pagekeeper_desktop.windows.settings_dialog import ModelChoice

__all__ = ["run_application"]

log = logging.getLogger(__name__)

SWITCH_INTERVAL = 0.0005
"""Seconds for which a thread may keep the interpreter when another wants it.

Every call of Qt lets it go and must have it back; with Python's own 0.005 s, each of the thousand
calls that lay a long reply out waits that long while a document is being split beside it.
"""

QT_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def run_application(options: Options, composition: Composition[Any], argv: Sequence[str]) -> int:
    """Run the window until it is closed; gives the exit code.

    Args:
        options: What the person chose for this start.
        composition: Builds memory and assistant; the module `composition`, or a scripted one.
        argv: The program's name and what Qt itself is to read.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    app = _make_application(argv)
    instance = SingleInstance(options.data_dir, app)
    if not instance.claim():
        log.info("A window stands on this data folder already; it was asked to come to the front")
        return 0
    settings = load_settings(options.data_dir)
    theme = Theme(app, settings.theme)
    session = Session(composition, options)
    window = MainWindow(session, theme, options.data_dir, settings, lambda: _model_choices(options))
    watchdog = MainThreadWatchdog(app)
    window.painted.connect(session.start)
    window.painted.connect(window.status.start)
    instance.raise_requested.connect(window.raise_to_front)
    window.closing.connect(instance.release)
    session.closed.connect(app.quit)
    _close_on_signals(window)
    window.show()
    watchdog.start()
    code = app.exec()
    watchdog.stop()
    session.join()
    return code


def _make_application(argv: Sequence[str]) -> QApplication:
    QApplication.setApplicationName("pagekeeper")
    QApplication.setApplicationDisplayName("Pagekeeper")
    QApplication.setDesktopFileName("pagekeeper")
    app = QApplication(list(argv))
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(app_icon())
    qInstallMessageHandler(_log_qt_message)
    threading.excepthook = _log_thread_failure
    return app


def _close_on_signals(window: MainWindow) -> None:
    """Close in a turn of the event loop: Python may run the handler in the middle of a paint."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QTimer.singleShot(0, window.close))


def _log_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:  # noqa: ARG001 - Qt's signature
    logging.getLogger("qt").log(QT_LEVELS.get(kind, logging.WARNING), "%s", message)


def _log_thread_failure(failure: threading.ExceptHookArgs) -> None:
    """A thread that ends by an error is logged; the session tells the person."""
    error = failure.exc_value or failure.exc_type()
    log.critical("The thread %s failed", failure.thread, exc_info=error)


def _model_choices(options: Options) -> list[ModelChoice]:
    from pagekeeper_desktop.model_choice import known_models  # noqa: PLC0415 - for the dialog only

    return [
        ModelChoice(known.name, f"{known.title}{'' if known.present else ' (download)'}")
        for known in known_models(options)
        if known.memory
    ]
