"""`python -m pushpoint` is the command `pushpoint`."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command; one that is stopped while it loads has nothing to say."""
    try:
        from pushpoint.cli.main import main as command
    except KeyboardInterrupt:
        return 130
    return command()


if __name__ == "__main__":
    sys.exit(main())
