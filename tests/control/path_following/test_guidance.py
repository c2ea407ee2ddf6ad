"""The guidance laws against closed forms, for a point that always travels in the wanted direction."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import pushpoint as pp
from pushpoint.control.path_following.guidance import Guide
from pushpoint.control.path_following.line_of_sight import triple_lag, yaw_of
from pushpoint.control.path_following.speed import SpeedController
from pushpoint.control.path_following.track import lay_track
from pushpoint.engine.batching import stack

DT = 0.02


def travel(ahead: float, sigma: float, start: float, drift: float, duration: float) -> np.ndarray:
    """Sideways distance of a point that moves at 1 m/s in the wanted direction and drifts sideways [m]."""
    track = lay_track(pp.mapping.Path([(0.0, 0.0), (1.0, 0.0)]), ahead, None)
    guide = Guide(track, np.array(ahead), np.array(sigma))
    memory, place, found = stack([guide.memory()]), np.array([[0.0, start]]), []
    for _ in range(round(duration / DT)):
        course, memory = guide.course(place, DT, memory)
        place = place + DT * np.array([[np.cos(course.direction[0]), np.sin(course.direction[0]) + drift]])
        found.append(place[0, 1])
    return np.array(found)


@pytest.mark.parametrize("start", [2.0, -2.0, 0.3])
def test_line_of_sight_converges_as_its_closed_form(start):
    """y' = -v y / sqrt(y^2 + D^2) has the first integral r + D/2 ln((r - D) / (r + D)) + v t with r^2 = y^2 + D^2."""
    ahead, found = 0.8, travel(0.8, 0.0, start, 0.0, 3.0)
    r = np.hypot(np.concatenate(([start], found)), ahead)
    constant = r + ahead / 2 * np.log((r - ahead) / (r + ahead)) + DT * np.arange(len(r))
    np.testing.assert_allclose(constant, constant[0], atol=0.04)  # first order in DT
    assert np.sign(found[-1]) == np.sign(start) and abs(found[-1]) < abs(start)


@pytest.mark.parametrize("drift", [0.3, -0.3])
def test_without_integral_a_drift_leaves_its_closed_form_error(drift):
    """v sin(atan(y / D)) = u holds at y = D u / sqrt(v^2 - u^2)."""
    assert travel(0.8, 0.0, 0.5, drift, 12.0)[-1] == pytest.approx(0.8 * drift / np.sqrt(1 - drift**2), rel=1e-5)


@pytest.mark.parametrize("drift", [0.3, -0.3])
def test_integral_action_removes_the_error_of_a_drift(drift):
    assert abs(travel(0.8, 0.2, 0.5, drift, 40.0)[-1]) < 1e-3


def test_far_away_the_robot_heads_straight_for_the_path():
    track = lay_track(pp.mapping.Path([(0.0, 0.0), (1.0, 0.0)]), 1.0, None)
    guide = Guide(track, np.array(1.0), np.array(0.5))
    course, kept = guide.course(np.array([[0.0, 1e6]]), DT, stack([guide.memory()]))
    assert course.direction[0] == pytest.approx(-np.pi / 2, abs=1e-5)
    for _ in range(300):  # the integral of Borhaug's law hardly grows out there
        course, kept = guide.course(np.array([[0.0, 1e6]]), DT, kept)
    assert abs(kept.integral[0]) < 1e-4


