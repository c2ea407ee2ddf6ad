"""The side of a head that passes the vertical: handed on, so that joint angles do not jump."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pushpoint as pp
from pushpoint.control import ShapeCurveFollower
from pushpoint.errors import InvalidModel
from pushpoint.planning import (
    Aligner,
    AlongCurve,
    ShapeCurve,
    Skeleton,
    align,
    align_sequence,
    concatenated,
    segment_from_points,
    sidewinding,
)

ROBOT = pp.catalogue.liljeback2014()
RADIUS = 0.5
UPWARD = [pytest.param(1.0, id="up"), pytest.param(-1.0, id="down")]


def loop(upward: float = 1.0, aside: float = 0.0) -> ShapeCurve:
    """Straight on, once around a vertical circle, straight on; `aside`: metres to the left per control point."""
    angle = np.linspace(0.0, 2.0 * np.pi, 33)
    level = np.linspace(0.25, 3.0, 12)
    x = np.concatenate([-level[::-1], RADIUS * np.sin(angle), level])
    z = np.concatenate([0.0 * level, RADIUS * (1.0 - np.cos(angle)), 0.0 * level])
    return ShapeCurve(np.stack([x, aside * np.arange(len(x)), upward * z], axis=-1), "smooth")


def heads_of(curve: ShapeCurve, count: int = 800) -> np.ndarray:
    """Head positions from before the circle to the curve's end, equally far along it."""
    return curve.at_arc_length(np.linspace(curve.arc_length(9.0), curve.length, count))


def largest_jump(angles: np.ndarray) -> float:
    """Of any joint from one head to the next [deg]."""
    return float(np.degrees(np.abs(np.diff(angles, axis=-2)).max()))


@pytest.mark.parametrize("upward", UPWARD)
def test_through_the_vertical_joints_turn_on_instead_of_jumping(upward: float) -> None:
    curve = loop(upward)
    heads = heads_of(curve)
    assert largest_jump(align(ROBOT, curve, heads).joint_angles) > 30.0  # every side is level: the body turns over
    handed = align_sequence(ROBOT, curve, heads)
    # Heads are 8 mm apart; 0.16 m ahead on a circle of 0.5 m, a joint takes up 23 deg at most within 0.08 m of way.
    assert largest_jump(handed.joint_angles) < 23.0 * 2 * 0.008 / 0.08
    np.testing.assert_allclose(handed.side, np.tile([0.0, 1.0, 0.0], (len(heads), 1)), atol=1e-9)


