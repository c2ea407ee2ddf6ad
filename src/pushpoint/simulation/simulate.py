"""From a world, or a robot, an environment and a controller, to a Dataset: at once, in portions, or step by step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

import numpy as np
import xarray as xr

from pushpoint.contact_problems import Problem
from pushpoint.contact_problems.export import problem_of_step
from pushpoint.engine.batching import merge, pick
from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.engine.state import SpatialState, State
from pushpoint.errors import InvalidModel, SimulationFailed
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import truths
from pushpoint.model.environment import Environment
from pushpoint.model.quantities import Frequency, Natural
from pushpoint.model.sensors import Sensors
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.progress import Progress, Report, reporting
from pushpoint.simulation.driving import check_command, whole_steps
from pushpoint.simulation.estimate import batch_of, refuse_too_many
from pushpoint.simulation.health import Health, look_at, warnings_about
from pushpoint.simulation.rollout import Rollout, prepared
from pushpoint.simulation.senses import Senses
from pushpoint.worlds.goals import Until
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World, checked


class RestOfRun(TypedDict, total=False):
    """What running worlds may need besides; see Experiment."""

    until: Until | None
    settings: Settings
    record: Record
    file: str | Path | None
    progress: Progress


class RestOfWorldAndRun(RestOfRun, total=False):
    """What a world may have besides as well; see World."""

    start: Start | SpatialStart | None
    sensors: Sensors


@overload
def simulate(worlds: World | Sequence[World], /, duration: float, **rest: Unpack[RestOfRun]) -> xr.Dataset: ...


@overload
def simulate(
    robot: AnyRobot,
    /,
    environment: Environment,
    controller: Controller[Any],
    *,
    duration: float,
    **rest: Unpack[RestOfWorldAndRun],
) -> xr.Dataset: ...


def simulate(
    what: Any,
    /,
    *parts: Any,
    duration: Any = None,
    until: Until | None = None,
    settings: Settings = Settings(),
    record: Record = Record(),
    file: str | Path | None = None,
    progress: Progress = False,
    **rest: Any,
) -> xr.Dataset:
    """Simulates a World, or several, for `duration` seconds.

        simulate(world, duration)                                   # one world
        simulate([world, ...], duration)                            # a batch: the Dataset has a `world` dimension
        simulate(robot, environment, controller, duration=10.0)     # the same as World(robot, environment, controller)

    The last form takes what else a World has, start and sensors, by name. Worlds end early when they have come to what
    they run `until`: a Goal, or a function that says which worlds are over from what is measured. Returns a Dataset
    (see worlds.variables). A world that fails raises SimulationFailed with the Dataset up to there in its `run`, or,
    with on_failure="record", is marked in the Dataset.

    With `file`, samples are written to that NetCDF file as they come: memory stays flat however long the run is, and
    the Dataset reads from the file what is asked of it. Until the run is over the file is called FILE.partial. A run
    that is too large for this machine is refused with the memory that it would take; see `estimate`.

    With `progress=True`, standard error shows how far the run has come, in per cent; a function of your own is told
    the share that is done, from 0 to 1.
    """
    batched = isinstance(what, Sequence) and not isinstance(what, str)
    if batched or isinstance(what, World):
        if duration is None and len(parts) == 1:
            (duration,), parts = parts, ()
        if parts or rest:
            raise InvalidModel("worlds", "and parts of one", "given alone: each World has its own robot and start")
        worlds = what if batched else [what]
    else:
        missing: dict[str, Any] = {} if parts else {"environment": None}
        worlds = [World(what, *parts, **missing | rest)]
    experiment = Experiment(checked(worlds), duration, settings, record, until)
    with reporting(progress, "simulation") as report:
        return finish(Rollout(experiment, batched=batched, file=file), report)


def finish(rollout: Rollout, report: Report | None = None) -> xr.Dataset:
    """Runs what is left of a rollout and returns its Dataset, or raises if its settings say so.

    `report` is told the share that is done after each portion.
    """
    try:
        while not rollout.finished:
            rollout.advance()
            if report is not None:
                report(rollout.time / rollout.duration)
        run = rollout.dataset()
    finally:
        rollout.close()
    failure = rollout.failure()
    if failure and rollout.settings.on_failure == "raise":
        raise SimulationFailed(failure, run)
    return run


class Simulator:
    """A batch of worlds that waits for commands; measurements include the pose."""

    @checked_arguments
    def __init__(self, worlds: Sequence[World], *, rate: Frequency = 100.0, settings: Settings = Settings()) -> None:
        """Commands come `rate` times per simulated second [Hz]."""
        self.worlds = checked(worlds)
        self.settings = settings
        refuse_too_many(self.worlds, settings, batch_of(self.worlds, settings).kernels)
        self._period = whole_steps("rate", rate, settings.dt)
        self._stepper, self._initial = prepared(self.worlds, settings)
        self._stepper.load(self._initial)
        self._first_step = self._initial.step
        self._senses = Senses(self.worlds, self._stepper, period=self._period, with_pose=True)

    def reset(self, mask: np.ndarray | None = None) -> Measurement:
        """Puts the worlds where mask is true (default: all) back to their start; the others repeat their measurement.

        Sensors of a reset world sample anew and their delays begin with what is measured now; their noise goes on.
        """
        chosen = np.ones(len(self.worlds), dtype=bool) if mask is None else truths("mask", mask, len(self.worlds))
        self._stepper.load(merge(self._stepper.state(), chosen, pick(self._initial, chosen)))
        self._begin(chosen)
        return self._senses.restart(chosen)

    def step(self, command: Command) -> Measurement:
        """Holds a command for one period and returns what is measured at its end."""
        check_command(command, len(self.worlds), self._stepper)
        self._stepper.use_command(command, self._period)
        if not self._senses.begun:  # delays and sampling count from the start, whether it was looked at or not
            self._senses.read()
        self._stepper.advance(self._period)
        return self._senses.read()

    @property
    def state(self) -> State | SpatialState:
        """A copy of the present state; restore continues from it bit for bit."""
        return self._stepper.state()

    def restore(self, state: State | SpatialState) -> Measurement:
        """Goes back to a state; forces in the measurement are zero until the next step.

        A state holds nothing of the sensors: they sample anew, their delays begin now, and their noise goes on.
        """
        self._stepper.load(state)
        every = np.ones(len(self.worlds), dtype=bool)
        self._begin(every)
        return self._senses.restart(every)

    def _begin(self, chosen: np.ndarray) -> None:
        """Begins the health of some worlds anew."""
        self._stepper.forget(chosen)
        self._first_step = np.where(chosen, self._stepper.state().step, self._first_step)

    @property
    def statuses(self) -> list[Status]:
        """How each world stands; a failed one no longer moves until it is reset."""
        return self._stepper.statuses()

    @property
    def health(self) -> list[Health]:
        """What the steps of each world came to since its start, its last reset or the last restore."""
        return look_at(self._stepper, {}, self._first_step)

    @property
    def warnings(self) -> list[str]:
        """What speaks against these steps: one sentence for every limit that is exceeded."""
        return warnings_about(self.health, self.worlds, self.settings)

    @checked_arguments
    def contact_problem(self, world: Natural = 0) -> Problem:
        """The contacts of a world's last time step as a dense problem, with the impulses that the engine found."""
        return problem_of_step(self._stepper, world)
