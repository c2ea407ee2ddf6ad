"""Gaits on robots with yaw and pitch axes: formulas written out axis by axis, Transeth2008b's numbers, shapes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from pushpoint.engine.signals import Wave
from pushpoint.errors import InvalidModel
from pushpoint.gaits import FunctionOfTime, LateralUndulation, Rolling, Sampled, Sidewinding, SinusLifting, VerticalWave
from pushpoint.model.catalogue import aiko, liljeback2014
from pushpoint.model.joints import Cardan, Pitch, Yaw
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot

LINK = SpatialLink(length=0.1, mass=0.3, inertia=(1e-4, 3e-4, 3e-4), radius=0.02)
PATTERNS: dict[str, Any] = {
    "cardan": Cardan(),
    "yaw": Yaw(),
    "pitch": Pitch(),
    "yaw first": (Yaw(), Pitch()),
    "pitch first": (Pitch(), Yaw()),
    "mixed": (Cardan(), Pitch(), Yaw(), Yaw(), Cardan()),
}


def planar(n_links: int) -> PlanarRobot:
    return PlanarRobot.uniform(n_links, PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02))


def spatial(kind: str, n_links: int) -> SpatialRobot:
    return SpatialRobot.uniform(n_links, LINK, PATTERNS[kind])


robots = st.builds(spatial, st.sampled_from(sorted(PATTERNS)), st.integers(1, 12)) | st.builds(
    planar, st.integers(2, 9)
)
angle = st.floats(-2.0, 2.0)
common: dict[str, Any] = {
    "angular_frequency": st.floats(-8.0, 8.0),
    "phase": st.floats(-4.0, 4.0),
    "soft_start": st.just(0.0) | st.floats(0.1, 3.0),
}
offset = st.just(0.0) | angle
two: dict[str, Any] = {"yaw_amplitude": angle, "pitch_amplitude": angle, "phase_shift": angle, "yaw_offset": offset}
gaits = st.one_of(
    st.builds(LateralUndulation, amplitude=angle, phase_shift=angle, offset=offset, **common),
    st.builds(Sidewinding, **two, pitch_lead=angle, **common),
    st.builds(VerticalWave, amplitude=angle, phase_shift=angle, yaw_offset=offset, **common),
    st.builds(Rolling, amplitude=angle, taper=st.floats(-1.0, 1.0), **common),
    st.builds(SinusLifting, **two, **common),
)


def mean_and_swing(gait: Any, t: float, name: str, k: int, place: float) -> tuple[float, float]:
    """Constant part and wave of one axis [rad], each gait's formula written out."""
    p = gait.angular_frequency * t + gait.phase + k * getattr(gait, "phase_shift", 0.0)
    match gait, name:
        case LateralUndulation(), "yaw":
            return gait.offset, gait.amplitude * math.sin(p)
        case LateralUndulation(), "pitch":
            return 0.0, 0.0
        case Sidewinding(), "yaw":
            return gait.yaw_offset, gait.yaw_amplitude * math.sin(p)
        case Sidewinding(), "pitch":
            return 0.0, gait.pitch_amplitude * math.sin(p + gait.pitch_lead)
        case VerticalWave(), "yaw":
            return gait.yaw_offset, 0.0
        case VerticalWave(), "pitch":
            return 0.0, gait.amplitude * math.sin(p)
        case Rolling(), _:
            amplitude = gait.amplitude * (1 + gait.taper * (2 * place - 1))
            return 0.0, amplitude * (math.cos(p) if name == "yaw" else -math.sin(p))
        case SinusLifting(), "yaw":
            return gait.yaw_offset, gait.yaw_amplitude * math.sin(p)
        case SinusLifting(), "pitch":
            return 0.0, -gait.pitch_amplitude * math.cos(2 * p)
    raise AssertionError(gait)


def formula(gait: Any, t: float, robot: PlanarRobot | SpatialRobot) -> list[float]:
    """All joint angles [rad]."""
    s = min(t / gait.soft_start, 1.0) if gait.soft_start else 1.0
    angles = []
    for axis in robot.axes:
        place = axis.link_behind / (robot.n_links - 2) if robot.n_links > 2 else 0.5
        mean, swing = mean_and_swing(gait, t, axis.name, robot.n_links - 2 - axis.link_behind, place)
        angles.append(mean + (3 * s**2 - 2 * s**3) * swing)
    return angles


