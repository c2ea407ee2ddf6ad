"""Runs worlds: all at once with `simulate`, or step by step with a `Simulator`."""

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
from pushpoint.simulation.sensing.senses import Senses
from pushpoint.worlds.goals import Until
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World, checked


class RestOfRun(TypedDict, total=False):
    """Further arguments of a run; see Experiment."""

    until: Until | None
    settings: Settings
    record: Record
    file: str | Path | None
    progress: Progress


class RestOfWorldAndRun(RestOfRun, total=False):
    """Further arguments of a world and its run; see World and Experiment."""

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
    """Simulates one World or several and returns an xarray.Dataset.

        simulate(world, duration)                                   # one world
        simulate([world, ...], duration)                            # a batch: the Dataset has a `world` dimension
        simulate(robot, environment, controller, duration=10.0)     # the same as World(robot, environment, controller)

    The last form also takes the other fields of a World by name: `start` and `sensors`.

        gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
        ground = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.5)))
        run = pp.simulate(pp.catalogue.aiko_planar(), ground, gait, duration=5.0)

    Args:
        what: A World, a sequence of worlds, or a robot.
        *parts: After a robot, the environment and the controller.
        duration: Simulated time [s], at least one time step.
        until: A Goal, or a function of a Measurement that says which worlds are done. They end early.
        settings: Numerical settings.
        record: How often and which variables are recorded.
        file: A NetCDF file that samples are written to as they come. Memory use then stays constant however long the
            run is, and the Dataset reads from the file on demand. Until the run is over, the file is called
            FILE.partial.
        progress: With True, standard error shows how far the run has come, in per cent. A function of your own is
            called with the share that is done, from 0 to 1.
        **rest: `start` and `sensors`, if the robot is given directly.

    Returns:
        The run, with units and descriptions on every variable.

    Raises:
        SimulationFailed: A world failed. The error's `run` holds the Dataset up to that time. With
            `Settings(on_failure="record")` the world is marked in the Dataset instead.
        TooLarge: The run does not fit into memory; see `estimate`.
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
    """Runs a rollout to its end and returns its Dataset, or raises SimulationFailed if the settings say so.

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
    """A batch of worlds that is stepped from outside, one command at a time.

    Measurements include the pose.

        world = pp.World(pp.catalogue.aiko_planar(), pp.Environment())
        simulator = pp.Simulator([world], rate=50.0)
        measurement = simulator.reset()
        for _ in range(10):
            measurement = simulator.step(pp.Command(joint_angle=np.full((1, world.robot.n_joints), 0.1)))

    Args:
        worlds: The worlds of the batch. Their controllers are not used.
        rate: Commands per simulated second [Hz]. The period must be a whole number of time steps.
        settings: Numerical settings.
    """

    @checked_arguments
    def __init__(self, worlds: Sequence[World], *, rate: Frequency = 100.0, settings: Settings = Settings()) -> None:
        """Prepares the worlds."""
        self.worlds = checked(worlds)
        self.settings = settings
        refuse_too_many(self.worlds, settings, batch_of(self.worlds, settings).kernels)
        self._period = whole_steps("rate", rate, settings.dt)
        self._stepper, self._initial = prepared(self.worlds, settings)
        self._stepper.load(self._initial)
        self._first_step = self._initial.step
        self._senses = Senses(self.worlds, self._stepper, period=self._period, with_pose=True)
        self._rate = rate

    def __repr__(self) -> str:
        count = len(self.worlds)
        return f"<Simulator of {count} world{'s'[: count != 1]}, {self._stepper.n_links} links, {self._rate:g} Hz>"

    def reset(self, mask: np.ndarray | None = None) -> Measurement:
        """Puts worlds back to their start and returns a measurement of all worlds.

        The sensors of a reset world start again, and their delays begin with what is measured now. Their noise
        continues.

        Args:
            mask: Which worlds to reset, shape (n_worlds,); default: all. The other worlds repeat their last
                measurement.
        """
        chosen = np.ones(len(self.worlds), dtype=bool) if mask is None else truths("mask", mask, len(self.worlds))
        self._stepper.load(merge(self._stepper.state(), chosen, pick(self._initial, chosen)))
        self._begin(chosen)
        return self._senses.restart(chosen)

    def step(self, command: Command) -> Measurement:
        """Applies a command for one period and returns what is measured at its end."""
        check_command(command, len(self.worlds), self._stepper)
        self._stepper.use_command(command, self._period)
        if not self._senses.begun:  # delays and sampling count from the start, even if nobody called reset
            self._senses.read()
        self._stepper.advance(self._period)
        return self._senses.read()

    @property
    def state(self) -> State | SpatialState:
        """A copy of the current state. After `restore`, the simulation continues bit for bit the same."""
        return self._stepper.state()

    def restore(self, state: State | SpatialState) -> Measurement:
        """Goes back to a state and returns a measurement. Its forces are zero until the next step.

        A state holds nothing about the sensors: they start again, their delays begin now, and their noise continues.
        """
        self._stepper.load(state)
        every = np.ones(len(self.worlds), dtype=bool)
        self._begin(every)
        return self._senses.restart(every)

    def _begin(self, chosen: np.ndarray) -> None:
        """Resets the health of some worlds."""
        self._stepper.forget(chosen)
        self._first_step = np.where(chosen, self._stepper.state().step, self._first_step)

    @property
    def statuses(self) -> list[Status]:
        """The status of each world. A failed world stands still until it is reset."""
        return self._stepper.statuses()

    @property
    def health(self) -> list[Health]:
        """The health of each world since its start, its last reset or the last restore."""
        return look_at(self._stepper, {}, self._first_step)

    @property
    def warnings(self) -> list[str]:
        """One sentence for every limit that the steps so far have exceeded."""
        return warnings_about(self.health, self.worlds, self.settings)

    @checked_arguments
    def contact_problem(self, world: Natural = 0) -> Problem:
        """The contacts of a world's last time step as a dense problem, with the engine's impulses."""
        return problem_of_step(self._stepper, world)
