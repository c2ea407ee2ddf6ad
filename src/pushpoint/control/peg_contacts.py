"""Which pegs a robot on a path pushes on: those it expects there, where it feels them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.brief import brief
from pushpoint.mapping.path_quality import REACH, beside_links, nearest_links
from pushpoint.mapping.rails import Rails
from pushpoint.model.checks import at_least, check_fields
from pushpoint.model.environment import Peg
from pushpoint.model.quantities import Length
from pushpoint.reduced.contacts import Contacts
from pushpoint.reduced.robot import ReducedRobot


@dataclass(frozen=True, kw_only=True)
class ContactRule:
    """How known pegs and felt forces become contacts of the force mapping."""

    __repr__ = brief

    reach: Length = REACH
    """Largest gap between a peg and the body on its path at which contact is expected [m]."""
    touch: Annotated[float, at_least(0, "N")] = 0.05
    """Smallest normal force that counts as felt [N]."""
    one_per_peg: bool = True
    """Whether a peg that touches two links at a joint is one contact.

    As two contacts it would lock the joint in the eliminated form.
    """

    def __post_init__(self) -> None:
        check_fields(self, "contacts")


def along_the_way(rails: Rails, pegs: Sequence[Peg], reach: float) -> tuple[Peg, ...]:
    """The pegs that the body comes near on its path. Only these can be expected to touch; there is at least one.

    Positions half a reach apart are checked at twice the reach. No part of the body that moves at most twice as far as
    the head can come within reach unnoticed in between.
    """
    count = int(np.ceil(2.0 * rails.path.length / reach)) + 1
    q, _, _ = rails.at(np.linspace(0.0, rails.path.length, count))
    gap = beside_links(rails.robot, q[:, -2:], q[:, :-2], pegs)[3].min(axis=(0, 1))
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

    on_path, measured: The pose on the path and the measured one, q = (theta, p), shape (n_links + 2,). force: Normal
    forces that the links feel, positive toward their left [N], shape (n_links,). A peg that is expected but not felt
    counts as a contact of the nearest link: pushing there closes the gap. Pegs beyond the ends of the body do not
    count.
    """
    planned, felt = (beside_links(robot, q[-2:], q[:-2], pegs) for q in (on_path, measured))
    _, side_of, _, near = nearest_links(robot, planned, rule.reach)
    gap = felt[3]
    found: list[tuple[int, int]] = []
    for peg in np.flatnonzero(near).tolist():
        nearest = int(np.argmin(gap[:, peg]))
        around = range(max(nearest - 1, 0), min(nearest + 2, robot.n_links))
        touched = [i for i in around if gap[i, peg] < rule.reach]
        if rule.one_per_peg:
            push = side_of[peg] * force
            strongest = max(touched, key=push.__getitem__, default=nearest)
            touched = [strongest if push[strongest] > rule.touch else nearest]
        found += [(i, peg) for i in touched]
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
