"""One batch of a study: worlds from rows, simulated together, measured. A world that fails is a row with its status."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.description.many import ManyExperiments
from pushpoint.errors import PushpointError, one_line
from pushpoint.model.environment import Environment
from pushpoint.simulation.driving import way_of_driving
from pushpoint.simulation.provenance import statuses_of
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.simulate import finish
from pushpoint.simulation.storage import save
from pushpoint.studies.measuring import StudyMeasure, measured_by_end, measures_named, variables_needed, worlds_by_end
from pushpoint.studies.running.rows import Plan, StudyRows
from pushpoint.worlds.world import Experiment, World

if TYPE_CHECKING:
    import xarray

INVALID = "invalid"
"""Status of a world that cannot be made or simulated at all; the message says why."""
SOUND = ("finished", "ended")
"""Statuses of worlds in which nothing went wrong."""
MOST_SAID = 200
"""Letters of a message in the table."""


@dataclass(frozen=True)
class Batch:
    """Rows that are simulated together."""

    keys: np.ndarray
    """Keys, shape (n_rows,)."""
    codes: np.ndarray
    """Codes of what varies, shape (n_rows, n_varied)."""


@dataclass(frozen=True)
class Finished:
    """The results of a batch."""

    columns: dict[str, np.ndarray]
    """By name: key, status, message, and every measure, each of shape (n_rows,)."""
    runs: dict[str, bytes]
    """Runs that are kept, as NetCDF files, by their keys."""


class BatchRunner:
    """Runs batches of one study. It remembers the sections that worlds share."""

    def __init__(self, plan: Plan) -> None:
        for module in plan.modules:
            import_module(module)
        self._plan, self._rows, self._many = plan, StudyRows(plan), ManyExperiments(thorough=False)
        self._measures: list[StudyMeasure] = measures_named(plan.measures)

    @cached_property
    def _variables(self) -> tuple[str, ...] | None:
        """The variables that are recorded; None for those of the scenario."""
        return variables_needed(self._measures) if self._plan.keep == "none" else None

    def run(self, batch: Batch) -> Finished:
        """Simulates and measures the worlds of a batch."""
        count = len(batch.keys)
        rows = _Table(count, self._plan.measures)
        groups: dict[tuple[Any, ...], list[int]] = {}
        made: list[Experiment | None] = [None] * count
        for k, one in enumerate(self._experiments(batch.codes)):
            if isinstance(one, str):
                rows.refuse(k, one)
                continue
            made[k] = one
            driven = way_of_driving(one.worlds[0].controller)
            alone = k if one.edits else None  # a run has edits of a single world
            alike = (one.duration, one.settings, one.record, id(one.until), driven, alone)
            groups.setdefault(alike, []).append(k)
        runs: dict[str, bytes] = {}
        for chosen in groups.values():
            runs |= self._run(chosen, made, rows, batch.keys)
        return Finished({"key": batch.keys, **rows.columns}, runs)

    def warm(self, batch: Batch) -> None:
        """Compiles or loads the kernels that the worlds of a batch need."""
        made = [one for one in self._experiments(batch.codes) if not isinstance(one, str)]
        for chosen in {(one.settings, one.record): [one] for one in made}.values():
            alike = [one for one in made if (one.settings, one.record) == (chosen[0].settings, chosen[0].record)]
            try:
                Rollout(self._joined(alike)).stepper.advance(0)
            except PushpointError:
                continue  # a world that cannot be simulated becomes a row of its batch

    def _experiments(self, codes: np.ndarray) -> list[Experiment | str]:
        """The experiment of every row, or the sentence that says why there is none."""
        found: list[Experiment | str] = []
        for document, course in self._rows.documents(codes):
            try:
                if course is not None:
                    document = {name: part for name, part in document.items() if name != "obstacles"}
                one = self._many.read(document)
                if course is not None:
                    maker, seed = course
                    one = one._replace(worlds=(_with_obstacles(one.worlds[0], maker.obstacles(seed, one.worlds[0])),))
                found.append(one)
            except Exception as error:
                found.append(_said(error))
        return found

    def _joined(self, experiments: Sequence[Experiment]) -> Experiment:
        """Experiments that differ in their worlds alone, as one."""
        first = experiments[0]
        record = first.record if self._variables is None else replace(first.record, variables=self._variables, also=())
        settings = replace(first.settings, on_failure="record")
        worlds = tuple(one.worlds[0] for one in experiments)
        return first._replace(worlds=worlds, settings=settings, record=record)

    def _run(
        self, chosen: list[int], made: Sequence[Experiment | None], rows: _Table, keys: np.ndarray
    ) -> dict[str, bytes]:
        """Simulates some worlds together. If that is refused, halves of them, down to the ones that are to blame."""
        experiment = self._joined([one for k in chosen if (one := made[k]) is not None])
        try:
            run = finish(Rollout(experiment, described=self._plan.keep != "none"))
        except Exception as error:
            if len(chosen) == 1:
                rows.refuse(chosen[0], _said(error))
                return {}
            half = len(chosen) // 2
            first = self._run(chosen[:half], made, rows, keys)
            return first | self._run(chosen[half:], made, rows, keys)
        rows.fill(chosen, run, self._measures)
        kept = [w for w, k in enumerate(chosen) if self._plan.keep == "all" or not rows.sound(k)]
        return {} if self._plan.keep == "none" else {keys[chosen[w]].decode(): _file_of(run, w) for w in kept}


class _Table:
    """The columns of a batch while they are filled."""

    def __init__(self, count: int, measures: Sequence[str]) -> None:
        self._status, self._message = [INVALID] * count, [""] * count
        self._values = {name: np.full(count, np.nan) for name in measures}

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """All columns but the key."""
        words = {"status": np.array(self._status), "message": np.array(self._message)}
        return words | {f"measure:{name}": values for name, values in self._values.items()}

    def refuse(self, row: int, sentence: str) -> None:
        """Says why a world could not be simulated."""
        self._message[row] = sentence

    def sound(self, row: int) -> bool:
        """Whether nothing went wrong."""
        return self._status[row] in SOUND

    def fill(self, chosen: Sequence[int], run: xarray.Dataset, measures: Sequence[StudyMeasure]) -> None:
        """Writes down how worlds ended, and their measures."""
        for k, status in zip(chosen, statuses_of(run), strict=True):
            self._status[k] = status
        parts = worlds_by_end(run)
        for measure in measures:
            values, said = measured_by_end(measure, run, parts)
            self._values[measure.name][chosen] = values
            for w, sentence in said.items():
                self._message[chosen[w]] = self._message[chosen[w]] or one_line(sentence, MOST_SAID)


def _with_obstacles(world: World, obstacles: Any) -> World:
    return replace(world, environment=Environment(ground=world.environment.ground, obstacles=obstacles))


def _said(error: Exception) -> str:
    """An error in one line."""
    kind = "" if isinstance(error, PushpointError) else f"{type(error).__name__}: "
    return one_line(f"{kind}{error}", MOST_SAID)


def _file_of(run: xarray.Dataset, world: int) -> bytes:
    """One world of a run as the content of a NetCDF file."""
    with tempfile.TemporaryDirectory(prefix="pushpoint-study-") as folder:
        return Path(save(run.isel(world=world), Path(folder) / "run.nc")).read_bytes()
