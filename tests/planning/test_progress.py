"""Progress along a growing curve: as if the whole curve had been built at once, whatever the steps and the window."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pushpoint.engine.batching import pick, stack
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko, liljeback2014, yaw_pitch_16
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning import (
    Aligner,
    GaitSegment,
    MovingPoints,
    ShapeCurve,
    ShapeProgress,
    advance_head,
    align,
    concatenated,
    helix,
    segment_from_points,
    sidewinding,
    slopes_of,
    stairs_down,
    stairs_up,
    vertical_wave,
)
from pushpoint.planning.curves.progress import AHEAD, Progress

PAPER = liljeback2014()
STEP = 0.5 / 30.0
KINDS = ("pchip", "smooth")


def about_z(angle: float) -> np.ndarray:
    return Rotation.from_euler("z", angle).as_matrix()


def place(progress: Progress, kind: str) -> np.ndarray:
    """Where the head of each world is."""
    return np.stack([ShapeCurve(points, kind).at(s) for points, s in zip(progress.points, progress.head, strict=True)])


@pytest.mark.parametrize("kind", KINDS)
def test_progress_is_that_on_one_curve_built_at_once(kind: str) -> None:
    segment = sidewinding(PAPER)
    plan = ShapeProgress.for_robot(PAPER, segment, kind=kind)
    now = plan.begin()
    # Five cycles lie behind the head, which begins where a cycle does.
    whole = ShapeCurve(concatenated(segment, [np.eye(3)] * 16, start=-5 * segment.displacement), kind)
    travelled = float(whole.arc_length(40.0))
    aligner = Aligner(PAPER, plan.n_points)
    for k in range(1, 200):
        now = plan.advance(now, STEP)
        s = whole.at_arc_length(travelled + k * STEP)
        assert np.abs(place(now, kind)[0] - whole.at(s)).max() < 1e-11  # 200 sums
        aligner.load(now.points, plan.slopes(now))
        assert np.abs(aligner.solve(now.head)[0] - align(PAPER, whole, s).joint_angles).max() < 1e-9
    assert now.head[0] < plan.n_points - AHEAD  # the window has moved, the head has not run out of it


def test_steering_gives_the_control_points_of_equation_18() -> None:
    # Liljeback2014, IV-B: 22.5 degrees/s from 5 s to 10 s at 30 Hz, points appended in the frame of their time.
    segment = sidewinding(PAPER)
    plan = ShapeProgress.for_robot(PAPER, segment)
    now = plan.begin()
    laid = list(now.points[0])
    j, angle = int(now.upcoming[0]), 0.0
    for k in range(450):
        angle += np.radians(22.5) / 30.0 if 150 <= k < 300 else 0.0
        before = now.points[0, -1]
        now = plan.advance(now, STEP, about_z(angle))
        if not np.array_equal(before, now.points[0, -1]):
            laid.append(laid[-1] + about_z(angle) @ (segment.points[j] - segment.points[j - 1]))
            j = j + 1 if j < 8 else 1
            assert np.abs(laid[-1] - now.points[0, -1]).max() < 1e-13
    assert len(laid) > plan.n_points + 30
    # At last whole cycles lie in the final frame: their direction is turned by exactly 112.5 degrees.
    last, cycle_before = now.points[0, -1], now.points[0, -9]
    turned = np.degrees(np.arctan2(*(last - cycle_before)[[1, 0]]))
    straight = np.degrees(np.arctan2(*segment.displacement[[1, 0]]))
    assert turned - straight == pytest.approx(112.5, abs=1e-9)


def test_the_curve_under_the_robot_never_moves() -> None:
    plan = ShapeProgress.for_robot(PAPER, sidewinding(PAPER))
    rng = np.random.default_rng(0)
    now = plan.begin()
    for _ in range(300):
        following = plan.advance(now, rng.uniform(0.0, 0.1), about_z(rng.uniform(-1.0, 1.0)))
        matches = np.linalg.norm(following.points[0] - now.points[0, -1], axis=1) < 1e-12
        shift = plan.n_points - 1 - int(np.flatnonzero(matches)[-1])  # how many points have been appended
        old, new = ShapeCurve(now.points[0]), ShapeCurve(following.points[0])
        # From two points after the window's new beginning to the end of the piece ahead of the head.
        s = np.linspace(shift + 2.0, np.floor(now.head[0]) + 2.0, 200)
        assert np.abs(old.at(s) - new.at(s - shift)).max() < 1e-13
        now = following


def test_the_head_always_has_three_points_ahead() -> None:
    plan = ShapeProgress.for_robot(PAPER, sidewinding(PAPER))
    now = plan.begin(3)
    for _ in range(100):
        now = plan.advance(now, np.array([0.01, 0.05, 0.3]))
        assert np.all(plan.n_points - 1 - np.floor(now.head) >= 3)
        assert np.all(now.head >= plan.n_points - 2 - AHEAD)


@pytest.mark.parametrize("kind", KINDS)
def test_one_long_step_is_many_short_ones(kind: str) -> None:
    plan = ShapeProgress.for_robot(PAPER, vertical_wave(PAPER), kind=kind)
    short = plan.begin()
    for _ in range(700):
        short = plan.advance(short, 0.01)
    long = plan.advance(plan.begin(), 7.0)
    assert np.abs(short.points - long.points).max() < 1e-12
    assert np.abs(short.head - long.head).max() < 1e-9  # 700 sums
    assert np.array_equal(short.upcoming, long.upcoming)


def test_the_result_does_not_depend_on_the_size_of_the_window() -> None:
    plans = [ShapeProgress(segment=sidewinding(PAPER), reach=reach) for reach in (2.5, 5.0)]
    states = [plan.begin() for plan in plans]
    aligners = [Aligner(PAPER, plan.n_points) for plan in plans]
    assert plans[1].n_points > plans[0].n_points + 8
    for k in range(150):
        angles = []
        for i, plan in enumerate(plans):
            states[i] = plan.advance(states[i], STEP, about_z(0.01 * k))
            aligners[i].load(states[i].points, plan.slopes(states[i]))
            angles.append(aligners[i].solve(states[i].head)[0].copy())
        assert np.abs(angles[0] - angles[1]).max() < 1e-11


def test_worlds_do_not_feel_each_other() -> None:
    plan = ShapeProgress.for_robot(PAPER, sidewinding(PAPER))
    origin = np.array([(0.0, 0.0, 0.0), (1.0, 2.0, 0.5)])
    speeds, frames = np.array([0.013, 0.21]), np.stack([about_z(0.3), about_z(-1.0)])
    both = plan.begin(2, origin=origin, frame=frames)
    single = [plan.begin(1, origin=origin[w], frame=frames[w]) for w in (0, 1)]
    for _ in range(40):
        both = plan.advance(both, speeds, frames)
        single = [plan.advance(single[w], speeds[w], frames[w]) for w in (0, 1)]
    for w in (0, 1):
        assert np.abs(both.points[w] - single[w].points[0]).max() < 1e-13
        assert abs(both.head[w] - single[w].head[0]) < 1e-12


def test_states_of_single_worlds_are_stacked_and_keep_their_type() -> None:
    # As the driver of a batch does it with the memories of its worlds.
    plan = ShapeProgress.for_robot(PAPER, sidewinding(PAPER))
    both = plan.begin(2, origin=[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    stacked = stack([pick(both, 0), pick(both, 1)])
    assert isinstance(stacked, Progress)
    assert all(np.array_equal(a, b) for a, b in zip(stacked, both, strict=True))
    assert np.array_equal(plan.advance(stacked, 0.3).points, plan.advance(both, 0.3).points)
    assert np.array_equal(plan.slopes(stacked), plan.slopes(both))


def test_begin_puts_the_head_at_the_origin_where_a_cycle_begins() -> None:
    plan = ShapeProgress.for_robot(PAPER, sidewinding(PAPER))
    now = plan.begin(origin=(3.0, -1.0, 0.2), frame=about_z(0.7))
    k = int(now.head[0])
    assert now.head[0] == k and np.abs(now.points[0, k] - (3.0, -1.0, 0.2)).max() < 1e-15
    steps = sidewinding(PAPER).steps @ about_z(0.7).T
    assert np.abs(np.diff(now.points[0, k : k + 4], axis=0) - steps[:3]).max() < 1e-14
    assert np.abs(np.diff(now.points[0, k - 8 : k + 1], axis=0) - steps).max() < 1e-14
    assert now.upcoming[0] == 4


def test_a_lead_lies_behind_the_head_at_first() -> None:
    floor = segment_from_points([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)])
    stairs = stairs_down(0.2, 0.2, half_height=0.035)
    plan = ShapeProgress.for_robot(PAPER, stairs, lead=floor)
    now = plan.begin()
    k = int(now.head[0])
    assert np.abs(now.points[0, : k + 1, 2]).max() == 0.0
    assert np.abs(np.diff(now.points[0, k:], axis=0) - stairs.steps[:3]).max() < 1e-15
    assert k * 0.1 > PAPER.length + 0.16


@pytest.mark.parametrize("robot", [PAPER, yaw_pitch_16(), aiko(), aiko(0.022)], ids=lambda robot: robot.name)
def test_the_window_reaches_beyond_the_tail(robot: SpatialRobot) -> None:
    # Two points back from where the tail aims, slopes no longer feel the window's edge.
    for segment in (
        sidewinding(robot),
        vertical_wave(robot),
        stairs_down(0.2, 0.2, half_height=0.04),
        stairs_up(0.2, 0.3, half_height=0.04),
        helix(0.25, 0.2),
    ):
        plan = ShapeProgress.for_robot(robot, segment)
        aligner = Aligner(robot, plan.n_points)
        now = plan.begin()
        for _ in range(60):
            now = plan.advance(now, 0.05)
            aligner.load(now.points, plan.slopes(now))
            aligner.solve(now.head)
            assert aligner.pose.references.min() > 2.0, segment.name


def test_heads_advance_by_arc_length_and_stop_at_the_end() -> None:
    points = np.random.default_rng(4).normal(size=(3, 6, 3))
    curves = [ShapeCurve(p) for p in points]
    head, distance = np.array([0.0, 1.3, 4.9]), np.array([2.5, 0.7, 50.0])
    moved = advance_head(points, slopes_of(points), head, distance)
    for w in (0, 1):
        assert float(curves[w].arc_length(moved[w])) == pytest.approx(
            float(curves[w].arc_length(head[w])) + distance[w], abs=1e-12
        )
    assert moved[2] == 5.0


def breathing(time: np.ndarray) -> np.ndarray:
    """An arc in the plane whose middle moves aside."""
    points = np.zeros((len(time), 3, 3))
    points[:, 0, 0], points[:, 2, 0] = -0.8, 0.8
    points[:, 1, 1] = 0.3 * np.sin(time)
    return points


def test_way_2_moves_the_points_under_a_fixed_head() -> None:
    shape = MovingPoints(points=breathing, head=2.0)
    times = np.array([0.0, 0.5, 1.5, 0.5 + 2 * np.pi])
    points, slopes = shape.at(times)
    aligner = Aligner(PAPER, 3, n_curves=4)
    aligner.load(points, slopes)
    angles = aligner.solve(shape.head)
    assert np.abs(angles[0]).max() < 1e-12  # a straight line at first
    assert np.abs(angles[1] - angles[3]).max() < 1e-12
    assert 0.0 > angles[1].sum() > angles[2].sum()  # bent to the right, then more so
    for k in range(4):
        assert np.array_equal(align(PAPER, ShapeCurve(points[k]), 2.0).joint_angles, angles[k])


def test_way_3_does_both() -> None:
    shape = MovingPoints(points=breathing, head=1.0, curve="smooth")
    head = np.array([shape.head])
    for k in range(1, 11):
        points, slopes = shape.at(k * 0.1)
        curve = ShapeCurve(points[0], "smooth")
        before = float(curve.arc_length(head[0]))
        head = advance_head(points, slopes, head, 0.02)
        assert float(curve.arc_length(head[0])) - before == pytest.approx(0.02, abs=1e-12)
    assert 1.0 < head[0] < 2.0


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda s: ShapeProgress(segment=s, reach=0.0), "progress.reach = 0.0, must be finite and > 0"),
        (lambda s: ShapeProgress(segment=s, reach=np.nan), "progress.reach = nan"),
        (lambda s: ShapeProgress(segment=s, reach=1.0, kind="cubic"), "one of 'pchip', 'smooth'"),
        (lambda s: ShapeProgress(segment="wave", reach=1.0), "a GaitSegment"),
        (lambda s: ShapeProgress(segment=s, reach=1.0, lead="floor"), "progress.lead = 'floor', must be a GaitSegment"),
        (lambda s: ShapeProgress.for_robot("snake", s), "a SpatialRobot"),
        (lambda s: ShapeProgress.for_robot(PAPER, s, look_ahead=np.nan), "look_ahead = nan"),
        (lambda s: _advance(s, 0.1, np.full((3, 3), np.nan)), "must be finite rotation matrices"),
        (lambda s: _advance(s, 0.1, [1.0, 0.0]), "must be finite rotation matrices"),
        (lambda s: _advance(s, -0.1), "distance = -0.1, must be finite and >= 0"),
        (lambda s: _advance(s, np.nan), "distance = nan, must be finite and >= 0"),
        (lambda s: _advance(s, 1e9), "the head is too fast"),
        (lambda s: MovingPoints(points=breathing, head=3.0), "moving_points.head = 3.0, must be in [0, 2]"),
        (lambda s: MovingPoints(points=lambda t: np.zeros((1, 3)), head=0.0), "of shape (1, n, 3)"),
        (lambda s: MovingPoints(points=breathing, head=1.0, curve="cubic"), "one of 'pchip', 'smooth'"),
    ],
)
def test_bad_progress_is_refused(build: Callable[[GaitSegment], object], sentence: str) -> None:
    with pytest.raises(InvalidModel) as refused:
        build(sidewinding(PAPER))
    assert sentence in str(refused.value)


def _advance(segment: GaitSegment, distance: float, frame: object = None) -> Progress:
    plan = ShapeProgress(segment=segment, reach=1.0)
    return plan.advance(plan.begin(), distance, frame)
