"""Every robot of the catalogue goes out and comes back the same, and MuJoCo agrees about masses, places and weight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import pushpoint as pp
from interchange.robots.joint_inertia import difference
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.spatial.kinematics import BodyPosture, link_poses
from pushpoint.interchange.robots.urdf.writing import CROSS
from pushpoint.model.catalogue import ROBOTS

GAINS = ("stiffness", "damping", "torque_limit")
STOPS = ("lower", "upper")
ROUNDING = 1e-12
"""Of lengths and places, after sums along the robot [m]."""
SETTLED = 1500
"""Time steps until a robot rests."""


def round_trip(name: str, file: Path) -> tuple[Any, Any]:
    robot = ROBOTS[name]()
    pp.export(robot, file)
    return robot, pp.read_robot(file, planar=isinstance(robot, pp.PlanarRobot))


def same_body(robot: Any, back: Any, inertia: float, offset: float) -> None:
    """Masses equal, lengths and shapes to rounding, inertias and centres of mass to given tolerances."""
    assert np.abs(back.column("mass") / robot.column("mass") - 1).max() <= 1e-12
    for field in ("length", "radius", "side_length"):
        assert np.abs(back.column(field) - robot.column(field)).max() <= ROUNDING, field
    assert np.abs(back.column("inertia") / robot.column("inertia") - 1).max() <= inertia
    assert np.abs(back.column("mass_offset") - robot.column("mass_offset")).max() <= offset
    assert back.axes == robot.axes
    for stop in STOPS:
        assert np.array_equal(back.motor_column(stop), robot.motor_column(stop)), stop
    if isinstance(robot, pp.SpatialRobot):
        assert [link.shape for link in back.links] == [link.shape for link in robot.links]
        gaps = [(a.axis_distance, b.axis_distance) for a, b in zip(robot.chain, back.chain, strict=True)]
        assert all(abs(a - b) <= ROUNDING for a, b in gaps)


@pytest.mark.parametrize("name", ROBOTS)
def test_mjcf_out_and_in(name: str, tmp_path: Path) -> None:
    robot, back = round_trip(name, tmp_path / "out.xml")
    same_body(robot, back, inertia=1e-14, offset=1e-14)  # numbers are written without loss
    for field in GAINS:
        assert np.array_equal(back.motor_column(field), robot.motor_column(field)), field


@pytest.mark.parametrize("name", ROBOTS)
def test_urdf_out_and_in(name: str, tmp_path: Path) -> None:
    robot, back = round_trip(name, tmp_path / "out.urdf")
    # A joint with two axes has CROSS of its front link's mass at the rear end of this link.
    longest, offset = float(robot.column("length").max()), CROSS * robot.column("length").max()
    least = float((robot.column("inertia").reshape(robot.n_links, -1) / robot.column("mass")[:, None]).min())
    same_body(robot, back, inertia=1e-12 + CROSS * longest**2 / least, offset=1e-14 + offset)
    for field in ("torque_limit", "speed_limit"):
        assert np.array_equal(back.motor_column(field), robot.motor_column(field)), field


def test_an_offset_between_two_axes_comes_back(tmp_path: Path) -> None:
    robot = pp.catalogue.aiko(0.022)
    for ending in ("xml", "urdf"):
        pp.export(robot, tmp_path / f"aiko.{ending}")
        back = pp.read_robot(tmp_path / f"aiko.{ending}")
        assert isinstance(back, pp.SpatialRobot)
        assert max(abs(joint.axis_distance - 0.022) for joint in back.chain) <= ROUNDING
        assert abs(back.length - robot.length) <= ROUNDING


def ground_force(model: Any, data: Any) -> float:
    """Sum of the contact forces on the robot, upward [N]."""
    total, force = 0.0, np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        total += float(force[:3] @ data.contact[k].frame.reshape(3, 3)[:, 2])
    return abs(total)


@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_loads_it_and_it_rests_on_its_weight(name: str, tmp_path: Path) -> None:
    robot = ROBOTS[name]()
    friction = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3)))
    pp.export(pp.World(robot, friction), tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert abs(model.body_mass.sum() / robot.mass - 1) <= 1e-9
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, SETTLED)
    mujoco.mj_forward(model, data)
    assert abs(ground_force(model, data) / (robot.mass * 9.81) - 1) <= 1e-6


@pytest.mark.parametrize("name", ["aiko", "liljeback2014", "acm-iii", "yaw-pitch-16", "aiko-planar"])
def test_it_rests_on_its_weight_after_a_push_to_the_side_too(name: str, tmp_path: Path) -> None:
    """It begins bent and at 0.5 m/s to the left; the motors keep the posture."""
    robot: Any = ROBOTS[name]()
    bent = np.array([0.5 * np.sin(a) * (axis.name == "yaw") for a, axis in enumerate(robot.axes)])
    start = pp.SpatialStart(joint_angles=bent) if isinstance(robot, pp.SpatialRobot) else pp.Start(joint_angles=bent)
    ground = pp.Ground(friction=pp.Isotropic(0.3))
    pp.export(pp.World(robot, pp.Environment(ground=ground), start=start), tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qvel[1], data.ctrl[:] = 0.5, bent
    mujoco.mj_step(model, data, 2 * SETTLED)
    mujoco.mj_forward(model, data)
    assert np.abs(data.qvel).max() <= 1e-3  # it lies: of the 0.5 m/s nothing is left but creep
    assert abs(ground_force(model, data) / (robot.mass * 9.81) - 1) <= 1e-6


@pytest.mark.parametrize("ending", ["xml", "urdf"])
@pytest.mark.parametrize("name", ROBOTS)
def test_joints_are_as_heavy_to_turn_as_in_mujoco(name: str, ending: str, tmp_path: Path) -> None:
    """Masses, inertias, places and axes at once, in a random posture; see joint_inertia.py."""
    pp.export(ROBOTS[name](), tmp_path / f"out.{ending}")
    # To rounding; in a URDF small bodies between two axes have a millionth of the mass, and come back elsewhere.
    two_axes = ending == "urdf" and name == "aiko"
    assert difference(tmp_path / f"out.{ending}") <= (1e-7 if two_axes else 1e-11)


@pytest.mark.parametrize("name", [name for name, make in ROBOTS.items() if isinstance(make(), pp.SpatialRobot)])
def test_gravity_pulls_at_the_joints_as_in_mujoco(name: str, tmp_path: Path) -> None:
    """Torques of the weight with the root held: here by differences of the height of the centre of mass."""
    robot: Any = ROBOTS[name]()
    pp.export(robot, tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    data = mujoco.MjData(model)
    angles = np.random.default_rng(2).uniform(-0.8, 0.8, robot.n_joints)
    turn = np.array([0.8, 0.2, -0.4, 0.4])
    turn /= np.linalg.norm(turn)
    data.qpos[3:7], data.qpos[7:] = turn, angles
    mujoco.mj_forward(model, data)

    def height(a: int, step: float) -> float:
        moved = angles + step * np.eye(robot.n_joints)[a]
        return float(BodyPosture.of(robot, turn, moved).mean[2])

    small = 1e-5
    lifted = [(height(a, small) - height(a, -small)) / (2 * small) for a in range(robot.n_joints)]
    torques = robot.mass * 9.81 * np.array(lifted)
    assert data.qfrc_bias[6:] == pytest.approx(torques, abs=1e-8 * abs(torques).max())  # of the differences


@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_loads_the_urdf_with_the_same_mass(name: str, tmp_path: Path) -> None:
    robot = ROBOTS[name]()
    pp.export(robot, tmp_path / "out.urdf")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.urdf"))
    welded = robot.links[0].mass  # MuJoCo makes the root of a URDF a part of the world
    assert abs((model.body_mass.sum() + welded) / robot.mass - 1) <= 1e-9


@pytest.mark.parametrize("name", ROBOTS)
def test_links_are_where_they_are_here_in_any_posture(name: str, tmp_path: Path) -> None:
    robot: Any = ROBOTS[name]()
    angles = np.random.default_rng(5).uniform(-0.6, 0.6, robot.n_joints)
    spatial = isinstance(robot, pp.SpatialRobot)
    turned: Any = {"orientation": (0.9, 0.1, -0.2, 0.3), "position": (0.3, -0.2, 0.5)}
    start = pp.SpatialStart(joint_angles=angles, **turned) if spatial else pp.Start(joint_angles=angles, heading=0.4)
    world = pp.World(robot, pp.Environment(), start=start)
    pp.export(world, tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    pose = world.pose()
    if spatial:
        here, _turns = link_poses(robot, pose["center"], pose["tail"], pose["angle"])
    else:
        here = link_positions(robot, pose["center"], pose["theta"])
    assert np.abs(data.xipos[1:, : here.shape[1]] - here).max() <= ROUNDING
