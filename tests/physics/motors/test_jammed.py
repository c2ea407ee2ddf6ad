"""Prescribed joints that find no way on are stopped by a sentence, before links sink into what holds them."""

from __future__ import annotations

import pytest

import pushpoint as pp
from pushpoint.errors import SimulationFailed

RADIUS, WIDTH = 0.02, 0.06
ROBOT = pp.PlanarRobot.uniform(
    2, pp.PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=RADIUS), pp.Motor(stiffness=5.0)
)
WALLS = [pp.Wall(start=(-0.5, y), end=(0.5, y), thickness=0.01, friction=0.3) for y in (-0.5 * WIDTH, 0.5 * WIDTH)]
COURSE = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2)), obstacles=WALLS)


def bending(*, prescribed: bool) -> pp.gaits.LateralUndulation:
    """The joint bends to 1.2 rad: a V that is wider than the channel in every position."""
    return pp.gaits.LateralUndulation(amplitude=1.2, angular_frequency=1.0, phase_shift=0.0, prescribed=prescribed)


def test_a_bend_that_the_walls_forbid_is_stopped() -> None:
    with pytest.raises(
        SimulationFailed, match="stopped: no forces within the laws let the prescribed joints move on"
    ) as failed:
        pp.simulate(ROBOT, COURSE, bending(prescribed=True), duration=1.5)
    run = failed.value.run
    (found,) = pp.health_of(run)
    assert run.attrs["status_code"] == "jammed"
    assert found.deepest_penetration < 0.5 * RADIUS  # it went on for 77 steps before, through the wall
    assert found.unconverged_steps < 30


def test_a_servo_there_is_held_by_the_walls() -> None:
    run = pp.simulate(ROBOT, COURSE, bending(prescribed=False), duration=1.5)
    (found,) = pp.health_of(run)
    assert run.attrs["status"] == "finished" and pp.warnings_of(run) == []
    assert found.deepest_penetration < 0.1 * RADIUS and found.unconverged_steps == 0
