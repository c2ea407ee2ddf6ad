"""Robots of other tools are read as MuJoCo reads them, simulated and drawn, such as the swimmer of Gymnasium."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ET
from math import inf, radians
from pathlib import Path
from typing import Any

import gymnasium
import matplotlib.image as image
import mujoco
import numpy as np
import pytest

import pushpoint as pp
from interchange.robots.snakes import SLANTED, many_link_swimmer, sea_snake
from pushpoint.engine.spatial.kinematics import BodyPosture, rotation_of
from pushpoint.interchange.robots.drawing import draw_robot

SWIMMER = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "swimmer.xml"


def kept(report: pp.interchange.Report, words: str) -> str:
    """What became of the law whose name begins so."""
    (found,) = (entry for entry in report.laws if entry.law.startswith(words))
    return found.kept


def simulated_and_drawn(robot: Any, folder: Path) -> None:
    gait = pp.gaits.LateralUndulation(amplitude=0.3, angular_frequency=2.0, phase_shift=-0.7)
    strong = pp.Motor(stiffness=20.0, damping=1.0)
    changed = {"motors": strong} if isinstance(robot, pp.PlanarRobot) else {"joints": pp.Yaw(strong)}
    driven = type(robot)(links=robot.links, **changed)
    ground = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.6)))
    run = pp.simulate(pp.World(driven, ground, gait), 0.1)
    assert run.attrs["status_code"] == "finished"
    assert draw_robot(robot, folder / "robot.png").stat().st_size > 10_000


def test_gymnasium_swimmer(tmp_path: Path) -> None:
    robot, report, joints = pp.interchange.robot_of_file(SWIMMER)
    model = mujoco.MjModel.from_xml_path(str(SWIMMER))
    assert robot.column("mass") == pytest.approx(model.body_mass[1:][::-1], rel=1e-12)  # the root is the head
    moments = robot.column("inertia")
    assert np.sort(moments, axis=1) == pytest.approx(np.sort(model.body_inertia[1:][::-1], axis=1), rel=1e-12)
    assert robot.column("length").tolist() == [1.0, 1.0, 1.0]
    assert robot.column("radius") == pytest.approx(0.1)
    assert robot.motor_column("upper") == pytest.approx(radians(100.0))
    assert robot.motor_column("torque_limit").tolist() == [150.0, 150.0]
    assert [each.name for each in joints] == ["motor2_rot", "motor1_rot"]
    assert kept(report, "forces of a fluid") == kept(report, "armature") == "lost"
    assert kept(report, "free base") == "approximated"
    simulated_and_drawn(pp.read_robot(SWIMMER, planar=True), tmp_path)


@pytest.mark.parametrize("links", [2, 3, 8])
def test_the_whole_robot_is_in_its_picture(links: int, tmp_path: Path) -> None:
    """Also one of few long links: at the sides of the picture there is nothing but ground."""
    link = pp.SpatialLink(length=1.0, mass=1.0, inertia=(1e-2, 0.1, 0.1), radius=0.08)
    picture = image.imread(draw_robot(pp.SpatialRobot.uniform(links, link, pp.Yaw()), tmp_path / "robot.png"))
    ground = picture[len(picture) // 4 :]  # below title and key
    colored = np.ptp(ground[..., :3], axis=-1) > 0.25
    assert colored.any() and not colored[:, :8].any() and not colored[:, -8:].any()
    assert not colored[-8:].any()


def test_a_swimmer_built_as_that_of_dm_control(tmp_path: Path) -> None:
    file = tmp_path / "swimmer.xml"
    file.write_text(many_link_swimmer(6))
    robot, report, _joints = pp.interchange.robot_of_file(file)
    check_many_links(robot, mujoco.MjModel.from_xml_path(str(file)), 6)
    assert kept(report, "shapes") == "approximated"
    assert "the head is 'head'" in str(report)
    simulated_and_drawn(robot, tmp_path)


DM_CONTROL = importlib.util.find_spec("dm_control")


@pytest.mark.skipif(DM_CONTROL is None, reason="dm_control is not installed")
def test_dm_control_swimmer(tmp_path: Path) -> None:
    """Its file has the head alone, and a function of the package adds segments like these."""
    assert DM_CONTROL is not None and DM_CONTROL.origin is not None
    suite = Path(DM_CONTROL.origin).parent / "suite"
    (tmp_path / "common").mkdir()
    for file in (suite / "common").glob("*.xml"):
        (tmp_path / "common" / file.name).write_bytes(file.read_bytes())
    tree = ET.fromstring((suite / "swimmer.xml").read_text())
    carrier, actuators = tree.find("./worldbody/body"), ET.SubElement(tree, "actuator")
    for k in range(5):
        assert carrier is not None
        carrier = ET.SubElement(carrier, "body", name=f"segment_{k}", pos="0 .1 0")
        ET.SubElement(carrier, "geom", {"class": "visual"})
        ET.SubElement(carrier, "geom", {"class": "inertial"})
        ET.SubElement(carrier, "joint", name=f"joint_{k}", range="-60 60")
        ET.SubElement(actuators, "motor", name=f"motor_{k}", joint=f"joint_{k}")
    file = tmp_path / "swimmer.xml"
    file.write_bytes(ET.tostring(tree))
    robot = pp.read_robot(file)
    check_many_links(robot, mujoco.MjModel.from_xml_path(str(file)), 6)
    simulated_and_drawn(robot, tmp_path)


def check_many_links(robot: Any, model: Any, links: int) -> None:
    assert robot.n_links == links
    assert robot.column("mass") == pytest.approx(model.body_mass[1:][::-1], rel=1e-12)
    assert robot.column("length")[1:-1] == pytest.approx(0.1)
    assert robot.motor_column("upper") == pytest.approx(radians(360.0 / links))
    assert robot.motor_column("torque_limit") == pytest.approx(5e-4)
    assert {axis.name for axis in robot.axes} == {"yaw"}


def test_a_published_robot_as_urdf(tmp_path: Path) -> None:
    file = tmp_path / "sea.urdf"
    file.write_text(sea_snake(15))
    robot, report, joints = pp.interchange.robot_of_file(file)
    assert (robot.n_links, robot.n_joints) == (15, 14)
    assert robot.mass == pytest.approx(15 * 0.205) and robot.length == pytest.approx(15 * 0.064)
    assert [axis.name for axis in robot.axes] == ["pitch", "yaw"] * 7
    assert [each.sign for each in joints] == [-1, 1] * 7  # turned by 90 deg about x, z becomes -y; the next turns back
    assert robot.motor_column("torque_limit").tolist() == [7.0] * 14
    assert kept(report, "gains of the servos") == "lost"
    (shapes,) = (entry for entry in report.laws if entry.law == "shapes")
    assert shapes.error == pytest.approx(25.5 / 4, rel=0.01) and shapes.unit == "mm"  # a cylinder as a capsule
    simulated_and_drawn(robot, tmp_path)


@pytest.mark.parametrize("seed", range(3))
def test_links_move_as_in_mujoco_whatever_their_frames(tmp_path: Path, seed: int) -> None:
    """Centres of mass, inertias and distances in random postures; angles go through the signs of the joints."""
    file = tmp_path / "slanted.xml"
    file.write_text(SLANTED)
    robot, _report, joints = pp.interchange.robot_of_file(file)
    assert isinstance(robot, pp.SpatialRobot)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    angles = np.random.default_rng(seed).uniform(-0.8, 0.8, robot.n_joints)
    for each, angle in zip(joints, angles, strict=True):
        data.joint(each.name).qpos[0] = each.sign * angle + each.drawn_at
    mujoco.mj_forward(model, data)
    posture = BodyPosture.of(robot, np.array([1.0, 0.0, 0.0, 0.0]), angles)
    theirs = data.xipos[1:][::-1]  # from tail to head
    assert robot.column("mass") == pytest.approx(model.body_mass[1:][::-1], rel=1e-12)
    assert distances(posture.places) == pytest.approx(distances(theirs), abs=1e-12)
    # The whole robot's inertia about its centre has the same principal moments, so that no mirror image is taken.
    assert moments(posture.places, robot.column("mass")) == pytest.approx(
        moments(theirs, robot.column("mass")), abs=1e-12
    )
    assert handedness(posture.places) == pytest.approx(handedness(theirs), abs=1e-12)
    frames = rotation_of(posture.frames)
    assert np.trace(frames[0].T @ frames[-1]) == pytest.approx(np.trace(body(data, "fourth").T @ body(data, "head")))


def body(data: Any, name: str) -> np.ndarray:
    """Axes of a body in the order forward, left, up of the straight robot, which all its frames are turned from."""
    straight = STRAIGHT[name]
    return np.asarray(data.body(name).xmat.reshape(3, 3) @ straight.T)


def _straight() -> dict[str, np.ndarray]:
    model = mujoco.MjModel.from_xml_string(SLANTED)
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    mujoco.mj_forward(model, data)
    return {name: data.body(name).xmat.reshape(3, 3).copy() for name in ("head", "fourth")}


STRAIGHT = _straight()


def distances(places: np.ndarray) -> np.ndarray:
    return np.linalg.norm(places[:, None] - places[None], axis=-1).ravel()


def moments(places: np.ndarray, masses: np.ndarray) -> np.ndarray:
    arm = places - (masses @ places) / masses.sum()
    return np.linalg.eigvalsh(np.einsum("k,ki,kj->ij", masses, arm, arm))


def handedness(places: np.ndarray) -> float:
    """Volume of the tetrahedron of four places, with its sign."""
    return float(np.linalg.det(places[1:4] - places[0]))


def test_motors_of_all_kinds_of_actuators(tmp_path: Path) -> None:
    file = tmp_path / "slanted.xml"
    file.write_text(SLANTED)
    robot, report, joints = pp.interchange.robot_of_file(file)
    found = {each.name: motor for each, motor in zip(joints, robot.motors, strict=True)}
    signs = {each.name: each.sign for each in joints}
    # Joints have a damping of 0.3 of their own; gears act on angle and torque alike.
    assert (found["a"].stiffness, found["a"].damping, found["a"].torque_limit) == (30.0, 0.8, 4.0)
    assert (found["b"].stiffness, found["b"].damping, found["b"].torque_limit) == (0.0, 0.3, 3.0)
    assert (found["c1"].stiffness, found["c1"].damping) == (28.0, pytest.approx(1.1))
    assert (found["c2"].stiffness, found["c2"].damping, found["c2"].torque_limit) == (0.0, 0.7, inf)
    stops = {name: (motor.lower, motor.upper)[:: signs[name]] for name, motor in found.items()}
    assert np.multiply(stops["a"], signs["a"]) == pytest.approx(np.radians([-70, 50]))
    assert np.multiply(stops["b"], signs["b"]) == pytest.approx(np.radians([-30, 20]))  # counted from ref
    assert kept(report, "armature") == "lost"