class TestEveryGait:
    @given(gait=gaits, robot=robots, t=st.floats(0.0, 10.0))
    @settings(deadline=None, max_examples=200)
    def test_angles_are_the_formula(self, gait: Any, robot: PlanarRobot | SpatialRobot, t: float) -> None:
        found, rate = gait.references(np.array([t]), robot)
        assert found.shape == rate.shape == (1, robot.n_joints)
        np.testing.assert_allclose(found[0], formula(gait, t, robot), atol=1e-12)

    @given(gait=gaits, robot=robots, t=st.floats(1e-3, 10.0))
    @settings(deadline=None, max_examples=100)
    def test_rates_are_the_slope_of_the_angles(self, gait: Any, robot: PlanarRobot | SpatialRobot, t: float) -> None:
        h = 1e-5
        assume(abs(t - gait.soft_start) > h)  # the second derivative jumps where the ramp ends
        found, rate = gait.references(np.array([t - h, t, t + h]), robot)
        # h^2/6 times a third derivative of at most 4e5: 4 rad in all, the steepest ramp 0.1 s, 16 rad/s
        np.testing.assert_allclose((found[2] - found[0]) / (2 * h), rate[1], atol=1e-5)

    @given(gait=gaits, kind=st.sampled_from(sorted(PATTERNS)), n_links=st.integers(2, 12))
    @settings(deadline=None, max_examples=60)
    def test_axes_do_what_they_would_among_cardans(self, gait: Any, kind: str, n_links: int) -> None:
        robot, whole = spatial(kind, n_links), spatial("cardan", n_links)
        rows = [whole.axes.index(axis) for axis in robot.axes]
        t = np.linspace(0.0, 3.0, 7)
        for own, among in zip(gait.references(t, robot), gait.references(t, whole), strict=True):
            np.testing.assert_array_equal(own, among[:, rows])

    @given(gait=gaits, robot=robots)
    @settings(deadline=None, max_examples=60)
    def test_link_angles_differ_by_the_yaw_angles(self, gait: Any, robot: PlanarRobot | SpatialRobot) -> None:
        theta = gait.link_angles(robot)
        bends = np.zeros(robot.n_links - 1)
        for axis, bend in zip(robot.axes, formula(gait, 0.0, robot), strict=True):
            bends[axis.link_behind] += bend if axis.name == "yaw" else 0.0
        assert theta.shape == (robot.n_links,)
        # The closed form divides by the sine of half the phase shift: down to 1e-9 of it, with 1e-16 of round-off.
        np.testing.assert_allclose(np.diff(theta), bends, atol=1e-6)

    @given(gait=gaits, robot=robots)
    @settings(deadline=None, max_examples=30)
    def test_waves_have_one_frequency_per_name_and_do_not_wait(
        self, gait: Any, robot: PlanarRobot | SpatialRobot
    ) -> None:
        wave = gait.wave(robot)
        for part in (wave.offset, wave.sine, wave.cosine, wave.angular_frequency, wave.from_time):
            assert part.shape == (robot.n_joints,)
        for name in ("yaw", "pitch"):
            shared = {w for w, axis in zip(wave.angular_frequency, robot.axes, strict=True) if axis.name == name}
            assert len(shared) <= 1
        assert not wave.from_time.any()

    @given(gait=gaits)
    @settings(deadline=None, max_examples=30)
    def test_repeats_after_its_period(self, gait: Any) -> None:
        assume(abs(gait.angular_frequency) > 0.1)
        assert gait.period == pytest.approx(2 * math.pi / abs(gait.angular_frequency))
        t = gait.soft_start + np.array([0.0, 0.3, 1.1])
        for now, later in zip(gait.references(t, aiko()), gait.references(t + gait.period, aiko()), strict=True):
            np.testing.assert_allclose(later, now, atol=1e-9)  # 16 rad/s over 80 s of round-off: 1e-12 rad
        assert replace(gait, angular_frequency=0.0).period == math.inf


UNDULATION = LateralUndulation(amplitude=0.6, angular_frequency=2.5, phase_shift=-0.7, phase=0.9)


