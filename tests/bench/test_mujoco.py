"""The MuJoCo peer of the planar benchmark builds the same job and does it."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from pushpoint.bench.mujoco import MujocoPeer
from pushpoint.bench.mujoco.planar import PRESETS, PlanarJob
from pushpoint.errors import InvalidModel, PushpointError, SimulationFailed, UnknownName
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment, Ground, Peg, Polygon, Region, Wall
from pushpoint.model.friction import Isotropic, Viscous

PEGS = (
    (0.0507, 0.1761),
    (0.4215, 0.0029),
    (0.8037, 0.1851),
    (1.1532, 0.0031),
    (1.5298, 0.1783),
    (1.8877, 0.0020),
    (2.2588, 0.1745),
)
AMPLITUDE, FREQUENCY, SHIFT = np.radians([40.0, 80.0, -50.0])
DT = 1e-3


def course(n_steps: int, *, pegs: bool = True) -> PlanarJob:
    """The course of Transeth2008a, section VIII, in our numbering."""
    robot = aiko_planar()
    n, joint = robot.n_links, np.arange(robot.n_joints)
    paper_link = np.arange(n, 0, -1)  # from tail to head
    phase = FREQUENCY * DT * np.arange(n_steps)[:, None] + (n - 2 - joint) * SHIFT
    obstacles = [Peg(x=x, y=y, radius=0.125) for x, y in PEGS] if pegs else []
    return PlanarJob(
        robot=robot,
        environment=Environment(ground=Ground(friction=Isotropic(0.2)), obstacles=obstacles),
        link_angles=-AMPLITUDE / (2 * np.sin(SHIFT / 2)) * np.cos((paper_link - 1.5) * SHIFT),
        anchor_link=5,
        anchor_position=(0.52, 0.16),
        joint_reference=-AMPLITUDE * np.sin(phase),
        joint_reference_rate=-AMPLITUDE * FREQUENCY * np.cos(phase),
        period=4.5,
        dt=DT,
    )


@pytest.fixture(scope="module")
def mujoco():
    return pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", PRESETS)
def test_the_model_is_aiko_between_seven_pegs(mujoco, name):
    model = MujocoPeer(course(1), name).model
    kinds = [mujoco.mjtGeom(kind) for kind in model.geom_type]
    assert kinds.count(mujoco.mjtGeom.mjGEOM_CAPSULE) == 11
    assert kinds.count(mujoco.mjtGeom.mjGEOM_PLANE) == 1
    assert sum(model.geom(k).name.startswith("peg") for k in range(model.ngeom)) == 7
    assert model.body_mass.sum() == pytest.approx(7.5)
    assert (model.nv, model.nu) == (14, 10)  # x, y, z, heading and ten joints
    assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC


@pytest.mark.parametrize("name", PRESETS)
def test_the_start_clears_the_pegs_by_5_9_mm(mujoco, name):
    peer = MujocoPeer(course(1), name)
    peer.center_of_mass(peer.start[0])
    link_five = peer.data.body("body5").xpos
    assert link_five[:2] == pytest.approx([0.52, 0.16])
    ids = {
        kind: [k for k in range(peer.model.ngeom) if peer.model.geom(k).name.startswith(kind)]
        for kind in ("link", "peg")
    }
    distance = min(
        mujoco.mj_geomDistance(peer.model, peer.data, link, peg, 1.0, None)
        for link in ids["link"]
        for peg in ids["peg"]
    )
    assert distance == pytest.approx(5.93e-3, abs=1e-4)


@pytest.mark.parametrize("name", PRESETS)
def test_both_presets_ask_for_the_same_servo_torque(mujoco, name):
    job = course(100)
    peer = MujocoPeer(job, name)
    mujoco.mj_setState(peer.model, peer.data, peer.start[0], mujoco.mjtState.mjSTATE_FULLPHYSICS.value)
    rates = np.linspace(-1.0, 1.0, 10)
    for j in range(10):
        peer.data.joint(f"joint{j}").qvel[0] = rates[j]
    peer.data.ctrl[:] = peer.control[99]
    mujoco.mj_forward(peer.model, peer.data)
    address = [peer.model.joint(f"joint{j}").dofadr[0] for j in range(10)]
    torque = (peer.data.qfrc_actuator + peer.data.qfrc_passive)[address]
    angle_error = job.joint_reference[99] - np.diff(job.link_angles)
    expected = 800.0 * angle_error + 2.0 * (job.joint_reference_rate[99] - rates)
    assert torque == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", PRESETS)
def test_the_peer_moves_and_stays_finite(mujoco, name):
    run = MujocoPeer(course(500), name).run(500)
    assert run.seconds > 0.0
    assert np.isfinite(run.mean_velocity[0]) and run.mean_velocity[0] > 0.05


def test_the_fastest_preset_travels_at_the_papers_speed(mujoco):
    run = MujocoPeer(course(9000), "fastest").run(9000)
    assert 0.15 < run.mean_velocity[0] < 0.17  # Transeth2008a: about 15 cm/s


def test_the_fastest_preset_loads_each_link_with_its_own_weight(mujoco):
    """Dry friction mu m g per link is part of the job; the flat ground shows it without the pegs' help."""
    job = course(1000, pegs=False)
    peer = MujocoPeer(job, "fastest")
    mujoco.mj_setState(peer.model, peer.data, peer.start[0], mujoco.mjtState.mjSTATE_FULLPHYSICS.value)
    load, force = np.zeros(11), np.zeros(6)
    for k in range(1000):
        peer.data.ctrl[:] = peer.control[k]
        mujoco.mj_step(peer.model, peer.data)
        for i in range(peer.data.ncon):
            mujoco.mj_contactForce(peer.model, peer.data, i, force)
            load[int(peer.model.geom(peer.data.contact[i].geom2).name.removeprefix("foot"))] += force[0] / 1000
    assert load == pytest.approx(np.full(11, 7.5 / 11 * 9.81), rel=0.03)  # slip still shifts a little load


