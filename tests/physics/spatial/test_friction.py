"""Friction laws at spatial contacts as motion: a link that slides on the level, law by law.

That every law holds at random contacts is tested in `test_spatial_step_laws`; here are their closed forms.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan, pi
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from oracles.engine import stepper_at_start
from oracles.spatial.engine import contacts
from oracles.spatial.states import single_link
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.engine.stepper import Stepper
from pushpoint.model.environment import Environment, Ground, Region
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Rectangular, Skin, Varying, Viscous
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.worlds.world import World

G, DT = 9.81, 1e-3
ROUND = single_link()
BLOCK = SpatialRobot(
    links=(
        SpatialLink(
            length=0.2, mass=1.0, inertia=(1.7e-3, 4.2e-3, 4.2e-3), radius=0.05, side_length=0.18, shape="square"
        ),
    ),
    joints=(),
)


def put(robot: SpatialRobot, ground: Ground, *, turn: Rotation | None = None, dt: float = DT, **motion: Any) -> Stepper:
    """A link on level ground."""
    whole = Rotation.identity() if turn is None else turn
    start = SpatialStart(
        orientation=whole.as_quat(scalar_first=True), position=(0.0, 0.0, robot.links[0].radius), **motion
    )
    world = World(robot, Environment(ground=ground), None, start)
    return stepper_at_start([world], Settings(dt=dt, tolerance=1e-6))


def velocities(stepper: Stepper, steps: int) -> np.ndarray:
    """Velocity of the link at present and after each of the next steps [m/s], shape (steps + 1, 3)."""
    stepper.new_samples(int(stepper.state().step[0]) + steps + 1, 1)
    stepper.advance(steps)
    return np.asarray(stepper.samples()["v"][0, :, 0])


class TestStribeck:
    law = Varying(law=Isotropic(0.2), stick_ratio=1.8, stribeck_speed=0.05)

    def factor(self, speed: float) -> float:
        return 1.0 + 0.8 * float(np.exp(-((speed / 0.05) ** 2)))

    def test_sliding_slows_faster_and_faster(self) -> None:
        # The coefficient is that of the speed at the beginning of each step.
        seen = velocities(put(ROUND, Ground(friction=self.law), velocity=(0.2, 0.0, 0.0)), 60)[:, 0]
        v, expected = 0.2, [0.2]
        for _ in range(60):
            v -= DT * G * 0.2 * self.factor(v)
            expected.append(v)
        assert expected[-1] > 0.03
        np.testing.assert_allclose(seen, expected, rtol=0, atol=1e-6)  # 60 steps at 1e-6 g dt, 1e-8 m/s each

    def test_coefficient_of_a_contact(self) -> None:
        for speed in (0.0, 0.01, 0.05, 0.3):
            stepper = put(ROUND, Ground(friction=self.law), velocity=(speed, 0.0, 0.0))
            stepper.advance(1)
            for contact in contacts(stepper):
                assert contact.coefficient == pytest.approx(0.2 * self.factor(speed), rel=1e-9)

    def test_standing_link_holds_by_what_sticking_gives(self) -> None:
        for share, stands in ((0.97, True), (1.03, False)):
            slope = share * atan(0.2 * 1.8)
            ground = Ground(friction=self.law, slope=slope)
            turn = Rotation.from_euler("y", -slope)
            n = turn.apply([0.0, 0.0, 0.0525])
            start = SpatialStart(orientation=turn.as_quat(scalar_first=True), position=n)
            stepper = stepper_at_start(
                [World(ROUND, Environment(ground=ground), None, start)], Settings(tolerance=1e-6)
            )
            stepper.advance(300)
            moved = float(np.linalg.norm(stepper.state().center[0] - n))
            assert moved < 1e-8 if stands else moved > 1e-2  # m

    def test_every_coefficient_of_a_law_is_multiplied(self) -> None:
        law = Varying(law=Skin(forward=0.1, backward=0.3, across=0.5), stick_ratio=1.5, stribeck_speed=10.0)
        for speed, coefficient in ((0.3, 0.1), (-0.3, 0.3)):
            stepper = put(ROUND, Ground(friction=law), velocity=(speed, 0.0, 0.0))
            stepper.advance(1)
            factor = 1.0 + 0.5 * np.exp(-(0.03**2))
            slowed = abs(speed - stepper.state().v[0, 0, 0])
            assert slowed == pytest.approx(coefficient * factor * G * DT, rel=1e-5)


class TestAround:
    multipliers = (1.0, 2.0, 0.5, 3.0)

    def expected(self, roll: float) -> float:
        """The underside first, then toward the left; rolled to the right by `roll` a link lies on its right side."""
        return float(np.interp((-roll / (2 * pi) * 4) % 4, range(5), (*self.multipliers, self.multipliers[0])))

    @pytest.mark.parametrize("roll", [0.0, 0.4, pi / 2, 2.0, pi, -pi / 2, -0.9])
    def test_link_that_lies_on_a_side(self, roll: float) -> None:
        law = Varying(law=Isotropic(0.1), around=self.multipliers)
        stepper = put(ROUND, Ground(friction=law), turn=Rotation.from_euler("x", roll), velocity=(0.3, 0.0, 0.0))
        seen = velocities(stepper, 20)[:, 0]
        np.testing.assert_allclose(np.diff(seen), -0.1 * self.expected(roll) * G * DT, rtol=1e-5)

    def test_left_side_comes_second(self) -> None:
        assert self.expected(-pi / 2) == 2.0 and self.expected(pi / 2) == 3.0 and self.expected(pi) == 0.5

    def test_heading_does_not_matter_and_speed_multiplies(self) -> None:
        law = Varying(law=Isotropic(0.1), around=self.multipliers, stick_ratio=2.0, stribeck_speed=0.2)
        turn = Rotation.from_euler("ZX", [2.2, 0.4])
        stepper = put(ROUND, Ground(friction=law), turn=turn, velocity=0.3 * turn.apply([1.0, 0.0, 0.0]))
        stepper.advance(1)
        factor = self.expected(0.4) * (1.0 + np.exp(-(1.5**2)))
        for contact in contacts(stepper):
            assert contact.coefficient == pytest.approx(0.1 * factor, rel=1e-9)


def slow_down(force: Callable[[np.ndarray], np.ndarray], v: tuple[float, float], duration: float) -> np.ndarray:
    """Velocity after a time under a friction force per weight, by small steps [m/s]."""
    now, h = np.array(v), 1e-6
    for _ in range(round(duration / h)):
        now = now - h * G * force(now)
    return now


class TestSlip:
    """A block that slides askew: how its velocity turns tells the flow rule."""

    @pytest.mark.parametrize("heading", [0.0, 0.8])
    @pytest.mark.parametrize(
        ("law", "force"),
        [
            (
                Elliptic(along=0.1, across=0.5),
                lambda v: np.array([0.1, 0.5]) ** 2 * v / np.hypot(0.1 * v[0], 0.5 * v[1]),
            ),
            (Elliptic(along=0.1, across=0.5, flow="directional"), lambda v: np.array([0.1, 0.5]) * v / np.hypot(*v)),
            (Rectangular(along=0.1, across=0.5), lambda v: np.array([0.1, 0.5]) * np.sign(v)),
            (
                Skin(forward=0.2, backward=0.6, across=0.5, flow="directional"),
                lambda v: np.array([0.2 if v[0] > 0 else 0.6, 0.5]) * v / np.hypot(*v),
            ),
        ],
        ids=["associated", "directional", "rectangular", "skin"],
    )
    def test_velocity_turns(self, law: FrictionLaw, force: Callable[[np.ndarray], np.ndarray], heading: float) -> None:
        turn, dt = Rotation.from_euler("z", heading), 2e-4
        velocity = turn.apply([0.3, 0.2, 0.0])
        stepper = put(BLOCK, Ground(friction=law), turn=turn, dt=dt, velocity=velocity)
        stepper.advance(round(0.03 / dt))
        after = turn.inv().apply(stepper.state().v[0, 0])
        np.testing.assert_allclose(after[:2], slow_down(force, (0.3, 0.2), 0.03), rtol=0, atol=0.5 * G * dt)  # a step's
        assert abs(after[2]) < 1e-4

    def test_rectangle_stops_one_direction_first(self) -> None:
        stepper = put(BLOCK, Ground(friction=Rectangular(along=0.1, across=0.5)), velocity=(0.3, 0.2, 0.0))
        seen = velocities(stepper, 100)
        t = DT * np.arange(101)
        np.testing.assert_allclose(seen[:, 0], 0.3 - 0.1 * G * t, rtol=0, atol=1e-5)
        assert np.abs(seen[50:, 1]).max() < 1e-7  # across it stands after 0.2/(0.5 g) = 41 ms


class TestViscous:
    @pytest.mark.parametrize("robot", [ROUND, BLOCK], ids=["round", "square"])
    def test_decay(self, robot: SpatialRobot) -> None:
        # Taken at the end of the step: v' = v/(1 + dt c/m), the coefficient being that of the whole link.
        law = Viscous(along=0.5, across=3.0)
        seen = velocities(put(robot, Ground(friction=law), velocity=(0.3, 0.0, 0.0)), 200)
        expected = 0.3 * (1.0 + DT * 0.5 / robot.mass) ** -np.arange(201)
        np.testing.assert_allclose(seen[:, 0], expected, rtol=1e-6)

    def test_decay_across(self) -> None:
        law = Viscous(along=0.5, across=3.0)
        seen = velocities(put(ROUND, Ground(friction=law, rolling=10.0), velocity=(0.0, 0.3, 0.0)), 200)
        expected = 0.3 * (1.0 + DT * 3.0 / ROUND.mass) ** -np.arange(201)
        np.testing.assert_allclose(seen[:, 1], expected, rtol=1e-6)  # so much rolling friction that it does not roll


def test_regions_change_the_law_where_they_lie() -> None:
    # From 0.1 to 0.4 at x = 0.1 m: each sphere by its own place, the front one first.
    patch = Region.rectangle(x=(0.1, 5.0), y=(-1.0, 1.0), friction=Isotropic(0.4))
    ground = Ground(friction=Isotropic(0.1), regions=[patch])
    stepper = put(ROUND, ground, velocity=(1.2, 0.0, 0.0))
    stepper.advance(1)
    before = stepper.state().v[0, 0, 0]
    assert before == pytest.approx(1.2 - 0.1 * G * DT, rel=1e-6)
    stepper.advance(round(0.2 / DT))  # both spheres are past it
    first, x = stepper.state().v[0, 0, 0], stepper.state().center[0, 0]
    assert x - 0.0393 > 0.1 and first > 0.1
    stepper.advance(10)
    assert first - stepper.state().v[0, 0, 0] == pytest.approx(0.4 * G * 10 * DT, rel=1e-5)
