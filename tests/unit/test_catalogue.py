"""The catalogue against the printed figures of its sources."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pushpoint.dynamics.settings import Settings
from pushpoint.gaits.lateral_undulation import LateralUndulation
from pushpoint.model import catalogue
from pushpoint.model.catalogue import ROBOTS, cylinder_inertia
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, Isotropic
from pushpoint.simulation.simulate import simulate


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_carries_its_name_and_a_source(name: str) -> None:
    robot = ROBOTS[name]()
    assert robot.name == name and len(robot.source) > 10
    assert robot == ROBOTS[name]()


def test_the_printed_inertias_of_aiko_are_those_of_cylinders() -> None:
    mass, length, radius = 7.5 / 11, 0.122, 0.0525
    # Three digits are printed; Transeth2008b's belongs to half of the radius that it names.
    assert cylinder_inertia(mass, length, radius) == pytest.approx(catalogue.aiko_planar().links[0].inertia, rel=5e-3)
    half = cylinder_inertia(mass, length, radius / 2)
    assert half == pytest.approx(catalogue.aiko_2008b().links[0].inertia, rel=1e-3)


def test_aiko_2008b_differs_where_transeth2008b_does() -> None:
    ours, planar = catalogue.aiko_2008b(), catalogue.aiko_planar()
    assert ours.n_links == 11 and ours.mass == pytest.approx(7.5)
    assert set(ours.motor_column("stiffness")) == {40.0} and set(ours.motor_column("damping")) == {0.2}
    assert [(point.offset, point.share) for point in ours.links[0].supports or ()] == [(-0.0393, 0.5), (0.0393, 0.5)]
    for field in ("length", "mass", "radius", "side_length"):
        np.testing.assert_array_equal(ours.column(field), planar.column(field))


def test_liljeback2011_iv_a() -> None:
    robot = catalogue.liljeback2011()
    assert robot.n_links == 10 and robot.length == pytest.approx(1.4) and robot.mass == pytest.approx(9.6)
    assert set(robot.column("radius")) == {0.07}
    assert robot.links[0].inertia == pytest.approx(0.96 * 0.07**2 / 3)
    assert set(robot.motor_column("torque_limit")) == {4.0}
    assert set(robot.motor_column("lower")) == {-math.pi / 4} and set(robot.motor_column("upper")) == {math.pi / 4}


def test_liljeback2014_iv_a_only_yaw_joints_bend() -> None:
    robot = catalogue.liljeback2014_planar()
    assert robot.n_joints == 8  # of 16
    assert robot.length == pytest.approx(17 * 0.08)  # a0 (N + 1) = 1.36 m
    np.testing.assert_allclose(robot.column("length"), [0.16] * 8 + [0.08])
    assert set(robot.column("radius")) == {0.035}


def test_holden2014_table_i() -> None:
    robot = catalogue.holden2014()
    to_tail = robot.column("length") / 2 + robot.column("mass_offset")
    assert robot.n_links == 20
    np.testing.assert_allclose(to_tail, [0.0617] * 19 + [0.0628])
    np.testing.assert_allclose(robot.column("length") - to_tail, [0.0233] * 19 + [0.0117])
    np.testing.assert_array_equal(robot.column("mass"), [1.0] * 19 + [2.0])
    np.testing.assert_array_equal(robot.column("inertia"), [0.001] * 19 + [0.0015])
    assert set(robot.motor_column("torque_limit")) == {4.5}


def test_yaw_pitch_16_adds_up_to_the_whole_robot() -> None:
    robot = catalogue.yaw_pitch_16()
    assert robot.n_joints == 8 and robot.length == pytest.approx(1.174) and robot.mass == pytest.approx(3.657)
    assert robot.column("length")[1:-1] == pytest.approx([0.128] * 7)
    assert robot.motor_column("speed_limit") == pytest.approx([3.4558] * 8, abs=1e-4)  # 33 turns a minute


def test_passive_wheels_roll_forward_where_a_bare_body_does_not() -> None:
    robot = catalogue.passive_wheels()
    assert robot.length == pytest.approx(2.0) and robot.mass == pytest.approx(28.0)
    gait = LateralUndulation(amplitude=0.35, angular_frequency=math.pi, phase_shift=-2 * math.pi / 19)

    def travel(ground: Ground) -> float:
        run = simulate(robot, Environment(ground=ground), gait, duration=4.0, settings=Settings(dt=2e-3)).center_of_mass
        return float(run.sel(axis="x")[-1] - run.sel(axis="x")[0])

    # Two periods. Without side slip the body would follow its wave: two wavelengths of nearly 2 m.
    assert travel(Ground(friction=Elliptic(along=0.02, across=0.6))) > 1.0
    assert abs(travel(Ground(friction=Isotropic(0.3)))) < 0.2
