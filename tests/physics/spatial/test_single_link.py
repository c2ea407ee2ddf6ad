"""One link alone on a plane: closed forms of sliding, rolling, spinning, standing on a slope and falling."""

from __future__ import annotations

from math import atan, cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

from oracles.controllers import Always
from oracles.spatial import closed as closed
from oracles.spatial.states import single_link
from oracles.spatial.step import ground_normal
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, Isotropic, Skin
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

G, DT = 9.81, 1e-3
ROUND = single_link()
RADIUS, ROLL_INERTIA, YAW_INERTIA = 0.0525, 2.35e-4, 9.63e-4
ROUNDNESS = closed.roundness(ROLL_INERTIA, ROUND.mass, RADIUS)
BLOCK = SpatialRobot(
    links=(
        SpatialLink(
            length=0.2, mass=1.0, inertia=(1.7e-3, 4.2e-3, 4.2e-3), radius=0.05, side_length=0.18, shape="square"
        ),
    ),
    joints=(),
)
BODIES = {"round": ROUND, "square": BLOCK}


def lie(robot: SpatialRobot, ground: Ground, heading: float = 0.0, gap: float = 0.0, **motion: Any) -> SpatialStart:
    """On the plane through the origin, pointing to `heading` before the plane is tilted; a gap [m] above it."""
    n = ground_normal(ground)
    axis = np.cross([0.0, 0.0, 1.0], n)
    tilt = Rotation.from_rotvec(axis * (abs(ground.slope) / max(float(np.linalg.norm(axis)), 1e-12)))
    turn = tilt * Rotation.from_euler("z", heading)
    place = n * (robot.links[0].radius + gap)
    return SpatialStart(orientation=turn.as_quat(scalar_first=True), position=place, **motion)


def move(robot: SpatialRobot, ground: Ground, start: SpatialStart, duration: float, dt: float = DT) -> xr.Dataset:
    """Every step of a run at a tight tolerance."""
    return simulate(
        robot, Environment(ground=ground), Always(Command()), start=start, duration=duration,
        settings=Settings(dt=dt, tolerance=1e-6), record=Record(rate=1 / dt),
    )  # fmt: skip


def speed(run: xr.Dataset, direction: Any) -> np.ndarray:
    """Velocity of the link in a direction [m/s]."""
    return np.asarray(run.link_velocity.values[:, 0] @ np.asarray(direction, dtype=float))


