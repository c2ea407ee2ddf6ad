"""Ways 2 and 3, steered and growing: control points against closed forms and against way 1."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pushpoint as pp
from pushpoint.control import CombinedSteering, ShapeCurveFollower, TurnSchedule
from pushpoint.errors import InvalidModel
from pushpoint.planning import (
    AlongCurve,
    AlongMovingCurve,
    MovingPoints,
    OnCurve,
    OnMovingPoints,
    SegmentBlend,
    ShapeCurve,
    TravellingWave,
    align,
    rolling_arc,
    sidewinding,
)

ROBOT = pp.catalogue.liljeback2014()
WAVE = TravellingWave(length=0.95, width=0.24, height=0.03, period=2.8, ahead=4)
WAY_2 = OnMovingPoints(moving=MovingPoints(points=WAVE, head=16.0, curve="smooth"))
AXES = [(0, -1, 0), (1, 2, -1)]
LEFT, RIGHT = (sidewinding(ROBOT, height=height) for height in (0.03, -0.03))
BLEND = SegmentBlend(first=LEFT, second=RIGHT, begin=1.0, duration=2.0)


def moves(motion: Any, duration: float, **more: Any) -> list[Any]:
    """Time, curve and pose of a virtual robot at its commands."""
    return list(ShapeCurveFollower(motion=motion, **more).moves(ROBOT, duration))


def turned(axis: Any, angle: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors, each turned about the axis by its angle."""
    direction = np.array(axis) / np.linalg.norm(axis)
    return Rotation.from_rotvec(np.asarray(angle)[..., None] * direction).apply(vectors)


@pytest.mark.parametrize("axis", AXES)
def test_a_turn_runs_back_with_the_wave(axis: Any) -> None:
    rate, head, pace = 0.4, 16.0, 8 / 2.8
    found = moves(WAY_2, 6.5, steering=TurnSchedule(rates=(rate,), axis=axis))
    for t, laid, _pose in (found[30], found[100], found[-1]):
        plain = WAVE(np.array([t]))[0]
        behind = np.maximum(head - (np.arange(len(plain) - 1) + 0.5), 0.0)  # from the head back, in points
        # What is now so many points behind the head was at the head when the frame had the angle of that time.
        angle = rate * np.maximum(t - behind / pace, 0.0)
        expected = turned(axis, angle, np.diff(plain, axis=0))
        # Until the first command nothing turns; within a point of that corner frames are interpolated.
        settled = np.abs(t - behind / pace) > 1.0 / pace
        np.testing.assert_allclose(np.diff(laid.points, axis=0)[settled], expected[settled], rtol=0, atol=1e-12)
        assert settled.mean() > 0.8
        np.testing.assert_allclose(laid.up, turned(axis, rate * t, np.array([0.0, 0.0, 1.0])), rtol=0, atol=1e-12)


@pytest.mark.parametrize("axis", AXES)
def test_a_head_that_advances_leaves_the_turn_where_it_was(axis: Any) -> None:
    line = np.stack([np.linspace(-2.0, 6.0, 41), np.zeros(41), np.zeros(41)], axis=-1)
    moving = MovingPoints(points=lambda t: np.tile(line, (len(t), 1, 1)), head=10.0)
    rate = 0.3
    found = moves(OnMovingPoints(moving=moving, speed=0.8), 3.0, steering=TurnSchedule(rates=(rate,), axis=axis))
    times, heads = np.array([(t, laid.head) for t, laid, _ in found]).T
    steps = np.diff(found[-1][1].points, axis=0)
    # A frame is kept at every point that the head passes, and turns evenly from one point to the next.
    angle = rate * np.interp(np.arange(10, int(heads[-1]) + 1), heads, times)
    passed = slice(10, int(heads[-1]))
    expected = turned(axis, (angle[1:] + angle[:-1]) / 2, np.diff(line, axis=0)[passed])
    np.testing.assert_allclose(steps[passed], expected, rtol=0, atol=1e-12)
    assert len(angle) > 10
    np.testing.assert_allclose(steps[:10], np.diff(line, axis=0)[:10], rtol=0, atol=1e-12)  # behind the head at first
    ahead = int(heads[-1]) + 1
    now = turned(axis, np.full(40 - ahead, rate * times[-1]), np.diff(line, axis=0)[ahead:])
    np.testing.assert_allclose(steps[ahead:], now, rtol=0, atol=1e-12)


