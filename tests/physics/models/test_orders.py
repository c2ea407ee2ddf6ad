"""Without contacts the spatial scheme is of second order in dt, with joints of every kind.

Against SciPy in minimal coordinates where motors are off or servos, against halved steps where joints are prescribed,
and against what no inner force can change. A link's pose must also be what its own angular velocity adds up to.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.controllers import Always
from oracles.spatial.dense import DenseRobot
from oracles.spatial.free import Flight, FreeFlight
from oracles.spatial.pose import Pose
from oracles.spatial.states import mixed_robot

ROBOT = mixed_robot(pp.Motor(stiffness=3.0, damping=0.03))
SPACE = pp.Environment(ground=pp.Ground(gravity=0.0))
WAVE = {"yaw_amplitude": 0.5, "pitch_amplitude": 0.4, "angular_frequency": 5.0, "phase_shift": -1.2, "yaw_offset": 0.2}
GAITS = {
    "prescribed": pp.gaits.Sidewinding(**WAVE, prescribed=True),
    "servos": pp.gaits.Sidewinding(**WAVE),
    "limp": Always(pp.Command(joint_torque=np.zeros((1, 6)))),
}
DURATION = 0.5
STEPS = (2e-3, 1e-3, 5e-4)


def start() -> pp.SpatialStart:
    angle, rate = pp.gaits.Sidewinding(**WAVE).references(np.zeros(1), ROBOT)
    return pp.SpatialStart(
        joint_angles=angle[0], joint_rates=rate[0], heading=0.4, position=(0.2, 0.1, 5.0),
        velocity=(0.3, -0.2, 0.5), angular_velocity=(0.8, -0.5, 1.1),
    )  # fmt: skip


@cache
def fly(kind: str, dt: float) -> xr.Dataset:
    return pp.simulate(
        ROBOT, SPACE, GAITS[kind], start=start(), duration=DURATION,
        settings=pp.Settings(dt=dt, tolerance=1e-8), record=pp.Record(rate=1 / dt),
    )  # fmt: skip


@cache
def truth(kind: str) -> Flight:
    gait = pp.gaits.Sidewinding(**WAVE)

    def reference(t: float) -> tuple[np.ndarray, np.ndarray]:
        angle, rate = gait.references(np.array([t]), ROBOT)
        return angle[0], rate[0]

    flight = FreeFlight(robot=ROBOT, reference=reference if kind == "servos" else None)
    begin = start().pose(ROBOT, SPACE)
    pose = flight.dense.pose(begin["angle"], rotation=Pose.of(np.zeros((1, 3)), begin["tail"][None]).rotation[0])
    pose = pose.shifted(begin["center"] - flight.dense.center_of_mass(pose))
    return flight.integrate([0.0, DURATION], pose, np.hstack([begin["v"], begin["omega"]]), rtol=1e-10)


def turned(one: np.ndarray, other: np.ndarray) -> float:
    """The largest angle between orientations of links [rad]."""
    first, second = (Rotation.from_quat(q, scalar_first=True) for q in (one, other))
    return float((first.inv() * second).magnitude().max())


def orders(errors: list[float]) -> np.ndarray:
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


@pytest.mark.parametrize("kind", ["servos", "limp"])
def test_places_and_orientations_converge_in_second_order(kind: str) -> None:
    exact, places, turns = truth(kind), [], []
    for dt in STEPS:
        end = fly(kind, dt).isel(time=-1)
        places.append(float(np.abs(end.link_position.values - exact.position[-1]).max()))
        turns.append(turned(end.link_orientation.values, exact.quaternion[-1]))
    np.testing.assert_allclose(orders(places), 2.0, atol=0.15)  # servos swing at 100 rad/s: w dt = 0.2 at 2 ms
    np.testing.assert_allclose(orders(turns), 2.0, atol=0.15)
    assert places[1] < 2e-5 and turns[1] < 3e-4  # m, rad: of a motion of 0.3 m and 1 rad, at 1 ms


def test_prescribed_flight_converges_in_second_order() -> None:
    ends = [fly("prescribed", dt).isel(time=-1) for dt in (*STEPS, 2.5e-4)]
    places = [float(np.abs(a.link_position - b.link_position).max()) for a, b in pairwise(ends)]
    turns = [turned(a.link_orientation.values, b.link_orientation.values) for a, b in pairwise(ends)]
    np.testing.assert_allclose(orders(places), 2.0, atol=0.1)
    np.testing.assert_allclose(orders(turns), 2.0, atol=0.1)
    assert places[1] < 1e-6 and turns[1] < 1e-5  # m, rad, between 1 ms and 0.5 ms


@pytest.mark.parametrize("kind", GAITS)
def test_angular_momentum_is_kept_in_second_order(kind: str) -> None:
    dense, drifts = DenseRobot.of(ROBOT), []
    for dt in STEPS:
        run, found = fly(kind, dt), []
        for k in (0, -1):
            now = run.isel(time=k)
            pose = Pose.of(now.link_position.values, now.link_orientation.values)
            u = pose.body(now.link_velocity.values, now.link_angular_velocity.values)
            found.append(dense.momentum(pose.shifted(-dense.center_of_mass(pose)), u)[3:])
        drifts.append(float(np.abs(found[1] - found[0]).max() / np.linalg.norm(found[0])))
    np.testing.assert_allclose(orders(drifts), 2.0, atol=0.15)
    assert drifts[1] < 2e-4  # at 1 ms


def test_a_limp_chain_keeps_its_energy_in_second_order() -> None:
    drifts = []
    for dt in STEPS:
        run = fly("limp", dt)
        pose, u = [], []
        for k in (0, -1):
            now = run.isel(time=k)
            pose.append(Pose.of(now.link_position.values, now.link_orientation.values))
            u.append(pose[-1].body(now.link_velocity.values, now.link_angular_velocity.values))
        energy = [DenseRobot.of(ROBOT).energy(p, v) for p, v in zip(pose, u, strict=True)]
        drifts.append(abs(energy[1] / energy[0] - 1.0))
    assert (orders(drifts) > 1.9).all() and drifts[1] < 5e-6


def added_up(run: xr.Dataset, link: int) -> float:
    """Angle between a link's pose at the end and what its angular velocity adds up to by trapezoids [rad]."""
    dt, w = float(run.time[1] - run.time[0]), run.link_angular_velocity.values[:, link]
    q = run.link_orientation.values[:, link]
    now = Rotation.from_quat(q[0], scalar_first=True)
    for step in dt / 2 * (w[:-1] + w[1:]):
        now = Rotation.from_rotvec(step) * now
    return float((now.inv() * Rotation.from_quat(q[-1], scalar_first=True)).magnitude())