class TestSliding:
    @pytest.mark.parametrize(
        ("body", "heading"), [("round", 0.0), ("square", 0.0), ("square", 1.0), ("square", pi / 2)]
    )
    def test_stop(self, body: str, heading: float) -> None:
        # A round link slides along itself; across it would roll.
        ground = Ground(friction=Isotropic(0.2))
        start = lie(BODIES[body], ground, heading, velocity=(0.5, 0.0, 0.0))
        distance, time = closed.sliding_stop(0.5, 0.2, G)
        run = move(BODIES[body], ground, start, time + 0.1)
        way = run.center_of_mass.values[-1] - run.center_of_mass.values[0]
        # Every step but the last is exact: the last one is shorter than dt and begins slower than mu g dt.
        np.testing.assert_allclose(way, [distance, 0.0, 0.0], rtol=0, atol=0.2 * G * DT**2)
        under_way = slice(1, round(time / DT) - 1)
        np.testing.assert_allclose(
            np.diff(speed(run, [1, 0, 0]))[under_way], -0.2 * G * DT, rtol=1e-6
        )  # the solver's tolerance
        assert np.abs(run.link_velocity.values[-50:]).max() < 1e-12  # m/s: it stands
        assert np.abs(run.link_angular_velocity.values[-50:]).max() < 1e-12

    def test_front_end_is_pressed_down(self) -> None:
        # Friction mu m g acts a radius below the centre of mass and is balanced by the spheres, 2 x 39.3 mm apart.
        ground = Ground(friction=Isotropic(0.2))
        run = move(ROUND, ground, lie(ROUND, ground, velocity=(0.5, 0.0, 0.0)), 0.1)
        rise = run.link_orientation.values[:, 0] - [1.0, 0.0, 0.0, 0.0]
        assert np.abs(rise).max() < 1e-6  # rad: it does not tip, mu r < 39.3 mm

    def test_tips_where_friction_is_too_high(self) -> None:
        # mu r > 39.3 mm: the rear end lifts off.
        ground = Ground(friction=Isotropic(0.9))
        run = move(ROUND, ground, lie(ROUND, ground, velocity=(1.0, 0.0, 0.0)), 0.05)
        forward = Rotation.from_quat(run.link_orientation.values[-1, 0], scalar_first=True).apply([1.0, 0.0, 0.0])
        assert forward[2] < -0.01  # it has begun to pitch down

    @pytest.mark.parametrize(("velocity", "coefficient"), [(0.3, 0.1), (-0.3, 0.4)])
    def test_skin(self, velocity: float, coefficient: float) -> None:
        ground = Ground(friction=Skin(forward=0.1, backward=0.4, across=0.6))
        run = move(ROUND, ground, lie(ROUND, ground, velocity=(velocity, 0.0, 0.0)), 0.04)
        expected = velocity - np.sign(velocity) * coefficient * G * run.time.values
        np.testing.assert_allclose(speed(run, [1, 0, 0]), expected, rtol=0, atol=1e-7)  # m/s: 40 x tolerance g dt

    def test_elliptic_slip_turns_toward_the_easy_direction(self) -> None:
        # Associated slip: v_dot = -g S^2 v/|S v|, integrated here by small steps of its own.
        along, across = 0.1, 0.5
        ground = Ground(friction=Elliptic(along=along, across=across))
        run = move(BLOCK, ground, lie(BLOCK, ground, velocity=(0.3, 0.1, 0.0)), 0.1, dt=1e-4)
        S, v, h = np.array([along, across]), np.array([0.3, 0.1]), 1e-6
        for _ in range(100_000):
            v = v - h * G * S**2 * v / np.hypot(*(S * v))
        np.testing.assert_allclose(
            run.link_velocity.values[-1, 0, :2], v, rtol=0, atol=0.5 * G * 1e-4
        )  # a step's worth