@pytest.mark.parametrize("upward", UPWARD)
def test_a_vertical_loop_bends_pitch_joints_as_a_level_one_bends_yaw_joints(upward: float) -> None:
    standing, pitch, yaw = loop(upward), Skeleton.uniform(17, 0.08, pp.Pitch()), Skeleton.uniform(17, 0.08, pp.Yaw())
    lying = ShapeCurve(standing.points[:, [0, 2, 1]], "smooth")
    heads = heads_of(standing, 300)
    expected = align(yaw, lying, heads).joint_angles  # in the level plane no head is ever vertical
    # Pitch is positive downward, yaw to the left; "up" of the standing loop is "left" of the lying one.
    np.testing.assert_allclose(align_sequence(pitch, standing, heads).joint_angles, -expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("aside", [1e-12, 1e-9, 1e-6, 1e-4, 0.003, 0.01])
@pytest.mark.parametrize("upward", UPWARD)
def test_close_to_the_vertical_the_side_turns_no_faster_than_allowed(upward: float, aside: float) -> None:
    curve = loop(upward, aside)
    heads = heads_of(curve)
    found = align_sequence(ROBOT, curve, heads, side_turn=0.01)
    turn = np.arccos(np.clip((found.side[1:] * found.side[:-1]).sum(axis=-1), -1.0, 1.0))
    assert turn.max() < 0.01 + 0.02  # the limit, and what the head itself turns from one place to the next
    assert largest_jump(found.joint_angles) < 4.0 * np.degrees(0.01)
    level = align(ROBOT, curve, heads[-1:]).joint_angles
    np.testing.assert_allclose(found.joint_angles[-1:], level, rtol=0, atol=1e-9)  # the right way up in the end


def test_away_from_the_vertical_nothing_changes() -> None:
    curve = ShapeCurve(concatenated(sidewinding(ROBOT), [np.eye(3)] * 5))
    heads = np.linspace(16.0, 24.0, 200)
    np.testing.assert_array_equal(
        align_sequence(ROBOT, curve, heads).joint_angles, align(ROBOT, curve, heads).joint_angles
    )


def test_cases_side_by_side_and_sequences_in_parts_are_the_same() -> None:
    curve = loop(1.0, 1e-4)
    heads = heads_of(curve, 400)
    both = np.stack([heads, heads[0] + 0.5 * (heads - heads[0])])
    found = align_sequence(ROBOT, curve, both, [[0.0], [0.7]], [[0.16], [0.12]])
    for k, (roll, look_ahead) in enumerate(((0.0, 0.16), (0.7, 0.12))):
        alone = align_sequence(ROBOT, curve, both[k], roll, look_ahead)
        np.testing.assert_array_equal(found.joint_angles[k], alone.joint_angles)
        np.testing.assert_array_equal(found.side[k], alone.side)
    first = align_sequence(ROBOT, curve, heads[:170])
    rest = align_sequence(ROBOT, curve, heads[170:], side=first.side[-1])
    np.testing.assert_array_equal(
        np.concatenate([first.joint_angles, rest.joint_angles]), align_sequence(ROBOT, curve, heads).joint_angles
    )


def test_joint_angles_do_not_depend_on_how_curve_and_frame_are_turned() -> None:
    points = np.cumsum(np.random.default_rng(5).normal(size=(16, 3)) * 0.08 + [0.15, 0.0, 0.0], axis=0)
    turns = Rotation.random(6, random_state=7).as_matrix()
    curves = np.concatenate([points[None], points @ np.swapaxes(turns, -1, -2)])
    frames = np.concatenate([np.eye(3)[None], turns])
    aligner = Aligner(ROBOT, 16, n_curves=7)
    aligner.load(curves, kind="smooth")
    plain = aligner.solve(14.2, 0.3, frames[:, :, 1], up=frames[:, :, 2]).copy()
    np.testing.assert_allclose(plain, np.tile(plain[0], (7, 1)), rtol=0, atol=1e-9)
    before = frames @ np.array([0.1, 0.8, 0.4])
    handed = aligner.solve(14.2, 0.3, before, up=frames[:, :, 2], side_turn=[0.05] * 7)
    np.testing.assert_allclose(handed, np.tile(handed[0], (7, 1)), rtol=0, atol=1e-9)
    assert np.abs(handed[0] - plain[0]).max() > 1e-3


@pytest.mark.parametrize("upward", UPWARD)
def test_a_follower_hands_the_side_on_from_command_to_command(upward: float) -> None:
    segment = segment_from_points(loop(upward).points)
    motion = AlongCurve(segment=segment, lead=segment_from_points([(0, 0, 0), (0.25, 0, 0)]), speed=1.0, curve="smooth")
    times, poses = ShapeCurveFollower(motion=motion).virtual(ROBOT, motion.cycle_length)
    assert largest_jump(poses.joint_angles) < 23.0 * 2 * (1.0 / 30) / 0.08
    np.testing.assert_allclose(poses.side, np.tile([0.0, 1.0, 0.0], (len(times), 1)), atol=1e-9)
    assert poses.joint_points[:, -1, 2].max() * upward < 1e-6 + 2 * RADIUS * (upward > 0)
    assert np.ptp(poses.joint_points[:, -1, 2]) == pytest.approx(2.0 * RADIUS, abs=1e-2)  # over the top


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"head": 20.0}, r"head = \(\), must be of shape \(..., n\), one head or more"),
        ({"head": []}, r"head = \(0,\), must be of shape"),
        ({"side_turn": 0.0}, r"side_turn = 0.0, must be finite|side_turn = 0.0, must be > 0"),
        ({"side": (0.0, 1.0)}, r"side = \(0.0, 1.0\), must be a vector x, y, z"),
        ({"look_ahead": [0.16, 0.17]}, r"look_ahead = \(2,\), must be the same for all heads of a sequence"),
        ({"head": [30.0, 80.0]}, r"head = 80.0, must be at most 56.0"),
    ],
)
def test_mistakes_are_one_sentence(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        align_sequence(ROBOT, loop(), **({"head": [30.0, 31.0]} | arguments))  # type: ignore[arg-type]
