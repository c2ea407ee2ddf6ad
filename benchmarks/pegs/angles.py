"""Which angles links should have at pegs: how far they are from the path's tangent, and what turning them would do.

Holden2014 leaves open which reference angles the links have at the pegs, given a path. The planner's answer is the
tangent (pushpoint.planning.pegs.balance); this is what speaks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.engine.planar.kinematics import directions
from pushpoint.mapping.path_quality import touches
from pushpoint.mapping.rails import Path, PathPose, pose_on_path
from pushpoint.model.checks import finite
from pushpoint.model.environment import Peg
from pushpoint.planning.pegs.balance import CREEP, Bodies, PegArrays, posture_torques
from pushpoint.reduced.robot import ReducedRobot
from pushpoint.reduced.smooth import GroundFriction


@dataclass(frozen=True, kw_only=True, eq=False)
class PegAngles:
    """Reference angles where links touch pegs; one entry per position and peg within reach."""

    position: np.ndarray
    """Which position of the head [-], shape (n,)."""
    peg: np.ndarray
    """Which peg [-], shape (n,)."""
    link: np.ndarray
    """The link that touches it [-], shape (n,)."""
    link_angle: np.ndarray
    """Its reference angle, that of the chord it spans [rad], shape (n,)."""
    next_link_angle: np.ndarray
    """The angle of the link behind, which comes to the peg next [rad], NaN behind the tail, shape (n,)."""
    tangent: np.ndarray
    """Direction of the path beside the peg [rad], shape (n,)."""

    @property
    def difference(self) -> np.ndarray:
        """Angle of the link less that of the tangent, between -pi and pi [rad], shape (n,)."""
        return (self.link_angle - self.tangent + np.pi) % (2.0 * np.pi) - np.pi


def peg_angles(robot: ReducedRobot, path: Path, pegs: Sequence[Peg], head: np.ndarray) -> PegAngles:
    """Reference angles at the pegs with the head's front end at given arc lengths [m]."""
    pose = pose_on_path(robot, path, head)
    contacts, touching = touches(robot, pose, pegs)
    position, peg = np.nonzero(touching)
    link = np.broadcast_to(contacts.link, touching.shape)[position, peg]
    behind = np.where(link > 0, pose.link_angle[position, np.maximum(link - 1, 0)], np.nan)
    s = np.linspace(0.0, path.length, max(int(path.length / 0.002), 2))
    points, tangents = path.at(s)
    tangent = np.empty(len(peg))
    for k in np.unique(peg):
        # A path may pass a peg twice: only the stretch under the body counts.
        gap = np.hypot(points[:, 0] - pegs[k].x, points[:, 1] - pegs[k].y)
        for at in np.flatnonzero(peg == k):
            front = pose.head[position[at]]
            under = np.flatnonzero((s <= front) & (s >= front - 2.0 * robot.mean_length * robot.n_links))
            nearest = under[np.argmin(gap[under])]
            tangent[at] = np.arctan2(tangents[nearest, 1], tangents[nearest, 0])
    return PegAngles(
        position=position,
        peg=peg,
        link=link,
        link_angle=pose.link_angle[position, link],
        next_link_angle=behind,
        tangent=tangent,
    )


def torques_with_turned_links(
    robot: ReducedRobot, ground: GroundFriction, path: Path, pegs: Sequence[Peg], head: np.ndarray, turn: float
) -> np.ndarray:
    """Joint torques [N m] if links at pegs lie turned out of the path, infinite where the pegs cannot push it on.

    Each touching link is turned by `turn` [rad] so that its peg pushes more along the way from tail to head (less, if
    negative), its neighbours by half of it the other way, so that the body stays where it is.

    Shape (n_positions, n_joints).
    """
    turn = finite("turn", turn, "rad")
    pose = pose_on_path(robot, path, head)
    contacts, touching = touches(robot, pose, pegs)
    e = directions(pose.link_angle)
    way = e.sum(axis=1, keepdims=True)
    forward = np.sign(np.vecdot(e, way))
    position, peg = np.nonzero(touching)
    link = np.broadcast_to(contacts.link, touching.shape)[position, peg]
    side = np.broadcast_to(contacts.side, touching.shape)[position, peg]
    own = np.zeros(pose.link_angle.shape)
    own[position, link] = -side * forward[position, link] * turn
    change = own.copy()
    change[:, 1:] -= own[:, :-1] / 2
    change[:, :-1] -= own[:, 1:] / 2
    near = np.broadcast_to(np.arange(len(pegs)), touching.shape)
    return posture_torques(robot, ground, PegArrays.of(pegs), _turned(robot, pose, change), near)


def _turned(robot: ReducedRobot, pose: PathPose, change: np.ndarray) -> Bodies:
    """Robots with links turned out of the path about their common centre of mass, creeping along it all the same."""
    state = pose.moving(CREEP)
    e, turned = directions(pose.link_angle), directions(pose.link_angle + change)
    left = np.stack((-e[..., 1], e[..., 0]), axis=-1)
    velocity = state.velocity[:, None, :] + np.matmul(robot.lever, state.link_rate[..., None] * left)
    return Bodies(
        center=pose.center[:, None, :] + np.matmul(robot.lever, turned),
        along=turned,
        velocity=velocity,
        rate=state.link_rate,
        on_path=np.ones(change.shape, dtype=bool),
    )