def test_without_a_turn_the_curve_is_the_given_one() -> None:
    for t, laid, _pose in moves(WAY_2, 1.0):
        np.testing.assert_array_equal(laid.points, WAVE(np.array([t]))[0])


@pytest.mark.parametrize(
    "motion",
    [WAY_2, replace(WAY_2, speed=0.05), AlongMovingCurve(segment=BLEND, speed=0.5)],
    ids=["way 2", "way 3", "growing"],
)
def test_steered_joint_angles_do_not_jump(motion: Any) -> None:
    raised = TurnSchedule(until=(1.0,), rates=(0.2,), axis=(0, -1, 0))
    steering = CombinedSteering(steerings=(TurnSchedule(rates=(0.2,)), raised))
    follower = ShapeCurveFollower(motion=motion, steering=steering)
    coarse, fine = (
        np.diff(replace(follower, rate=rate).virtual(ROBOT, 1.5)[1].joint_angles, axis=0) for rate in (20.0, 80.0)
    )
    # Commands four times as often: steps four times as small. A jump would stay as large as it is.
    assert np.abs(fine).max() < 0.4 * np.abs(coarse).max()


class TestGrowing:
    """A growing curve whose points move."""

    @pytest.mark.parametrize("curve", ["pchip", "smooth"])
    @pytest.mark.parametrize("axis", AXES)
    def test_with_points_that_stay_it_is_way_1(self, axis: Any, curve: Any) -> None:
        steering = TurnSchedule(until=(0.3, 1.0), rates=(0.0, 0.7), axis=axis)
        more = {"speed": 0.5, "phase": 0.3, "curve": curve, "origin": (1.0, 2.0, 3.0)}
        still = SegmentBlend(first=LEFT, second=LEFT, duration=1.0)
        one, three = (
            moves(motion, 1.5, steering=steering)
            for motion in (AlongCurve(segment=LEFT, **more), AlongMovingCurve(segment=still, **more))
        )
        for (_, laid, pose), (_, laid_3, pose_3) in zip(one, three, strict=True):
            for name in ("points", "head", "up"):
                np.testing.assert_allclose(getattr(laid_3, name), getattr(laid, name), rtol=0, atol=1e-9)
            np.testing.assert_allclose(pose_3.joint_angles, pose.joint_angles, rtol=0, atol=1e-7)

    def test_points_move_from_one_segment_to_the_other(self) -> None:
        found = moves(AlongMovingCurve(segment=BLEND, speed=0.5), 4.0)
        flat = pp.planning.segment_from_points((LEFT.points + RIGHT.points) / 2)
        for tick, segment in ((15, LEFT), (60, flat), (100, RIGHT)):  # before, halfway at 2 s, after
            steps = np.diff(found[tick][1].points, axis=0)
            start = next(k for k in range(8) if np.allclose(np.roll(segment.steps, -k, axis=0), steps[:8], atol=1e-9))
            cycle = np.tile(np.roll(segment.steps, -start, axis=0), (20, 1))
            np.testing.assert_allclose(steps, cycle[: len(steps)], rtol=0, atol=1e-9)

    def test_the_head_goes_at_its_speed_along_the_curve_of_each_moment(self) -> None:
        found = moves(AlongMovingCurve(segment=BLEND, speed=0.5, curve="smooth"), 2.2)
        for (_, before, _), (_, now, _) in pairwise(found[40:]):
            curve = pp.planning.ShapeCurve(now.points, "smooth")
            passed = [curve.arc_length(now.head) - curve.arc_length(before.head - shift) for shift in (0, 1, 2)]
            assert min(abs(way - 0.5 / 30) for way in passed) < 1e-9

    def test_worlds_with_different_robots_and_blends_run_side_by_side(self) -> None:
        slow = replace(BLEND, duration=9.0)
        followers = [ShapeCurveFollower(motion=AlongMovingCurve(segment=blend, speed=0.5)) for blend in (BLEND, slow)]
        followers.append(ShapeCurveFollower(motion=WAY_2, steering=TurnSchedule(rates=(0.4,), axis=(0, -1, 0))))
        floor = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.5)))
        worlds = [pp.World(ROBOT, floor, follower) for follower in followers]
        settings = pp.Settings(dt=1 / 1200)
        together = pp.simulate(worlds, duration=0.1, settings=settings)
        for w, world in enumerate(worlds):
            alone = pp.simulate(world, duration=0.1, settings=settings)
            np.testing.assert_array_equal(together.joint_reference[w], alone.joint_reference)


