"""Robots and grounds whose numbers lie anywhere between the ends of the table of magnitudes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.campaign import kind
from oracles.course import course
from pushpoint.model.arrays import MAGNITUDES
from pushpoint.worlds.variables import VARIABLES

UNREFERENCED = {"joint_reference"}
"""Variables that need not be numbers."""


def drawn(random: np.random.Generator, usual: float, unit: str) -> float:
    """A number near the usual one, or of any magnitude."""
    least, largest = np.log10(MAGNITUDES[unit])
    return float(10.0 ** random.uniform(least, largest)) if random.random() < 0.2 else usual


def changed(random: np.random.Generator, world: Any) -> Any:
    """The world with some of its magnitudes drawn anew."""
    robot = world.robot
    links = [
        replace(
            link,
            length=drawn(random, link.length, "m"),
            mass=drawn(random, link.mass, "kg"),
            inertia=drawn(random, link.inertia, "kg m^2"),
            radius=drawn(random, link.radius, "m"),
        )
        for link in robot.links
    ]
    motor = replace(robot.motors[0], stiffness=drawn(random, 10.0, "N m/rad"), damping=drawn(random, 0.1, "N m s/rad"))
    ground = replace(world.environment.ground, gravity=drawn(random, 9.81, "m/s^2"))
    environment = replace(world.environment, ground=ground, obstacles=())
    return replace(world, robot=replace(robot, links=links, motors=motor), environment=environment)


@kind("magnitudes", full=20_000, short=40, limit=20.0)
def trial(seed: int) -> str:
    """A planar robot of odd numbers, a few steps long: it finishes with numbers, or says that it did not."""
    random = np.random.default_rng((seed, 16))
    world = changed(random, course(obstacles=False))
    settings = pp.Settings(dt=drawn(random, 1e-3, "s"), on_failure="record")
    with np.errstate(all="ignore"):
        run = pp.simulate(world, 30 * settings.dt, settings=settings, record=pp.Record(rate=min(1e9, 1 / settings.dt)))
    if run.attrs["status_code"] == "finished":
        for name in (set(VARIABLES) & set(run.data_vars)) - UNREFERENCED:
            assert np.isfinite(run[name].isel(time=slice(1, None)).values).all(), f"{name} holds no numbers"
    return str(run.attrs["status_code"])