class TestLateralUndulation:
    def test_yaw_of_a_cardan_robot_is_70_of_transeth2008b(self) -> None:
        # VIII-D: A_h = 40 deg, omega_h = 80 deg/s, delta_h = -50 deg; its joint i is our joint n - 1 - i, sign changed.
        A, omega, delta, n = math.radians(40), math.radians(80), math.radians(-50), 11
        gait = LateralUndulation(amplitude=A, angular_frequency=omega, phase_shift=delta, phase=math.pi)
        robot, t = aiko(), np.linspace(0.0, 10.0, 101)
        found, _ = gait.references(t, robot)
        for i in range(1, n):
            row = {axis.name: a for a, axis in enumerate(robot.axes) if axis.link_behind == n - 1 - i}
            np.testing.assert_allclose(found[:, row["yaw"]], -A * np.sin(omega * t + (i - 1) * delta), atol=1e-14)
            np.testing.assert_array_equal(found[:, row["pitch"]], 0.0)

    @pytest.mark.parametrize("change", [{}, {"envelope": (0.5, 2.0, 1.0), "soft_start": 0.8, "offset": 0.2}], ids=str)
    def test_all_yaw_robots_are_planar_ones(self, change: dict[str, Any]) -> None:
        gait, t = replace(UNDULATION, **change), np.linspace(0.0, 2.0, 9)
        for space, plane in zip(gait.references(t, spatial("yaw", 8)), gait.references(t, planar(8)), strict=True):
            np.testing.assert_array_equal(space, plane)
        np.testing.assert_array_equal(gait.link_angles(spatial("yaw", 8)), gait.link_angles(planar(8)))

    def test_neighbours_of_an_alternating_robot_are_two_shifts_apart(self) -> None:
        robot = liljeback2014()
        rows = [a for a, axis in enumerate(robot.axes) if axis.name == "yaw"]
        lag = 2 * 0.7 / 2.5
        found, _ = UNDULATION.references(np.array([1.0, 1.0 + lag]), robot)
        np.testing.assert_allclose(found[1, rows[:-1]], found[0, rows[1:]], atol=1e-14)
        assert len(rows) == 8

    def test_envelope_is_spread_over_the_joints(self) -> None:
        gait = LateralUndulation(
            amplitude=1.0, angular_frequency=0.0, phase_shift=0.0, phase=math.pi / 2, envelope=(0, 4)
        )
        found, _ = gait.references(np.zeros(1), spatial("pitch first", 6))  # joints 0 to 4, yaw at 1 and 3
        np.testing.assert_allclose(found[0], [0.0, 1.0, 0.0, 3.0, 0.0], atol=1e-15)

    @pytest.mark.parametrize("kind", ["cardan", "yaw", "yaw first", "pitch first"])
    @pytest.mark.parametrize("n_links", [5, 6, 11])
    def test_link_angles_swing_about_zero(self, kind: str, n_links: int) -> None:
        robot = spatial(kind, n_links)
        theta = [replace(UNDULATION, phase=phase).link_angles(robot) for phase in np.arange(6) * np.pi / 3]
        np.testing.assert_allclose(np.mean(theta, axis=0), np.zeros(n_links), atol=1e-15)
        # A sine along the body reaches the same height everywhere; posed by the mean angle the ends would differ.
        amplitude = 0.6 / (2 * math.sin(0.35 if kind in ("cardan", "yaw") else 0.7))
        np.testing.assert_allclose(np.sqrt(2 * np.mean(np.square(theta), axis=0)), amplitude, atol=1e-14)
        bends = {axis.link_behind: 0.6 * math.sin(-0.7 * (n_links - 2 - axis.link_behind)) for axis in robot.axes}
        yaws = {axis.link_behind for axis in robot.axes if axis.name == "yaw"}
        expected = [bends[j] if j in yaws else 0.0 for j in range(n_links - 1)]
        np.testing.assert_allclose(np.diff(theta[0]), expected, atol=1e-14)

    def test_uneven_yaw_axes_have_mean_zero(self) -> None:
        theta = UNDULATION.link_angles(spatial("mixed", 9))
        assert theta.mean() == pytest.approx(0.0, abs=1e-15) and np.abs(theta).max() > 0.1


def heights(pitch: np.ndarray, length: float) -> np.ndarray:
    """Heights of the joints of a chain of links in a vertical plane [m], from the tail; pitch > 0 turns down."""
    slope = -np.cumsum(np.concatenate(([0.0], pitch)))
    return np.cumsum(length * np.sin(slope))[:-1]


