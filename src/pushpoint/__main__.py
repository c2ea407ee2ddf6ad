"""`python -m pushpoint` is the command `pushpoint`."""

from __future__ import annotations

import sys

from pushpoint.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
