"""A scenario: named worlds, with the settings of their run and claims about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pushpoint.brief import brief
from pushpoint.description.complaints import Origin
from pushpoint.engine.settings import Settings
from pushpoint.errors import InvalidModel, SimulationFailed, UnknownName
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Many, What, above, check_fields, instance, members, positive, real, store
from pushpoint.model.quantities import Line
from pushpoint.progress import Progress, reporting
from pushpoint.scenarios.claim import Claim
from pushpoint.simulation.provenance import experiment_of
from pushpoint.worlds.edits import Edit, stages
from pushpoint.worlds.record import Record
from pushpoint.worlds.variables import entry_of
from pushpoint.worlds.world import Experiment, World, check_world

if TYPE_CHECKING:
    import xarray

    from pushpoint.simulation.rollout import Rollout

NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*", re.ASCII)
LONGEST_NAME = 100
"""Most characters of a scenario's name, under which results are stored [-]."""


@dataclass(frozen=True, kw_only=True)
class Variation:
    """What differs between the worlds of a scenario: a parameter with numbers, or variants with labels."""

    __repr__ = brief

    parameter: str
    """The name of the parameter, in words."""
    unit: str
    """Its unit."""
    values: Annotated[Sequence[float], real("-"), Many(None, "a list of numbers")]
    """Its values, one per world, in that unit; with labels, the number of each world."""
    labels: Sequence[str] = ()
    """Names of the worlds, if they differ by more than a number. The others are compared with the first."""
    measures: Callable[[Any], Mapping[str, Any]] | None = None
    """Measures shown for labelled worlds, computed from their run: by name with unit, arrays of shape (n_worlds,)."""

    def __post_init__(self) -> None:
        check_fields(self, "varies")
        if self.labels and len(self.labels) != len(self.values):
            raise InvalidModel("varies.labels", len(self.labels), f"one per world, {len(self.values)}, or none")
        if bool(self.labels) != (self.measures is not None):
            raise InvalidModel("varies.measures", self.measures, "given with labels, and with labels only")

    @staticmethod
    def labelled(parameter: str, labels: Sequence[str], measures: Callable[[Any], Mapping[str, Any]]) -> Variation:
        """Worlds with names, which differ by more than a number; see the fields of the same names."""
        numbers = tuple(float(k) for k in range(len(labels)))
        return Variation(parameter=parameter, unit="1", values=numbers, labels=labels, measures=measures)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Named worlds with the duration, settings and claims of their run.

    For example:

        scenario = pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=2.0)
        run = scenario.run()
    """

    __repr__ = brief

    name: str
    """A short name, such as transeth2008a/flat: letters, digits and . _ - /"""
    worlds: World | Sequence[World]
    """The world, or several worlds that run in one batch."""
    duration: Annotated[float, above(0, "s")]
    """Simulated time [s]."""
    settings: Settings = Settings()
    """Numerical settings."""
    record: Record = Record()
    """What is recorded."""
    until: Any = None
    """A Goal that ends a world early; default: none."""
    title: Line = ""
    """One line that says what happens."""
    source: Line = ""
    """Where the experiment comes from."""
    claims: tuple[Claim, ...] = ()
    """What the source claims about it."""
    varies: Variation | None = None
    """What differs between several worlds."""
    edits: Annotated[Sequence[Edit], What("an Edit")] = ()
    """What changes in the world on its way, in the order of the time steps."""
    origin: Origin | None = field(default=None, compare=False, repr=False)
    """The file it was read from, for error messages."""

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and NAME.fullmatch(self.name) and len(self.name) <= LONGEST_NAME):
            allowed = f"letters, digits and . _ - / such as my-course, at most {LONGEST_NAME} of them"
            raise InvalidModel("name", self.name, allowed)
        given = (self.worlds,) if isinstance(self.worlds, World) else self.worlds
        worlds = members("worlds", given, World, "a World")
        store(self, worlds=worlds, duration=positive("duration", self.duration, "s"))
        check_fields(self, "scenario")
        if self.varies is not None:
            instance("varies", self.varies, Variation, "a Variation")
        if self.varies is None and len(worlds) != 1:
            raise InvalidModel("worlds", len(worlds), "one, or one for each value of what `varies`, which is not given")
        if self.varies is not None and len(worlds) != len(self.varies.values):
            count = len(self.varies.values)
            raise InvalidModel("worlds", len(worlds), f"{count}, one for each value of {self.varies.parameter}")
        for world in worlds:
            check_world(world)
        stages(worlds, self.edits)

    @property
    def world(self) -> World:
        """The world; the first of several."""
        return self.experiment.worlds[0]

    @property
    def experiment(self) -> Experiment:
        """What is run, without the claims."""
        worlds: Any = self.worlds
        about: dict[str, Any] = {"name": self.name, "title": self.title, "source": self.source, "edits": self.edits}
        return Experiment(worlds, self.duration, self.settings, self.record, self.until, **about)

    def with_changes(self, *, duration: float | None = None, dt: float | None = None, **of_world: Any) -> Scenario:
        """The same scenario with some changes.

        Args:
            duration: Simulated time [s]; default: unchanged.
            dt: Time step [s]; default: unchanged.
            **of_world: Other fields of its World by name: `robot`, `environment`, `controller`, `start`, `sensors`.
        """
        known = {each.name for each in fields(World)}
        if unknown := sorted(of_world.keys() - known):
            raise UnknownName("change", unknown[0], known | {"duration", "dt"})
        settings = self.settings if dt is None else replace(self.settings, dt=dt)
        changed = [key for key, value in (("duration", duration), ("settings", dt)) if value is not None]
        origin = None if of_world or self.origin is None else self.origin.without(*changed)
        if of_world and self.varies is not None:
            raise InvalidModel("with_changes", sorted(of_world), "left out if the worlds differ")
        worlds = replace(self.world, **of_world) if of_world else self.worlds
        lasts = self.duration if duration is None else duration
        return replace(self, worlds=worlds, duration=lasts, settings=settings, origin=origin)

    def rollout(self, file: str | Path | None = None) -> Rollout:
        """The run, ready to be advanced in portions. Its samples are kept in memory, or in a file."""
        from pushpoint.simulation.rollout import Rollout

        with self.naming_the_file():
            return Rollout(self.experiment, batched=self.varies is not None, file=file)

    def run(self, file: str | Path | None = None, *, progress: Progress = False) -> xarray.Dataset:
        """Simulates from start to end. See `simulate` for what it returns and raises.

        With several worlds, the Dataset has a `world` dimension, with the parameter and any labels along it.

        Args:
            file: A NetCDF file that samples are written to as they come; default: they are kept in memory.
            progress: With True, standard error shows how far the run has come, in per cent.
        """
        from pushpoint.simulation.simulate import finish

        rollout = self.rollout(file)
        try:
            with reporting(progress, "simulation") as report, self.naming_the_file():
                return self.stamped(finish(rollout, report))
        except SimulationFailed as failure:
            failure.run = self.stamped(failure.run)
            raise

    def naming_the_file(self) -> AbstractContextManager[None]:
        """Puts file and line in front of an error, if it was read from a file."""
        return nullcontext() if self.origin is None else self.origin.naming()

    def stamped(self, runs: xarray.Dataset) -> xarray.Dataset:
        """Runs of several worlds with what differs as coordinates; a single run unchanged."""
        if self.varies is None:
            return runs
        own = {"units": self.varies.unit, "long_name": self.varies.parameter}
        runs = runs.assign_coords(parameter=("world", list(self.varies.values), entry_of("parameter").attrs | own))
        if not self.varies.labels:
            return runs
        return runs.assign_coords(label=("world", list(self.varies.labels), entry_of("label").attrs))


@checked_arguments
def scenario_of(run: xarray.Dataset) -> Scenario:
    """Returns the scenario that a run came from: worlds, duration, settings and record, without claims."""
    experiment = experiment_of(run)
    varies = None
    if len(experiment.worlds) > 1 or "world" in run.dims:
        values = run["parameter"] if "parameter" in run.coords else run["world"]
        varies = Variation(
            parameter=str(values.attrs.get("long_name", "world")),
            unit=str(values.attrs.get("units", "1")),
            values=values.values.tolist(),
        )
    worlds = experiment.worlds[0] if varies is None else experiment.worlds
    return Scenario(**(experiment._asdict() | {"worlds": worlds, "varies": varies, "name": experiment.name or "run"}))
