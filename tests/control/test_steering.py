"""Steerings about any axis: against SciPy's rotations, under rotation of the whole case, in files, in batches."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pushpoint as pp
from pushpoint.control import CombinedSteering, HeadingController, ShapeCurveFollower, Steering, TurnSchedule
from pushpoint.engine.batching import stack
from pushpoint.errors import InvalidModel
from pushpoint.planning import AlongCurve, sidewinding

ROBOT = pp.catalogue.liljeback2014()
ALONG = AlongCurve(segment=sidewinding(ROBOT), speed=0.5, curve="smooth")
RAISED = TurnSchedule(until=(0.5, 1.5), rates=(0.0, 0.8), axis=(0, -1, 0))


def steps_at_last(follower: ShapeCurveFollower, duration: float) -> np.ndarray:
    """The vectors between the control points ahead of the head, at the end."""
    *_, (_t, laid, _pose) = follower.moves(ROBOT, duration)
    return np.diff(laid.points[-4:], axis=0)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, -1, 0), (1, 0, 0), (1, 2, -3), (0, 0, -1), (3e17, -1e-17, 2e17)])
def test_a_schedule_turns_the_frame_about_its_axis(axis: tuple[float, float, float]) -> None:
    schedule = TurnSchedule(until=(1.0,), rates=(0.7,), axis=axis)
    frames = schedule.frame(schedule.at(np.array([0.0, 0.4, 2.0])))
    direction = np.array(axis) / max(np.abs(axis))
    turn = 0.7 * np.array([0.0, 0.4, 1.0])[:, None] * direction / np.linalg.norm(direction)
    np.testing.assert_allclose(frames, Rotation.from_rotvec(turn).as_matrix(), rtol=0, atol=1e-15)


def test_points_ahead_are_turned_about_the_axis_too() -> None:
    plain = steps_at_last(ShapeCurveFollower(motion=ALONG), 4.0)
    raised = steps_at_last(ShapeCurveFollower(motion=ALONG, steering=RAISED), 4.0)
    turn = Rotation.from_rotvec([0.0, -0.8, 0.0]).as_matrix()
    # The head goes equally far along either curve, so the same points of the segment lie ahead.
    np.testing.assert_allclose(raised, plain @ turn.T, rtol=0, atol=1e-12)
    assert raised[:, 2].sum() > 0.1  # m; up


def test_a_frame_that_pitches_right_round_makes_no_joint_jump() -> None:
    # The curve goes up, over backward and down again while the body winds along it: the head is vertical on the way.
    round_ = TurnSchedule(until=(0.5, 4.5), rates=(0.0, np.pi / 2), axis=(0, -1, 0))
    faster = AlongCurve(segment=sidewinding(ROBOT), speed=1.0, curve="smooth")
    plain, turned = (
        np.abs(
            np.diff(
                ShapeCurveFollower(motion=faster, rate=60.0, steering=s).virtual(ROBOT, 5.5)[1].joint_angles, axis=0
            )
        )
        for s in (TurnSchedule(), round_)
    )
    assert turned.max() < 1.25 * plain.max()


def test_turns_are_combined_from_the_outermost_inward() -> None:
    left, roll = TurnSchedule(rates=(0.3,)), TurnSchedule(rates=(-0.5,), axis=(1, 0, 0))
    both = CombinedSteering(steerings=(left, RAISED, roll))
    t = np.array([0.0, 1.0, 2.0])
    angle, memory = both.turn(t, 0.1, None, both.begin(0))
    # Yaw, pitch and roll about axes that turn with the body; pitch counts downward.
    expected = Rotation.from_euler("ZYX", np.stack([0.3 * t, -RAISED.at(t), -0.5 * t], axis=-1)).as_matrix()
    np.testing.assert_allclose(both.frame(angle), expected, rtol=0, atol=1e-14)
    assert memory == (None, None, None) and both.turns and not both.needs
    assert CombinedSteering(steerings=(left, HeadingController(direction=0.0))).needs == {"pose"}
    assert not CombinedSteering(steerings=(TurnSchedule(),)).turns


def headed(axis: tuple[float, float, float], turn: np.ndarray) -> np.ndarray:
    """Frames of a heading controller for a robot that goes along a fixed path, all turned; shape (n, 3, 3)."""
    controller = HeadingController(direction=1.0, axis=axis)
    memory: Any = stack([controller.begin(10)])
    frames = []
    for k in range(60):
        place = turn @ np.array([0.02 * k, 0.03 * np.sin(0.6 * k), 0.01 * k])
        seen = SimpleNamespace(center_of_mass=place[None])
        angle, memory = controller.turn(np.array([0.1 * k]), 0.1, seen, memory)
        frames.append(controller.frame(angle)[0])
    return np.array(frames)


@pytest.mark.parametrize("axis", [(0, -1, 0), (-0.3, 0, 1), (1, 1, 1), (0, 0, -2)])
def test_a_heading_about_a_tilted_axis_is_the_upright_one_tilted(axis: tuple[float, float, float]) -> None:
    upright = headed((0, 0, 1), np.eye(3))
    direction = np.array(axis) / np.linalg.norm(axis)
    across = np.cross((0.0, 0.0, 1.0), direction)
    size = np.linalg.norm(across)
    # The shortest turn that takes the vertical to the axis; half a turn about x where it hangs down.
    tilt = np.arctan2(size, direction[2]) * (across / size if size > 0 else np.array([1.0, 0.0, 0.0]))
    turn = Rotation.from_rotvec(tilt).as_matrix()
    np.testing.assert_allclose(headed(axis, turn), turn @ upright @ turn.T, rtol=0, atol=1e-12)
    assert np.abs(upright[-1] - np.eye(3)).max() > 0.1


def test_an_angle_of_climb_counts_upward() -> None:
    controller = HeadingController(direction=0.5, axis=(0, -1, 0))
    memory: Any = stack([controller.begin(1)])
    for k in range(3):
        seen = SimpleNamespace(center_of_mass=np.array([[0.1 * k, 0.0, 0.0]]))
        angle, memory = controller.turn(np.array([0.1 * k]), 0.1, seen, memory)
    assert controller.frame(angle)[0, 2, 0] > 0.0  # level so far, so the frame's x axis is raised


@dataclass(frozen=True, kw_only=True)
class Raise(Steering[None]):
    """A steering of one's own: raises the frame where the robot is high up, and turns it left."""

    def begin(self, ticks: int) -> None:
        """No memory."""

    def turn(self, t: np.ndarray, dt: float, measurement: Any, memory: None) -> tuple[np.ndarray, None]:
        return np.stack([0.1 * t, 0.2 * t], axis=-1), None

    def frame(self, angle: np.ndarray) -> np.ndarray:
        return Rotation.from_euler("ZY", angle * (1.0, -1.0)).as_matrix()


