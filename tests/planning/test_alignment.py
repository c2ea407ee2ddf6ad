"""The virtual robot: against the paper's equations, the engine's kinematics, closed forms and published figures."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from oracles.shape_alignment import align_by_the_paper, chain_of
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko, liljeback2014, yaw_pitch_16
from pushpoint.model.environment import Environment
from pushpoint.model.joints import Cardan, Pitch, Yaw
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning import (
    Aligner,
    Alignment,
    ShapeCurve,
    align,
    concatenated,
    default_look_ahead,
    rolling_arc,
    sidewinding,
    vertical_wave,
)
from pushpoint.planning.curves.alignment import longest_link

PAPER = liljeback2014()


def unequal() -> SpatialRobot:
    """Links of five lengths with their masses off centre, joints in no order, one cardan with its axes apart."""
    link = PAPER.links[0]
    sizes = (0.11, 0.05, 0.08, 0.13, 0.07) * 2
    links = tuple(
        replace(link, length=size, side_length=size, mass=1.0 + size, mass_offset=0.01 * (-1) ** k)
        for k, size in enumerate(sizes)
    )
    joints = (Yaw(), Yaw(), Pitch(), Cardan(axis_distance=0.03), Yaw(), Pitch(), Pitch(), Cardan(), Pitch())
    return SpatialRobot(links=links, joints=joints)


ROBOTS = {
    "liljeback2014": PAPER,
    "yaw_pitch_16": yaw_pitch_16(),
    "aiko": aiko(),
    "aiko, axes apart": aiko(0.022),
    "unequal": unequal(),
}
some_robot = pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS.keys())


def wandering(seed: int, robot: SpatialRobot) -> np.ndarray:
    """Control points of a random curve, in general longer than the robot."""
    rng = np.random.default_rng(seed)
    pace = robot.length / 8
    return np.cumsum(rng.normal(size=(14, 3)) * 0.6 * pace + [pace, 0.0, 0.0], axis=0)


def repeated(segment: Any, times: int = 5) -> ShapeCurve:
    return ShapeCurve(concatenated(segment, [np.eye(3)] * times))


def one_cycle(curve: ShapeCurve, count: int = 201) -> np.ndarray:
    """Head positions from control point 16 to 24, the third cycle of the paper's waves, equally far along the curve."""
    return curve.at_arc_length(np.linspace(curve.arc_length(16.0), curve.arc_length(24.0), count))


@some_robot
def test_joint_angles_are_those_of_the_papers_equations(robot: SpatialRobot) -> None:
    rng = np.random.default_rng(3)
    reached_the_line = 0
    for seed in range(30):
        points = wandering(seed, robot)
        head, roll = rng.uniform(7.0, 13.0), rng.uniform(-np.pi, np.pi)
        look_ahead = rng.uniform(longest_link(robot), 1.2 * default_look_ahead(robot))
        ours = align(robot, ShapeCurve(points), head, roll, look_ahead, allow_short=True)
        theirs, frames = align_by_the_paper(points, chain_of(robot), head, roll, look_ahead)
        # Backwards from the head, and a joint of the paper turns the link behind it: both signs flip.
        apart = ours.joint_angles[::-1] + theirs
        assert np.abs((apart + np.pi) % (2 * np.pi) - np.pi).max() < 1e-8
        assert np.abs(ours.joint_points[0] - frames[-1][:3, 3]).max() < 1e-8
        reached_the_line += int(ours.references.min() < 0.0)
    assert 0 < reached_the_line < 30  # both on the curve and beyond its start


def test_a_curve_that_leaves_the_look_ahead_distance_for_a_moment_is_caught() -> None:
    # Between points 1 and 2 the curve rounds a corner that is barely far enough; a coarse scan would step over it.
    points = [(-0.7, -0.2, 0.0), (0.19, 0.11, 0.0), (0.17, -0.17, 0.0), (0.04, -0.08, 0.0), (0.0, 0.0, 0.0)]
    curve, robot = ShapeCurve(points, "smooth"), SpatialRobot(links=PAPER.links[:1], joints=())
    s = np.linspace(1.0, 4.0, 300001)
    away = np.linalg.norm(curve.at(s), axis=1)
    look_ahead = away.max() - 2e-4
    outside = s[away >= look_ahead]
    assert 1.0 < outside.min() and outside.max() - outside.min() < 0.05  # a moment indeed
    found = align(robot, curve, 4.0, 0.0, look_ahead)
    assert found.references[0] == pytest.approx(outside.max(), abs=2e-5)  # two cells of the table


