"""The MuJoCo peer of the spatial benchmark builds the same job and does it."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from pushpoint.bench.mujoco import MujocoPeer
from pushpoint.bench.mujoco.spatial import PRESETS, SpatialJob
from pushpoint.bench.spatial import spatial_job
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel, PushpointError, SimulationFailed, UnknownName
from pushpoint.gaits import LateralUndulation, Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground, Peg, Region
from pushpoint.model.friction import Elliptic, Isotropic, Skin
from pushpoint.model.joints import Cardan, Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import HeightField
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World

OMEGA, SHIFT, SIDEWAYS, UPWARD, RELEASE = np.radians([80.0, -50.0, 30.0, 10.0, 3.0])
PERIOD = 4.5


def references(n_steps: int, dt: float, *, lifted: bool) -> tuple[np.ndarray, np.ndarray]:
    """Transeth2008b (70) and (71) for 11 links in our numbering: a cardan joint's pitch, then its yaw.

    Sidewinding begins straight: an angle stays zero until its reference first comes within 3 degrees (VIII-E).
    """
    phase = OMEGA * dt * np.arange(n_steps)[:, None] + (9 - np.arange(10)) * SHIFT
    angle, rate = np.zeros((2, n_steps, 20))
    angle[:, 1::2], rate[:, 1::2] = -SIDEWAYS * np.sin(phase), -SIDEWAYS * OMEGA * np.cos(phase)
    if lifted:
        angle[:, ::2], rate[:, ::2] = UPWARD * np.cos(phase), -UPWARD * OMEGA * np.sin(phase)
        released = np.maximum.accumulate(np.abs(angle) <= RELEASE, axis=0)
        angle, rate = angle * released, rate * released
    return angle, rate


def sidewinding(n_steps: int, dt: float = 1e-3) -> SpatialJob:
    angle, rate = references(n_steps, dt, lifted=True)
    return SpatialJob(
        robot=aiko(),
        environment=Environment(ground=Ground(friction=Isotropic(0.2))),
        center_of_mass=np.array([0.0, 0.0, 0.0525]),
        tail_orientation=np.array([1.0, 0.0, 0.0, 0.0]),
        joint_angle=np.zeros(20),
        joint_reference=angle,
        joint_reference_rate=rate,
        period=PERIOD,
        dt=dt,
    )


def undulation(n_steps: int, dt: float = 1e-3) -> SpatialJob:
    angle, rate = references(n_steps, dt, lifted=False)
    heading = -SIDEWAYS / (2 * np.sin(SHIFT / 2)) * np.cos(9.5 * SHIFT)  # of the tail when the wave swings about +x
    return replace(
        sidewinding(n_steps, dt),
        environment=Environment(ground=Ground(friction=Elliptic(along=0.1, across=0.5))),
        tail_orientation=np.array([np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2)]),
        joint_angle=angle[0],
        joint_reference=angle,
        joint_reference_rate=rate,
    )


def mixed_robot() -> SpatialRobot:
    """Links of different sizes with their mass off the middle; cardan joints with a gap, yaw and pitch joints."""
    motor = Motor(stiffness=40.0, damping=0.2)
    links = tuple(
        SpatialLink(
            length=0.1 + 0.01 * k,
            mass=0.5 + 0.1 * k,
            inertia=(1e-4 * (k + 1), 2e-4 * (k + 1), 2.5e-4 * (k + 1)),
            radius=0.02 + 0.001 * k,
            side_length=0.05 + 0.005 * k,
            mass_offset=0.003 * (k - 2),
        )
        for k in range(6)
    )
    cardan = Cardan(yaw=motor, pitch=replace(motor, stiffness=80.0), axis_distance=0.022)
    return SpatialRobot(links=links, joints=(cardan, Yaw(motor), cardan, Pitch(motor), Cardan(yaw=motor, pitch=motor)))


def mixed_job(seed: int) -> SpatialJob:
    draw, robot = np.random.default_rng(seed), mixed_robot()
    turn = draw.normal(size=4)
    return replace(
        sidewinding(1),
        robot=robot,
        center_of_mass=draw.normal(size=3),
        tail_orientation=turn / np.linalg.norm(turn),
        joint_angle=draw.uniform(-1.0, 1.0, robot.n_joints),
        joint_reference=np.zeros((1, robot.n_joints)),
        joint_reference_rate=np.zeros((1, robot.n_joints)),
    )


def turn_y(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def turn_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def rotation(quaternion: np.ndarray) -> np.ndarray:
    """Rodrigues' formula from axis and angle."""
    w, axis = quaternion[0], quaternion[1:]
    cross = np.cross(axis, np.eye(3)).T  # its columns are axis x e_i
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def forward_kinematics(job: SpatialJob) -> tuple[np.ndarray, np.ndarray]:
    """Middles and rotations of the links by hand: R_front = R_rear Ry(pitch) Rz(yaw), one joint after the other."""
    frame, joint, ahead = rotation(job.tail_orientation), np.zeros(3), np.array([1.0, 0.0, 0.0])
    angles = iter(job.joint_angle)
    middles, frames = [], []
    for k, link in enumerate(job.robot.links):
        middles.append(joint + frame @ ahead * link.length / 2)
        frames.append(frame)
        joint = joint + frame @ ahead * link.length
        if k == job.robot.n_links - 1:
            break
        between = job.robot.chain[k]
        if isinstance(between, Cardan | Pitch):
            frame = frame @ turn_y(next(angles))
        joint = joint + frame @ ahead * between.axis_distance
        if isinstance(between, Cardan | Yaw):
            frame = frame @ turn_z(next(angles))
    mass, offset = job.robot.column("mass"), job.robot.column("mass_offset")
    masses = np.array(middles) + offset[:, None] * np.array(frames)[:, :, 0]
    return np.array(middles) + job.center_of_mass - mass @ masses / mass.sum(), np.array(frames)


