"""From a robot, an environment and a controller to a Dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import xarray as xr

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel, SimulationFailed
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World


def simulate(
    robot: AnyRobot | None = None,
    environment: Environment | None = None,
    controller: Any = None,
    *,
    duration: float,
    start: Start | SpatialStart | None = None,
    worlds: Sequence[World] | None = None,
    settings: Settings = Settings(),
    record: Record = Record(),
) -> xr.Dataset:
    """Simulates one world, or a batch given as `worlds`, for `duration` seconds.

    Returns a Dataset (see simulation.schema); a batch has a leading `world` dimension. A world that ends early raises
    SimulationFailed with the Dataset up to there in its `run`, or, with on_failure="record", is marked in the Dataset.
    Controllers sense perfectly; noise, delay and ranges come with worlds=[World(..., sensors=Sensors(...))].
    """
    if worlds is None:
        if robot is None or environment is None:
            raise InvalidModel("simulate", None, "given a robot, an environment and a controller, or worlds=[...]")
        batch: Sequence[World] = [World(robot, environment, controller, start)]
    elif robot is not None or environment is not None or controller is not None or start is not None:
        raise InvalidModel("worlds", "and a robot", "given alone: each World holds its own robot and start")
    else:
        batch = worlds
    rollout = Rollout(batch, duration=duration, settings=settings, record=record, batched=worlds is not None)
    return finish(rollout)


def finish(rollout: Rollout) -> xr.Dataset:
    """Runs what is left of a rollout and returns its Dataset, or raises if its settings say so."""
    while not rollout.finished:
        rollout.advance()
    run = rollout.dataset()
    failure = rollout.failure()
    if failure and rollout.settings.on_failure == "raise":
        raise SimulationFailed(failure, run)
    return run