class TestRolling:
    @pytest.mark.parametrize("heading", [0.0, 2.3])
    def test_slide_to_roll(self, heading: float) -> None:
        ground = Ground(friction=Isotropic(0.2))
        left = np.array([-sin(heading), cos(heading), 0.0])
        run = move(ROUND, ground, lie(ROUND, ground, heading, velocity=0.4 * left), 0.3)
        time = closed.slide_to_roll_time(0.4, ROUNDNESS, 0.2, G)
        v = speed(run, left)
        sliding = run.time.values < time - DT
        np.testing.assert_allclose(v[sliding], 0.4 - 0.2 * G * run.time.values[sliding], rtol=0, atol=1e-7)
        rolling = run.time.values > time + DT
        expected = closed.slide_to_roll(0.4, ROUNDNESS)
        np.testing.assert_allclose(v[rolling], expected, rtol=1e-6)  # angular momentum about the ground's line is kept
        forward = [cos(heading), sin(heading), 0.0]
        np.testing.assert_allclose(run.link_angular_velocity.values[-1, 0] @ forward, -expected / RADIUS, rtol=1e-6)

    @pytest.mark.parametrize("coefficient", [0.02, 0.1])
    def test_rolling_friction(self, coefficient: float) -> None:
        ground = Ground(friction=Isotropic(0.4), rolling=coefficient)
        start = lie(ROUND, ground, velocity=(0.0, 0.3, 0.0), angular_velocity=(-0.3 / RADIUS, 0.0, 0.0))
        slowing = closed.rolling_deceleration(coefficient, ROUNDNESS, G)
        run = move(ROUND, ground, start, 0.3 / slowing + 0.05)
        v = speed(run, [0, 1, 0])
        np.testing.assert_allclose(np.diff(v)[1 : round(0.3 / slowing / DT) - 2], -slowing * DT, rtol=1e-5)  # tolerance
        assert run.center_of_mass.values[-1, 1] == pytest.approx(0.3**2 / (2 * slowing), abs=slowing * DT**2)
        assert np.abs(run.link_velocity.values[-10:]).max() < 1e-12  # m/s: it stands
        assert np.abs(run.link_angular_velocity.values[-10:]).max() < 1e-12

    @pytest.mark.parametrize("body", BODIES)
    def test_spin_friction(self, body: str) -> None:
        robot, ground = BODIES[body], Ground(spin=3e-3)
        slowing = 3e-3 * robot.mass * G / robot.links[0].inertia[2]
        run = move(robot, ground, lie(robot, ground, angular_velocity=(0.0, 0.0, 3.0)), 3.0 / slowing + 0.05)
        omega = run.link_angular_velocity.values[:, 0, 2]
        np.testing.assert_allclose(np.diff(omega)[1 : round(3.0 / slowing / DT) - 2], -slowing * DT, rtol=1e-5)
        assert np.abs(omega[-10:]).max() < 1e-12  # rad/s: it stands

    def test_sliding_friction_slows_a_spin(self) -> None:
        # Two spheres at 39.3 mm rub at mu m g/2 each: w_dot = -mu m g a/I.
        ground = Ground(friction=Isotropic(0.2))
        run = move(ROUND, ground, lie(ROUND, ground, angular_velocity=(0.0, 0.0, 3.0)), 0.04)
        omega = run.link_angular_velocity.values[:, 0, 2]
        slowing = 0.2 * ROUND.mass * G * 0.0393 / YAW_INERTIA
        # The link cannot turn in its posture at the midpoint without rolling by w dt/2: a share of the second order.
        np.testing.assert_allclose(omega, 3.0 - slowing * run.time.values, rtol=0, atol=2e-3)


DIRECTIONS = [0.0, 0.7, pi / 2, 2.0, -2.5]


