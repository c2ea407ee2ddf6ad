"""From a world, or a robot, an environment and a controller, to a Dataset."""

from __future__ import annotations

from collections.abc import Sequence
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
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.experiment import Experiment
from pushpoint.worlds.goals import Until
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World, checked


class RestOfWorld(TypedDict, total=False):
    """What a world may have besides; see World."""

    start: Start | SpatialStart | None
    sensors: Sensors


@overload
def simulate(
    worlds: World | Sequence[World],
    /,
    duration: float,
    *,
    until: Until | None = None,
    settings: Settings = Settings(),
    record: Record = Record(),
) -> xr.Dataset: ...


@overload
def simulate(
    robot: AnyRobot,
    /,
    environment: Environment,
    controller: Controller[Any],
    *,
    duration: float,
    until: Until | None = None,
    settings: Settings = Settings(),
    record: Record = Record(),
    **rest: Unpack[RestOfWorld],
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
    (see worlds.variables). A world that fails raises SimulationFailed with the Dataset up to there in its `run`, or,
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
