"""Release and soft start belong to every gait of waves, also together; and yaw has one sign in all of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import pushpoint as pp
from pushpoint.gaits.release import Sine, waiting_time

WAVE: dict[str, Any] = {"angular_frequency": 2.0, "phase": 0.7}
SHIFT: dict[str, Any] = {"phase_shift": -0.6, **WAVE}
TWO: dict[str, Any] = {"yaw_amplitude": 0.4, "pitch_amplitude": 0.2, **SHIFT}
GAITS = {
    "lateral undulation": pp.gaits.LateralUndulation(amplitude=0.4, offset=0.1, **SHIFT),
    "sidewinding": pp.gaits.Sidewinding(yaw_offset=0.1, **TWO),
    "vertical wave": pp.gaits.VerticalWave(amplitude=0.3, **SHIFT),
    "sinus-lifting": pp.gaits.SinusLifting(**TWO),
    "rolling": pp.gaits.Rolling(amplitude=0.3, **WAVE),
}
ROBOT = pp.catalogue.aiko()
TIME = np.arange(0.0, 8.0, 1e-3)


def read_sample_by_sample(angle: np.ndarray, release: float) -> np.ndarray:
    """Zero until |angle| <= release for the first time, per axis."""
    started = np.logical_or.accumulate(np.abs(angle) <= release, axis=0)
    return np.where(started, angle, 0.0)


@pytest.mark.parametrize("soft_start", [0.0, 1.5])
@pytest.mark.parametrize("name", GAITS)
def test_every_gait_waits_for_its_angle(name: str, soft_start: float) -> None:
    release = 0.02  # no axis passes the band of 0.04 rad within a sample: at most 0.4 rad * 4 rad/s * 1 ms
    free = replace(GAITS[name], soft_start=soft_start)
    expected = read_sample_by_sample(free.references(TIME, ROBOT)[0], release)
    found = replace(free, release=release).references(TIME, ROBOT)[0]
    assert (np.abs(expected[0]) <= release).all()
    differ = np.abs(found - expected).max(axis=1)
    assert (differ[1:] > 0.0).sum() <= ROBOT.n_joints  # an axis is released between two samples
    assert differ.max() <= release + 1e-9


@pytest.mark.parametrize("name", GAITS)
def test_kernels_start_softly_and_wait_at_once(name: str) -> None:
    gait = replace(GAITS[name], soft_start=0.4, release=0.03)
    run = pp.simulate(ROBOT, pp.Environment(), gait, duration=1.0, start=AIR, record=pp.Record(rate=200.0))
    np.testing.assert_allclose(run.joint_reference, gait.references(run.time.values, ROBOT)[0], atol=1e-13)


AIR = pp.SpatialStart(joint_angles=(0.0,) * ROBOT.n_joints, position=(0.0, 0.0, 50.0))


@given(
    release=st.floats(0.0, 0.5),
    amplitude=st.floats(0.1, 1.0) | st.floats(-1.0, -0.1),
    offset=st.floats(-1.0, 1.0),
    omega=st.floats(0.5, 5.0) | st.floats(-5.0, -0.5),
    phase=st.floats(-7.0, 7.0),
    soft_start=st.floats(0.1, 10.0),
)
@settings(deadline=None, max_examples=100)
def test_a_growing_angle_is_released_the_first_time_it_comes_close(
    release: float, amplitude: float, offset: float, omega: float, phase: float, soft_start: float
) -> None:
    assume(abs(offset) < abs(amplitude) + release - 1e-3)
    sine = Sine(offset, amplitude, omega, phase)
    begin = waiting_time(0, release, sine, soft_start)
    assert abs(sine.at(begin, soft_start)) <= release + 1e-8
    before = [abs(sine.at(t, soft_start)) for t in np.linspace(0.0, begin, 2000, endpoint=False)] if begin else []
    assert all(angle > release for angle in before)


def test_a_soft_start_about_zero_needs_no_release() -> None:
    gait = replace(GAITS["rolling"], soft_start=1.0, release=0.0)
    assert not gait.wave(ROBOT).from_time.any()


def test_a_long_soft_start_is_searched_at_once() -> None:
    # The amplitude reaches what is missing, 0.2 of 0.4, half-way; within the next cycle the angle comes to zero.
    begin = waiting_time(0, 0.0, Sine(0.2, 0.4, 100.0, 0.0), 1e6)
    assert 0.5e6 <= begin <= 0.5e6 + 50.0


def test_a_touched_limit_is_found() -> None:
    # 0.5 + 0.5 sin t touches zero in 3 pi / 2 and does not pass it.
    assert waiting_time(0, 0.0, Sine(0.5, 0.5, 1.0, 0.0), 0.0) == pytest.approx(1.5 * math.pi)


@pytest.mark.parametrize("soft_start", [0.0, 1.0])
def test_an_angle_that_never_comes_close_is_refused(soft_start: float) -> None:
    gait = pp.gaits.VerticalWave(amplitude=0.3, yaw_offset=0.2, release=0.1, soft_start=soft_start, **SHIFT)
    words = r"^gait\.release = 0\.1, must be at least 0\.2 \[rad\], or axis 1 never comes within it$"
    with pytest.raises(pp.errors.InvalidModel, match=words):
        gait.wave(ROBOT)


def test_yaw_has_one_sign_in_every_gait() -> None:
    # A quarter cycle after phase zero, a positive amplitude bends the joint next to the head to the left.
    quarter = np.array([0.5 * math.pi / 2.0])
    for name in ("lateral undulation", "sidewinding", "sinus-lifting"):
        gait = replace(GAITS[name], phase=0.0)
        angle = dict(
            zip([(a.name, a.link_behind) for a in ROBOT.axes], gait.references(quarter, ROBOT)[0][0], strict=True)
        )
        offset = getattr(gait, "offset", 0.0) or getattr(gait, "yaw_offset", 0.0)
        assert angle["yaw", 9] == pytest.approx(offset + 0.4, abs=1e-12), name


class TestGaitsThatAreNoWaves:
    """They grow as waves do, by 3 s^2 - 2 s^3: half of the angle, at 1.5 of the mean rate, after half of the time."""

    POSTURE = np.linspace(-0.4, 0.5, ROBOT.n_joints)
    SOFT = 0.8

    def swing(self, t: float) -> np.ndarray:
        return self.POSTURE * math.cos(2.0 * t)

    def test_a_posture_is_taken_softly(self) -> None:
        gait = pp.gaits.Hold(joint_angles=self.POSTURE, soft_start=self.SOFT)
        angles, rates = gait.references(np.array([0.0, 0.4, 0.8, 2.0]), ROBOT)
        np.testing.assert_allclose(angles, np.outer([0.0, 0.5, 1.0, 1.0], self.POSTURE), atol=1e-15)
        np.testing.assert_allclose(rates, np.outer([0.0, 1.5 / self.SOFT, 0.0, 0.0], self.POSTURE), atol=1e-15)
        assert (gait.first_reference(ROBOT) == 0.0).all()  # a robot without a start of its own begins straight

    def test_a_function_begins_softly(self) -> None:
        gait = pp.gaits.FunctionOfTime(function=self.swing, soft_start=self.SOFT)
        angles, rates = gait.references(np.array([0.0, 0.4, 1.0]), ROBOT)
        wave, slope = np.cos([0.0, 0.8, 2.0]), -2.0 * np.sin([0.0, 0.8, 2.0])
        np.testing.assert_allclose(angles, np.outer([0.0, 0.5 * wave[1], wave[2]], self.POSTURE), atol=1e-15)
        expected = [0.0, 0.5 * slope[1] + 1.5 / self.SOFT * wave[1], slope[2]]
        np.testing.assert_allclose(rates, np.outer(expected, self.POSTURE), atol=1e-9)  # differences over 1e-6 s

    def test_what_is_sent_begins_softly_after_its_delay(self) -> None:
        posture = pp.gaits.Hold(joint_angles=self.POSTURE, soft_start=self.SOFT)
        sent = pp.gaits.Sampled(gait=posture, rate=50.0, delay=0.3)
        angles, _ = sent.references(np.array([0.3, 0.7, 1.1]), ROBOT)
        np.testing.assert_allclose(angles, np.outer([0.0, 0.5, 1.0], self.POSTURE), atol=1e-15)

    def test_kernels_follow_the_soft_start_of_a_posture(self) -> None:
        gait = pp.gaits.Hold(joint_angles=self.POSTURE, soft_start=self.SOFT)
        run = pp.simulate(ROBOT, pp.Environment(), gait, duration=1.0, start=AIR, record=pp.Record(rate=500.0))
        s = np.minimum(run.time.values / self.SOFT, 1.0)
        np.testing.assert_allclose(run.joint_reference, np.outer(s * s * (3 - 2 * s), self.POSTURE), atol=1e-12)