class TestIncline:
    def downhill(self, ground: Ground) -> np.ndarray:
        s, d = ground.slope, ground.slope_direction
        return np.array([-cos(s) * cos(d), -cos(s) * sin(d), -sin(s)])

    @pytest.mark.parametrize("direction", DIRECTIONS)
    @pytest.mark.parametrize("body", BODIES)
    def test_sticks_below_the_angle_of_friction(self, body: str, direction: float) -> None:
        mu, robot = 0.4, BODIES[body]
        ground = Ground(friction=Isotropic(mu), slope=0.95 * atan(mu), slope_direction=direction)
        run = move(robot, ground, lie(robot, ground, direction + (0.4 if body == "square" else 0.0)), 2.0)
        places = run.center_of_mass.values
        assert np.abs(places - places[0]).max() < 1e-8  # m: the first steps find their forces within 1e-6 g dt
        settled = slice(1500, None)
        assert np.abs(places[settled] - places[-1]).max() < 1e-13  # m: then nothing moves any more, to round-off
        assert np.abs(run.link_velocity.values[settled]).max() < 1e-13  # m/s
        force = run.ground_force.values[-1, 0]
        np.testing.assert_allclose(force, [0.0, 0.0, robot.mass * G], rtol=0, atol=1e-9 * robot.mass * G)

    @pytest.mark.parametrize("direction", DIRECTIONS)
    @pytest.mark.parametrize("body", BODIES)
    def test_slides_above_it(self, body: str, direction: float) -> None:
        mu, robot = 0.4, BODIES[body]
        ground = Ground(friction=Isotropic(mu), slope=1.2 * atan(mu), slope_direction=direction)
        run = move(robot, ground, lie(robot, ground, direction + (0.4 if body == "square" else 0.0)), 0.5)
        v = speed(run, self.downhill(ground))
        expected = closed.incline_acceleration(ground.slope, mu, G)
        assert (v[-1] - v[100]) / 0.4 == pytest.approx(expected, rel=1e-6)
        aside = run.center_of_mass.values - run.center_of_mass.values[0]
        aside = aside - np.outer(aside @ self.downhill(ground), self.downhill(ground))
        assert np.abs(aside).max() < 1e-6  # m: straight down, on the plane

    @pytest.mark.parametrize("direction", DIRECTIONS)
    @pytest.mark.parametrize("rolling", [0.0, 0.1])
    def test_rolls_down(self, rolling: float, direction: float) -> None:
        ground = Ground(friction=Isotropic(0.8), rolling=rolling, slope=0.3, slope_direction=direction)
        run = move(ROUND, ground, lie(ROUND, ground, direction + pi / 2), 0.5)
        v = speed(run, self.downhill(ground))
        expected = closed.incline_rolling_acceleration(0.3, ROUNDNESS, G, rolling)
        assert (v[-1] - v[100]) / 0.4 == pytest.approx(expected, rel=1e-5)

    def test_rolling_friction_holds_a_round_link_on_a_gentle_slope(self) -> None:
        ground = Ground(friction=Isotropic(0.8), rolling=0.1, slope=0.9 * atan(0.1))
        run = move(ROUND, ground, lie(ROUND, ground, pi / 2), 1.0)
        assert np.abs(run.center_of_mass.values - run.center_of_mass.values[0]).max() < 1e-8  # m
        assert np.abs(run.link_velocity.values[200:]).max() < 1e-13

    def test_slope_below_zero_falls_the_other_way(self) -> None:
        ground = Ground(slope=-0.2)
        run = move(BLOCK, ground, lie(BLOCK, ground), 0.2)
        way = run.center_of_mass.values[-1, 0] - run.center_of_mass.values[0, 0]
        assert way == pytest.approx(G * sin(0.2) * cos(0.2) * 0.2**2 / 2, rel=1e-5)  # a t^2/2


class TestDrop:
    @pytest.mark.parametrize("body", BODIES)
    @pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
    def test_bounce(self, body: str, restitution: float) -> None:
        height, robot, dt = 0.1, BODIES[body], 2e-4
        ground = Ground(friction=Isotropic(0.3), restitution=restitution)
        touch, rebound, rise = closed.drop(height, restitution, G)
        run = move(robot, ground, lie(robot, ground, gap=height), touch + 0.9 * max(2 * rebound / G, 0.05), dt)
        z, v = run.center_of_mass.values[:, 2] - robot.links[0].radius, speed(run, [0, 0, 1])
        hit = int(np.argmax(np.diff(v) > 0.0))  # the step that turns it
        assert run.time.values[hit] == pytest.approx(touch, abs=2 * dt)
        # The impact is felt in the step whose midpoint is on the ground: within dt of the touch, a speed of g dt.
        assert v[hit + 1] == pytest.approx(rebound, abs=2 * G * dt)
        assert z[hit:].max() == pytest.approx(rise, abs=2 * dt * sqrt(2 * G * height))
        assert z.min() > -sqrt(2 * G * height) * dt  # m: v dt

    def test_all_bounces_end(self) -> None:
        ground = Ground(friction=Isotropic(0.3), restitution=0.5)
        time = closed.drop_rest_time(0.02, 0.5, G)
        run = move(BLOCK, ground, lie(BLOCK, ground, gap=0.02), time + 0.3)
        z = run.center_of_mass.values[:, 2] - 0.05
        moving = np.abs(speed(run, [0, 0, 1])) > 0.011  # m/s: faster than one step of gravity
        assert run.time.values[np.flatnonzero(moving)[-1]] == pytest.approx(time, abs=0.05)
        assert np.abs(z[-50:]).max() < 1e-5 and np.abs(run.link_velocity.values[-50:]).max() < 1e-6
