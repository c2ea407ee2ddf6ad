"""Exported worlds in MuJoCo: the paths are within what the first period predicts, and contacts as soft as reported."""

from __future__ import annotations

import sys
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel, MissingExtra
from pushpoint.interchange.robots.mjcf.loads import inverse_masses
from pushpoint.interchange.robots.mjcf.softness import creeping, sinking
from pushpoint.model.catalogue import ROBOTS

ISOTROPIC, ORTHOTROPIC = (f"transeth2008b/lateral-undulation-{kind}" for kind in ("isotropic", "orthotropic"))
SIDEWINDING = "transeth2008b/sidewinding"


@pytest.mark.parametrize("name", [SIDEWINDING, "transeth2008a/flat"])
def test_the_path_is_within_the_prediction(name: str) -> None:
    within_the_prediction(name, 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", [ISOTROPIC, ORTHOTROPIC, "transeth2008a/obstacle-aided", "gaits/lateral-undulation"])
def test_longer_paths_are_within_the_prediction(name: str) -> None:
    within_the_prediction(name, 3.0)


def within_the_prediction(name: str, periods: float) -> None:
    """What is predicted is made of the first period alone."""
    beside = pp.interchange.run_beside_mujoco(pp.scenario(name), periods=periods)
    assert beside.distance.max() <= beside.predicted(periods)
    way = np.linalg.norm(beside.path[-1] - beside.path[0])
    assert beside.predicted(periods) <= max(0.3 * way, 0.05), "a prediction that says nothing"


def test_a_prediction_adds_up_distances_and_turns() -> None:
    """One that goes 1 m per period, in MuJoCo 0.01 m less and turned by 0.1: n d + n (n - 1) / 2 e l, one more n."""
    path = np.array([[0.0, 0.0], [1.0, 0.0]])
    beside = pp.interchange.BesideMujoco(
        period=2.0, times=np.array([0.0, 2.0]), path=path, mujoco_path=path * 0.99, turned=np.array([0.0, 0.1])
    )
    assert beside.predicted(1.0) == pytest.approx(2 * 0.01 + 0.1)
    assert beside.predicted(4.0) == pytest.approx(5 * 0.01 + 10 * 0.1)


def kept(report: pp.interchange.Report) -> dict[str, str]:
    return {entry.law: entry.kept for entry in report.laws}


def test_the_report_names_stick_and_anisotropy(tmp_path: Path) -> None:
    found = kept(pp.export(pp.scenario(ORTHOTROPIC), tmp_path / "out.xml"))
    assert found["friction that sticks (set-valued)"] == "approximated"
    assert found["friction along other than across (ellipse)"] == "approximated"
    assert found["controller"] == "lost"
    motor = pp.Motor(stiffness=9.0, damping=0.1, torque_limit=2.0, speed_limit=3.0, backlash=0.02, lower=-1.0)
    link = pp.SpatialLink(length=0.1, mass=0.5, inertia=(4e-4, 6e-4, 6e-4), radius=0.04)
    robot = pp.SpatialRobot.uniform(3, link, pp.Cardan(yaw=motor, axis_distance=0.01))
    skin = pp.Ground(friction=pp.Skin(forward=0.1, backward=0.3, across=0.6), restitution=0.2)
    world = pp.World(robot, pp.Environment(ground=skin))
    report = pp.export(world, tmp_path / "out.xml")
    found = kept(report)
    for law in ("forward friction other than backward", "backlash", "torque-speed lines", "restitution"):
        assert found[law] == "lost", law
    assert found["two-axis joints with an offset"] == found["motors that are off"] == "exact"
    (skin_law,) = (entry for entry in report.laws if entry.law.startswith("forward"))
    assert skin_law.error == pytest.approx(50.0) and skin_law.unit == "%"  # 0.1 and 0.3 instead of 0.2


def block() -> pp.SpatialRobot:
    """One ball: a link whose two contacts are one."""
    link = pp.SpatialLink(length=0.1, mass=0.5, inertia=(4e-4,) * 3, radius=0.05, side_length=0.0)
    return pp.SpatialRobot(links=(link,), joints=())


def settled(world: pp.World, folder: Path, seconds: float) -> tuple[Any, Any]:
    pp.export(world, folder / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(folder / "out.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, round(seconds / model.opt.timestep))
    return model, data


def test_a_ball_sinks_in_as_far_as_the_report_says(tmp_path: Path) -> None:
    world = pp.World(block(), pp.Environment())
    _model, data = settled(world, tmp_path, 1.0)
    assert 0.05 - data.qpos[2] == pytest.approx(sinking(block(), 9.81, 1e-3), rel=0.01)


def test_a_planar_robot_on_skids_sinks_in_as_far_as_the_report_says(tmp_path: Path) -> None:
    robot = pp.catalogue.aiko_planar()
    world = pp.World(robot, pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3))))
    model, data = settled(world, tmp_path, 1.0)
    assert -data.qpos[2] == pytest.approx(sinking(robot, 9.81, 1e-3), rel=1e-3)
    force, loads = np.zeros(6), np.zeros(robot.n_links)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        loads[model.geom_bodyid[max(data.contact[k].geom)] - 1] += force[0]
    assert loads == pytest.approx(robot.column("mass") * 9.81, rel=1e-3)  # each link carries its own weight