def test_pitch_and_yaw_signs_of_the_paper() -> None:
    # Notes on the paper: yaw joint_angle[N - i] = -q_i; with a twist of +90 degrees behind yaw, pitch as well.
    chain = chain_of(PAPER)
    assert np.allclose(chain.twists[:3], [0.0, np.pi / 2, -np.pi / 2])
    up_and_left = ShapeCurve([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.8, 0.3, 0.3)])
    angles = align(PAPER, up_and_left, 2.0).joint_angles
    yaw = np.array([axis.name == "yaw" for axis in PAPER.axes])
    assert angles[yaw].sum() > 0.0 > angles[~yaw].sum()  # to the left is positive yaw, upward negative pitch


@some_robot
def test_kinematics_agree_with_the_engines(robot: SpatialRobot) -> None:
    for seed in range(5):
        curve = ShapeCurve(wandering(seed, robot))
        found = align(robot, curve, [9.3, 12.6], [0.4, -2.0], allow_short=True)
        places, frames = link_poses(robot, found.center, found.tail_orientation, found.joint_angles)
        along = robot.column("length") / 2 + robot.column("mass_offset")
        forward = rotation_of(found.link_orientations)[..., 0]
        assert np.abs(places - found.joint_points[:, :-1] - along[:, None] * forward).max() < 1e-9
        assert np.abs(rotation_of(frames) - rotation_of(found.link_orientations)).max() < 1e-9
        tip = found.joint_points[:, -2] + robot.links[-1].length * forward[:, -1]
        assert np.abs(tip - curve.at([9.3, 12.6])).max() < 1e-9
        assert np.abs(found.joint_points[:, -1] - tip).max() < 1e-9


@some_robot
def test_reference_points_are_the_look_ahead_distance_away(robot: SpatialRobot) -> None:
    curve = ShapeCurve(wandering(11, robot))
    found = align(robot, curve, np.linspace(9.0, 13.0, 60), allow_short=True)
    joints = found.joint_points[:, 1:]  # from which links 0, 1, ... are aimed backwards
    away = np.linalg.norm(curve.at(found.references) - joints, axis=-1) - default_look_ahead(robot)
    behind = np.diff(found.references, axis=1, append=np.inf) > 0.0
    assert np.abs(away[behind]).max() < 1e-12  # moved back onto the distance
    assert np.all(away[~behind] >= -1e-12)  # already outside: kept
    assert behind.mean() > 0.9


def test_no_point_of_the_curve_between_two_references_is_outside() -> None:
    curve = repeated(sidewinding(PAPER))
    found = align(PAPER, curve, one_cycle(curve, 9))
    for k in range(9):
        for i in range(16):
            back, front = found.references[k, i], found.references[k, i + 1]
            between = curve.at(np.linspace(back, front, 200)[1:-1])
            # The first crossing backwards, not another root.
            assert np.linalg.norm(between - found.joint_points[k, i + 1], axis=1).max() < 0.16


def test_sidewinding_repeats_itself_and_swings_to_67_degrees() -> None:
    curve = repeated(sidewinding(PAPER))
    angles = align(PAPER, curve, one_cycle(curve)).joint_angles
    assert np.abs(angles[0] - angles[-1]).max() < 1e-9
    assert np.degrees(np.abs(angles).max()) == pytest.approx(67.0, abs=0.5)  # the digits of the notes on the paper


def test_vertical_wave_swings_to_43_degrees_without_yaw() -> None:
    curve = repeated(vertical_wave(PAPER))
    angles = align(PAPER, curve, one_cycle(curve)).joint_angles
    yaw = np.array([axis.name == "yaw" for axis in PAPER.axes])
    assert np.abs(angles[0] - angles[-1]).max() < 1e-9
    assert np.degrees(np.abs(angles).max()) == pytest.approx(43.0, abs=0.5)
    assert np.abs(angles[:, yaw]).max() < 1e-12


def test_rolling_swings_to_9_5_degrees() -> None:
    roll = np.linspace(0.0, -2 * np.pi, 361)
    angles = align(PAPER, rolling_arc(PAPER).curve(), 2.0, roll).joint_angles
    assert np.degrees(np.abs(angles).max()) == pytest.approx(9.5, abs=0.05)
    assert np.abs(angles[0] - angles[-1]).max() < 1e-9
    assert np.abs(angles[90] + angles[270]).max() < 1e-9  # half a turn of roll turns every angle round


def test_on_a_plane_curve_every_other_joint_lies_on_it() -> None:
    # Look-ahead 2 a, pitch joints 2 a apart, yaw joints straight: a pitch joint comes to lie where the one in front of
    # it aimed at, on the curve; the yaw joints between lie in the middle of chords of 2 a.
    curve = repeated(vertical_wave(PAPER))
    found = align(PAPER, curve, one_cycle(curve, 50))
    pitch = [axis.link_behind for axis in PAPER.axes if axis.name == "pitch"]
    aimed = curve.at(found.references[:, pitch[1:]])
    assert np.abs(found.joint_points[:, [link - 1 for link in pitch[1:]]] - aimed).max() < 1e-12
    dense = cKDTree(curve.at(np.linspace(0.0, curve.end, 40001)))
    assert (
        dense.query(found.joint_points)[0].max() < 0.08 * np.tan(np.radians(43.0) / 2) * 1.05
    )  # sagitta at 43 degrees


