"""Makes the pictures of the window: the real one, with a scripted assistant behind it.

    python packaging/screenshot.py [FOLDER] [--scene NAME] [--scale 1.25]

Without a folder the pictures go to `packaging/pictures`. The scenes are those of the tests, in
`tests/helpers/window_scenes.py`.
"""

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Make the pictures; gives the exit code."""
    parser = argparse.ArgumentParser(description="Make the pictures of the window.")
    parser.add_argument("folder", nargs="?", type=Path, default=HERE / "pictures")
    parser.add_argument("--scene", help="make this picture only")
    parser.add_argument("--scale", default="1", help="pixels of the screen per logical pixel")
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = arguments.scale
    sys.path.insert(0, str(HERE.parent / "tests"))
    from helpers.window_scenes import make_pictures  # noqa: PLC0415 - needs the lines above

    for path in make_pictures(arguments.folder, arguments.scene):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