@pytest.mark.parametrize("kind", GAITS)
@pytest.mark.parametrize("link", [0, 2, 4], ids=["tail", "middle", "head"])
def test_every_pose_is_what_its_angular_velocity_adds_up_to(kind: str, link: int) -> None:
    misses = [added_up(fly(kind, dt), link) for dt in STEPS]
    np.testing.assert_allclose(orders(misses), 2.0, atol=0.2)
    assert misses[1] < 1e-4  # rad at 1 ms: the trapezoids' own error, (w dt)^2/12 per turn, and as much again


def test_rolling_does_not_turn() -> None:
    """A straight-ahead gait by symmetry: once it rolls, the chord from tail to head keeps its direction."""
    robot, period = pp.catalogue.aiko(), 6.0
    gait = pp.gaits.Rolling(amplitude=0.15, angular_frequency=2 * np.pi / period, prescribed=True)
    angle, rate = gait.references(np.zeros(1), robot)
    speed = gait.angular_frequency * robot.links[0].radius
    begin = pp.SpatialStart(
        joint_angles=angle[0], joint_rates=rate[0], velocity=(0.0, speed, 0.0),
        angular_velocity=(-gait.angular_frequency, 0.0, 0.0),
    )  # fmt: skip
    turns = []
    for dt in (4e-3, 2e-3, 1e-3):
        run = pp.simulate(
            robot, pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.4))), gait, start=begin,
            duration=2 * period, settings=pp.Settings(dt=dt), record=pp.Record(rate=1 / period),
        )  # fmt: skip
        chord = run.link_position.values[1:, -1, :2] - run.link_position.values[1:, 0, :2]
        heading = np.unwrap(np.arctan2(chord[:, 1], chord[:, 0]))
        turns.append(float(heading[1] - heading[0]))
    # Joints that fit at the midpoint instead turn it by 2.3 mrad per period and ms of dt.
    assert np.abs(turns).max() < 5e-4  # rad
