"""Runs worlds from their start to their end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

import xarray as xr

from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel, SimulationFailed
from pushpoint.model.environment import Environment
from pushpoint.model.sensors import Sensors
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.progress import Progress, Report, reporting
from pushpoint.simulation.rollout import Rollout
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
