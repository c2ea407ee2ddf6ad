"""Starts of Liljeback2011: the listed poses overlap obstacles, so that the robot is moved to the nearest free one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions, rear_joints
from pushpoint.engine.planar.ranges import Outlines
from pushpoint.engine.planar.start import Start
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import non_negative
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot

GAP = 1e-3
"""Distance left between the robot and the obstacles [m]."""
MOST_ITERATIONS = 300


@dataclass(frozen=True, kw_only=True)
class FreeStart:
    """A start clear of all obstacles, and how far it is from the one asked for."""

    start: Start
    """Where the robot stands now."""
    overlap: float
    """How deep the robot would have stood in an obstacle [m]; 0 if it was clear and stands as asked."""
    moved: float
    """Farthest that any joint or end of the body was moved [m]."""
    turned: float
    """Largest turn of a link [rad]."""

    @property
    def note(self) -> str:
        """What was done, in a sentence."""
        if self.moved == 0.0:
            return "the start is as asked"
        return (
            f"the start asked for overlaps an obstacle by {1e3 * self.overlap:.0f} mm: the robot stands in the nearest "
            f"free pose, its joints moved by up to {1e3 * self.moved:.0f} mm, its links turned by up to "
            f"{np.degrees(self.turned):.0f} deg"
        )


def free_start(robot: PlanarRobot, environment: Environment, start: Start, gap: float = GAP) -> FreeStart:
    """The start itself if it is clear of obstacles, else the nearest pose that is, at rest.

    Nearest: the sum of squares of the way of all joints and both ends is smallest, among poses that keep a gap [m] and
    the joints' limits. It is found by descent from the start, so that a body woven between pegs stays so.

    Raises:
        InvalidModel: There is no free pose near by.
    """
    non_negative("gap", gap, "m")
    pose = start.pose(robot)
    asked = np.concatenate((pose["center"], pose["theta"]))
    outlines = Outlines.of(environment.obstacles)
    clear = _clearance(robot, outlines)
    if not environment.obstacles or clear(asked).min() >= 0.0:
        return FreeStart(start=start, overlap=0.0, moved=0.0, turned=0.0)
    found = _nearest(robot, clear, asked, gap)
    if clear(found).min() < 0.5 * gap:
        raise InvalidModel("start", f"{-1e3 * clear(asked).min():.3g} mm deep in an obstacle", "near a free pose")
    way = np.linalg.norm(_points(robot, found) - _points(robot, asked), axis=1)
    return FreeStart(
        start=Start(link_angles=tuple(found[2:].tolist()), position=tuple(found[:2].tolist())),
        overlap=float(-clear(asked).min()),
        moved=float(way.max()),
        turned=float(np.abs(found[2:] - asked[2:]).max()),
    )


def perturbed(start: Start, spread: float, seed: int, robot: PlanarRobot) -> Start:
    """The start with every link turned by a normally distributed angle of the given spread [rad]; head in place."""
    pose = start.pose(robot)
    theta = pose["theta"] + spread * np.random.default_rng(seed).standard_normal(robot.n_links)
    head = link_positions(robot, pose["center"], pose["theta"])[-1]
    return Start(link_angles=tuple(theta.tolist()), link=robot.n_links - 1, position=tuple(head.tolist()))


def _points(robot: PlanarRobot, pose: np.ndarray) -> np.ndarray:
    """Joints and both ends of the body [m], shape (n_links + 1, 2)."""
    rear = rear_joints(robot, pose[:2], pose[2:])
    tip = rear[-1] + robot.links[-1].length * np.array([np.cos(pose[-1]), np.sin(pose[-1])])
    return np.concatenate((rear, tip[None]))


def _clearance(robot: PlanarRobot, outlines: Outlines) -> Callable[[np.ndarray], np.ndarray]:
    return lambda pose: outlines.distances(robot, pose[:2], pose[2:]).ravel()


def _nearest(
    robot: PlanarRobot, clear: Callable[[np.ndarray], np.ndarray], asked: np.ndarray, gap: float
) -> np.ndarray:
    from scipy.optimize import minimize

    before = _points(robot, asked)
    lower, upper = robot.motor_column("lower"), robot.motor_column("upper")
    limited = np.isfinite(lower) & np.isfinite(upper)

    def within_limits(pose: np.ndarray) -> np.ndarray:
        joints = np.diff(pose[2:])[limited]
        return np.concatenate((upper[limited] - joints, joints - lower[limited]))

    # In decimetres, so that goal and constraints are of the order of the angles.
    result = minimize(
        lambda pose: 100.0 * ((_points(robot, pose) - before) ** 2).sum(),
        asked,
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda pose: 10.0 * (clear(pose) - gap)},
            {"type": "ineq", "fun": within_limits},
        ],
        options={"maxiter": MOST_ITERATIONS, "ftol": 1e-9},
    )
    return np.asarray(result.x)
