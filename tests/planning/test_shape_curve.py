"""Shape curves: SciPy's pchip, locality, turning with the points, arc length."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation

from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import liljeback2014
from pushpoint.planning import ShapeCurve, concatenated, sidewinding

KINDS = ("pchip", "smooth")


def random_points(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 3))


def separate(points: np.ndarray) -> bool:
    return bool(np.linalg.norm(np.diff(points, axis=0), axis=1).min() > 1e-3)


@given(
    # Small whole numbers give plateaus, reversals and straight lines, where the slopes have cases of their own.
    st.integers(2, 9).flatmap(lambda n: arrays(float, (n, 3), elements=st.integers(-2, 2).map(float))).filter(separate)
)
def test_pchip_is_scipys(points: np.ndarray) -> None:
    curve, reference = ShapeCurve(points), PchipInterpolator(np.arange(len(points)), points)
    s = np.linspace(0.0, len(points) - 1, 101)
    assert np.abs(curve.at(s) - reference(s)).max() < 1e-12
    assert np.abs(curve.slope(s) - reference.derivative()(s)).max() < 1e-12


@pytest.mark.parametrize("n", [2, 3, 5, 40])
def test_pchip_is_scipys_on_random_points(n: int) -> None:
    points = random_points(n, n)
    s = np.linspace(0.0, n - 1, 501)
    assert np.abs(ShapeCurve(points).at(s) - PchipInterpolator(np.arange(n), points)(s)).max() < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_curves_pass_their_points_with_continuous_slope(kind: str) -> None:
    points = random_points(1, 8)
    curve = ShapeCurve(points, kind)
    assert np.abs(curve.at(np.arange(8)) - points).max() < 1e-14
    knots, eps = np.arange(1, 7), 1e-9
    assert np.abs(curve.slope(knots - eps) - curve.slope(knots + eps)).max() < 1e-7  # eps times the bend


@pytest.mark.parametrize("kind", KINDS)
def test_appending_equals_building_at_once_and_moves_the_last_piece_alone(kind: str) -> None:
    points = random_points(2, 12)
    whole = ShapeCurve(points, kind)
    short = ShapeCurve(points[:6], kind)
    grown = short.extended(points[6]).extended(points[7:])
    assert np.array_equal(grown.points, whole.points) and np.array_equal(grown.slopes, whole.slopes)
    before = np.linspace(0.0, 4.0, 81)
    assert np.array_equal(short.at(before), whole.at(before))
    assert np.abs(short.at(4.5) - whole.at(4.5)).max() > 1e-3


def test_smooth_turns_with_its_points_and_pchip_does_not() -> None:
    straight = concatenated(sidewinding(liljeback2014()), [np.eye(3)] * 3)
    s = np.linspace(8.0, 16.0, 2001)
    largest = {}
    for kind in KINDS:
        turned = []
        for angle in np.arange(0.0, 115.0, 2.5):
            turn = Rotation.from_euler("z", angle, degrees=True).as_matrix()
            apart = ShapeCurve(straight @ turn.T, kind).at(s) - ShapeCurve(straight, kind).at(s) @ turn.T
            turned.append(np.linalg.norm(apart, axis=1).max())
        largest[kind] = max(turned)
    assert largest["smooth"] < 1e-14
    assert largest["pchip"] == pytest.approx(0.011, abs=5e-4)  # "up to 11 mm", from the notes on the paper


def test_smooth_is_catmull_rom_where_points_are_equally_far_apart() -> None:
    angle = np.linspace(0.0, 2.0, 9)
    points = np.stack([np.cos(angle), np.sin(angle), np.zeros(9)], axis=-1)
    slopes = ShapeCurve(points, "smooth").slopes
    assert np.abs(slopes[1:-1] - (points[2:] - points[:-2]) / 2).max() < 1e-15


def test_smooth_slopes_touch_the_parabola_where_points_are_uneven() -> None:
    # Through three points of a parabola, knots by chord length, the direction in the middle has a closed form.
    points = np.array([(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.3, 0.6, 0.0)])
    before, after = 0.3, 0.6
    tangent = (after * np.array([1.0, 0, 0]) + before * np.array([0, 1.0, 0])) / (before + after)
    slope = ShapeCurve(points, "smooth").slopes[1]
    assert np.abs(np.cross(slope, tangent)).max() < 1e-15 and slope @ tangent > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_loopless_detour_stays_short(kind: str) -> None:
    # A short chord beside a long one is where splines overshoot: the curve may not be much longer than its polygon.
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.01, 0.01, 0.0), (1.01, 1.0, 0.0)])
    polygon = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    assert polygon <= ShapeCurve(points, kind).length < 1.02 * polygon


@pytest.mark.parametrize("kind", KINDS)
def test_arc_length_is_the_integral_of_the_speed(kind: str) -> None:
    curve = ShapeCurve(random_points(5, 6), kind)

    def speed(s: float) -> float:
        return float(np.linalg.norm(curve.slope(s)))

    for end in (0.3, 2.0, 3.7, 5.0):
        expected = quad(speed, 0.0, end, points=range(int(end) + 1), epsabs=1e-12, epsrel=1e-12, limit=400)[0]
        assert float(curve.arc_length(end)) == pytest.approx(expected, rel=1e-8)  # ten nodes on each quarter piece
    assert curve.length == pytest.approx(float(curve.arc_length(5.0)), rel=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_parameter_at_an_arc_length_is_the_inverse(kind: str) -> None:
    curve = ShapeCurve(random_points(6, 7), kind)
    lengths = np.linspace(0.0, curve.length, 301)
    s = curve.at_arc_length(lengths)
    assert np.all(np.diff(s) > 0.0)
    assert np.abs(curve.arc_length(s) - lengths).max() < 1e-12
    assert curve.at_arc_length(-1.0) == 0.0 and curve.at_arc_length(99.0 * curve.length) == curve.end


def test_arc_length_goes_on_where_the_slope_vanishes() -> None:
    there_and_back = ShapeCurve([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
    assert np.array_equal(there_and_back.slope(1.0), np.zeros(3))
    assert there_and_back.length == pytest.approx(2.0, rel=1e-14)
    s = there_and_back.at_arc_length(np.linspace(0.0, 2.0, 101))
    place = there_and_back.at(s)[:, 0]
    assert np.abs(place - (1.0 - np.abs(1.0 - np.linspace(0.0, 2.0, 101)))).max() < 1e-12


def test_sidewinding_cycle_is_1_4009_m_long() -> None:
    curve = ShapeCurve(concatenated(sidewinding(liljeback2014()), [np.eye(3)] * 4))
    cycle = float(curve.arc_length(16.0) - curve.arc_length(8.0))
    assert cycle == pytest.approx(1.4009, abs=5e-5)  # the printed digits
    assert float(curve.arc_length(24.0) - curve.arc_length(16.0)) == pytest.approx(cycle, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_before_its_first_point_a_curve_is_straight(kind: str) -> None:
    curve = ShapeCurve(random_points(9, 5), kind)
    along = curve.at(-1.0) - curve.at(-3.0)
    assert np.abs(np.cross(along, curve.slope(0.0))).max() < 1e-14 and along @ curve.slope(0.0) > 0.0
    assert np.linalg.norm(curve.at(-2.0) - curve.points[0]) == pytest.approx(-float(curve.arc_length(-2.0)))


def test_the_line_before_a_flat_start_follows_the_first_chord() -> None:
    # pchip's end slope is zero in every coordinate: the chord takes over.
    curve = ShapeCurve([(0.0, 0.0, 0.0), (1.0, 1.0, 0.0), (5.0, 5.0, 0.0)])
    assert np.array_equal(curve.slope(0.0), np.zeros(3))
    assert np.allclose(curve.at(-1.0), (-1.0, -1.0, 0.0))


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ([(0.0, 0.0, 0.0)], "1 points', must be at least 2 points"),
        ([], "must be of shape (n, 3)"),
        ([(0.0, 0.0), (1.0, 0.0)], "(2, 2), must be of shape (n, 3)"),
        ([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], "points[2] = (1.0, 0.0, 0.0), must be a different point"),
        ([(0.0, 0.0, 0.0), (np.nan, 0.0, 0.0)], "points[1, 0] = nan, must be finite"),
        ([(0.0, 0.0, 0.0), (np.inf, 0.0, 0.0)], "finite"),
        ("a line", "numbers of shape (n, 3)"),
    ],
)
def test_what_gives_no_curve_is_refused(points: object, sentence: str) -> None:
    with pytest.raises(InvalidModel) as refused:
        ShapeCurve(points)
    assert sentence in str(refused.value)


def test_an_unknown_kind_a_late_parameter_and_a_bad_extension_are_refused() -> None:
    line = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]
    with pytest.raises(InvalidModel, match="one of 'pchip', 'smooth'"):
        ShapeCurve(line, "cubic")
    with pytest.raises(InvalidModel, match=r"at most 1\.0, where the curve ends"):
        ShapeCurve(line).at([0.5, 1.5])
    with pytest.raises(InvalidModel, match=r"at most 1\.0"):
        ShapeCurve(line).at(np.nan)
    with pytest.raises(InvalidModel, match="a different point"):
        ShapeCurve(line).extended((1.0, 0.0, 0.0))


def test_points_cannot_be_changed_afterwards() -> None:
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    curve = ShapeCurve(points)
    points[0] = 7.0
    assert curve.points[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        curve.points[0] = 7.0
