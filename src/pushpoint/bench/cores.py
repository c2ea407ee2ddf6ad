"""Work for all cores: separate processes, which end with the one that started them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from typing import TypeVar

Asked = TypeVar("Asked")
Made = TypeVar("Made")


def on_all_cores(make: Callable[[Asked], Made], asked: Sequence[Asked]) -> Iterator[Made]:
    """The results of `make` for each argument, in order."""
    # New processes: a forked copy of one that has threads may hang.
    pool = ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn"), initializer=_follow_parent)
    try:
        yield from pool.map(make, asked, chunksize=10)
    finally:
        pool.shutdown(cancel_futures=True)


def _follow_parent() -> None:
    """Leaves signals of a terminal to the parent. A helper ends with its parent, even if that is killed."""
    for name in ("SIGINT", "SIGHUP"):
        if name in signal.Signals.__members__:
            signal.signal(signal.Signals[name], signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