def test_what_mujoco_would_do_differently_is_refused():
    job = course(1)
    with pytest.raises(InvalidModel, match="Isotropic"):
        replace(job, environment=Environment(ground=Ground(friction=Viscous(along=1.0, across=1.0))))
    with pytest.raises(InvalidModel, match="friction and restitution"):
        replace(job, environment=replace(job.environment, obstacles=[Peg(x=0.0, y=0.0, radius=0.1, friction=0.3)]))
    with pytest.raises(InvalidModel, match="joint_reference"):
        replace(job, joint_reference_rate=job.joint_reference_rate[:, :3])


@pytest.mark.parametrize(
    "other", [Wall(start=(0, 0), end=(1, 0)), Polygon(vertices=((0, 0), (1, 0), (0, 1)))], ids=["wall", "polygon"]
)
def test_only_pegs_are_translated(other):
    job = course(1)
    with pytest.raises(InvalidModel, match=r"^obstacles\[7\] = .*, must be a Peg here$"):
        replace(job, environment=replace(job.environment, obstacles=[*job.environment.obstacles, other]))


def test_regions_are_refused():
    job = course(1)
    ice = Region.rectangle(x=(0, 1), y=(0, 1), friction=Isotropic(0.1))
    ground = replace(job.environment.ground, regions=[ice])
    with pytest.raises(InvalidModel, match=r"^ground\.regions = 1, must be none here$"):
        replace(job, environment=replace(job.environment, ground=ground))


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"torque_limit": 4.0}, r"torque_limit = 4.0, must be infinite here \[N m\]"),
        ({"torque_limit": 4.0, "speed_limit": 3.0}, r"speed_limit = 3.0, must be infinite here \[rad/s\]"),
        ({"lower": -1.0}, r"lower = -1.0, must be infinite here \[rad\]"),
        ({"upper": 1.0}, r"upper = 1.0, must be infinite here \[rad\]"),
        ({"backlash": 0.1}, r"backlash = 0.1, must be 0 here \[rad\]"),
    ],
)
def test_motors_with_limits_or_play_are_refused(limits, sentence):
    job = course(1)
    motors = list(job.robot.motors)
    motors[3] = replace(motors[3], **limits)
    with pytest.raises(InvalidModel, match=rf"^motors\[3\]\.{sentence}$"):
        replace(job, robot=replace(job.robot, motors=motors))


def test_bad_requests_are_one_sentence(mujoco):
    with pytest.raises(UnknownName, match="default"):
        MujocoPeer(course(1), "defalt")
    with pytest.raises(InvalidModel, match="1 to 5"):
        MujocoPeer(course(5)).run(6)


def test_a_diverging_run_is_an_error(mujoco, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo logs the divergence into the working folder
    job = course(500)
    monkeypatch.setitem(PRESETS, "euler", replace(PRESETS["default"], options={"integrator": "Euler"}))
    with pytest.raises(SimulationFailed, match="MuJoCo gave"):
        MujocoPeer(job, "euler").run(500)


def test_without_mujoco_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert "<mujoco" in course(1).mjcf(PRESETS["default"])
    with pytest.raises(PushpointError, match=r"pip install 'pushpoint\[bench\]'"):
        MujocoPeer(course(1))