def test_sidewinding_keeps_within_half_a_look_ahead_of_its_curve() -> None:
    curve = repeated(sidewinding(PAPER))
    found = align(PAPER, curve, one_cycle(curve))
    dense = cKDTree(curve.at(np.linspace(0.0, curve.end, 40001)))
    assert dense.query(found.joint_points)[0].max() < 0.08


@pytest.mark.parametrize("links_ahead", [1.0, 1.5, 2.0, 4.0])
def test_joints_on_a_circle_lie_on_the_circle_of_the_closed_form(links_ahead: float) -> None:
    # A joint at radius rho aims at the circle R, L away; the next one, a further on, is at rho again when
    # rho^2 = R^2 - L (L - a).
    a, R, L = 0.05, 1.0, 0.05 * links_ahead
    robot = SpatialRobot.uniform(80, replace(PAPER.links[0], length=a, side_length=a), Yaw())
    angle = np.linspace(0.0, 6.0, 601)
    circle = ShapeCurve(np.stack([R * np.cos(angle), R * np.sin(angle), 0 * angle], axis=-1), "smooth")
    found = align(robot, circle, circle.end, 0.0, L)
    radius = np.linalg.norm(found.joint_points[:40], axis=1)
    assert np.abs(radius - np.sqrt(R**2 - L * (L - a))).max() < 1e-6  # 0.01 rad between points; 40 links to settle


@pytest.mark.parametrize("rise", [1.0, -1.0])
def test_a_vertical_head_takes_the_shape_frames_side(rise: float) -> None:
    curve = ShapeCurve([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.5, 0.0, 0.5 * rise), (1.5, 0.0, 1.0 * rise)])
    turn = Rotation.from_euler("z", 30.0, degrees=True).as_matrix()
    heads = np.linspace(2.2, 3.0, 41)
    for frame in (np.eye(3), turn):
        found = align(PAPER, ShapeCurve(curve.points @ frame.T, "smooth"), heads, side=frame[:, 1])
        exact = align(PAPER, ShapeCurve(curve.points @ frame.T), 3.0, side=frame[:, 1])
        assert np.isfinite(found.joint_angles).all() and np.isfinite(exact.joint_angles).all()
        head = rotation_of(exact.head_orientation)
        assert np.abs(head[:, 0] - (0.0, 0.0, rise)).max() < 1e-9  # indeed vertical
        assert np.abs(head[:, 1] - frame[:, 1]).max() < 1e-9
    along_side = align(PAPER, ShapeCurve([(0.0, 0.0, 0.0), (0.0, 0.0, 3.0)]), 1.0, side=(0.0, 0.0, 1.0))
    assert np.isfinite(along_side.joint_angles).all()


def test_a_straight_curve_gives_a_straight_robot() -> None:
    found = align(unequal(), ShapeCurve([(0.0, 0.0, 0.0), (2.0, 1.0, 0.5)]), 1.0)
    assert np.abs(found.joint_angles).max() < 1e-12


def test_look_ahead_below_a_link_makes_joints_jump() -> None:
    # Remark 3 and the notes: good from one to two links, jumps of 70 to 180 degrees below one.
    curve = repeated(sidewinding(PAPER))
    heads = one_cycle(curve, 1401)  # a millimetre apart

    def largest_jump(look_ahead: float) -> float:
        angles = align(PAPER, curve, heads, look_ahead=look_ahead, allow_overshoot=True).joint_angles
        return float(np.degrees(np.abs(np.diff(angles, axis=0)).max()))

    assert largest_jump(0.05) > 70.0
    assert max(largest_jump(0.08), largest_jump(0.12), largest_jump(0.16)) < 10.0