def test_a_robot_creeps_down_a_slope_as_fast_as_the_report_says(tmp_path: Path) -> None:
    """On a slope just below the angle of friction; a long link does not roll, and its two contacts share the load."""
    friction, slope = 0.5, radians(24.0)
    link = pp.SpatialLink(length=0.2, mass=0.5, inertia=(4e-4, 2e-3, 2e-3), radius=0.03)
    robot = pp.SpatialRobot(links=(link,), joints=())
    ground = pp.Ground(friction=pp.Isotropic(friction), slope=slope)
    _model, data = settled(pp.World(robot, pp.Environment(ground=ground)), tmp_path, 0.5)
    speed = float(np.linalg.norm(data.qvel[:3]))
    share = sin(slope) / (friction * cos(slope))  # of the friction that there is
    # MuJoCo's A is a mean over directions and the body's turns, ours that of a ball: within a factor of three.
    expected = share * creeping(robot, friction, 9.81 * cos(slope), 1e-3)
    assert expected / 3 <= speed <= 3 * expected
    assert speed > 0.0


@pytest.mark.parametrize("name", [name for name, make in ROBOTS.items() if isinstance(make(), pp.PlanarRobot)])
def test_inverse_masses_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    robot = ROBOTS[name]()
    assert isinstance(robot, pp.PlanarRobot)
    pp.export(robot, tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert inverse_masses(robot) == pytest.approx(model.body_invweight0[1:, 0], rel=1e-10)


def test_without_mujoco_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtra, match="bench"):
        pp.interchange.run_beside_mujoco(pp.scenario(SIDEWINDING))


def test_a_world_without_references_is_refused() -> None:
    passive = pp.World(pp.catalogue.aiko(), pp.Environment())
    with pytest.raises(InvalidModel, match="controller = None, must be a gait"):
        pp.interchange.run_beside_mujoco(passive)


def test_a_planar_robot_creeps_under_a_push_as_fast_as_the_report_says(tmp_path: Path) -> None:
    """All links are pushed along with nine tenths of their friction; the heaviest share creeps fastest."""
    robot, friction, share = pp.catalogue.aiko_planar(), 0.4, 0.9
    world = pp.World(robot, pp.Environment(ground=pp.Ground(friction=pp.Isotropic(friction))))
    pp.export(world, tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.xfrc_applied[1:, 0] = share * friction * robot.column("mass") * 9.81
    mujoco.mj_step(model, data, 2000)
    expected = share * creeping(robot, friction, 9.81, 1e-3)
    # The links creep together, at the mean of their own speeds; the report gives the fastest.
    own = robot.column("mass") * inverse_masses(robot)
    assert float(data.qvel[0]) == pytest.approx(expected * own.mean() / own.max(), rel=0.1)