@pytest.fixture(scope="module")
def mujoco():
    return pytest.importorskip("mujoco")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PRESETS)
def test_the_links_are_where_the_model_has_them(mujoco, name, seed):
    job = mixed_job(seed)
    peer = MujocoPeer(job, name)
    assert peer.center_of_mass(peer.start[0]) == pytest.approx(job.center_of_mass, abs=1e-12)  # round-off
    middles, frames = forward_kinematics(job)
    for k in range(job.robot.n_links):
        body = peer.data.body(f"body{k}")
        assert body.xpos == pytest.approx(middles[k], abs=1e-12)  # round-off
        assert body.xmat.reshape(3, 3) == pytest.approx(frames[k], abs=1e-12)  # round-off


@pytest.mark.parametrize("name", PRESETS)
def test_masses_and_inertias_are_the_models(mujoco, name):
    job = mixed_job(0)
    peer = MujocoPeer(job, name)
    for k, link in enumerate(job.robot.links):
        body = peer.model.body(f"body{k}")
        assert body.mass[0] == link.mass
        assert body.ipos == pytest.approx([link.mass_offset, 0.0, 0.0])
        turn = rotation(body.iquat)  # MuJoCo sorts the principal axes
        assert turn @ np.diag(body.inertia) @ turn.T == pytest.approx(np.diag(link.inertia), abs=1e-15)  # round-off


@pytest.mark.parametrize("name", PRESETS)
def test_the_model_is_aiko_on_its_end_spheres(mujoco, name):
    peer = MujocoPeer(undulation(1), name)
    assert (peer.model.nv, peer.model.nbody) == (26, 12)  # free root and ten cardan joints; the world is a body too
    assert peer.model.body_mass.sum() == pytest.approx(7.5)
    assert peer.model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    peer.center_of_mass(peer.start[0] - [0, 0, 0, 1e-4, *np.zeros(peer.start.shape[1] - 4)])  # 0.1 mm into the ground
    mujoco.mj_collision(peer.model, peer.data)
    contacts = [peer.data.contact[i] for i in range(peer.data.ncon)]
    assert len(contacts) == 22
    assert sorted(contact.geom2 for contact in contacts) == sorted([*range(1, 12)] * 2)  # each link twice
    for contact in contacts:
        link = peer.data.body(peer.model.geom_bodyid[contact.geom2])
        along = link.xmat.reshape(3, 3)[:, 0]
        reach = (contact.pos - link.xpos)[:2] @ along[:2]
        assert abs(reach) == pytest.approx(0.0393)
        assert abs(contact.frame[3:6] @ along) == pytest.approx(1.0)  # the first tangent lies along the link
        assert contact.friction[:2] == pytest.approx([0.1, 0.5])


