"""`python -m pushpoint` is the command `pushpoint`."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command. If it is interrupted while loading, it ends without a message."""
    try:
        from pushpoint.cli.main import main as command
    except KeyboardInterrupt:
        return 130
    return command()


if __name__ == "__main__":
    sys.exit(main())
