"""What the panels of ground and motors change reaches all of a robot, planar or in space."""

from __future__ import annotations

from dataclasses import replace

import pytest

import pushpoint as pp
from pushpoint.model.catalogue import ROBOTS
from pushpoint.simulation.live.live import Live
from pushpoint.studio.panels.surroundings import first_motor, friction_of, put_friction, put_motor


@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_a_changed_motor_is_changed_in_all_joints_and_nothing_else_is(name: str) -> None:
    robot = ROBOTS[name]()
    before = first_motor(robot)
    assert before is not None
    with Live(pp.World(robot, pp.Environment())) as live:
        put_motor(live, replace(before, torque_limit=0.125))
        after = live.world.robot.motors
    assert after == tuple(replace(each, torque_limit=0.125) for each in robot.motors)


def test_a_changed_law_of_friction_is_that_of_the_ground() -> None:
    with Live(pp.World(pp.catalogue.aiko_planar(), pp.Environment())) as live:
        law = pp.Elliptic(along=0.1, across=0.7)
        put_friction(live, law)
        assert friction_of(live.world) == live.world.environment.ground.friction == law
