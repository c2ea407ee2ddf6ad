"""The catalogue against the printed figures of its sources."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from pushpoint.engine.settings import Settings
from pushpoint.gaits import LateralUndulation
from pushpoint.model import catalogue
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.inertia import cylinder
from pushpoint.model.joints import LEFT, UP, Axis, Cardan
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.simulation.simulate import simulate


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_carries_its_name_and_a_source(name: str) -> None:
    robot = ROBOTS[name]()
    assert robot.name == name and len(robot.source) > 10
    assert robot == ROBOTS[name]()


def test_the_printed_inertias_of_aiko_are_those_of_cylinders() -> None:
    mass, length, radius = 7.5 / 11, 0.122, 0.0525
    # Three digits are printed; Transeth2008b's belongs to half of the radius that it names.
    assert cylinder(mass, length, radius).z == pytest.approx(catalogue.aiko_planar().links[0].inertia, rel=5e-3)
    half = cylinder(mass, length, radius / 2).z
    assert half == pytest.approx(catalogue.aiko_2008b().links[0].inertia, rel=1e-3)
    roll = mass * (radius / 2) ** 2 / 2
    assert catalogue.aiko().links[0].inertia == pytest.approx((roll, half, half), rel=1e-3)


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
    # The maker's data sheet: 16 modules, 0.064 m and 0.205 kg each; 1.174 m, 3.657 kg and 51 mm as a whole.
    robot = catalogue.yaw_pitch_16()
    assert robot.length == pytest.approx(1.174) and robot.mass == pytest.approx(3.657)
    assert (robot.n_links, robot.n_joints) == (17, 16)
    assert robot.column("length")[1:-1] == pytest.approx([0.064] * 15)
    assert robot.column("mass")[1:-1] == pytest.approx([0.205] * 15)
    assert set(robot.column("radius")) == {0.0255} and {link.shape for link in robot.links} == {"round"}
    assert [axis.name for axis in robot.axes] == ["pitch", "yaw"] * 8  # yaw behind the head
    assert robot.motor_column("speed_limit") == pytest.approx([3.4558] * 16, abs=1e-4)  # 33 turns a minute
    assert set(robot.motor_column("torque_limit")) == {7.0}
    assert set(robot.motor_column("upper")) == {math.pi / 2} and set(robot.motor_column("lower")) == {-math.pi / 2}


def test_yaw_pitch_16_in_the_plane_is_the_same_robot_with_stiff_pitch_joints() -> None:
    planar, spatial = catalogue.yaw_pitch_16_planar(), catalogue.yaw_pitch_16()
    assert planar.n_joints == 8 and planar.length == pytest.approx(1.174) and planar.mass == pytest.approx(3.657)
    assert planar.column("length")[1:-1] == pytest.approx([0.128] * 7)
    assert planar.motor_column("speed_limit") == pytest.approx([3.4558] * 8, abs=1e-4)
    assert yaw_places(planar) == pytest.approx([place - 0.032 for place in yaw_places(spatial)])  # ends made equal


def yaw_places(robot: PlanarRobot | SpatialRobot) -> list[float]:
    """Distances of the yaw axes from the tail's rear end [m]."""
    ends = np.cumsum(robot.column("length"))
    return [float(ends[axis.link_behind]) for axis in robot.axes if axis.name == "yaw"]


def test_aiko_viii_a() -> None:
    # Transeth2008b VIII-A: n = 11, L = 0.122 m, L_SC = 0.0525 m, 7.5 kg, L_GS = 0.0393 m, the inertias and the gains.
    robot = catalogue.aiko()
    assert isinstance(robot, SpatialRobot) and robot.n_links == 11
    assert robot.mass == pytest.approx(7.5) and robot.length == pytest.approx(11 * 0.122)
    assert set(robot.column("length")) == {0.122} and set(robot.column("radius")) == {0.0525}
    assert {link.inertia for link in robot.links} == {(2.35e-4, 9.63e-4, 9.63e-4)}  # Theta_3 is about its e_z, our x
    assert [ball.position for ball in robot.links[0].spheres] == [(-0.0393, 0.0, 0.0), (0.0393, 0.0, 0.0)]
    assert {ball.radius for ball in robot.links[0].spheres} == {0.0525}
    assert set(robot.joints) == {  # type: ignore[arg-type]
        Cardan(yaw=Motor(stiffness=40.0, damping=0.2), pitch=Motor(stiffness=800.0, damping=0.2))
    }
    assert robot.axes[:3] == (Axis(0, LEFT), Axis(0, UP), Axis(1, LEFT)) and robot.n_joints == 20


