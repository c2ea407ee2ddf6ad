"""Runs a study: what is not in the store yet goes out in batches, and what comes back is written at once."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.progress import Progress, Report, reporting
from pushpoint.studies.designs import GridDesign
from pushpoint.studies.running.batches import Batch, BatchRunner, Finished
from pushpoint.studies.running.rows import Plan, StudyRows
from pushpoint.studies.storing.store import FinishedIndex, StudyStore
from pushpoint.studies.storing.table import write_table
from pushpoint.studies.study import Study
from pushpoint.studies.study_files import document_of_study

MOST_WORKERS = 1000


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How far a study has come."""

    worlds: int
    """Number of worlds of the study [-]."""
    reused: int
    """Worlds that the store had already [-]."""
    simulated: int
    """Worlds that were simulated now [-]."""
    seconds: float
    """Time since the first batch was sent out [s]."""

    @property
    def rate(self) -> float:
        """Worlds simulated per second [1/s]."""
        return self.simulated / self.seconds if self.seconds > 0.0 else 0.0

    @property
    def remaining(self) -> float | None:
        """Time that the rest will take at this rate [s]; None if it is not known yet."""
        left = self.worlds - self.reused - self.simulated
        return left / self.rate if self.rate > 0.0 else None


@dataclass(frozen=True, kw_only=True)
class StudyResult:
    """What a study has found."""

    standing: Standing
    """Worlds in all, reused and simulated, and the time."""
    failed: int
    """Worlds that were simulated now and did not end well [-]."""
    lost: dict[bytes, str]
    """Keys of worlds whose workers died each time, and why; the same call tries them again."""
    table: Path
    """The file of the table."""


class Team(Protocol):
    """Who runs batches: this process, or workers."""

    def results(self, batches: Iterator[Batch]) -> Iterator[Finished | Lost]:
        """Runs batches, in any order; takes no more of them than it can work on."""

    def close(self) -> None:
        """Ends the work."""


@dataclass(frozen=True)
class Lost:
    """A batch that could not be run: its worker died each time."""

    batch: Batch
    """The batch."""
    sentence: str
    """Why."""


class ThisProcess:
    """Runs batches one after another, with all cores inside the engine."""

    def __init__(self, plan: Plan) -> None:
        self._runner = BatchRunner(plan)

    def results(self, batches: Iterator[Batch]) -> Iterator[Finished]:
        """Runs batches."""
        return map(self._runner.run, batches)

    def close(self) -> None:
        """Nothing is left to end."""


def run_study(
    study: Study,
    store: str | Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress = False,
    watch: Callable[[Standing], None] | None = None,
) -> StudyResult:
    """Runs a study; see `Study.run`. `watch` is told how far it is after each batch."""
    _check(study, workers, scheduler)
    kept, plan = StudyStore(store), study.plan()
    with reporting(progress, "study") as report, kept.taken(identity(study), _text(study, plan)):
        rows, index = StudyRows(plan), FinishedIndex(kept)
        pending = _Pending(study, rows, index, kept)
        with contextlib.closing(_team(plan, workers, scheduler)) as team:
            failed, lost = _collect(team, pending, kept, _telling(report, watch))
        return StudyResult(
            standing=pending.standing(), failed=failed, lost=lost, table=write_table(kept, study, rows, lost)
        )


def _check(study: Study, workers: int | None, scheduler: str | None) -> None:
    if workers is not None and (isinstance(workers, bool) or not 1 <= workers <= MOST_WORKERS):
        raise InvalidModel("workers", workers, f"a whole number, 1 to {MOST_WORKERS}")
    if workers is not None and scheduler is not None:
        raise InvalidModel("scheduler", scheduler, "left out if workers are given")
    if study.base.settings.device != "cpu" and (workers or 1) > 1:
        raise InvalidModel("workers", workers, f"left out on {study.base.settings.device}")


def identity(study: Study) -> dict[str, Any]:
    """Which study it is: what a store cannot mix. Values and rows may grow."""
    document = document_of_study(study)
    base = document["base"]
    settings = {name: held for name, held in base.get("settings", {}).items() if name != "device"}
    about = ("format", "name", "title", "source")
    scenario = {name: held for name, held in base.items() if name not in about} | {"settings": settings}
    return {"name": study.name, "base scenario": scenario, "measures": list(study.measures), "keep": study.keep}


