"""The event-driven model with elliptic friction, torque limits and end stops, against closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pushpoint as pp
from pushpoint.errors import StartBeyondStop
from pushpoint.event_driven import SteadyTorque, hybrid_model, integrate

GRAVITY = 9.81
LINK = pp.PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02)


def pair(**motor: float) -> pp.PlanarRobot:
    return pp.PlanarRobot.uniform(2, LINK, pp.Motor(**motor))


class TestAnEllipse:
    ALONG, ACROSS = 0.1, 0.4

    def ground(self) -> pp.Environment:
        return pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=self.ALONG, across=self.ACROSS)))

    def test_a_straight_chain_slides_as_an_independent_integration_says(self) -> None:
        # All links move alike, without turning: m v_dot = -m g S^2 v / |S v|, with S = (along, across).
        start = pp.Start(link_angles=(0.0, 0.0), velocity=(0.5, 0.3))
        run = integrate(hybrid_model(pair(), self.ground()), start, duration=0.1)
        S = np.array([self.ALONG, self.ACROSS])
        slope = lambda t, v: -GRAVITY * S**2 * v / np.linalg.norm(S * v)  # noqa: E731
        exact = solve_ivp(slope, (0.0, 0.1), [0.5, 0.3], rtol=1e-11, atol=1e-13).y[:, -1]
        np.testing.assert_allclose(run.velocity[-1], exact, atol=1e-8)
        assert np.abs(run.link_rate).max() < 1e-12

    @pytest.mark.parametrize(("share", "holds"), [(0.999, True), (1.001, False)])
    def test_a_torque_is_held_up_to_the_friction_across(self, share: float, holds: bool) -> None:
        # The joint's torque turns the links apart. By symmetry they do not push each other across, so each link is
        # held by its two support points alone, 5 cm from its centre, with half its weight each.
        feet = (pp.Support(offset=-0.05, share=0.5), pp.Support(offset=0.05, share=0.5))
        robot = pp.PlanarRobot.uniform(2, replace(LINK, supports=feet))
        torque = share * self.ACROSS * LINK.mass * GRAVITY * 0.05
        model = hybrid_model(robot, self.ground(), SteadyTorque(torque=(torque,)))
        run = integrate(model, pp.Start(link_angles=(0.0, 0.0)), duration=0.5)
        moved = np.abs(run.link_angle[-1]).max()
        assert moved < 1e-9 if holds else moved > 1e-4

    def test_round_ellipses_are_discs(self) -> None:
        start = pp.Start(link_angles=(0.0, 0.4), velocity=(0.3, 0.2), spin=1.0)
        round_one = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.2, across=0.2)))
        disc = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2)))
        a, b = (integrate(hybrid_model(pair(), each), start, duration=0.5) for each in (round_one, disc))
        np.testing.assert_allclose(a.link_position, b.link_position, atol=1e-12)


class TestATorqueLimit:
    def test_a_weak_motor_bends_a_free_joint_as_its_torque_says(self) -> None:
        # Asked for far more than it can give, it moves as under a constant torque of its limit.
        weak = pair(torque_limit=0.05)
        free = pair()
        limited = integrate(
            hybrid_model(weak, pp.Environment(), SteadyTorque(torque=(3.0,))),
            pp.Start(link_angles=(0.0, 0.0)),
            duration=0.3,
        )
        plain = integrate(
            hybrid_model(free, pp.Environment(), SteadyTorque(torque=(0.05,))),
            pp.Start(link_angles=(0.0, 0.0)),
            duration=0.3,
        )
        np.testing.assert_allclose(limited.link_angle, plain.link_angle, atol=1e-12)

    def test_a_motor_at_its_no_load_speed_gives_no_torque(self) -> None:
        # A torque-speed line: rate_dot = tau (1 - rate / w_0) / J, so rate = w_0 (1 - exp(-tau t / (J w_0))).
        heavy = pp.PlanarLink(length=1e-6, mass=1e6, inertia=1e6, radius=0.02)
        bob = pp.PlanarLink(length=1e-6, mass=1.0, inertia=0.02, radius=0.02)
        robot = pp.PlanarRobot(links=(heavy, bob), motors=pp.Motor(torque_limit=0.1, speed_limit=2.0))
        run = integrate(
            hybrid_model(robot, pp.Environment(), SteadyTorque(torque=(9.0,))),
            pp.Start(link_angles=(0.0, 0.0)),
            duration=1.0,
        )
        rate = run.link_rate[:, 1] - run.link_rate[:, 0]
        exact = 2.0 * (1.0 - np.exp(-0.1 * run.time / (0.02 * 2.0)))
        np.testing.assert_allclose(rate, exact, atol=1e-5)  # the heavy link and the short arms disturb by 1e-6


class TestAnEndStop:
    def thrown(self, torque: float = 0.0, **motor: float):
        """Two links whose joint turns at 2 rad/s, symmetrically, toward a stop at 0.3 rad."""
        robot = pair(upper=0.3, **motor)
        start = pp.Start(link_angles=(0.0, 0.0), spin=-1.0, joint_rates=(2.0,))
        drive = SteadyTorque(torque=(torque,))
        return integrate(hybrid_model(robot, pp.Environment(), drive), start, duration=0.4)

    def test_the_joint_stops_there_and_momentum_stays(self) -> None:
        run = self.thrown()
        assert [event.name for event in run.events] == ["reach"] and run.events[0].link == 0
        joint = np.diff(run.link_angle)[:, 0]
        after = run.time > run.events[0].time
        np.testing.assert_allclose(joint[after], 0.3, atol=1e-9)
        np.testing.assert_allclose(run.velocity, 0.0, atol=1e-12)
        # By symmetry the turning momentum is zero: nothing moves after the impact, and all energy is lost.
        np.testing.assert_allclose(run.kinetic_energy[after], 0.0, atol=1e-12)
        assert run.kinetic_energy[0] > 1e-3

    def test_uneven_links_keep_their_angular_momentum(self) -> None:
        heavy = pp.PlanarLink(length=0.3, mass=3.0, inertia=0.03, radius=0.02)
        robot = pp.PlanarRobot(links=(heavy, LINK), motors=pp.Motor(upper=0.3))
        start = pp.Start(link_angles=(0.0, 0.0), spin=-0.5, joint_rates=(2.0,))
        run = integrate(hybrid_model(robot, pp.Environment()), start, duration=0.6)
        mass, inertia = np.array([3.0, 1.0]), np.array([0.03, 0.004])
        v = np.gradient(run.link_position, run.time, axis=0, edge_order=2)
        apart = run.link_position - run.center[:, None]
        turning = (mass * (apart[..., 0] * v[..., 1] - apart[..., 1] * v[..., 0]) + inertia * run.link_rate).sum(axis=1)
        hit = run.events[0].time
        away = np.abs(run.time - hit) > 0.03  # differences across the impact mean nothing
        np.testing.assert_allclose(turning[away][1:-1], turning[1], atol=2e-4)  # second differences at 100 Hz
        # The impact ends the joint's turning; then the bent chain, which still spins, is pulled straight.
        assert abs(np.diff(run.link_rate)[run.time > hit][0, 0]) < 1e-2 < np.diff(run.link_rate)[0, 0]

    def test_it_leaves_the_stop_when_the_motor_pulls_back(self) -> None:
        class Turning:
            def torque_at(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
                return np.array([0.2 * np.cos(10.0 * time)])

        start = pp.Start(joint_angles=(0.3,))
        model = hybrid_model(pair(upper=0.3), pp.Environment(), Turning())
        run = integrate(model, start, duration=0.3)
        assert [event.name for event in run.events] == ["leave"]
        assert run.events[0].time == pytest.approx(np.pi / 20, abs=1e-5)  # where the torque changes its sign
        assert np.diff(run.link_angle)[-1, 0] < 0.29

    def test_a_start_beyond_a_stop_is_refused(self) -> None:
        with pytest.raises(StartBeyondStop):
            integrate(hybrid_model(pair(upper=0.3), pp.Environment()), pp.Start(joint_angles=(0.4,)), duration=0.1)
