"""The files that a person means when they name a folder, and what they are known by."""

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["files_below", "known_path", "last_change"]


def last_change(about: os.stat_result) -> datetime | None:
    """When a file was changed last; None for a moment of no year that there is.

    Some disks give out what damage or another system's clock has left there.
    """
    try:
        return datetime.fromtimestamp(about.st_mtime, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def known_path(path: Path) -> Path:
    """The path by which a file is known from then on, wherever it was named from.

    Two ways to name it, `../papers/a.txt` and `a.txt`, must not make two documents of it. A link
    stays a link: only where it is gone back from by `..` does it say what lies there.
    """
    if ".." not in path.parts:
        return path.absolute()
    # Path.resolve fails on links that lead to themselves.
    if path.name == "..":
        return Path(os.path.realpath(path))
    return Path(os.path.realpath(path.parent), path.name)


def files_below(paths: Iterable[Path], *, but: Path) -> Iterator[Path]:
    """The files that the paths name, by their known paths.

    A folder stands for all files below it but hidden ones.

    Links to folders are not followed, so the walk always ends; nor is the folder `but`, which is
    Pagekeeper's own.
    """
    but = known_path(but)
    for path in map(known_path, paths):
        if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir fails where a name is too long
            yield path
            continue
        if but in {path, *path.parents}:
            continue
        for folder, subfolders, names in os.walk(path):
            shown = sorted(name for name in subfolders if not name.startswith("."))
            subfolders[:] = (name for name in shown if Path(folder, name) != but)
            yield from (Path(folder, n) for n in sorted(names) if not n.startswith("."))
