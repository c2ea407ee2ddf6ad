"""How far a study is, from its store alone; a study that runs is not disturbed."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from pathlib import Path
from typing import Any

from pushpoint.studies.storing.folder import LOCK
from pushpoint.studies.storing.store import StudyStore
from pushpoint.studies.storing.table import stored_study, table_blocks


def status_of(store: str | Path) -> dict[str, Any]:
    """Worlds in all and finished, how they ended, the last rate [1/s], and whether a process works on the study."""
    held = StudyStore(store)
    study, rows = stored_study(held)
    counts: Counter[str] = Counter()
    for block in table_blocks(held, study, rows):
        counts.update(block["status"].tolist())
    return {
        "name": study.name,
        "worlds": study.rows,
        "finished": sum(counts.values()),
        "statuses": dict(counts.most_common()),
        "worlds_per_s": _rate(held),
        "in_use": _in_use(held),
    }


def _rate(store: StudyStore) -> float | None:
    """Worlds per second over the last ten minutes of work; None if fewer than two batches were finished in it."""
    finished = [line for line in store.journal() if line.get("event") == "finished"]
    recent = [line for line in finished if line["at"] > finished[-1]["at"] - 600.0]
    span = recent[-1]["at"] - recent[0]["at"] if recent else 0.0
    return sum(line["worlds"] for line in recent[1:]) / span if span > 0.0 else None


def _in_use(store: StudyStore) -> bool:
    """Whether a process holds the lock."""
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        handle = os.open(store.folder / LOCK, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
    return False
