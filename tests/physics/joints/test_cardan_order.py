"""Cardan joints in both orders of their axes: where the links are, and how they move."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pushpoint as pp
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of

APART = 0.02
MOMENTS = (4e-4, 9e-4, 6e-4)
LINK = pp.SpatialLink(length=0.1, mass=0.5, inertia=MOMENTS, radius=0.03, mass_offset=0.01)
FLOATING = pp.Environment(ground=pp.Ground(gravity=0.0))


def robot(first: str, link: pp.SpatialLink = LINK, **motors: pp.Motor) -> pp.SpatialRobot:
    return pp.SpatialRobot.uniform(4, link, pp.Cardan(first=first, axis_distance=APART, **motors))


def written_out(first: str, angles: np.ndarray) -> np.ndarray:
    """Centres of mass of the links from the tail's rear end, by rotations of another library [m]."""
    place, turn, found = np.zeros(3), Rotation.identity(), []
    for k in range(4):
        found.append(place + turn.apply([0.05 + 0.01, 0.0, 0.0]))
        if k == 3:
            break
        place = place + turn.apply([0.1, 0.0, 0.0])
        turn = turn * Rotation.from_euler("y" if first == "pitch" else "z", angles[2 * k])
        place = place + turn.apply([APART, 0.0, 0.0])
        turn = turn * Rotation.from_euler("z" if first == "pitch" else "y", angles[2 * k + 1])
    return np.array(found)


@pytest.mark.parametrize("first", ["pitch", "yaw"])
def test_forward_kinematics(first: str) -> None:
    angles = np.random.default_rng(3).uniform(-1.2, 1.2, 6)
    places, _ = link_poses(robot(first), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), angles)
    wanted = written_out(first, angles)
    assert places - places[0] == pytest.approx(wanted - wanted[0], abs=1e-14)  # round-off


def test_the_first_axis_comes_first_everywhere() -> None:
    yaw, pitch = pp.Motor(stiffness=1.0), pp.Motor(stiffness=2.0)
    made = robot("yaw", yaw=yaw, pitch=pitch)
    assert [axis.name for axis in made.axes] == ["yaw", "pitch"] * 3
    assert [motor.stiffness for motor in made.motors] == [1.0, 2.0] * 3
    gait = pp.gaits.Sidewinding(yaw_amplitude=0.5, pitch_amplitude=0.1, angular_frequency=2.0, phase_shift=-0.6)
    run = pp.simulate(pp.World(made, pp.Environment(), gait), 0.05)
    assert run.joint_axis.values.tolist() == ["yaw", "pitch"] * 3
    by_yaw, _ = gait.references(np.zeros(1), made)
    by_pitch, _ = gait.references(np.zeros(1), robot("pitch"))
    assert by_yaw.reshape(3, 2) == pytest.approx(by_pitch.reshape(3, 2)[:, ::-1])


def tumbling(first: str, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Kinetic energy, momentum and angular momentum about the origin of a free robot, over time."""
    rng = np.random.default_rng(5)
    start = pp.SpatialStart(
        joint_angles=rng.uniform(-0.8, 0.8, 6), joint_rates=rng.uniform(-2.0, 2.0, 6), position=(0.3, 0.2, 5.0),
        velocity=(0.4, -0.2, 0.1), angular_velocity=(1.0, -2.0, 1.5),
    )  # fmt: skip
    settings, record = pp.Settings(dt=dt), pp.Record(rate=100.0)
    run = pp.simulate(pp.World(robot(first), FLOATING, start=start), 1.0, settings=settings, record=record)
    R = rotation_of(run.link_orientation.values)
    v, w, x = run.link_velocity.values, run.link_angular_velocity.values, run.link_position.values
    L = np.einsum("tlij,j,tlkj,tlk->tli", R, np.array(MOMENTS), R, w)
    energy = 0.5 * 0.5 * (v**2).sum((1, 2)) + 0.5 * (w * L).sum((1, 2))
    return energy, 0.5 * v.sum(1), (L + 0.5 * np.cross(x, v)).sum(1)


@pytest.mark.parametrize("first", ["pitch", "yaw"])
def test_free_flight_conserves(first: str) -> None:
    errors = []
    for dt in (1e-3, 5e-4):
        energy, momentum, turning = tumbling(first, dt)
        assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-12)  # round-off
        drift = [np.abs(energy - energy[0]).max() / energy[0], np.abs(turning - turning[0]).max()]
        errors.append(drift)
    coarse, fine = np.array(errors)
    assert (fine < 2e-5).all()  # relative energy, and N m s of about 0.1
    assert (fine < 0.35 * coarse).all()  # second order: a quarter


ROUND = replace(LINK, inertia=(2e-4, 9e-4, 9e-4))
SERVO = pp.Motor(stiffness=20.0, damping=0.2)


def test_a_pitch_first_robot_on_its_side_is_a_yaw_first_one() -> None:
    """A quarter turn about the links' x axis makes y of z and -z of y: the robots are the same, with other names."""
    ground = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.4)))
    angles = np.random.default_rng(7).uniform(-0.3, 0.3, (3, 2))  # first axis, second axis
    # Rolled by a quarter turn to the right, the rear axis y of a pitch-first joint points up: +pitch is +yaw. Its
    # second axis z points right, which is -y: +yaw is -pitch.
    posed = {"pitch": angles.ravel(), "yaw": (angles * (1.0, -1.0)).ravel()}
    turned = {"pitch": Rotation.from_euler("x", pi / 2), "yaw": Rotation.identity()}
    found = {}
    for first in ("pitch", "yaw"):
        made = robot(first, link=ROUND, yaw=SERVO, pitch=SERVO)
        # The posture's rotation is relative to a tail that lies level; give it such that both tails lie alike.
        place, frame = np.array([0.0, 0.0, 0.15]), turned[first]
        x, y, z, w = frame.as_quat()
        start = pp.SpatialStart(
            joint_angles=posed[first], link=0, link_orientation=(w, x, y, z), position=place
        )  # fmt: skip
        run = pp.simulate(pp.World(made, ground, pp.gaits.Hold(), start), 0.5)
        found[first] = run.link_position.values
    assert found["yaw"][0] == pytest.approx(found["pitch"][0], abs=1e-14)
    assert found["yaw"] == pytest.approx(found["pitch"], abs=1e-7)  # impact and sliding magnify round-off
    assert found["yaw"][-1, :, 2].min() == pytest.approx(0.03, abs=1e-3)  # it has landed


@pytest.mark.parametrize("first", ["pitch", "yaw"])
def test_along_a_shape_curve(first: str) -> None:
    """Aligned links touch the curve behind them: every rear end, seen from its joint, is in line with its reference."""
    made = pp.SpatialRobot.uniform(8, LINK, pp.Cardan(first=first))
    s = np.linspace(0.0, 6.0, 60)
    curve = pp.planning.ShapeCurve(points=np.stack([0.3 * s, 0.2 * np.sin(2 * s), 0.1 * np.cos(3 * s)], axis=1))
    pose = pp.planning.align(made, curve, head=55.0)
    ends, aims = pose.joint_points, curve.at(np.clip(pose.references, 0.0, None))
    for k in range(8):
        toward, along = aims[k] - ends[k + 1], ends[k] - ends[k + 1]
        assert np.cross(toward, along) == pytest.approx(np.zeros(3), abs=1e-12)  # round-off
    places, frames = link_poses(made, pose.center, pose.tail_orientation, pose.joint_angles)
    assert places + [-0.06] * rotation_of(frames)[..., 0] == pytest.approx(ends[:-1], abs=1e-12)
