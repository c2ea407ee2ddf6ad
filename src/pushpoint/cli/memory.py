"""The address space that a command is given: below a minimum, libraries end the process where they load."""

from __future__ import annotations

import os

from pushpoint.errors import PushpointError

LEAST, PER_CORE = 1.5, 0.0625
"""Address space that loading, compiling and drawing take, measured with two cores and half as much again, and what
linear algebra sets aside for each core [GiB]."""


def refuse_little_memory() -> None:
    """Refuses a limit of the address space (`ulimit -v`) that is below the minimum."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    least = LEAST + PER_CORE * (os.cpu_count() or 1)
    if limit != resource.RLIM_INFINITY and limit < least * 2**30:
        given = f"ulimit -v = {limit // 1024} ({limit / 2**30:.2f} GiB)"
        raise PushpointError(f"{given}, must be at least {int(least * 2**20)} ({least:.2f} GiB) on this machine")
