"""Gaits: angles against the formula, rates against finite differences, and the kernels' wave against the host's."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from pushpoint.errors import InvalidModel
from pushpoint.gaits import FunctionOfTime, LateralUndulation
from pushpoint.model.environment import Environment
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

LINK = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = PlanarRobot.uniform(6, LINK, Motor(stiffness=5.0, damping=0.1))
FIELDS: dict[str, Any] = {"amplitude": 0.6, "angular_frequency": 2.5, "phase_shift": -0.7}
PLAIN = LateralUndulation(**FIELDS)
FULL = LateralUndulation(**FIELDS, offset=-0.2, phase=0.9, envelope=(0.5, 1.0, 1.5), soft_start=0.8)

gaits = st.builds(
    LateralUndulation,
    amplitude=st.floats(-1.5, 1.5),
    angular_frequency=st.floats(-10.0, 10.0),
    phase_shift=st.floats(-3.0, 3.0),
    offset=st.floats(-1.0, 1.0),
    phase=st.floats(-4.0, 4.0),
    envelope=st.none() | st.lists(st.floats(-2.0, 2.0), min_size=2, max_size=5),
    soft_start=st.just(0.0) | st.floats(0.1, 3.0),
)


def planar(n_links: int) -> PlanarRobot:
    return PlanarRobot.uniform(n_links, LINK)


def formula(gait: LateralUndulation, t: float, j: int, n_joints: int) -> float:
    """One joint angle [rad], written out."""
    multiplier = 1.0
    if gait.envelope is not None:
        knots = len(gait.envelope) - 1
        place = knots * (j / (n_joints - 1) if n_joints > 1 else 0.5)
        k = min(int(place), knots - 1)
        multiplier = gait.envelope[k] + (place - k) * (gait.envelope[k + 1] - gait.envelope[k])
    s = min(t / gait.soft_start, 1.0) if gait.soft_start else 1.0
    ramp = 3 * s**2 - 2 * s**3
    argument = gait.angular_frequency * t + (n_joints - 1 - j) * gait.phase_shift + gait.phase
    return gait.offset + multiplier * ramp * gait.amplitude * math.sin(argument)


@given(gait=gaits, t=st.floats(0.0, 10.0), n_joints=st.integers(1, 12))
@settings(deadline=None, max_examples=60)
def test_angles_are_the_formula(gait: LateralUndulation, t: float, n_joints: int) -> None:
    angle, _ = gait.references(np.array([t]), planar(n_joints + 1))
    expected = [formula(gait, t, j, n_joints) for j in range(n_joints)]
    np.testing.assert_allclose(angle[0], expected, atol=1e-12)


@given(gait=gaits, t=st.floats(1e-3, 10.0))
@settings(deadline=None, max_examples=60)
def test_rates_are_the_slope_of_the_angles(gait: LateralUndulation, t: float) -> None:
    h = 1e-5
    assume(abs(t - gait.soft_start) > h)  # the second derivative jumps where the ramp ends
    angle, rate = gait.references(np.array([t - h, t, t + h]), ROBOT)
    # h^2/6 times a third derivative of at most 2e5: 3 rad in all, the steepest ramp 0.1 s, 10 rad/s
    np.testing.assert_allclose((angle[2] - angle[0]) / (2 * h), rate[1], atol=5e-6)


def test_rates_without_a_ramp_are_exact() -> None:
    t = np.linspace(0.0, 5.0, 40)
    _, rate = PLAIN.references(t, ROBOT)
    behind = np.arange(5)[::-1]
    np.testing.assert_allclose(rate, 0.6 * 2.5 * np.cos(2.5 * t[:, None] - 0.7 * behind), atol=1e-14)


def test_the_wave_runs_from_head_to_tail() -> None:
    # A joint does what the one in front of it did phase_shift / w earlier.
    lag = 0.7 / 2.5
    angle, _ = PLAIN.references(np.array([1.0, 1.0 + lag]), ROBOT)
    np.testing.assert_allclose(angle[1, :-1], angle[0, 1:], atol=1e-14)


class TestEnvelope:
    def test_is_spread_evenly_from_tail_to_head(self) -> None:
        gait = LateralUndulation(**FIELDS | {"phase_shift": 0.0}, envelope=(0.0, 1.0, 4.0))
        angle, _ = gait.references(np.array([1.0]), ROBOT)
        np.testing.assert_allclose(angle[0], 0.6 * math.sin(2.5) * np.array([0.0, 0.5, 1.0, 2.5, 4.0]), atol=1e-15)

    def test_single_joint_takes_the_middle(self) -> None:
        gait = LateralUndulation(**FIELDS, envelope=(1.0, 3.0))
        assert gait.references(np.array([1.0]), planar(2))[0] == pytest.approx(2.0 * 0.6 * math.sin(2.5))

    def test_leaves_the_offset_alone(self) -> None:
        gait = LateralUndulation(**FIELDS, envelope=(0.0, 0.0), offset=0.3)
        np.testing.assert_array_equal(gait.references(np.array([0.4]), planar(5))[0], np.full((1, 4), 0.3))


class TestSoftStart:
    GAIT = LateralUndulation(**FIELDS, offset=0.1, phase=1.0, soft_start=2.0)

    def test_begins_at_rest_on_the_offset(self) -> None:
        angle, rate = self.GAIT.references(np.zeros(1), planar(5))
        np.testing.assert_array_equal(angle, np.full((1, 4), 0.1))
        np.testing.assert_array_equal(rate, np.zeros((1, 4)))

    def test_half_way_has_half_the_amplitude(self) -> None:
        angle, _ = self.GAIT.references(np.array([1.0]), planar(2))
        assert angle[0, 0] == pytest.approx(0.1 + 0.5 * 0.6 * math.sin(2.5 + 1.0))

    def test_ends_as_the_plain_gait(self) -> None:
        plain = LateralUndulation(**FIELDS, offset=0.1, phase=1.0)
        t = np.array([2.0, 2.1, 50.0])
        for soft, hard in zip(self.GAIT.references(t, ROBOT), plain.references(t, ROBOT), strict=True):
            np.testing.assert_allclose(soft, hard, atol=1e-14)

    @pytest.mark.parametrize("t", [0.0, 2.0])
    def test_angle_and_rate_have_no_jump(self, t: float) -> None:
        h = 1e-7
        before, after = (self.GAIT.references(np.array([t + s]), ROBOT) for s in (-h, h))
        for a, b in zip(before, after, strict=True):
            np.testing.assert_allclose(a, b, atol=20 * h)  # slopes below 10 rad/s and 10 rad/s^2


class TestTurning:
    def test_offset_is_the_mean_of_every_joint(self) -> None:
        gait = LateralUndulation(**FIELDS, offset=0.25, phase=0.4)
        t = np.arange(16) / 16 * gait.period
        np.testing.assert_allclose(gait.references(t, ROBOT)[0].mean(axis=0), np.full(5, 0.25), atol=1e-15)

    def test_period(self) -> None:
        assert PLAIN.period == pytest.approx(2 * math.pi / 2.5)
        assert LateralUndulation(**FIELDS | {"angular_frequency": -2.5}).period == pytest.approx(2 * math.pi / 2.5)
        assert LateralUndulation(**FIELDS | {"angular_frequency": 0.0}).period == math.inf


class TestLinkAngles:
    @given(
        amplitude=st.floats(-1.5, 1.5),
        shift=st.floats(-3.0, 3.0).filter(lambda s: abs(s) > 0.05),
        phase=st.floats(-4.0, 4.0),
        n_links=st.integers(2, 40),
    )
    @settings(deadline=None, max_examples=60)
    def test_differ_by_the_joint_angles(self, amplitude: float, shift: float, phase: float, n_links: int) -> None:
        gait = LateralUndulation(amplitude=amplitude, angular_frequency=1.0, phase_shift=shift, phase=phase)
        theta = gait.link_angles(planar(n_links))
        joints = np.array([formula(gait, 0.0, j, n_links - 1) for j in range(n_links - 1)])
        assert theta.shape == (n_links,)
        np.testing.assert_allclose(theta - theta[0], np.concatenate(([0.0], np.cumsum(joints))), atol=1e-11)

    def test_swing_about_zero_whatever_the_number_of_links(self) -> None:
        # Mean over the cycle, for each link by itself; the mean over the links of one posture is another thing.
        for n_links in (2, 5, 11):
            theta = [
                LateralUndulation(**FIELDS, phase=phase).link_angles(planar(n_links))
                for phase in np.arange(6) * np.pi / 3
            ]
            np.testing.assert_allclose(np.mean(theta, axis=0), np.zeros(n_links), atol=1e-15)

    @pytest.mark.parametrize("change", [{"phase_shift": 0.0}, {"offset": 0.1}, {"envelope": (0.5, 1.0)}], ids=str)
    def test_without_closed_form_have_mean_zero(self, change: dict[str, Any]) -> None:
        gait = LateralUndulation(**FIELDS | {"phase": 0.9} | change)
        theta = gait.link_angles(planar(5))
        np.testing.assert_allclose(np.diff(theta), [formula(gait, 0.0, j, 4) for j in range(4)], atol=1e-15)
        assert theta.mean() == pytest.approx(0.0, abs=1e-15) and np.abs(theta).max() > 0.1


@pytest.mark.parametrize("gait", [PLAIN, FULL], ids=["plain", "full"])
def test_kernels_evaluate_the_same_wave(gait: LateralUndulation) -> None:
    run = simulate(ROBOT, Environment(), gait, duration=1.5, record=Record(rate=200.0))
    expected = [[formula(gait, float(t), j, 5) for j in range(5)] for t in run.time]
    np.testing.assert_allclose(run.joint_reference, expected, atol=1e-13)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "NaN amplitude": ({"amplitude": math.nan}, r"^gait\.amplitude = nan, must be finite \[rad\]$"),
    "a word": ({"angular_frequency": "fast"}, r"^gait\.angular_frequency = 'fast', must be a number finite \[rad/s\]$"),
    "infinite shift": ({"phase_shift": math.inf}, r"^gait\.phase_shift = inf, must be finite \[rad\]$"),
    "true offset": ({"offset": True}, r"^gait\.offset = True, must be a number"),
    "NaN phase": ({"phase": math.nan}, r"^gait\.phase = nan, must be finite \[rad\]$"),
    "negative soft start": ({"soft_start": -1.0}, r"^gait\.soft_start = -1\.0, must be finite and >= 0 \[s\]$"),
    "one multiplier": ({"envelope": (1.0,)}, r"^gait\.envelope = .*, must be two or more multipliers"),
    "NaN multiplier": ({"envelope": (1.0, math.nan)}, r"^gait\.envelope\[1\] = nan, must be finite \[-\]$"),
    "a number for an envelope": ({"envelope": 0.5}, r"^gait\.envelope = 0\.5, must be"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence(case: str) -> None:
    change, words = REFUSED[case]
    with pytest.raises(InvalidModel, match=words):
        LateralUndulation(**FIELDS | change)


class TestFunctionOfTime:
    def test_asks_the_function(self) -> None:
        gait = FunctionOfTime(function=lambda t: np.array([math.sin(3 * t), t**2]))
        t = np.array([0.0, 0.3, 2.0])
        angle, rate = gait.references(t, planar(3))
        np.testing.assert_array_equal(angle, [[math.sin(3 * s), s**2] for s in t])
        np.testing.assert_allclose(rate, [[3 * math.cos(3 * s), 2 * s] for s in t], atol=1e-8)

    def test_is_not_asked_about_times_before_the_start(self) -> None:
        def root(t: float) -> np.ndarray:
            assert t >= 0.0, f"asked at {t}"
            return np.full(5, 0.1 * t**1.5)

        run = simulate(ROBOT, Environment(), FunctionOfTime(function=root), duration=0.1)
        np.testing.assert_allclose(run.joint_reference[:, 0], 0.1 * run.time**1.5, atol=1e-5)

    @pytest.mark.parametrize(
        "answer", [np.zeros(4), np.zeros((1, 5)), 0.0, np.full(5, math.nan)], ids=["four", "matrix", "number", "NaN"]
    )
    def test_an_answer_that_does_not_fit(self, answer: Any) -> None:
        gait = FunctionOfTime(function=lambda t: answer)
        with pytest.raises(InvalidModel, match=r"^gait\.function\(0\).* = .*, must be (of shape \(5,\)|finite)"):
            simulate(ROBOT, Environment(), gait, duration=0.1)

    @pytest.mark.parametrize("rate", [0.0, -1.0, math.nan, math.inf, "often", True])
    def test_rate_is_positive(self, rate: Any) -> None:
        with pytest.raises(InvalidModel, match=r"^gait\.rate = .* > 0 \[Hz\]$"):
            FunctionOfTime(function=np.cos, rate=rate)

    def test_is_given_something_to_call(self) -> None:
        with pytest.raises(InvalidModel, match=r"^gait\.function = 5, must be "):
            FunctionOfTime(function=5)


def test_a_gait_that_moved_another_robot_before_has_the_wave_of_this_one() -> None:
    for n_links in (6, 9, 6):
        for gait in (PLAIN, FULL):
            wave = gait.wave(planar(n_links))
            assert wave.offset.shape == (n_links - 1,)
            assert wave.sine == pytest.approx(LateralUndulation(**vars_of(gait)).wave(planar(n_links)).sine, abs=0.0)


def vars_of(gait: LateralUndulation) -> dict[str, Any]:
    return {field.name: getattr(gait, field.name) for field in fields(gait)}
