"""Makes the pictures of the window: the real one, with a scripted assistant behind it.

    python packaging/screenshot.py                       the README's picture, desktop/window.png
    python packaging/screenshot.py FOLDER [--scale 1.25]  pictures of all scenes

The scenes are in `tests/helpers/window_scenes.py`.
"""

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Make the pictures; gives the exit code."""
    parser = argparse.ArgumentParser(description="Make the pictures of the window.")
    parser.add_argument("folder", nargs="?", type=Path, help="where pictures of all scenes go")
    parser.add_argument("--scene", help="make this picture only")
    parser.add_argument("--scale", default="1.5", help="pixels of the screen per logical pixel")
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = arguments.scale
    sys.path.insert(0, str(HERE.parent / "tests"))
    from helpers.window_scenes import make_pictures  # noqa: PLC0415 - needs the lines above

    folder = arguments.folder or HERE.parent / "desktop"
    only = arguments.scene if arguments.folder else "window"
    for path in make_pictures(folder, only):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
