"""A picture of a robot that lies straight on flat ground."""

from __future__ import annotations

from pathlib import Path

from pushpoint.engine.settings import Settings
from pushpoint.errors import one_line
from pushpoint.films.film import still
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World


def draw_robot(robot: AnyRobot, path: str | Path) -> Path:
    """Writes a picture of a robot, as a PNG file."""
    settings = Settings()
    title = one_line(f"{robot.name}: {robot.n_links} links, {robot.length:.3g} m")
    world = World(robot, Environment())
    scenario = Scenario(name="robot", title=title, worlds=world, duration=2 * settings.dt, settings=settings)
    return still(scenario.run(), path, time=0.0)
