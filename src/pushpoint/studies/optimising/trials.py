"""Trials of a search: what was tried and what came out, and the store that keeps them."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pushpoint.brief import brief
from pushpoint.errors import BadFile
from pushpoint.studies.storing.folder import StoreFolder, key_of
from pushpoint.user_files import parse_json, read_text

MOST_BYTES = 1_000_000_000
"""Of a generation that is read."""
JOURNAL = "optuna.journal"
"""The file inside a store that Optuna's own tools read."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One candidate and how it did."""

    __repr__ = brief

    number: int
    """Its place in the search, from 0 [-]."""
    parameters: Mapping[str, float]
    """Values of the parameters by name, each in its unit."""
    figures: Mapping[str, Sequence[float | None]]
    """Figures of merit under each condition, each in its unit; None where a world failed."""
    values: Mapping[str, float | None]
    """The goals over all conditions, each in its unit; None where a world failed."""
    violation: float | None
    """By how much limits are exceeded, as shares of them, added up [-]; None where it is not known."""
    scores: Sequence[float]
    """What the search made smaller: one number per goal, with a penalty for exceeded limits."""
    status: str
    """How its worlds ended: "finished", or the first that failed."""

    @property
    def feasible(self) -> bool:
        """Whether all limits hold and all goals are known."""
        return self.violation == 0.0 and all(value is not None for value in self.values.values())


def finite_or_none(value: float) -> float | None:
    """A number as JSON can hold it."""
    return float(value) if math.isfinite(value) else None


class SearchFolder(StoreFolder):
    """A folder with the generations of one search, a file for each."""

    about_file, kind, question, batch_ending = "search.json", "store of trials", "search", ".json"


class KeptTrials:
    """The trials of a search so far."""

    def __init__(self, store: SearchFolder | None) -> None:
        """Reads the trials of a store; without one they are kept in memory alone."""
        self._store = store
        self.found: dict[int, Trial] = {}
        """All trials by number."""
        for path in store.batch_files() if store is not None else ():
            self.found |= {trial.number: trial for trial in _generation_in(path)}

    def add(self, trials: Sequence[Trial]) -> None:
        """Keeps the trials of a generation: all of them or none."""
        if self._store is not None:
            content = json.dumps({"trials": [asdict(trial) for trial in trials]}, allow_nan=False) + "\n"
            keys = "".join(key_of(str(trial.number).encode()) for trial in trials)
            self._store.write_batch(keys.encode(), content.encode())
        self.found |= {trial.number: trial for trial in trials}


def _generation_in(path: Path) -> list[Trial]:
    try:
        return [Trial(**each) for each in parse_json(read_text(path, MOST_BYTES))["trials"]]
    except (ValueError, KeyError, TypeError):
        raise BadFile(path, "is no finished generation of a search") from None


@contextlib.contextmanager
def kept_trials(folder: Path | None, about: Mapping[str, Any]) -> Iterator[KeptTrials]:
    """Opens the store of a search, which `about` describes in JSON types; without a folder nothing is kept."""
    if folder is None:
        yield KeptTrials(None)
        return
    store = SearchFolder(folder)
    with store.taken(about, {}):
        yield KeptTrials(store)