class TestRolling:
    """The roll of the body about its curve as a commanded quantity."""

    def test_it_adds_to_the_motions_own(self) -> None:
        arc = rolling_arc(ROBOT).curve()
        there_and_back = TurnSchedule(until=(0.5, 1.0), rates=(2.0, -1.0))
        motion = OnCurve(points=arc.points.tolist(), roll=0.3, roll_rate=0.5)
        times, poses = ShapeCurveFollower(motion=motion, rolling=there_and_back).virtual(ROBOT, 1.5)
        roll = 0.3 + 0.5 * times + np.where(times < 0.5, 2.0 * times, np.maximum(1.5 - times, 0.5))
        np.testing.assert_allclose(poses.joint_angles, align(ROBOT, arc, 2.0, roll).joint_angles, rtol=0, atol=1e-12)

    def test_a_frame_that_rolls_turns_curve_and_head_alike(self) -> None:
        motion = AlongCurve(segment=LEFT, speed=1.0, curve="smooth")
        roll = TurnSchedule(until=(0.5,), rates=(2.2,), axis=(1, 0, 0))
        *_, (_t, laid, pose) = moves(motion, 5.0, steering=roll)
        # By now the whole body lies in the rolled frame: rolled back, it is an ordinary alignment.
        back = Rotation.from_rotvec([1.1, 0.0, 0.0]).as_matrix()
        plain = align(ROBOT, ShapeCurve(laid.points @ back, "smooth"), laid.head)
        np.testing.assert_allclose(pose.joint_angles, plain.joint_angles, rtol=0, atol=1e-9)
        np.testing.assert_allclose(pose.side, back @ plain.side, rtol=0, atol=1e-9)
        level = align(ROBOT, ShapeCurve(laid.points, "smooth"), laid.head)
        assert np.abs(pose.joint_angles - level.joint_angles).max() > 0.1  # which a level head would not be


def test_files_hold_motions_and_rolling(tmp_path: Any) -> None:
    base = pp.scenario("liljeback2014/sidewinding")
    paced = replace(WAY_2, moving=replace(WAY_2.moving, pace=1.5))
    for motion in (AlongMovingCurve(segment=BLEND, speed=0.5, phase=0.25), paced):
        rolling, steering = TurnSchedule(rates=(0.3,)), TurnSchedule(rates=(0.1,))
        follower = ShapeCurveFollower(motion=motion, rolling=rolling, steering=steering)
        file = pp.write_scenario(base.with_changes(controller=follower), tmp_path / "curve.yaml")
        assert pp.scenario(str(file)).world.controller == follower


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: AlongMovingCurve(segment=3, speed=0.1), r"motion.segment = 3, must be control points"),
        (lambda: AlongMovingCurve(segment=lambda t: np.zeros((1, 4)), speed=0.1), r"motion.segment = .*, must be"),
        (lambda: AlongMovingCurve(segment=lambda t: np.zeros((len(t), 3, 3)), speed=0.1), r"a different point from"),
        (lambda: AlongMovingCurve(segment=BLEND, speed=0.1, phase=1.0), r"motion.phase = 1.0, must be in \[0, 1\)"),
        (
            lambda: SegmentBlend(first=LEFT, second=sidewinding(ROBOT, n_points=5), duration=1.0),
            r"segment_blend.second = '5 points', must be a segment of 9 points, like the first",
        ),
        (lambda: SegmentBlend(first=LEFT, second=RIGHT, duration=0.0), r"segment_blend.duration = 0.0"),
        (lambda: MovingPoints(points=WAVE, head=16.0, pace=-1.0), r"moving_points.pace = -1.0, must be"),
        (
            lambda: ShapeCurveFollower(motion=WAY_2, rolling=CombinedSteering(steerings=(TurnSchedule(),))),
            r"follower.rolling = 'CombinedSteering', must be a Steering with one angle",
        ),
        (lambda: ShapeCurveFollower(motion=WAY_2, rolling=0.3), r"follower.rolling = 0.3, must be a Steering"),
    ],
)
def test_mistakes_are_one_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence) as caught:
        make()
    assert "\n" not in str(caught.value)
