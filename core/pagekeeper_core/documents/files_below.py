"""The files that a person means when they name a folder."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["files_below"]


def files_below(paths: Iterable[Path], *, but: Path) -> Iterator[Path]:
    """The files that the paths name: a folder stands for all files below it but hidden ones.

    Links to folders are not followed, so the walk always ends; nor is the folder `but`, which is
    Pagekeeper's own.
    """
    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir fails where a name is too long
            yield path
            continue
        if but in {path.absolute(), *path.absolute().parents}:
            continue
        for folder, subfolders, names in os.walk(path):
            shown = sorted(name for name in subfolders if not name.startswith("."))
            subfolders[:] = (name for name in shown if Path(folder, name).absolute() != but)
            yield from (Path(folder, n) for n in sorted(names) if not n.startswith("."))