class TestShapes:
    def test_vertical_wave_turns_by_a_bent_body(self) -> None:
        gait = VerticalWave(amplitude=0.3, angular_frequency=2.0, phase_shift=-0.8, yaw_offset=0.05)
        np.testing.assert_allclose(
            gait.link_angles(spatial("cardan", 5)), 0.05 * np.array([-2, -1, 0, 1, 2]), atol=1e-15
        )

    @pytest.mark.parametrize("kind", ["cardan", "yaw first", "pitch first"])
    def test_the_bend_of_a_rolling_body_turns_about_its_axis(self, kind: str) -> None:
        robot = spatial(kind, 9)  # as many yaw axes as pitch axes
        gait = Rolling(amplitude=1e-6, angular_frequency=1.5, phase=0.4)
        for t in (0.0, 0.3, 1.7):
            turn = np.eye(3)
            for axis, a in zip(robot.axes, gait.references(np.array([t]), robot)[0][0], strict=True):
                c, s = math.cos(a), math.sin(a)
                yawing, pitching = [[c, -s, 0], [s, c, 0], [0, 0, 1]], [[c, 0, s], [0, 1, 0], [-s, 0, c]]
                turn = turn @ np.array(yawing if axis.name == "yaw" else pitching)
            # To which side of the tail the head points, from the left (y) upward (z).
            side = math.atan2(turn[2, 0], turn[1, 0])
            off = math.remainder(side - (1.5 * t + 0.4), 2 * math.pi)
            assert off == pytest.approx(0.0, abs=1e-5)  # rotations commute up to the whole bend, 8 x 1e-6

    def test_rolling_taper_is_linear_along_the_body(self) -> None:
        gait = Rolling(amplitude=0.2, angular_frequency=1.0, taper=0.5)
        found, _ = gait.references(np.zeros(1), spatial("yaw", 6))
        np.testing.assert_allclose(found[0], 0.2 * np.array([0.5, 0.75, 1.0, 1.25, 1.5]), atol=1e-15)

    def test_sinus_lifting_is_highest_where_the_body_bends_most(self) -> None:
        shift, lift = -math.pi / 7, 1e-4
        gait = SinusLifting(
            yaw_amplitude=0.5, pitch_amplitude=lift, angular_frequency=1.3, phase_shift=shift, phase=0.4
        )  # fmt: skip
        robot = spatial("cardan", 17)
        found = gait.references(np.array([0.9]), robot)[0][0]
        pitch, yaw = found[0::2], found[1::2]
        # Second differences of height are -length pitch: height = length lift/(2 sin^2 shift) (yaw/0.5)^2 and a line.
        columns = np.stack((np.ones(16), np.arange(16.0), (yaw / 0.5) ** 2), axis=1)
        fit, *_ = np.linalg.lstsq(columns, heights(pitch, 0.1), rcond=None)
        assert fit[2] == pytest.approx(0.1 * lift / (2 * math.sin(shift) ** 2), rel=1e-5)  # sines of 1e-3: 1e-6
        np.testing.assert_allclose(columns @ fit, heights(pitch, 0.1), atol=1e-5 * fit[2])


class TestWave:
    WAVE = Wave(
        offset=np.array([0.1, 0.0, 0.3]),
        sine=np.array([0.5, 0.2, 0.4]),
        cosine=np.array([0.0, -0.3, 0.1]),
        angular_frequency=np.array([2.0, 4.0, 2.0]),
        soft_start=0.0,
        from_time=np.array([0.0, 0.7, 0.0]),
    )

    def test_each_axis_has_its_own_frequency_and_start(self) -> None:
        found, rate = self.WAVE.at(np.array([0.6, 0.7, 1.9]))
        for row, t in enumerate((0.6, 0.7, 1.9)):
            second = 0.2 * math.sin(4 * t) - 0.3 * math.cos(4 * t) if t >= 0.7 else 0.0
            second_rate = 4 * (0.2 * math.cos(4 * t) + 0.3 * math.sin(4 * t)) if t >= 0.7 else 0.0
            third = 0.3 + 0.4 * math.sin(2 * t) + 0.1 * math.cos(2 * t)
            third_rate = 2 * (0.4 * math.cos(2 * t) - 0.1 * math.sin(2 * t))
            np.testing.assert_allclose(found[row], [0.1 + 0.5 * math.sin(2 * t), second, third], atol=1e-15)
            np.testing.assert_allclose(rate[row], [math.cos(2 * t), second_rate, third_rate], atol=1e-15)

    def test_an_axis_that_waits_shows_no_offset(self) -> None:
        waits = replace(self.WAVE, from_time=np.array([1.0, 0.0, 0.0]))
        assert waits.at(0.5)[0][0] == 0.0 and waits.at(0.5)[0][2] != 0.0

    def test_one_time_gives_one_row(self) -> None:
        found, rate = self.WAVE.at(1.0)
        assert found.shape == rate.shape == (3,)
        np.testing.assert_array_equal(found, self.WAVE.at(np.array([1.0]))[0][0])


