"""Sets Pagekeeper up and starts it, or tests it: `python3 packaging/bootstrap.py run`.

Needs nothing but Python and a C++ compiler. The first call makes `.venv`, builds llama.cpp for this
processor, installs the packages and fetches the models; a later one finds all that done and goes
straight on. This file checks the Python version only, in words that any Python 3 can read; the rest
is in the modules beside it, from `setup_commands` on.
"""

import signal
import sys

OLDEST, NEWEST = (3, 11), (3, 13)


def main() -> int:
    """Go on if this Python is one that Pagekeeper runs on."""
    version = tuple(sys.version_info[:2])
    if not OLDEST <= version <= NEWEST:
        print(
            "Pagekeeper needs Python 3.11, 3.12 or 3.13; "
            f"this is Python {version[0]}.{version[1]}.\n"
            "Install one of those and call this script with it, for example:\n"
            "  python3.12 packaging/bootstrap.py run",
            file=sys.stderr,
        )
        return 1
    from setup_commands import run_command  # noqa: PLC0415 - an old Python could not read it

    # Whoever ends this script ends what it has started too, as Ctrl+C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