@pytest.mark.parametrize("name", PRESETS)
def test_all_presets_ask_for_the_same_servo_torque(mujoco, name):
    job = sidewinding(1200)
    peer = MujocoPeer(job, name)
    mujoco.mj_setState(peer.model, peer.data, peer.start[0], mujoco.mjtState.mjSTATE_FULLPHYSICS.value)
    rates = np.linspace(-1.0, 1.0, 20)
    for a in range(20):
        peer.data.joint(f"joint{a}").qvel[0] = rates[a]
    peer.data.ctrl[:] = 0.0 if PRESETS[name].lean else peer.control[1199]
    peer.data.qfrc_applied[:] = peer.control[1199] if PRESETS[name].lean else 0.0
    mujoco.mj_forward(peer.model, peer.data)
    address = [peer.model.joint(f"joint{a}").dofadr[0] for a in range(20)]
    torque = (peer.data.qfrc_actuator + peer.data.qfrc_passive + peer.data.qfrc_applied)[address]
    stiffness = np.tile([800.0, 40.0], 10)
    expected = stiffness * job.joint_reference[1199] + 0.2 * (job.joint_reference_rate[1199] - rates)
    assert np.abs(expected).max() > 1.0
    assert torque == pytest.approx(expected, abs=1e-9)  # round-off


@pytest.mark.parametrize("name", PRESETS)
def test_sidewinding_travels_1_3_m_to_the_left(mujoco, name):
    run = MujocoPeer(sidewinding(15_000), name).run(15_000)
    assert run.seconds > 0.0
    assert 1.2 < run.root_travel[1] < 1.4  # Transeth2008b Fig. 10: about 1.3 m in 15 s, mainly along y
    assert abs(run.root_travel[0]) < 0.15
    assert run.mean_velocity[1] == pytest.approx(run.root_travel[1] / 15.0, rel=0.1)  # soft start: not quite periodic


@pytest.mark.parametrize(("name", "dt"), [("default", 2.5e-4), ("discrete", 1e-3), ("fastest", 1e-3)])
def test_undulation_moves_forward_at_0_121_m_per_s(mujoco, name, dt):
    n_steps = round(PERIOD / dt)
    run = MujocoPeer(undulation(n_steps, dt), name).run(n_steps)
    assert run.mean_velocity[0] == pytest.approx(0.121, rel=0.1)  # Moreau time stepping; MuJoCo's soft contacts differ
    assert abs(run.mean_velocity[1]) < 0.01


@pytest.mark.parametrize("name", ["discrete", "fastest"])
def test_the_discrete_integrator_takes_steps_of_4_ms(mujoco, name):
    speed = MujocoPeer(undulation(1125, 4e-3), name).run(1125).mean_velocity[0]
    assert speed == pytest.approx(0.121, rel=0.2)  # as above, with a coarse step