def test_a_steering_of_ones_own_gives_any_frame() -> None:
    parts = (TurnSchedule(rates=(0.1,)), TurnSchedule(rates=(0.2,), axis=(0, -1, 0)))
    own, ours = (
        ShapeCurveFollower(motion=ALONG, steering=steering).virtual(ROBOT, 3.0)[1].joint_angles
        for steering in (Raise(), CombinedSteering(steerings=parts))
    )
    np.testing.assert_allclose(own, ours, rtol=0, atol=1e-12)


def test_a_file_holds_axes_and_combined_steerings(tmp_path: Any) -> None:
    steering = CombinedSteering(steerings=(HeadingController(direction=0.2, axis=(0.0, 0.1, 1.0)), RAISED))
    base = pp.scenario("liljeback2014/sidewinding")
    made = base.with_changes(controller=ShapeCurveFollower(motion=ALONG, steering=steering))
    file = pp.write_scenario(made, tmp_path / "raised.yaml")
    assert pp.scenario(str(file)).world.controller.steering == steering
    assert "axis" in file.read_text()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: TurnSchedule(axis=(0, 0, 0)), r"steering.axis = \(0.0, 0.0, 0.0\), must be a direction"),
        (lambda: HeadingController(direction=0.0, axis=(0, 1)), r"steering.axis = \(0, 1\), must be three numbers"),
        (lambda: TurnSchedule(axis=(0, np.nan, 0)), r"steering.axis\[1\] = nan"),
        (lambda: CombinedSteering(steerings=()), r"steering.steerings = \(\), must be one steering or more"),
        (lambda: CombinedSteering(steerings=(3,)), r"steering.steerings\[0\] = 3, must be a Steering"),
    ],
)
def test_mistakes_are_one_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence) as caught:
        make()
    assert "\n" not in str(caught.value)
