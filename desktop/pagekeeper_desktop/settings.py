"""What the person chose and how the window was left, in `settings.json` of the data folder.

The file is written whole (temporary file, then rename). One that cannot be read is set aside under
another name and the defaults are used: a broken file never keeps the program from starting.
"""

import json
import logging
import os
import time
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path

__all__ = [
    "Settings",
    "ThemeChoice",
    "WindowLayout",
    "load_settings",
    "save_settings",
    "write_whole",
]

log = logging.getLogger(__name__)

FILE_NAME = "settings.json"


class ThemeChoice(StrEnum):
    """Which colours the window has."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class WindowLayout:
    """How the window was left.

    Attributes:
        geometry: Qt's own description of position and size, base64; empty: the default.
        columns: Widths of the transcript and the memory panel, in pixels; empty: the default.
        panel_rows: Heights of the memory and activity parts of the panel, in pixels.
        panel_open: Whether the memory panel is shown.
    """

    geometry: str = ""
    columns: tuple[int, ...] = ()
    panel_rows: tuple[int, ...] = ()
    panel_open: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """The person's choices; the command line's options win over them.

    Attributes:
        theme: Light, dark, or as the system has it.
        model: A name from the catalogue or the path of a GGUF file; None: what suits the machine.
        context_window: Tokens; None: what suits model and machine.
        layout: How the window was left.
    """

    theme: ThemeChoice = ThemeChoice.SYSTEM
    model: str | None = None
    context_window: int | None = None
    layout: WindowLayout = field(default_factory=WindowLayout)


def load_settings(data_dir: Path) -> Settings:
    """Read the settings; the defaults where there are none or they are broken."""
    path = data_dir / FILE_NAME
    try:
        return _from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        log.warning("The settings cannot be read: %s", error)
        return Settings()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        _set_aside(path, error)
        return Settings()


def save_settings(data_dir: Path, settings: Settings) -> None:
    """Write the settings; a failure (disk full, read-only) is logged: nothing depends on them."""
    try:
        write_whole(data_dir / FILE_NAME, json.dumps(asdict(settings), indent=2) + "\n")
    except OSError as error:
        log.warning("The settings cannot be saved: %s", error)


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that after a crash it is the old one or the new one, never a half.

    Raises:
        OSError: It could not be written; the old file is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _set_aside(path: Path, error: Exception) -> None:
    aside = path.with_name(f"settings.broken-{time.time_ns()}.json")
    try:
        path.replace(aside)
    except OSError as failure:
        log.warning("The settings are broken and cannot be set aside: %s", failure)
        return
    log.warning("The settings were broken (%s); they now lie in %s", error, aside.name)


def _from_json(fields: dict[str, object]) -> Settings:
    layout = fields.get("layout") or {}
    if not isinstance(layout, dict):
        raise TypeError("layout is not an object")
    return replace(
        Settings(),
        theme=ThemeChoice(str(fields.get("theme") or ThemeChoice.SYSTEM)),
        model=_text_or_none(fields.get("model")),
        context_window=_size_or_none(fields.get("context_window")),
        layout=WindowLayout(
            geometry=str(layout.get("geometry") or ""),
            columns=_sizes(layout.get("columns")),
            panel_rows=_sizes(layout.get("panel_rows")),
            panel_open=bool(layout.get("panel_open", True)),
        ),
    )


def _text_or_none(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    raise TypeError(f"{value!r} is not a text")


def _size_or_none(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise TypeError(f"{value!r} is not a size")
    return value


def _sizes(value: object) -> tuple[int, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise TypeError(f"{value!r} is not a list of sizes")
    return tuple(size for size in map(_size_or_zero, value))


def _size_or_zero(value: object) -> int:
    return 0 if value == 0 else (_size_or_none(value) or 0)
