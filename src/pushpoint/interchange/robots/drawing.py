"""A picture of a robot that lies straight on flat ground."""

from __future__ import annotations

from pathlib import Path

from pushpoint.engine.settings import Settings
from pushpoint.films.film import still
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World


def draw_robot(robot: AnyRobot, path: str | Path) -> Path:
    """Writes a picture of a robot, as a PNG file."""
    settings = Settings()
    run = simulate(World(robot, Environment()), 2 * settings.dt, settings=settings)
    return still(run, path, time=0.0)
