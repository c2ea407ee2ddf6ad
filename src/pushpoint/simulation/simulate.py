"""From a world, or a robot, an environment and a controller, to a Dataset: at once, in portions, or step by step."""

from __future__ import annotations

from collections.abc import Sequence
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
from pushpoint.engine.state import MOST_STEPS, SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel, SimulationFailed
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import truths
from pushpoint.model.checks import instance, positive
from pushpoint.model.environment import Environment
from pushpoint.model.quantities import Frequency, Natural
from pushpoint.model.sensors import Sensors
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.simulation.driving import ClosedLoopDriving, check_command, drive, whole_steps
from pushpoint.simulation.health import Health, look_at, warnings_about
from pushpoint.simulation.results import build_dataset
from pushpoint.simulation.senses import Senses
from pushpoint.worlds.goals import Until
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World, checked

NEGLIGIBLE = 1e-6
"""Part of a time step that counts as round-off [-]."""


def prepared(worlds: Sequence[World], settings: Settings) -> tuple[Stepper, State | SpatialState]:
    """A stepper for worlds, and the state that they start in."""
    stepper = Stepper([world.robot for world in worlds], [world.environment for world in worlds], settings)
    return stepper, stepper.initial([world.pose(k) for k, world in enumerate(worlds)])


class Rollout:
    """Worlds on their way from start to duration; the Dataset is valid at any time in between."""

    def __init__(self, experiment: Experiment, *, batched: bool = True) -> None:
        """`batched`: whether the Dataset has a `world` dimension."""
        self.experiment = experiment._replace(worlds=checked(experiment.worlds))
        self.worlds, self.settings, self.record = self.experiment.worlds, experiment.settings, experiment.record
        instance("settings", self.settings, Settings, "Settings")
        instance("record", self.record, Record, "a Record")
        self.batched, dt = batched, self.settings.dt
        steps = positive("duration", experiment.duration, "s") / dt
        if not steps < MOST_STEPS:
            raise InvalidModel("duration", experiment.duration, f"less than {MOST_STEPS} time steps of {dt} s")
        self.steps = round(steps)
        if self.steps < 1:
            raise InvalidModel("duration", experiment.duration, f"at least one time step of {dt} s")
        self.every = self.record.steps(dt)
        self.remarks = _rounded(experiment.duration, self.record.rate, self.steps, self.every, dt)
        """What was made to fit the time step: one sentence each."""
        self.stepper, initial = prepared(self.worlds, self.settings)
        self.stepper.load(initial)
        most = max(len(world.environment.obstacles) for world in self.worlds)
        with_obstacles = self.record.wants("obstacle_load", most)
        self.stepper.new_samples(self.steps // self.every + 1, self.every, with_obstacles=with_obstacles)
        self._driving = drive(self.worlds, self.stepper, experiment.until)
        self._done = 0

    def advance(self) -> None:
        """Runs one portion of simulated time."""
        self._done += self._driving.advance(self.steps - self._done)

    @property
    def finished(self) -> bool:
        """Whether the duration is reached or no world is running any more."""
        return self._done >= self.steps or not self.stepper.running().any()

    @property
    def time(self) -> float:
        """Simulated time so far [s]."""
        return self._done * self.settings.dt

    @property
    def duration(self) -> float:
        """Simulated time at the end [s]."""
        return self.steps * self.settings.dt

    def statuses(self) -> list[Status]:
        """How each world stands now."""
        done = Status.FINISHED if self._done >= self.steps else Status.RUNNING
        return [done if status is Status.RUNNING else status for status in self.stepper.statuses()]

    def failure(self) -> str | None:
        """One sentence about the first world that failed; None if all are well."""
        for w, status in enumerate(self.statuses()):
            if status.failed:
                step = int(self.stepper.state().step[w])
                return f"world {w} {status.value} at step {step} (t = {step * self.settings.dt:.6g} s)"
        return None

    def health(self) -> list[Health]:
        """What the steps of each world came to so far."""
        return look_at(self.stepper, self.stepper.samples())

    def dataset(self, *, interrupted: bool = False) -> xr.Dataset:
        """Everything recorded so far."""
        statuses = self.statuses()
        if interrupted:
            statuses = [Status.INTERRUPTED if status is Status.RUNNING else status for status in statuses]
        counts = self.stepper.state().step // self.every + 1
        return build_dataset(self, self.stepper.samples(), counts, statuses)

    @property
    def modes(self) -> tuple[np.ndarray, int] | None:
        """Modes that controllers were in, shape (n_commands, n_worlds), and time steps per command; None without."""
        if not isinstance(self._driving, ClosedLoopDriving) or not self.mode_names:
            return None
        return np.array(self._driving.modes).reshape(-1, len(self.worlds)), self._driving.period

    @property
    def mode_names(self) -> set[tuple[str, ...]]:
        """Names of the modes of the controllers that have some."""
        return {world.controller.modes for world in self.worlds if world.controller and world.controller.modes}


def _rounded(duration: float, rate: float, steps: int, every: int, dt: float) -> tuple[str, ...]:
    """What a time step makes of a duration [s] and a recording rate [Hz] that are no whole numbers of it."""
    sentences = []
    if abs(steps * dt - duration) > NEGLIGIBLE * dt:
        sentences.append(
            f"duration = {duration:.6g} s is no whole number of time steps of {dt:.6g} s: {steps * dt:.6g} s are taken"
        )
    if abs(every * dt - 1.0 / rate) > NEGLIGIBLE * dt:
        taken = f"{1.0 / (every * dt):.6g} Hz, a sample every {every} time steps of {dt:.6g} s"
        sentences.append(f"record.rate = {rate:.6g} Hz does not fit the time step: {taken}, are taken")
    if steps % every:
        last = f"{steps // every * every * dt:.6g} s"
        sentences.append(f"the last sample is at {last}, before the end of the run at {steps * dt:.6g} s")
    return tuple(sentences)


class RestOfRun(TypedDict, total=False):
    """What running worlds may need besides; see Experiment."""

    until: Until | None
    settings: Settings
    record: Record


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
    **rest: Any,
) -> xr.Dataset:
    """Simulates a World, or several, for `duration` seconds.

        simulate(world, duration)                                   # one world
        simulate([world, ...], duration)                            # a batch: the Dataset has a `world` dimension
        simulate(robot, environment, controller, duration=10.0)     # the same as World(robot, environment, controller)

    The last form takes what else a World has, start and sensors, by name. Worlds end early when they have come to what
    they run `until`: a Goal, or a function that says which worlds are over from what is measured. Returns a Dataset
    (see worlds.record). A world that fails raises SimulationFailed with the Dataset up to there in its `run`, or,
    with on_failure="record", is marked in the Dataset.
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
    return finish(Rollout(Experiment(checked(worlds), duration, settings, record, until), batched=batched))


def finish(rollout: Rollout) -> xr.Dataset:
    """Runs what is left of a rollout and returns its Dataset, or raises if its settings say so."""
    while not rollout.finished:
        rollout.advance()
    run = rollout.dataset()
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
