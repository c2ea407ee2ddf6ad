"""Prescribed joints that find no way on are stopped by a sentence, before links sink into what holds them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import pushpoint as pp
from pushpoint.bench.random_worlds import random_case
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
    with pytest.raises(SimulationFailed, match="stopped: the prescribed joint motion is jammed") as failed:
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


def test_a_spatial_robot_wedged_between_boxes_is_stopped() -> None:
    # Its contacts have no solution with friction by other means either (contact_problems.solve), and one without.
    # It went on for 158 unconverged steps before and ended as finished, 50 mm deep.
    case = random_case(9058)
    gait: Any = case.world.controller
    before: Any = case.world.start
    start = pp.SpatialStart(orientation=before.orientation, position=(0.34019336, 0.80803799, 0.48717866))
    world = replace(case.world, controller=replace(gait, prescribed=True), start=start)
    run = pp.simulate(world, 2.0, settings=pp.Settings(dt=case.dt, on_failure="record"))
    assert run.attrs["status_code"] == "jammed" and run.attrs["deepest_penetration"] < 5e-3  # m
