"""What leads a link out of a penetration adds speed to it: how much, in both engines, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from oracles.controllers import Always, straight

TENTH = 0.1
"""Share of a penetration that is led out per step [-]."""
FASTEST = 5e-3
"""Speed at which it is led out in the plane, at most [m/s]; in space a tenth of the link's own is added."""
STEPS = (2e-3, 1e-3, 2.5e-4)
RADIUS, GRAVITY, FRICTION = 0.02, 9.81, 0.3


def thrown(*, spatial: bool, speed: float, dt: float, ahead: float = 0.0, gravity: float = 0.0) -> xr.Dataset:
    """A link flies at the ground, or two in a row in the plane at a wall, from 6 mm off; one second of it."""
    place = RADIUS + 6.13e-3
    common = {"duration": 1.0, "settings": pp.Settings(dt=dt), "record": pp.Record(rate=1 / dt)}
    if spatial:
        link = pp.SpatialLink(length=0.1, mass=0.3, inertia=(1.2e-4, 3e-4, 3.5e-4), radius=RADIUS)
        robot = pp.SpatialRobot(links=(link,), joints=())
        world = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(FRICTION), gravity=gravity))
        start = pp.SpatialStart(position=(0.0, 0.0, place), velocity=(ahead, 0.0, -speed))
        return pp.simulate(robot, world, Always(pp.Command()), start=start, **common)
    flat = pp.PlanarRobot(links=(pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=RADIUS),) * 2)
    wall = pp.Wall(start=(-1.0, -0.05), end=(1.0, -0.05), thickness=0.1)
    world = pp.Environment(ground=pp.Ground(friction=pp.Frictionless()), obstacles=(wall,))
    start = pp.Start(position=(0.0, place), velocity=(ahead, -speed))
    return pp.simulate(flat, world, straight(), start=start, **common)


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("speed", [0.05, 0.5])
def test_the_speed_of_leaving_after_a_plastic_impact_is_bounded(spatial: bool, speed: float) -> None:
    """It should be zero. Impacts are found up to a step late, speed dt deep at most; a tenth per step is led out."""
    for dt in STEPS:
        run = thrown(spatial=spatial, speed=speed, dt=dt)
        leaving = float(run.link_velocity.values[-1, 0, 2 if spatial else 1])
        most = TENTH * speed if spatial else min(TENTH * speed, FASTEST)
        assert 0.0 <= leaving <= most + 1e-3 * GRAVITY * dt  # m/s: what the default tolerance leaves of a law


@pytest.mark.parametrize("speed", [0.05, 0.5])
def test_a_link_lands_sliding_and_rests(speed: float) -> None:
    """It falls for t, hits with u = speed + g t, loses mu u at once and slides on by (ahead - mu u)^2 / (2 mu g)."""
    ahead = 1.0
    fall = (np.sqrt(speed**2 + 2 * GRAVITY * 6.13e-3) - speed) / GRAVITY
    hit = speed + GRAVITY * fall
    way = ahead * fall + (ahead - FRICTION * hit) ** 2 / (2 * FRICTION * GRAVITY)
    for dt in STEPS:
        run = thrown(spatial=True, speed=speed, dt=dt, ahead=ahead, gravity=GRAVITY)
        x, _, z = run.link_position.values[:, 0].T
        assert x[-1] == pytest.approx(way, abs=0.02 * hit * dt)  # m: a fiftieth of what it falls in a step
        assert RADIUS - 1.01e-6 <= z[-1] <= RADIUS  # m: what is left alone of a penetration is 1e-6
        assert run.link_velocity.values[:, 0, 2].max() <= TENTH * hit + FASTEST
