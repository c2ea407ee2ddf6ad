"""Which pegs the robot pushes on: those that its path makes it expect, where it feels them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.mapping.path_quality import REACH, beside_links
from pushpoint.mapping.rails.table import Rails
from pushpoint.model.checks import at_least, check_fields
from pushpoint.model.environment import Peg
from pushpoint.model.quantities import Length
from pushpoint.reduced.contacts import Contacts
from pushpoint.reduced.robot import ReducedRobot


@dataclass(frozen=True, kw_only=True)
class ContactRule:
    """How known pegs and felt forces become contacts of the force mapping."""

    reach: Length = REACH
    """Largest gap between a peg and the body on its path at which the peg is expected to touch [m]."""
    touch: Annotated[float, at_least(0, "N")] = 0.05
    """Least normal force that counts as felt [N]."""
    one_per_peg: bool = True
    """Whether a peg that touches two links at a joint is one contact; as two, the eliminated form locks the joint."""

    def __post_init__(self) -> None:
        check_fields(self, "contacts")


def along_the_way(rails: Rails, pegs: Sequence[Peg], reach: float) -> tuple[Peg, ...]:
    """The pegs that the body ever comes near on its path, the only ones that can be expected to touch; never none.

    Looked at are positions half a reach apart, at twice the reach: a part of the body that moves on by no more than
    twice as far as the head does not come within reach in between unseen.
    """
    count = int(np.ceil(2.0 * rails.path.length / reach)) + 1
    pose = rails.pose(np.linspace(0.0, rails.path.length, count))
    gap = beside_links(rails.robot, pose.center, pose.link_angle, pegs)[3].min(axis=(0, 1))
    return tuple(peg for peg, nearest in zip(pegs, gap, strict=True) if nearest < 2.0 * reach) or tuple(pegs)


def felt_contacts(
    robot: ReducedRobot,
    pegs: Sequence[Peg],
    rule: ContactRule,
    on_path: np.ndarray,
    measured: np.ndarray,
    force: np.ndarray,
) -> Contacts:
    """Contacts with the pegs beside the body on its path, at the links that feel them.

    on_path, measured: The pose on the path and the one measured, q = (theta, p), shape (n_links + 2,). force: Normal
    forces that the links feel, positive toward their left [N], shape (n_links,). A peg that is expected but not felt is
    a contact of the link nearest to it: pushing there closes the gap. Pegs beyond the ends of the body do not count.
    """
    planned, felt = (beside_links(robot, q[-2:], q[:-2], pegs) for q in (on_path, measured))
    gap = felt[3]
    foremost = np.argmin(planned[3], axis=0)
    side_of = np.where(np.take_along_axis(planned[1], foremost[None], axis=0)[0] < 0.0, 1.0, -1.0)
    found: list[tuple[int, int]] = []
    for peg in np.flatnonzero(_beside(robot, planned, rule.reach)).tolist():
        nearest = int(np.argmin(gap[:, peg]))
        around = range(max(nearest - 1, 0), min(nearest + 2, robot.n_links))
        if rule.one_per_peg:
            push = {i: side_of[peg] * force[i] for i in around if gap[i, peg] < rule.reach}
            strongest = max(push, key=push.__getitem__, default=nearest)
            found.append((strongest if push.get(strongest, 0.0) > rule.touch else nearest, peg))
        else:
            found += [(i, peg) for i in around if gap[i, peg] < rule.reach]
    link, at = (np.array([pair[k] for pair in found], dtype=int) for k in (0, 1))
    surface = robot.radius[link]
    return Contacts(
        link=link,
        side=side_of[at],
        along=felt[2][link, at],
        surface=surface,
        standoff=surface + np.array([pegs[k].radius for k in at]),
        friction=np.array([pegs[k].friction for k in at]),
    )


def _beside(robot: ReducedRobot, where: tuple[np.ndarray, ...], reach: float) -> np.ndarray:
    """Which pegs are within reach of the body and not beyond its ends, shape (n_pegs,)."""
    along, _, _, gap = where
    link = np.argmin(gap, axis=0)
    at = along[link, np.arange(gap.shape[1])]
    last = robot.n_links - 1
    past = ((link == 0) & (at < -robot.to_rear[0])) | ((link == last) & (at > robot.to_front[last]))
    near: np.ndarray = (gap.min(axis=0) < reach) & ~past
    return near