def test_worlds_with_curves_and_heads_of_their_own_are_solved_in_one_launch() -> None:
    robot = aiko(0.022)
    points = np.stack([wandering(seed, robot) for seed in range(6)])
    heads, rolls = np.linspace(9.0, 13.0, 18), np.linspace(-1.0, 1.0, 18)
    aligner = Aligner(robot, 14, n_curves=6, per_curve=3)
    aligner.load(points)
    angles = aligner.solve(heads, rolls).copy()
    for k in range(18):
        alone = align(robot, ShapeCurve(points[k // 3]), heads[k], rolls[k], allow_short=True)
        assert np.array_equal(alone.joint_angles, angles[k])
        assert np.array_equal(alone.joint_points, aligner.pose.joint_points[k])
        assert np.array_equal(alone.center, aligner.pose.center[k])


def test_heads_in_rows_give_rows_of_alignments() -> None:
    curve = repeated(sidewinding(PAPER))
    heads = np.linspace(16.0, 20.0, 6).reshape(2, 3)
    found = align(PAPER, curve, heads, [0.0, 0.1, 0.2])
    assert found.joint_angles.shape == (2, 3, 16) and found.joint_points.shape == (2, 3, 18, 3)
    assert found.link_orientations.shape == (2, 3, 17, 4) and found.center.shape == (2, 3, 3)
    assert found.references.shape == (2, 3, 17) and found.head_orientation.shape == (2, 3, 4)
    assert np.array_equal(found.joint_angles[1, 2], align(PAPER, curve, heads[1, 2], 0.2).joint_angles)


@some_robot
def test_a_start_has_the_pose_of_the_alignment(robot: SpatialRobot) -> None:
    found = align(robot, ShapeCurve(wandering(4, robot)), 12.5, 0.3, allow_short=True)
    pose = found.start().pose(robot, Environment())
    assert np.abs(pose["center"] - found.center).max() < 1e-9
    assert np.abs(pose["angle"] - found.joint_angles).max() < 1e-12
    assert np.abs(rotation_of(pose["tail"]) - rotation_of(found.tail_orientation)).max() < 1e-9


def test_a_robot_of_one_link_lies_on_its_chord() -> None:
    robot = SpatialRobot(links=PAPER.links[:1], joints=())
    curve = ShapeCurve([(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.8, 0.3, 0.0)])
    found = align(robot, curve, 2.0)
    assert found.joint_angles.shape == (0,)
    assert np.linalg.norm(found.joint_points[1] - found.joint_points[0]) == pytest.approx(0.08)


def test_not_a_number_comes_back_as_such() -> None:
    curve = repeated(sidewinding(PAPER))
    aligner = Aligner(PAPER, len(curve.points), n_curves=2)
    broken = np.stack([curve.points, curve.points])
    broken[1, 14] = np.nan
    aligner.load(broken)
    angles = aligner.solve(20.0)
    assert np.isfinite(angles[0]).all() and np.isnan(angles[1]).any()
    assert np.isnan(aligner.solve(np.array([20.0, np.nan]))[1]).all()


def _refused() -> list[tuple[dict[str, Any], str]]:
    return [
        ({"look_ahead": 0.07}, "look_ahead = 0.07, must be at least the longest link, 0.08 [m]"),
        ({"look_ahead": -1.0, "allow_overshoot": True}, "look_ahead = -1.0, must be finite and > 0"),
        ({"look_ahead": np.nan}, "look_ahead = nan, must be finite and > 0"),
        ({"look_ahead": "far"}, "look_ahead = 'far', must be an array of numbers"),
        ({"head": np.nan}, "head = nan, must be finite"),
        ({"head": 41.0}, "head = 41.0, must be at most 40.0, where the curve ends"),
        ({"head": [20.0, 2.0]}, "up to the head = 0.3"),
        ({"roll": np.inf}, "roll = inf, must be finite"),
        ({"roll": [0.0, 1.0, 2.0], "head": [20.0, 21.0]}, "one value or one per head"),
        ({"side": 1.0}, "a vector x, y, z"),
        ({"robot": "snake"}, "a SpatialRobot"),
        ({"curve": [(0.0, 0.0, 0.0)]}, "a ShapeCurve"),
    ]


@pytest.mark.parametrize(("change", "sentence"), _refused())
def test_what_cannot_be_aligned_is_refused(change: dict[str, Any], sentence: str) -> None:
    asked: dict[str, Any] = {"robot": PAPER, "curve": repeated(sidewinding(PAPER)), "head": 20.0}
    with pytest.raises(InvalidModel) as refused:
        align(**(asked | change))
    assert sentence in str(refused.value)


def test_a_curve_shorter_than_the_robot_is_refused_and_can_be_allowed() -> None:
    short = ShapeCurve([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    with pytest.raises(InvalidModel, match=r"at least the robot's length, 1\.36"):
        align(PAPER, short, 1.0)
    found: Alignment = align(PAPER, short, 1.0, allow_short=True)
    assert np.abs(found.joint_points[0] - (1.0 - 1.36, 0.0, 0.0)).max() < 1e-12


def test_seventeen_links_are_aligned_within_a_tenth_of_a_millisecond() -> None:
    curve = repeated(sidewinding(PAPER))
    aligner = Aligner(PAPER, len(curve.points))
    aligner.load(curve.points, curve.slopes)
    took = []
    for head in np.linspace(16.0, 24.0, 500):
        began = time.perf_counter()
        aligner.solve(head)
        took.append(time.perf_counter() - began)
    assert np.median(took) < 1e-4
