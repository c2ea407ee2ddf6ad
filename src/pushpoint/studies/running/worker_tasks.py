"""What runs inside a Dask worker: it hands requests to its lasting child process. Light, as every worker loads it."""

from __future__ import annotations

import atexit
from typing import Any

from pushpoint.studies.running.process import BatchProcess

_child: BatchProcess | None = None


def on_worker(what: str, rest: tuple[Any, ...], patience: float) -> Any:
    """The answer of this worker's child process to a request, in time [s]."""
    global _child
    if _child is None:
        _child = BatchProcess(_threads())
        atexit.register(_child.end)
    return _child.ask(what, *rest, patience=patience)


def _threads() -> int:
    """Threads that the engine may use here: those of the worker."""
    from distributed import get_worker

    return int(get_worker().state.nthreads)
