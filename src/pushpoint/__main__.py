"""`python -m pushpoint` is the command `pushpoint`."""

from __future__ import annotations

import gc
import sys

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""The libraries bring half a million objects that all stay; Python's own 700 would search them dozens of times."""


def main() -> int:
    """Runs the command. If it is interrupted while loading, it ends without a message."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        from pushpoint.cli.main import main as command
    except KeyboardInterrupt:
        return 130
    try:
        return command()
    finally:
        gc.freeze()  # the process ends here and gives all back at once: a last search would take as long as a run


if __name__ == "__main__":
    sys.exit(main())
