"""Where robots start: posture, anchor, velocities that keep the joints closed, and no overlap with obstacles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from oracles.robots import uneven_robot
from pushpoint.engine.planar.kinematics import link_positions, rear_joints
from pushpoint.engine.planar.start import Start, check_clear
from pushpoint.errors import InvalidModel, StartOverlap
from pushpoint.gaits import FunctionOfTime, LateralUndulation
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.worlds.world import World

ROBOT = uneven_robot()
STRAIGHT = np.zeros(3)
angle = st.floats(-2.0, 2.0)
angles = st.tuples(angle, angle, angle)
place = st.tuples(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))


class TestPosture:
    def test_link_angles_are_taken_as_they_are(self) -> None:
        given_angles = (0.1, -0.7, 2.0, 9.0)
        pose = Start(link_angles=given_angles, joint_angles=(5.0, 5.0, 5.0), heading=3.0).pose(ROBOT)
        np.testing.assert_array_equal(pose["theta"], given_angles)

    @given(joints=angles, heading=angle)
    @settings(deadline=None, max_examples=30)
    def test_joint_angles_swing_about_the_heading(self, joints: tuple[float, ...], heading: float) -> None:
        theta = Start(joint_angles=joints, heading=heading).pose(ROBOT)["theta"]
        np.testing.assert_allclose(np.diff(theta), joints, atol=1e-14)
        lengths = np.array([0.10, 0.15, 0.08, 0.12])
        assert float(theta @ lengths) / 0.45 == pytest.approx(heading, abs=1e-14)

    @pytest.mark.parametrize("offset", [0.0, 0.1])
    def test_default_is_what_the_gait_asks_for_at_time_zero(self, offset: float) -> None:
        gait = LateralUndulation(amplitude=0.5, angular_frequency=2.0, phase_shift=-0.8, offset=offset, phase=0.3)
        theta = World(ROBOT, Environment(), gait).pose()["theta"]
        expected = [offset + 0.5 * math.sin(-0.8 * (2 - j) + 0.3) for j in range(3)]
        np.testing.assert_allclose(np.diff(theta), expected, atol=1e-15)

    def test_heading_is_what_a_gait_swings_about(self) -> None:
        # Starting anywhere in the cycle: every link's mean over the cycle is the heading.
        gaits = [
            LateralUndulation(amplitude=0.5, angular_frequency=2.0, phase_shift=-0.8, phase=phase)
            for phase in np.arange(8) * np.pi / 4
        ]
        theta = [World(ROBOT, Environment(), gait, Start(heading=0.7)).pose()["theta"] for gait in gaits]
        np.testing.assert_allclose(np.mean(theta, axis=0), np.full(4, 0.7), atol=1e-15)
        assert np.ptp(theta, axis=0).min() > 0.5

    def test_default_for_a_function_of_time(self) -> None:
        gait = FunctionOfTime(function=lambda t: np.array([0.3, -0.1, 0.2]) * np.cos(t))
        theta = World(ROBOT, Environment(), gait, Start(heading=0.7)).pose()["theta"]
        np.testing.assert_allclose(theta - 0.7, [-0.225, 0.075, -0.025, 0.175], atol=1e-15)  # by hand: mean zero

    def test_default_without_a_gait_is_straight(self) -> None:
        theta = World(ROBOT, Environment(), None, Start(heading=0.7)).pose()["theta"]
        np.testing.assert_array_equal(theta, np.full(4, 0.7))


class TestAnchor:
    @given(joints=angles, where=place)
    @settings(deadline=None, max_examples=30)
    def test_position_is_the_centre_of_mass(self, joints: tuple[float, ...], where: tuple[float, float]) -> None:
        pose = Start(joint_angles=joints, position=where).pose(ROBOT)
        np.testing.assert_array_equal(pose["center"], where)
        masses = np.array([0.4, 0.9, 0.3, 0.7])
        mean = masses @ link_positions(ROBOT, pose["center"], pose["theta"]) / 2.3
        np.testing.assert_allclose(mean, where, atol=1e-14)

    @given(joints=angles, where=place, link=st.integers(0, 3))
    @settings(deadline=None, max_examples=30)
    def test_position_of_a_link(self, joints: tuple[float, ...], where: tuple[float, float], link: int) -> None:
        pose = Start(joint_angles=joints, link=link, position=where).pose(ROBOT)
        np.testing.assert_allclose(link_positions(ROBOT, pose["center"], pose["theta"])[link], where, atol=1e-14)

    def test_straight_robot_by_hand(self) -> None:
        # Tail's rear joint at the origin: joints at 0, 100, 250, 330 mm, centres of mass offset from the middles.
        pose = Start(joint_angles=STRAIGHT, link=0, position=(0.06, 0.0)).pose(ROBOT)
        np.testing.assert_allclose(rear_joints(ROBOT, pose["center"], pose["theta"])[:, 0], [0.0, 0.1, 0.25, 0.33])
        np.testing.assert_allclose(
            link_positions(ROBOT, pose["center"], pose["theta"])[:, 0], [0.06, 0.155, 0.29, 0.405]
        )

    @given(joints=angles)
    @settings(deadline=None, max_examples=20)
    def test_links_meet_at_their_joints(self, joints: tuple[float, ...]) -> None:
        pose = Start(joint_angles=joints).pose(ROBOT)
        theta = pose["theta"]
        rear = rear_joints(ROBOT, pose["center"], theta)
        front = rear + ROBOT.column("length")[:, None] * np.column_stack([np.cos(theta), np.sin(theta)])
        np.testing.assert_allclose(front[:-1], rear[1:], atol=1e-14)


class TestVelocity:
    @given(joints=angles, rates=angles, spin=angle, velocity=place)
    @settings(deadline=None, max_examples=30)
    def test_is_the_derivative_of_the_positions(
        self, joints: tuple[float, ...], rates: tuple[float, ...], spin: float, velocity: tuple[float, float]
    ) -> None:
        pose = Start(joint_angles=joints, joint_rates=rates, spin=spin, velocity=velocity).pose(ROBOT)
        np.testing.assert_allclose(np.diff(pose["omega"]), rates, atol=1e-14)
        assert pose["omega"][0] == spin  # the tail turns at `spin`, the others on top of it
        h = 1e-6
        ahead, behind = (
            link_positions(ROBOT, pose["center"] + s * np.array(velocity), pose["theta"] + s * pose["omega"])
            for s in (h, -h)
        )
        np.testing.assert_allclose(pose["v"], (ahead - behind) / (2 * h), atol=1e-8)  # h^2 and round-off over h

    def test_at_rest_unless_told(self) -> None:
        pose = Start().pose(ROBOT)
        assert not pose["v"].any() and not pose["omega"].any()


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "NaN angle": ({"link_angles": (0.0, math.nan, 0.0, 0.0)}, r"^start\.link_angles\[1\] = nan, must be finite"),
    "angles of another robot": ({"link_angles": (0.0,) * 5}, r"^start\.link_angles = 5, must be 4 angles for 4 links$"),
    "joints of another robot": ({"joint_angles": (0.0,) * 4}, r"^start\.joint_angles = 4, must be 3 angles"),
    "rates of another robot": ({"joint_rates": (0.0,)}, r"^start\.joint_rates = 1, must be 3 rates for 4 links$"),
    "a number for angles": ({"joint_angles": 0.3}, r"^start\.joint_angles = 0\.3, must be a list of numbers \[rad\]$"),
    "infinite heading": ({"heading": math.inf}, r"^start\.heading = inf, must be finite \[rad\]$"),
    "heading of a word": ({"heading": "north"}, r"^start\.heading = 'north', must be a number finite \[rad\]$"),
    "true spin": ({"spin": True}, r"^start\.spin = True, must be"),
    "three coordinates": ({"position": (0.0, 0.0, 0.0)}, r"^start\.position = .*, must be 2 numbers \[m\]$"),
    "NaN place": ({"position": (0.0, math.nan)}, r"^start\.position\[1\] = nan, must be finite \[m\]$"),
    "no place": ({"position": None}, r"^start\.position = None, must be 2 numbers \[m\]$"),
    "no velocity": ({"velocity": None}, r"^start\.velocity = None, must be 2 numbers \[m/s\]$"),
    "velocity of words": ({"velocity": "xy"}, r"^start\.velocity = 'xy', must be 2 numbers"),
    "link past the head": ({"link": 4}, r"^start\.link = 4, must be 0 to 3 for 4 links$"),
    "link before the tail": ({"link": -1}, r"^start\.link = -1, must be 0 to 3 for 4 links$"),
    "link true": ({"link": True}, r"^start\.link = True, must be 0 to 3"),
    "half a link": ({"link": 0.5}, r"^start\.link = 0\.5, must be 0 to 3"),
    "link as a float": ({"link": 1.0}, r"^start\.link = 1\.0, must be 0 to 3"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence(case: str) -> None:
    fields, words = REFUSED[case]
    with pytest.raises(InvalidModel, match=words):
        Start(**fields).pose(ROBOT)


LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03, side_length=0.12, mass_offset=0.05)
PAIR = PlanarRobot.uniform(2, LINK)  # straight sides from 0.04 to 0.16 and from 0.24 to 0.36 m, tail's rear joint at 0
TAIL_AT_ZERO = Start(joint_angles=(0.0,), link=0, position=(0.15, 0.0))


def overlap(*pegs: Peg, world: int = 0, start: Start = TAIL_AT_ZERO) -> StartOverlap:
    with pytest.raises(StartOverlap) as caught:
        World(PAIR, Environment(obstacles=pegs), start=start).pose(world)
    return caught.value


class TestOverlap:
    def test_says_which_link_which_peg_and_how_deep(self) -> None:
        far = Peg(x=5.0, y=5.0, radius=0.1)
        error = overlap(far, far, Peg(x=0.3, y=0.12, radius=0.1), world=7)
        assert str(error) == "start: link 1 overlaps obstacle 2 by 10 mm (world 7), must be clear"
        assert (error.world, error.link, error.obstacle) == (7, 1, 2)
        assert error.depth == pytest.approx(0.03 + 0.1 - 0.12, abs=1e-15)

    def test_at_the_round_end(self) -> None:
        # In front of the head: 0.36 m is where the straight side ends, not 0.4 m, the front joint.
        assert overlap(Peg(x=0.44, y=0.0, radius=0.06)).depth == pytest.approx(0.03 + 0.06 - 0.08, abs=1e-15)
        # Between the links, over the joint at 0.2 m: both round ends are 50 mm away along x.
        distance = math.hypot(0.04, 0.06)
        assert overlap(Peg(x=0.2, y=0.06, radius=0.05)).depth == pytest.approx(0.08 - distance, abs=1e-15)

    def test_names_the_deepest(self) -> None:
        error = overlap(Peg(x=0.1, y=0.12, radius=0.1), Peg(x=0.3, y=-0.11, radius=0.1))
        assert (error.link, error.obstacle) == (1, 1) and error.depth == pytest.approx(0.02)

    def test_a_peg_under_the_link(self) -> None:
        assert overlap(Peg(x=0.1, y=0.0, radius=0.01)).depth == pytest.approx(0.04, abs=1e-15)

    @pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-3, -1e-10])
    def test_touching_is_allowed(self, gap: float) -> None:
        peg = Peg(x=0.1, y=0.13 + gap, radius=0.1)
        assert World(PAIR, Environment(obstacles=[peg]), start=TAIL_AT_ZERO).pose()["theta"].shape == (2,)

    def test_a_micrometre_is_overlap(self) -> None:
        error = overlap(Peg(x=0.1, y=0.13 - 1e-6, radius=0.1))
        assert str(error) == "start: link 0 overlaps obstacle 0 by 0.001 mm (world 0), must be clear"

    @given(
        theta=st.tuples(st.floats(-4, 4), st.floats(-4, 4)),
        pegs=st.lists(st.tuples(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4), st.floats(0.005, 0.2)), min_size=1),
    )
    @settings(deadline=None, max_examples=40)
    def test_against_points_along_the_axis(
        self, theta: tuple[float, float], pegs: list[tuple[float, float, float]]
    ) -> None:
        pose = Start(link_angles=theta).pose(PAIR)
        along = np.linspace(0.04, 0.16, 2401)  # 50 um apart: distances are at most 25 um too long
        rear = rear_joints(PAIR, pose["center"], pose["theta"])
        e = np.column_stack([np.cos(theta), np.sin(theta)])
        axis = rear[:, None] + along[None, :, None] * e[:, None]
        depths = np.array([[0.03 + r - np.hypot(*(axis[i] - (x, y)).T).min() for x, y, r in pegs] for i in range(2)])
        obstacles = Environment(obstacles=[Peg(x=x, y=y, radius=r) for x, y, r in pegs])
        if depths.max() < -25e-6:
            check_clear(0, PAIR, obstacles, pose["center"], pose["theta"])
        elif depths.max() > 0:
            with pytest.raises(StartOverlap) as caught:
                check_clear(0, PAIR, obstacles, pose["center"], pose["theta"])
            assert caught.value.depth == pytest.approx(depths.max(), abs=25e-6)
            assert depths[caught.value.link, caught.value.obstacle] == pytest.approx(depths.max(), abs=25e-6)
