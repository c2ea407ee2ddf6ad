"""Holden2014, VI-A to the letter: at every position of a path, has (46) a solution under (39)?

The robot lies on the path like a train on rails and moves along it with a given speed. Asked for are the accelerations
that go with this motion: of the centre of mass, of the links at the pegs and of those that will be there next, and of
the head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.mapping.bounds import MappingBounds
from pushpoint.mapping.force_mapping import build_force_mapping
from pushpoint.mapping.path_quality import touches
from pushpoint.mapping.rails.path import Path, PathPose, pose_on_path
from pushpoint.mapping.solution import ForceMappingResult, solve_force_mapping
from pushpoint.mapping.wish import MotionWish
from pushpoint.model.checks import members, positive
from pushpoint.model.environment import Peg
from pushpoint.reduced.contacts import Contacts
from pushpoint.reduced.friction import GroundFriction
from pushpoint.reduced.robot import ReducedRobot
from pushpoint.reduced.state import ReducedState

STEP = 1e-4
"""Length of the path over which slopes are compared, to find accelerations [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PathSolvability:
    """What the force mapping can do at each position along a path."""

    head: np.ndarray
    """Arc length of the head's front end [m], shape (n_positions,)."""
    solvable: np.ndarray
    """Whether the wish is within reach by rank, torques and signs of forces aside, shape (n_positions,)."""
    feasible: np.ndarray
    """Whether it is fulfilled within all limits, shape (n_positions,)."""
    cost: np.ndarray
    """Sum of the squared torques of the solution or of the closest motion [(N m)^2], NaN where no peg touches."""

    @property
    def bad(self) -> float:
        """Share of the positions where the wish cannot be fulfilled [-]."""
        return float(np.mean(~self.feasible))


def path_solvability(
    robot: ReducedRobot,
    ground: GroundFriction,
    path: Path,
    pegs: Sequence[Peg],
    head: np.ndarray,
    bounds: MappingBounds,
    speed: float = 0.1,
) -> PathSolvability:
    """The force mapping with the head's front end at given arc lengths [m], moving with a speed [m/s]."""
    pegs = members("pegs", pegs, Peg, "a Peg")
    speed = positive("speed", speed, "m/s")
    pose = pose_on_path(robot, path, head)
    before, after = pose_on_path(robot, path, pose.head - STEP), pose_on_path(robot, path, pose.head + STEP)
    center = speed**2 * (after.center_slope - before.center_slope) / (2 * STEP)
    turn = speed**2 * (after.link_slope - before.link_slope) / (2 * STEP)
    contacts, touching = touches(robot, pose, pegs)
    found: list[ForceMappingResult | None] = []
    for k, at in enumerate(touching):
        if not at.any():
            found.append(None)
            continue
        here = _some(contacts, k, at)
        links = np.unique(np.concatenate((here.link, np.maximum(here.link - 1, 0), [robot.n_links - 1])))
        wish = MotionWish(center_acceleration=center[k], links=links, link_acceleration=turn[k, links])
        state = _one(pose, k, speed)
        found.append(solve_force_mapping(build_force_mapping(robot, ground, state, here, wish, bounds)))
    return PathSolvability(
        head=pose.head,
        solvable=np.array([result is not None and result.problem.solvable for result in found]),
        feasible=np.array([result is not None and result.feasible for result in found]),
        cost=np.array([np.nan if result is None else result.cost for result in found]),
    )


def _one(pose: PathPose, k: int, speed: float) -> ReducedState:
    return ReducedState(
        center=pose.center[k],
        velocity=speed * pose.center_slope[k],
        link_angle=pose.link_angle[k],
        link_rate=speed * pose.link_slope[k],
    )


def _some(contacts: Contacts, k: int, at: np.ndarray) -> Contacts:
    names = ("link", "side", "along", "surface", "standoff", "friction")
    return Contacts(**{name: np.asarray(getattr(contacts, name))[k, at] for name in names})