class TestOthersOnSpatialRobots:
    def test_function_of_time_has_an_angle_per_axis(self) -> None:
        robot = spatial("cardan", 3)
        gait = FunctionOfTime(function=lambda t: t * np.arange(4.0))
        found, rate = gait.references(np.array([0.0, 2.0]), robot)
        np.testing.assert_array_equal(found, [[0, 0, 0, 0], [0, 2, 4, 6]])
        np.testing.assert_allclose(rate, [[0, 1, 2, 3]] * 2, atol=1e-8)
        with pytest.raises(InvalidModel, match=r"must be of shape \(2,\) \[rad\]$"):
            gait.references(np.zeros(1), spatial("yaw", 3))

    def test_sampled_is_the_gait_later(self) -> None:
        gait = Sidewinding(**TWO)
        late = Sampled(gait=gait, rate=50.0, delay=0.3)
        found, rate = late.references(np.array([0.1, 1.3]), aiko())
        wanted, slope = gait.references(np.array([0.0, 1.0]), aiko())
        np.testing.assert_allclose(found, wanted, atol=1e-15)
        np.testing.assert_allclose(rate, [np.zeros(20), slope[1]], atol=1e-15)
        np.testing.assert_array_equal(late.link_angles(aiko()), gait.link_angles(aiko()))

    def test_sampled_poses_a_function_of_time_by_its_yaw_angles(self) -> None:
        function = FunctionOfTime(function=lambda t: np.array([0.9, 0.1, 0.9, 0.2]))  # pitch, yaw, pitch, yaw
        theta = Sampled(gait=function, rate=50.0).link_angles(spatial("cardan", 3))
        np.testing.assert_allclose(np.diff(theta), [0.1, 0.2], atol=1e-15)
        assert theta.mean() == pytest.approx(0.0, abs=1e-15)


TWO: dict[str, Any] = {"yaw_amplitude": 0.5, "pitch_amplitude": 0.2, "angular_frequency": 1.4, "phase_shift": -0.9}
ONE: dict[str, Any] = {"amplitude": 0.3, "angular_frequency": 1.4}
VALID: dict[Callable[..., Any], dict[str, Any]] = {
    LateralUndulation: ONE | {"phase_shift": -0.9},
    Sidewinding: TWO,
    VerticalWave: ONE | {"phase_shift": -0.9},
    Rolling: ONE,
    SinusLifting: TWO,
}
UNITS = {"angular_frequency": "rad/s", "soft_start": "s"}


@pytest.mark.parametrize("kind", VALID)
def test_numbers_are_finite(kind: Any) -> None:
    for field in vars(kind(**VALID[kind])):
        if field in ("prescribed", "envelope", "release", "taper"):
            continue
        for wrong in (math.nan, math.inf, "fast", True, None):
            unit = UNITS.get(field, "rad")
            with pytest.raises(InvalidModel, match=rf"^gait\.{field} = .*, must be .*finite.* \[{unit}\]$|number"):
                kind(**VALID[kind] | {field: wrong})
    with pytest.raises(InvalidModel, match=r"^gait\.soft_start = -0\.1, must be finite and >= 0 \[s\]$"):
        kind(**VALID[kind], soft_start=-0.1)
    with pytest.raises(InvalidModel, match=r"^gait\.prescribed = 'no', must be true or false$"):
        kind(**VALID[kind], prescribed="no")


REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "negative release": (Sidewinding, {"release": -0.1}, r"^gait\.release = -0\.1, must be finite and >= 0 \[rad\]$"),
    "NaN release": (Sidewinding, {"release": math.nan}, r"^gait\.release = nan, must be finite and >= 0 \[rad\]$"),
    "too tapered": (Rolling, {"taper": 1.5}, r"^gait\.taper = 1\.5, must be in \[-1, 1\] \[-\]$"),
    "NaN taper": (Rolling, {"taper": math.nan}, r"^gait\.taper = nan, must be in \[-1, 1\] \[-\]$"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence(case: str) -> None:
    kind, change, words = REFUSED[case]
    with pytest.raises(InvalidModel, match=words):
        kind(**VALID[kind] | change)
