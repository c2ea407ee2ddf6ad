"""Sidewinding against Transeth2008b (70), (71) and VIII-E in the paper's own numbering, and axes that wait."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from pushpoint.errors import InvalidModel
from pushpoint.gaits import LateralUndulation, Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment
from pushpoint.model.joints import Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

LINK = SpatialLink(length=0.1, mass=0.3, inertia=(1e-4, 3e-4, 3e-4), radius=0.02)
VIII_E: dict[str, Any] = {
    "yaw_amplitude": -math.radians(30),
    "pitch_amplitude": math.radians(10),
    "angular_frequency": math.radians(80),
    "phase_shift": math.radians(-50),
    "pitch_lead": math.radians(90),
}


def transeth2008b_sidewinding(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(70) and (71) with the parameters of VIII-E, shape (n_times, 10): column i - 1 is the paper's joint i."""
    A_h, omega, delta, A_v, delta_0 = np.radians([30.0, 80.0, -50.0, 10.0, 90.0])
    i = np.arange(1, 11)
    argument = omega * t[:, None] + (i - 1) * delta
    return A_h * np.sin(argument), A_v * np.sin(argument + delta_0)


def softly_started(alpha: np.ndarray) -> np.ndarray:
    """VIII-E read sample by sample: zero until |alpha| <= 3 deg for the first time."""
    started = np.zeros(alpha.shape[1], dtype=bool)
    kept = np.zeros_like(alpha)
    for row, values in enumerate(alpha):
        started |= np.abs(values) <= math.radians(3)
        kept[row, started] = values[started]
    return kept


class TestSidewinding:
    @pytest.mark.parametrize("soft", [False, True])
    def test_is_70_and_71_of_transeth2008b(self, soft: bool) -> None:
        robot, t = aiko(), np.arange(0.0, 15.0, 1e-3)
        alpha_h, alpha_v = transeth2008b_sidewinding(t)
        if soft:
            # No reference crosses the band of 6 deg between samples: 30 deg x 80 deg/s x 1 ms = 0.04 deg.
            alpha_h, alpha_v = softly_started(alpha_h), softly_started(alpha_v)
        found, _ = Sidewinding(**VIII_E, release=math.radians(3) if soft else None).references(t, robot)
        for a, axis in enumerate(robot.axes):
            i = 11 - 1 - axis.link_behind
            paper = -alpha_h[:, i - 1] if axis.name == "yaw" else alpha_v[:, i - 1]
            np.testing.assert_allclose(found[:, a], paper, atol=1e-13)

    def test_axes_wait_until_they_are_within_3_degrees(self) -> None:
        wave = Sidewinding(**VIII_E, release=math.radians(3)).wave(aiko())
        waits = {(axis.name, 10 - axis.link_behind): t for axis, t in zip(aiko().axes, wave.from_time, strict=True)}
        h, v = (math.degrees(math.asin(3 / amplitude)) for amplitude in (30, 10))
        assert waits["yaw", 1] == 0.0  # 30 sin(0) = 0
        assert waits["yaw", 2] == pytest.approx((50 - h) / 80)  # from 30 sin(-50 deg) up to -3 deg
        assert waits["pitch", 1] == pytest.approx((90 - v) / 80)  # from 10 sin(90 deg) down to 3 deg
        assert waits["pitch", 2] == pytest.approx((140 - v) / 80)  # from 10 sin(40 deg) up and down
        assert max(waits.values()) < Sidewinding(**VIII_E).period / 2

    def test_link_angles_are_those_of_lateral_undulation(self) -> None:
        flat = LateralUndulation(
            amplitude=VIII_E["yaw_amplitude"],
            angular_frequency=VIII_E["angular_frequency"],
            phase_shift=VIII_E["phase_shift"],
        )
        np.testing.assert_allclose(Sidewinding(**VIII_E).link_angles(aiko()), flat.link_angles(aiko()), atol=1e-15)

    def test_starts_straight_where_axes_wait(self) -> None:
        gait = Sidewinding(**VIII_E, release=math.radians(3))
        np.testing.assert_array_equal(gait.link_angles(aiko()), np.zeros(11))

    def test_other_sign_of_the_pitch_lead_mirrors_the_motion(self) -> None:
        # Mirrored, yaw changes sign and pitch does not; half a period later both have changed sign.
        there, here = Sidewinding(**VIII_E | {"pitch_lead": -math.pi / 2}), Sidewinding(**VIII_E)
        robot, t = aiko(), np.linspace(0.0, 5.0, 21)
        sign = np.array([-1.0 if axis.name == "yaw" else 1.0 for axis in robot.axes])
        mirrored = sign * here.references(t + here.period / 2, robot)[0]
        np.testing.assert_allclose(there.references(t, robot)[0], mirrored, atol=1e-13)


