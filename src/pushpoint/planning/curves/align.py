"""Lays a robot along a curve: once, at many heads, or at heads that follow each other."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import above
from pushpoint.planning.curves.alignment import POSE, Aligner, Alignment, check_room, checked_look_ahead
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.planning.curves.skeleton import AnyBody
from pushpoint.reduced.robot import finite_array

SIDE_TURN = np.pi / 4.0
"""How far the side turns at most from one head of a sequence to the next, by default [rad]."""


@checked_arguments
def align(
    robot: AnyBody,
    curve: ShapeCurve,
    head: Any,
    roll: Any = 0.0,
    look_ahead: Any = None,
    *,
    side: Any = (0.0, 1.0, 0.0),
    allow_overshoot: bool = False,
    allow_short: bool = False,
) -> Alignment:
    """Lays a robot along a curve and returns its pose.

        snake = pp.catalogue.liljeback2014()
        curve = pp.planning.ShapeCurve(points=[(0, 0, 0), (0.5, 0.1, 0), (1.0, -0.1, 0), (1.5, 0, 0)])
        pose = pp.planning.align(snake, curve, head=3.0)
        print(pose.joint_angles)  # [rad]

    Args:
        robot: A spatial robot with yaw, pitch or cardan joints, or a Skeleton: link lengths and joints alone.
        curve: The shape curve.
        head: The curve's parameter at the head's tip [-], one or many.
        roll: Rotation of the robot about the curve [rad], one or one per head; at 0 the head's y axis is level.
        look_ahead: Distance from a joint to its link's reference point [m]; default: two mean link lengths.
        side: The y axis of the shape frame, for a vertical head.
        allow_overshoot: Whether to allow a look-ahead shorter than the longest link, which makes joints jump.
        allow_short: Whether to allow a curve that is shorter, up to the head, than the robot. The tail then lies on the
            straight line before the first point. The last link may aim at that line in any case.
    """
    distances = checked_look_ahead(robot, look_ahead, allow_overshoot)
    heads, rolls, distances = _asked(robot, curve, head, roll, distances, allow_short)
    y, shape = _side(side), heads.shape
    aligner = Aligner(
        robot,
        len(curve.points),
        per_curve=max(heads.size, 1),
        look_ahead=distances.ravel(),
        allow_overshoot=allow_overshoot,
    )
    aligner.load(curve.points, curve.slopes)
    aligner.solve(heads.ravel(), rolls.ravel(), np.broadcast_to(y, (*shape, 3)).reshape(-1, 3))
    return aligner.pose.each(lambda found: found.copy().reshape(*shape, *found.shape[1:]))


@checked_arguments
def align_sequence(
    robot: AnyBody,
    curve: ShapeCurve,
    head: Any,
    roll: Any = 0.0,
    look_ahead: Any = None,
    *,
    side: Any = None,
    side_turn: Annotated[float, above(0, "rad", infinite=True)] = SIDE_TURN,
    allow_short: bool = False,
) -> Alignment:
    """Lays a robot along a curve at heads that follow each other, and hands the head's side on from each to the next.

    `align` gives every head a level side. Where a curve goes straight up or down, level turns over, and joint angles
    jump. Here the side is level or upside down, whichever is nearer to the one before, and turns by at most
    `side_turn` from head to head. Away from the vertical both functions agree.

    Args:
        robot: A spatial robot with yaw, pitch or cardan joints, or a Skeleton.
        curve: The shape curve.
        head: The curve's parameters at the head's tip [-], shape (..., n): n heads in order, for any number of cases.
        roll: Rotation of the robot about the curve [rad], one or one per head.
        look_ahead: Distance from a joint to its link's reference point [m]; default: two mean link lengths.
        side: The side before the first head, such as `pose.side[-1]` of an earlier sequence; default: level.
        side_turn: Largest turn of the side from one head to the next [rad].
        allow_short: Whether to allow a curve that is shorter, up to the head, than the robot.
    """
    distances = checked_look_ahead(robot, look_ahead, allow_overshoot=False)
    heads, rolls, distances = _asked(robot, curve, head, roll, distances, allow_short)
    if heads.ndim < 1 or not heads.size:
        raise InvalidModel("head", heads.shape, "of shape (..., n), one head or more")
    cases = heads.shape[:-1]
    in_order = [np.moveaxis(values, -1, 0).reshape(heads.shape[-1], -1) for values in (heads, rolls, distances)]
    if np.ptp(in_order[2], axis=0).any():
        raise InvalidModel("look_ahead", distances.shape, "the same for all heads of a sequence")
    aligner = Aligner(robot, len(curve.points), per_curve=in_order[0].shape[1], look_ahead=in_order[2][0])
    aligner.load(curve.points, curve.slopes)
    before = None if side is None else np.broadcast_to(_side(side), (*cases, 3)).reshape(-1, 3)
    found: dict[str, list[np.ndarray]] = {name: [] for name in POSE}
    for each_head, each_roll in zip(in_order[0], in_order[1], strict=True):
        aligner.solve(each_head, each_roll, before, side_turn=None if before is None else side_turn)
        for name in POSE:
            found[name].append(getattr(aligner.pose, name).copy())
        before = found["side"][-1]
    stacked = {name: np.stack(values, axis=1) for name, values in found.items()}
    return Alignment(
        robot=robot, **{name: all_.reshape(*heads.shape, *all_.shape[2:]) for name, all_ in stacked.items()}
    )


def _asked(
    robot: AnyBody, curve: ShapeCurve, head: Any, roll: Any, distances: np.ndarray, allow_short: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heads, roll angles and look-ahead distances of one shape; raises InvalidModel if the robot has no room."""
    heads, rolls = finite_array("head", head, "-"), finite_array("roll", roll, "rad")
    try:
        heads, rolls, distances = np.broadcast_arrays(heads, rolls, distances)
    except ValueError:
        shapes = f"{rolls.shape} and {distances.shape}"
        raise InvalidModel("roll, look_ahead", shapes, f"one value or one per head, {heads.shape}") from None
    if heads.size and heads.max() > curve.end:
        raise InvalidModel("head", float(heads.max()), f"at most {curve.end}, where the curve ends")
    if heads.size and not allow_short:
        check_room(robot, curve, float(heads.min()))
    return heads, rolls, distances


def _side(side: Any) -> np.ndarray:
    """One direction or several, shape (..., 3)."""
    y = finite_array("side", side, "-")
    if y.shape[-1:] != (3,):
        raise InvalidModel("side", side, "a vector x, y, z")
    return y
