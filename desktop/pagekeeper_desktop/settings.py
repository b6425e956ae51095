"""What the person chose and how the window was left, in `settings.json` of the data folder.

The file is written whole (temporary file, then rename). One that cannot be read is set aside under
another name and the defaults are used: a broken file never keeps the program from starting. A
choice about memory that makes no sense is replaced by its default alone, with a notice.
"""

import json
import logging
import os
import time
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from pagekeeper_core.config import (
    EVICTED_SHARES,
    FLUSH_LEVELS,
    LEAST_DISTANCE,
    WARNING_LEVELS,
    Consolidation,
    Eviction,
    MemoryPolicy,
)

__all__ = [
    "MemoryChoices",
    "Settings",
    "ThemeChoice",
    "WindowLayout",
    "load_settings",
    "save_settings",
    "set_aside",
    "write_whole",
]

log = logging.getLogger(__name__)

FILE_NAME = "settings.json"

Choice = TypeVar("Choice", bound=StrEnum)

_PAPER = MemoryPolicy()


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
        columns: Widths of the list, the transcript and the memory panel, in pixels; empty: the
            default.
        panel_rows: Heights of the memory and activity parts of the panel, in pixels.
        panel_open: Whether the memory panel is shown.
        list_open: Whether the list of conversations is shown where there is room for it.
    """

    geometry: str = ""
    columns: tuple[int, ...] = ()
    panel_rows: tuple[int, ...] = ()
    panel_open: bool = True
    list_open: bool = True


@dataclass(frozen=True, slots=True)
class MemoryChoices:
    """How memory is managed; see `MemoryPolicy` for what each means.

    They take effect when the assistant is loaded the next time.
    """

    warning_level: float = _PAPER.warning_level
    flush_level: float = _PAPER.flush_level
    evicted_share: float = _PAPER.evicted_share
    eviction: Eviction = _PAPER.eviction
    read_ahead: bool = _PAPER.read_ahead
    consolidation: Consolidation = _PAPER.consolidation
    document_offers: bool = _PAPER.document_offers

    def policy(self) -> MemoryPolicy:
        """The policy that the agent follows."""
        return MemoryPolicy(
            warning_level=self.warning_level,
            flush_level=self.flush_level,
            evicted_share=self.evicted_share,
            eviction=self.eviction,
            read_ahead=self.read_ahead,
            consolidation=self.consolidation,
            document_offers=self.document_offers,
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """The person's choices; the command line's options win over them.

    Attributes:
        theme: Light, dark, or as the system has it.
        model: A name from the catalogue or the path of a GGUF file; None: what suits the machine.
        context_window: Tokens; None: what suits model and machine.
        memory: How memory is managed.
        layout: How the window was left.
        watched_folders: Folders whose files are imported by themselves.
        notices: What in the file made no sense and what holds instead, in sentences for the person;
            never saved.
    """

    theme: ThemeChoice = ThemeChoice.SYSTEM
    model: str | None = None
    context_window: int | None = None
    memory: MemoryChoices = field(default_factory=MemoryChoices)
    layout: WindowLayout = field(default_factory=WindowLayout)
    watched_folders: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


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
        set_aside(path, error)
        return Settings()


def save_settings(data_dir: Path, settings: Settings) -> None:
    """Write the settings; a failure (disk full, read-only) is logged: nothing depends on them."""
    fields = asdict(settings)
    del fields["notices"]
    try:
        write_whole(data_dir / FILE_NAME, json.dumps(fields, indent=2) + "\n")
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


def set_aside(path: Path, error: Exception) -> None:
    """Give a file that cannot be read another name, before a new one takes its place."""
    aside = path.with_name(f"{path.stem}.broken-{time.time_ns()}{path.suffix}")
    try:
        path.replace(aside)
    except OSError as failure:
        log.warning("%s is broken and cannot be set aside: %s", path.name, failure)
        return
    log.warning("%s was broken (%s); it now lies in %s", path.name, error, aside.name)


def _from_json(fields: dict[str, object]) -> Settings:
    layout = fields.get("layout") or {}
    if not isinstance(layout, dict):
        raise TypeError("layout is not an object")
    reader = _MemoryReader(fields.get("memory"))
    return replace(
        Settings(),
        theme=ThemeChoice(str(fields.get("theme") or ThemeChoice.SYSTEM)),
        model=_text_or_none(fields.get("model")),
        context_window=_size_or_none(fields.get("context_window")),
        memory=reader.choices(),
        watched_folders=_names(fields.get("watched_folders")),
        notices=tuple(reader.notices),
        layout=WindowLayout(
            geometry=str(layout.get("geometry") or ""),
            columns=_sizes(layout.get("columns")),
            panel_rows=_sizes(layout.get("panel_rows")),
            panel_open=bool(layout.get("panel_open", True)),
            list_open=bool(layout.get("list_open", True)),
        ),
    )


class _MemoryReader:
    """Takes each choice about memory that makes sense, the default for every other.

    Attributes:
        notices: What made no sense, in sentences for the person.
    """

    def __init__(self, fields: object) -> None:
        self.notices: list[str] = []
        self._fields = fields if isinstance(fields, dict) else {}
        if not isinstance(fields, dict | None):
            self._reject("", fields, "a group of choices", "the defaults hold")

    def choices(self) -> MemoryChoices:
        """All choices about memory."""
        default = MemoryChoices()
        warning = self._share("warning_level", default.warning_level, WARNING_LEVELS)
        flush = self._share("flush_level", default.flush_level, FLUSH_LEVELS)
        if flush < warning + LEAST_DISTANCE - 1e-9:
            self.notices.append(
                f"settings.json: memory.flush_level ({flush}) must be at least {LEAST_DISTANCE} "
                f"above memory.warning_level ({warning}); the defaults of both hold: "
                f"{default.flush_level} and {default.warning_level}."
            )
            warning, flush = default.warning_level, default.flush_level
        return MemoryChoices(
            warning_level=warning,
            flush_level=flush,
            evicted_share=self._share("evicted_share", default.evicted_share, EVICTED_SHARES),
            eviction=self._one_of("eviction", default.eviction),
            read_ahead=self._switch("read_ahead", default=default.read_ahead),
            consolidation=self._one_of("consolidation", default.consolidation),
            document_offers=self._switch("document_offers", default=default.document_offers),
        )

    def _share(self, name: str, default: float, bounds: tuple[float, float]) -> float:
        value = self._fields.get(name, default)
        low, high = bounds
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and low <= value <= high:
            return float(value)
        self._reject(name, value, f"a number from {low} to {high}", f"{default} holds")
        return default

    def _switch(self, name: str, *, default: bool) -> bool:
        value = self._fields.get(name, default)
        if isinstance(value, bool):
            return value
        self._reject(name, value, "true or false", f"{str(default).lower()} holds")
        return default

    def _one_of(self, name: str, default: Choice) -> Choice:
        value = self._fields.get(name, default.value)
        known = {choice.value: choice for choice in type(default)}
        if isinstance(value, str) and value in known:
            return known[value]
        names = " or ".join(f'"{known_name}"' for known_name in known)
        self._reject(name, value, names, f'"{default}" holds')
        return default

    def _reject(self, name: str, value: object, wanted: str, instead: str) -> None:
        where = f"memory.{name}" if name else "memory"
        shown = json.dumps(value, ensure_ascii=False)[:40]
        self.notices.append(f"settings.json: {where} is {shown}, not {wanted}; {instead}.")


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


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple | None):
        raise TypeError(f"{value!r} is not a list of names")
    return tuple(str(name) for name in value or ())


def _sizes(value: object) -> tuple[int, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise TypeError(f"{value!r} is not a list of sizes")
    return tuple(size for size in map(_size_or_zero, value))


def _size_or_zero(value: object) -> int:
    return 0 if value == 0 else (_size_or_none(value) or 0)