class TestRelease:
    @given(
        release=st.floats(0.0, 0.5),
        amplitude=st.floats(0.1, 1.0) | st.floats(-1.0, -0.1),
        offset=st.floats(-1.0, 1.0),
        omega=st.floats(0.5, 5.0) | st.floats(-5.0, -0.5),
        phase=st.floats(-7.0, 7.0),
    )
    @settings(deadline=None, max_examples=200)
    def test_is_the_first_time_within_the_angle(
        self, release: float, amplitude: float, offset: float, omega: float, phase: float
    ) -> None:
        assume(abs(offset) < abs(amplitude) + release - 1e-6)
        gait = Sidewinding(
            yaw_amplitude=amplitude, pitch_amplitude=0.0, angular_frequency=omega, phase_shift=0.0, yaw_offset=offset,
            phase=phase, release=release,
        )  # fmt: skip
        robot = SpatialRobot.uniform(2, LINK, Yaw())
        begin = float(gait.wave(robot).from_time[0])
        free = replace(gait, release=None)
        assert 0.0 <= begin < gait.period
        assert abs(free.references(np.array([begin]), robot)[0][0, 0]) <= release + 1e-9  # round-off of asin near 1
        waiting = np.linspace(0.0, begin, 400, endpoint=False)[: 400 if begin else 0]
        held, rate = gait.references(waiting, robot)
        assert not held.any() and not rate.any()
        assert (np.abs(free.references(waiting, robot)[0]) > release).all()
        after = begin + np.linspace(0.0, 3.0, 50)
        for soft, hard in zip(gait.references(after, robot), free.references(after, robot), strict=True):
            np.testing.assert_array_equal(soft, hard)

    def test_of_zero_waits_for_the_zero_crossing(self) -> None:
        gait = Sidewinding(**VIII_E | {"phase_shift": -math.pi / 4}, release=0.0)
        waits = gait.wave(aiko()).from_time
        # Eighths of a period; the paper's joint 1 begins at once, and so does 5, half a wave behind it.
        yaw = [t for t, axis in zip(waits, aiko().axes, strict=True) if axis.name == "yaw"][::-1]
        np.testing.assert_allclose(
            np.array(yaw) / gait.period, np.array([0, 1, 2, 3, 0, 1, 2, 3, 0, 1]) / 8, atol=1e-12
        )

    def test_kernels_wait_as_long(self) -> None:
        robot = PlanarRobot.uniform(
            6, PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02), Motor(stiffness=5.0, damping=0.1)
        )
        gait = Sidewinding(**VIII_E, release=math.radians(3))
        run = simulate(robot, Environment(), gait, duration=2.0, record=Record(rate=1000.0))
        paper = transeth2008b_sidewinding(run.time.values)[0][:, :5]  # its joints 1 to 5, from the head
        np.testing.assert_allclose(run.joint_reference, -softly_started(paper)[:, ::-1], atol=1e-13)

    def test_round_off_beyond_the_angle_is_not_waited_for(self) -> None:
        gait = Sidewinding(**VIII_E, release=0.0, phase=1e-15)
        yaw_of_the_head = [axis.name for axis in aiko().axes].index("yaw", 18)
        assert gait.wave(aiko()).from_time[yaw_of_the_head] == 0.0

    def test_that_an_axis_never_meets_is_refused(self) -> None:
        gait = Sidewinding(**VIII_E, yaw_offset=math.radians(40), release=math.radians(3))
        words = r"^gait\.release = 0\.05.*, must be at least 0\.174533 \[rad\], or axis 1 never comes within it$"
        with pytest.raises(InvalidModel, match=words):  # 40 - 30 deg
            gait.wave(aiko())

    def test_of_a_standing_axis(self) -> None:
        still = Sidewinding(**VIII_E | {"angular_frequency": 0.0, "phase_shift": 0.0}, release=math.radians(3))
        with pytest.raises(InvalidModel, match=r"must be at least 0\.174533 \[rad\], or axis 0 never"):  # 10 deg
            still.wave(aiko())
        assert not still.wave(SpatialRobot.uniform(4, LINK, Yaw())).from_time.any()  # all at zero