def test_reference_filter_is_exact():
    """Against the matrix exponential of the companion form."""
    w, dt = 1.7, 0.05
    companion = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-(w**3), -3 * w**2, -3 * w]])
    np.testing.assert_allclose(triple_lag(w, dt), expm(companion * dt), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("robot", [pp.catalogue.aiko_planar(), pp.catalogue.aiko(), pp.catalogue.yaw_pitch_16()])
def test_heading_is_the_mean_of_the_link_angles(robot):
    """Measured by the head's IMU and the joints; the truth is the pose that the simulator knows."""
    rng = np.random.default_rng(3)
    yaw = yaw_of(robot)
    bend = 0.2 * rng.standard_normal(robot.n_joints) * yaw.axes
    spatial = isinstance(robot, pp.SpatialRobot)
    start = (pp.SpatialStart if spatial else pp.Start)(joint_angles=bend.tolist(), heading=0.4)
    world = pp.World(robot, pp.Environment(), None, start=start)
    measured = pp.Simulator([world]).reset()
    if spatial:
        w, x, y, z = np.moveaxis(measured.link_orientation[0], -1, 0)
        links = np.unwrap(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)))
    else:
        links = measured.link_angle[0]
    assert yaw.heading(measured)[0] == pytest.approx(links.mean(), abs=1e-9)


def test_a_robot_without_yaw_axes_is_refused():
    link = pp.SpatialLink(length=0.1, mass=0.5, inertia=(1e-3,) * 3, radius=0.03)
    with pytest.raises(pp.errors.InvalidModel, match="a robot that bends sideways"):
        yaw_of(pp.SpatialRobot.uniform(3, link, pp.Pitch()))


def paced(controller: SpeedController, per_cycle: np.ndarray, seconds: float, period: float = 2.0, rate: float = 50.0):
    """Speeds and paces of worlds that move by so much in each cycle of their gait [m], with a swing within it."""
    law, n = controller.bound(period), len(per_cycle)
    memory, phase, place = stack([law.memory()] * n), np.zeros(n), np.zeros(n)
    paces = []
    for k in range(round(seconds * rate)):
        swing = 0.05 * np.sin(2 * phase)
        seen = np.column_stack((place + swing, 0 * place, np.full(n, k / rate)))
        pace, memory = law.pace(phase, seen, np.zeros(n), 1 / rate, memory)
        step = pace / rate / period
        phase, place = phase + 2 * np.pi * step, place + per_cycle * step
        paces.append(pace)
    return memory, np.array(paces)


def test_speed_is_reached_by_the_frequency_whatever_a_cycle_brings():
    """A gait that moves c per cycle needs the frequency v / c."""
    per_cycle = np.array([0.1, 0.2, 0.3])
    memory, paces = paced(SpeedController(speed=0.1), per_cycle, 90.0)
    np.testing.assert_allclose(memory.speed, 0.1, rtol=0.02)
    np.testing.assert_allclose(paces[-1], 0.1 / per_cycle * 2.0, rtol=0.02)


def test_frequency_stays_within_its_limits_and_recovers():
    memory, paces = paced(SpeedController(speed=0.1, fastest=1.5, slowest=0.5), np.array([0.01, 1.0]), 60.0)
    assert paces.max() <= 1.5 and paces.min() >= 0.5
    np.testing.assert_allclose(paces[-1], [1.5, 0.5], rtol=1e-9)
    # Held at a limit, the integral stays within what the limit needs.
    assert np.abs(memory.integral).max() < 10.0


def test_first_cycle_runs_at_the_gaits_own_frequency():
    _, paces = paced(SpeedController(speed=5.0), np.array([0.1]), 1.9)
    assert np.all(paces == 1.0)


def test_measured_speed_is_the_mean_over_a_cycle_not_the_swing():
    """The swing of 5 cm is faster than the robot: at rate 50 Hz it moves at 0.3 m/s, the robot at 0.05 m/s."""
    memory, _ = paced(SpeedController(speed=0.05, gain=1e-9), np.array([0.1]), 21.3)
    assert memory.speed[0] == pytest.approx(0.05, rel=0.02)


def test_speed_limits_are_checked():
    with pytest.raises(pp.errors.InvalidModel, match=r"slowest = 2\.0, must be at most 1"):
        SpeedController(speed=0.1, slowest=2.0)
    with pytest.raises(pp.errors.InvalidModel, match=r"fastest = 0\.5, must be at least 1"):
        SpeedController(speed=0.1, fastest=0.5)