def test_the_real_aiko_has_22_mm_between_its_axes() -> None:
    robot = catalogue.aiko(axis_distance=0.022)
    lengths, joints = robot.column("length"), robot.joints
    between = [lengths[k] + joints[k].axis_distance for k in range(10)]  # type: ignore[index]
    assert between == pytest.approx([0.122] * 10)  # joints stay as far apart
    assert {joint.axis_distance for joint in joints} == {0.022}  # type: ignore[union-attr]


def test_aiko_in_space_is_aiko_2008b_lifted() -> None:
    spatial, planar = catalogue.aiko(), catalogue.aiko_2008b()
    for field in ("length", "mass", "radius", "side_length"):
        np.testing.assert_array_equal(spatial.column(field), planar.column(field))
    np.testing.assert_array_equal(spatial.column("inertia")[:, 2], planar.column("inertia"))
    yaw = [k for k, axis in enumerate(spatial.axes) if axis.name == "yaw"]
    np.testing.assert_array_equal(spatial.motor_column("stiffness")[yaw], planar.motor_column("stiffness"))


def test_liljeback2014_iv_a() -> None:
    # N = 16 joints, a = 0.08 m for i = 0 ... N, a square section of 0.07 m.
    robot = catalogue.liljeback2014()
    assert (robot.n_links, robot.n_joints) == (17, 16) and robot.length == pytest.approx(17 * 0.08)
    assert {(link.length, link.shape, link.radius) for link in robot.links} == {(0.08, "square", 0.035)}
    assert [axis.name for axis in robot.axes] == ["pitch", "yaw"] * 8
    assert robot.mass == pytest.approx(catalogue.liljeback2014_planar().mass)
    # A uniform box: m (b^2 + c^2) / 12 about each axis; its corners reach as far as the module.
    mass = 1000.0 * 0.08 * 0.07**2
    expected = [mass * (0.07**2 + 0.07**2) / 12, *[mass * (0.08**2 + 0.07**2) / 12] * 2]
    np.testing.assert_allclose(robot.column("inertia"), [expected] * 17)
    reach = np.max([np.abs(ball.position) + ball.radius for ball in robot.links[0].spheres], axis=0)
    np.testing.assert_allclose(reach, [0.04, 0.035, 0.035])


@pytest.mark.parametrize("robot", [catalogue.acm_iii_planar(), catalogue.acm_iii()], ids=["planar", "spatial"])
def test_acm_iii_rolls_forward_where_a_bare_body_does_not(robot: AnyRobot) -> None:
    assert robot.length == pytest.approx(2.0) and robot.mass == pytest.approx(28.0)
    gait = LateralUndulation(amplitude=0.35, angular_frequency=math.pi, phase_shift=-2 * math.pi / 19)
    bare = replace(robot, links=tuple(replace(link, wheels=()) for link in robot.links))

    def travel(robot: AnyRobot) -> float:
        ground = Environment(ground=Ground(friction=Isotropic(0.3)))
        run = simulate(robot, ground, gait, duration=4.0, settings=Settings(dt=2e-3)).center_of_mass
        return float(run.sel(axis="x")[-1] - run.sel(axis="x")[0])

    # Two periods. Without side slip the body would follow its wave: two wavelengths of nearly 2 m.
    assert travel(robot) > 1.0
    assert abs(travel(bare)) < 0.2
