"""Gait segments: the paper's numbers, steps that keep clear of the stairs, concatenation in a turned frame."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko, liljeback2014
from pushpoint.planning import (
    GaitSegment,
    ShapeCurve,
    align,
    concatenated,
    helix,
    joined,
    rolling_arc,
    segment_from_function,
    segment_from_points,
    sidewinding,
    stairs_down,
    stairs_up,
    vertical_wave,
)

PAPER = liljeback2014()
HALF = 0.035


def about_z(degrees: float) -> np.ndarray:
    return Rotation.from_euler("z", degrees, degrees=True).as_matrix()


def test_sidewinding_is_equation_20_with_the_papers_constants() -> None:
    points = sidewinding(PAPER).points
    beta = 2 * np.pi / 8 * np.arange(9)
    expected = np.stack([0.952 * beta / (2 * np.pi), 0.24 * np.sin(beta), 0.08 / 3 * np.sin(beta + np.pi / 2)], axis=-1)
    assert np.abs(points - expected).max() < 1e-12


def test_vertical_wave_has_the_papers_constants() -> None:
    points = vertical_wave(PAPER).points
    beta = 2 * np.pi / 8 * np.arange(9)
    expected = np.stack([0.952 * beta / (2 * np.pi), 0 * beta, 0.136 * np.sin(beta)], axis=-1)
    assert np.abs(points - expected).max() < 1e-12


def test_rolling_arc_has_the_papers_three_points() -> None:
    assert np.abs(rolling_arc(PAPER).points - [(-0.68, 0.24, 0.0), (0.0, 0.0, 0.0), (0.68, 0.24, 0.0)]).max() < 1e-12


def test_defaults_scale_with_the_robot_and_can_be_replaced() -> None:
    small, other = sidewinding(PAPER), sidewinding(aiko())
    assert other.displacement[0] / small.displacement[0] == pytest.approx(11 * 0.122 / (17 * 0.08))
    own = sidewinding(PAPER, length=1.0, width=0.1, height=-0.02, n_points=13)
    assert own.points.shape == (13, 3) and own.points[0, 2] == -0.02 and own.displacement[0] == 1.0
    assert np.abs(own.points[:, 1]).max() == pytest.approx(0.1)
    assert vertical_wave(PAPER, length=1.0, height=0.05).points[2, 2] == pytest.approx(0.05)
    assert rolling_arc(PAPER, span=1.0, depth=0.1).points[2].tolist() == [0.5, 0.1, 0.0]


def clearance(points: np.ndarray, rise: float, run: float, direction: float) -> float:
    """Distance from points to stairs with a nose at x = z = 0 that go down along `direction` times x."""
    gaps = []
    for k in range(-20, 21):
        beyond = np.maximum(direction * points[:, 0] - k * run, 0.0)
        above = np.maximum(points[:, 2] + k * rise, 0.0)
        gaps.append(np.hypot(beyond, above))
    return float(np.min(gaps))


def dense(polygon: np.ndarray) -> np.ndarray:
    t = np.linspace(0.0, 1.0, 401)[:, None]
    return np.concatenate([a + t * (b - a) for a, b in pairwise(polygon)])


@pytest.mark.parametrize(("build", "direction"), [(stairs_down, 1.0), (stairs_up, -1.0)])
@pytest.mark.parametrize(("rise", "run"), [(0.2, 0.2), (0.15, 0.3)])
@pytest.mark.parametrize(("chamfer", "nose"), [(None, None), (0.05, 0.02), (0.02, 0.05)])
def test_a_step_keeps_the_half_height_from_treads_risers_and_nose(
    build: Callable[..., GaitSegment], direction: float, rise: float, run: float, chamfer: float, nose: float
) -> None:
    segment = build(rise, run, half_height=HALF, chamfer=chamfer, nose_chamfer=nose)
    assert np.abs(segment.displacement - (run, 0.0, -direction * rise)).max() < 1e-15
    polygon = concatenated(segment, [np.eye(3)] * 5)
    assert clearance(dense(polygon), rise, run, direction) == pytest.approx(HALF, abs=1e-12)
    curve = ShapeCurve(polygon).at(np.linspace(0.0, len(polygon) - 1.0, 4001))
    assert clearance(curve, rise, run, direction) > 0.9 * HALF  # between its points the curve leaves the polygon


def test_a_step_is_cut_where_it_is_asked_to_be() -> None:
    # Control points by hand: half height 0.05, both corners cut by 0.04: 0.0553... off, 0.05 (sqrt 2) / 2 + 0.02.
    off = 0.05 * np.sqrt(2) / 2 + 0.02
    points = stairs_down(0.2, 0.3, half_height=0.05, chamfer=0.04).points[:, [0, 2]]
    expected = [
        (off - 0.15, off),
        (off - 0.04, off),
        (off, off - 0.04),
        (off, off - 0.16),
        (off + 0.04, off - 0.2),
        (off + 0.15, off - 0.2),
    ]
    assert np.abs(points - expected).max() < 1e-12


def test_default_stairs_bend_the_papers_robot_without_jumps() -> None:
    curve = ShapeCurve(concatenated(stairs_down(0.2, 0.2, half_height=HALF), [np.eye(3)] * 10))
    head = curve.at_arc_length(np.linspace(1.6, 2.2, 601))  # millimetres
    angles = align(PAPER, curve, head).joint_angles
    assert np.abs(np.diff(angles, axis=0)).max() < 0.05


def test_helix_lies_on_its_cylinder() -> None:
    pole = helix(0.1, 0.25)
    assert np.abs(np.hypot(pole.points[:, 0], pole.points[:, 1]) - 0.1).max() < 1e-15
    assert np.abs(pole.displacement - (0.0, 0.0, 0.25)).max() < 1e-15
    assert pole.points[1, 1] > 0.0 > helix(0.1, 0.25, handed="left").points[1, 1]
    pipe = helix(0.1, 0.25, axis="x", n_points=17)
    assert np.abs(np.hypot(pipe.points[:, 1], pipe.points[:, 2]) - 0.1).max() < 1e-15
    assert np.abs(pipe.displacement - (0.25, 0.0, 0.0)).max() < 1e-15
    assert np.cross(pipe.points[0], pipe.points[1])[0] > 0.0  # right-handed about +x


def test_segments_from_points_and_from_a_function() -> None:
    points = [(0.0, 0.0, 0.0), (0.1, 0.2, 0.0), (0.2, 0.0, 0.0)]
    assert np.array_equal(segment_from_points(points).points, points)
    made = segment_from_function(lambda part: (part, part**2, 0.0), 3, "parabola")
    assert np.array_equal(made.points, [(0.0, 0.0, 0.0), (0.5, 0.25, 0.0), (1.0, 1.0, 0.0)]) and made.name == "parabola"


def test_joined_segments_go_on_where_the_last_one_ended() -> None:
    flat = segment_from_points([(5.0, 0.0, 0.0), (5.5, 0.0, 0.0)])
    both = joined(flat, segment_from_points([(0.0, 0.0, 9.0), (0.0, 0.0, 8.0), (1.0, 0.0, 8.0)]))
    assert np.array_equal(both.points, [(5, 0, 0), (5.5, 0, 0), (5.5, 0, -1), (6.5, 0, -1)])


def test_a_segment_four_times_the_last_two_turned_by_45_degrees() -> None:
    # Liljeback2014, example 5. Equation (18) by hand, point by point.
    segment = sidewinding(PAPER)
    frames = [np.eye(3), np.eye(3), about_z(45.0), about_z(45.0)]
    points = concatenated(segment, frames)
    expected = [segment.points[0]]
    for frame in frames:
        for j in range(1, 9):
            expected.append(expected[-1] + frame @ (segment.points[j] - segment.points[j - 1]))
    assert np.abs(points - expected).max() < 1e-14 and len(points) == 33
    before, after = points[8] - points[0], points[24] - points[16]
    assert np.degrees(np.arctan2(after[1], after[0]) - np.arctan2(before[1], before[0])) == pytest.approx(
        45.0, abs=1e-9
    )
    assert np.abs(points[17:25] - points[16] - (points[1:9] - points[0]) @ about_z(45.0).T).max() < 1e-14


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: segment_from_points([(0.0, 0.0, 0.0)]), "segment.points = '1 points', must be at least 2 points"),
        (lambda: segment_from_points([(0.0, 0.0, 0.0)] * 2), "must be a different point from segment.points[0]"),
        (lambda: segment_from_points([(0.0, 0.0, 0.0), (np.nan, 0.0, 0.0)]), "must be finite"),
        (lambda: segment_from_function(lambda part: (part, 0.0, 0.0), 1), "n_points = 1, must be a whole number"),
        (lambda: sidewinding(PAPER, length=0.0), "length = 0.0, must be finite and > 0"),
        (lambda: sidewinding(PAPER, width=np.inf), "width = inf, must be finite"),
        (lambda: sidewinding(PAPER, n_points=3), "n_points = 3"),
        (lambda: stairs_down(0.2, 0.2, half_height=-1.0), "half_height = -1.0"),
        (lambda: stairs_down(-0.2, 0.2, half_height=0.0), "rise = -0.2"),
        (lambda: stairs_up(0.2, 0.1, half_height=0.0, chamfer=0.05), "chamfer + nose_chamfer = 0.1, must be such that"),
        (lambda: helix(0.0, 0.1), "radius = 0.0"),
        (lambda: helix(0.1, 0.1, axis="y"), "one of 'x', 'z'"),
        (lambda: helix(0.1, 0.1, handed="both"), "one of 'right', 'left'"),
        (lambda: joined(), "at least 1 segment"),
        (lambda: concatenated(sidewinding(PAPER), np.eye(3)), "of shape (times, 3, 3)"),
    ],
)
def test_what_makes_no_segment_is_refused(build: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InvalidModel) as refused:
        build()
    assert sentence in str(refused.value)