def _text(study: Study, plan: Plan) -> dict[str, Any]:
    return {"study": document_of_study(study), "maker": plan.maker}


def _team(plan: Plan, workers: int | None, scheduler: str | None) -> Team:
    if workers is None and scheduler is None:
        return ThisProcess(plan)
    from pushpoint.studies.running.cluster import DaskTeam

    return DaskTeam(plan, workers=workers, scheduler=scheduler)


class _Pending:
    """The batches that are not finished, made one by one as they are asked for."""

    def __init__(self, study: Study, rows: StudyRows, index: FinishedIndex, store: StudyStore) -> None:
        self._study, self._rows, self._index, self._store = study, rows, index, store
        self._begun = 0.0
        self.reused = self.simulated = 0
        # Rows of a design that only has levels may repeat; a grid never repeats itself.
        repeats = not isinstance(study.design, GridDesign) and all(each.levels for each in study.varies)
        self._sent: set[bytes] | None = set() if repeats else None

    def __iter__(self) -> Iterator[Batch]:
        self._begun = time.perf_counter()
        size, keys, codes = self._study.batch_size, [], []
        held = 0
        for block in self._study.design.blocks(self._study.varies):
            found = self._rows.keys(block)
            left = self._left(found)
            self.reused += len(found) - int(left.sum())
            keys.append(found[left])
            codes.append(block[left])
            held += len(keys[-1])
            while held >= size:
                all_keys, all_codes = np.concatenate(keys), np.concatenate(codes)
                yield self._batch(all_keys[:size], all_codes[:size])
                keys, codes = [all_keys[size:]], [all_codes[size:]]
                held -= size
        if held:
            yield self._batch(np.concatenate(keys), np.concatenate(codes))

    def _batch(self, keys: np.ndarray, codes: np.ndarray) -> Batch:
        self._store.note("begun", keys)
        return Batch(keys, codes)

    def _left(self, keys: np.ndarray) -> np.ndarray:
        """Which rows are not finished, nor sent out before."""
        left = ~self._index.find(keys)[0]
        if self._sent is not None:
            for k in np.flatnonzero(left).tolist():
                key = keys[k]
                left[k] = key not in self._sent
                self._sent.add(key)
        return left

    def standing(self) -> Standing:
        """How far the study is."""
        return Standing(
            worlds=self._study.rows,
            reused=self.reused,
            simulated=self.simulated,
            seconds=time.perf_counter() - self._begun if self._begun else 0.0,
        )


def _collect(
    team: Team, pending: _Pending, store: StudyStore, tell: Callable[[Standing], None]
) -> tuple[int, dict[bytes, str]]:
    """Writes results as they come; returns how many worlds failed, and those that were lost."""
    from pushpoint.studies.running.batches import SOUND

    failed, lost = 0, dict[bytes, str]()
    for result in team.results(iter(pending)):
        if isinstance(result, Lost):
            lost |= dict.fromkeys(result.batch.keys.tolist(), result.sentence)
            continue
        store.keep(result)
        pending.simulated += len(result.columns["key"])
        failed += int((~np.isin(result.columns["status"], SOUND)).sum())
        tell(pending.standing())
    return failed, lost


def _telling(report: Report | None, watch: Callable[[Standing], None] | None) -> Callable[[Standing], None]:
    def tell(standing: Standing) -> None:
        if report is not None:
            report((standing.reused + standing.simulated) / standing.worlds)
        if watch is not None:
            watch(standing)

    return tell


def time_in_words(seconds: float) -> str:
    """A time in words, such as 40 s, 12 min or 3.5 h."""
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"


def sentence_about(standing: Standing) -> str:
    """How far a study is, in words: worlds, rate and remaining time."""
    done = standing.reused + standing.simulated
    left = "" if standing.remaining is None else f", {time_in_words(standing.remaining)} left"
    return f"{done:,} of {standing.worlds:,} worlds, {standing.rate:,.3g} per second{left}"