def test_the_default_diverges_at_2_ms(mujoco, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo logs the divergence into the working folder
    with pytest.raises(SimulationFailed, match="MuJoCo gave"):
        MujocoPeer(sidewinding(2000, 2e-3)).run(2000)


GAITS = {
    "sidewinding": Sidewinding(
        yaw_amplitude=-SIDEWAYS,
        pitch_amplitude=UPWARD,
        angular_frequency=OMEGA,
        phase_shift=SHIFT,
        pitch_lead=np.pi / 2,
        release=RELEASE,
    ),
    "undulation": LateralUndulation(amplitude=SIDEWAYS, angular_frequency=OMEGA, phase_shift=SHIFT, phase=np.pi),
}


@pytest.mark.parametrize("gait", GAITS)
def test_a_scenario_becomes_the_same_job(gait):
    by_hand = {"sidewinding": sidewinding, "undulation": undulation}[gait](2000)
    ground = replace(by_hand.environment.ground, rolling=0.01)  # dropped: the paper leaves it open
    controller, environment = GAITS[gait], Environment(ground=ground)
    # Sidewinding begins straight, though some references are not zero at time zero, only within 3 degrees.
    start = SpatialStart(joint_angles=np.zeros(20) if gait == "sidewinding" else None)
    job = spatial_job(
        Scenario(
            name=gait,
            worlds=World(aiko(), environment, controller, start),
            duration=2.0,
        )
    )
    assert (job.robot, job.environment, job.dt) == (by_hand.robot, by_hand.environment, by_hand.dt)
    assert job.period == pytest.approx(PERIOD)
    assert job.center_of_mass == pytest.approx(by_hand.center_of_mass, abs=1e-12)  # round-off
    assert job.tail_orientation == pytest.approx(by_hand.tail_orientation, abs=1e-12)  # round-off
    assert job.joint_angle == pytest.approx(by_hand.joint_angle, abs=1e-12)  # round-off
    assert job.joint_reference == pytest.approx(by_hand.joint_reference, abs=1e-12)  # round-off
    assert job.joint_reference_rate == pytest.approx(by_hand.joint_reference_rate, abs=1e-12)  # round-off


def changed(**ground) -> Environment:
    return Environment(ground=Ground(**({"friction": Isotropic(0.2)} | ground)))


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        (
            changed(friction=Skin(forward=0.1, backward=0.2, across=0.3)),
            r"^ground\.friction = .*Isotropic, or Elliptic",
        ),
        (changed(friction=Elliptic(along=0.1, across=0.5, flow="directional")), "associated flow rule, here$"),
        (changed(spin=0.01), r"^ground\.spin = 0\.01, must be 0 here \[m\]$"),
        (changed(rolling=0.1), r"^ground\.rolling = 0\.1, must be 0 here \[-\]$"),
        (changed(restitution=0.5), r"^ground\.restitution = 0\.5, must be 0 here \[-\]$"),
        (changed(slope=0.1), r"^ground\.slope = 0\.1, must be 0 here \[rad\]$"),
        (
            changed(heights=HeightField(heights=np.zeros((2, 2)), spacing=1.0)),
            r"^ground\.heights = \(2, 2\), .* none here$",
        ),
        (
            changed(regions=[Region.rectangle(x=(0, 1), y=(0, 1), friction=Isotropic(0.1))]),
            r"^ground\.regions = 1, must be none here$",
        ),
        (Environment(obstacles=[Peg(x=0.0, y=0.0, radius=0.1)], ground=Ground(friction=Isotropic(0.2))), r"^obstacles"),
    ],
)
def test_what_mujoco_would_do_differently_is_refused(environment, sentence):
    with pytest.raises(InvalidModel, match=sentence):
        replace(sidewinding(1), environment=environment)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"shape": "square"}, r"^links\[0\]\.shape = .*round here where friction is not isotropic$"),
        ({"side_length": 0.0}, r"^links\[0\]\.side_length"),
    ],
)
def test_links_that_mujoco_would_treat_differently_are_refused(link, sentence):
    robot = aiko()
    links = (replace(robot.links[0], **link),) * 11
    elliptic = Environment(ground=Ground(friction=Elliptic(along=0.1, across=0.5)))
    with pytest.raises(InvalidModel, match=sentence):
        replace(sidewinding(1), robot=replace(robot, links=links), environment=elliptic)


def test_self_contact_and_motor_limits_are_refused():
    robot = aiko()
    with pytest.raises(InvalidModel, match="self_contact"):
        replace(sidewinding(1), robot=replace(robot, self_contact=True))
    weak = replace(robot.chain[0], pitch=Motor(stiffness=800.0, damping=0.2, torque_limit=4.0))
    with pytest.raises(InvalidModel, match=r"^motors\[0\]\.torque_limit = 4\.0, must be infinite here"):
        replace(sidewinding(1), robot=replace(robot, joints=weak))


def test_bad_requests_are_one_sentence(mujoco):
    with pytest.raises(UnknownName, match="default"):
        MujocoPeer(sidewinding(1), "defalt")
    with pytest.raises(InvalidModel, match="1 to 5"):
        MujocoPeer(sidewinding(5)).run(6)
    with pytest.raises(InvalidModel, match=r"^joint_angle\.shape = \(3,\), must be \(20,\)$"):
        replace(sidewinding(1), joint_angle=np.zeros(3))


def test_without_mujoco_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert "<mujoco" in sidewinding(1).mjcf(PRESETS["default"])
    with pytest.raises(PushpointError, match=r"pip install 'pushpoint\[bench\]'"):
        MujocoPeer(sidewinding(1))
