"""What the planner hands out: a path through pegs, the pegs it is led along, and what is wrong with it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pushpoint.mapping.path_quality import PathQuality
from pushpoint.mapping.rails.path import Path
from pushpoint.model.environment import Peg

MOST_BAD = 0.02
"""Largest share of bad positions with which a path counts as planned [-]."""
OVERLAP = 1e-3
"""How far a link on the rails may reach into a peg with the plan still clear [m]; edges are checked at points."""


@dataclass(frozen=True, kw_only=True)
class PegTouch:
    """A peg that the path is led along."""

    peg: int
    """Which of the pegs [-]."""
    side: float
    """+1: the peg is to the right of the path, -1: to its left, as in `Contacts`."""
    arc: float
    """Arc length of the path there [m]."""
    angle: float
    """Direction of the path there, the reference angle of the links that pass the peg [rad]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PegPlan:
    """A path through pegs, and how well it can be travelled by pushing."""

    path: Path
    """The path: the tail begins at its start, the head ends at its end."""
    pegs: tuple[Peg, ...]
    """All pegs of the field."""
    touches: tuple[PegTouch, ...]
    """The pegs that the path is led along, in order of travel."""
    quality: PathQuality
    """Balance at every position of the head from where the whole body is on the path to its end."""
    reaches_goal: bool = False
    """Whether the path ends at the goal; if not it ends where the search came nearest to it."""
    clearance: float
    """Least gap between a link on the path and a peg [m], negative if they overlap."""
    bend: float
    """Largest joint angle on the path [rad]."""
    joint_limit: float
    """Largest joint angle allowed [rad]."""
    planning_time: float = 0.0
    """Time that planning took [s]."""
    judged: int = 0
    """Positions judged while planning [-]."""

    @property
    def bad(self) -> float:
        """Share of the positions where the robot cannot push itself on [-]."""
        return self.quality.bad

    @property
    def planned(self) -> bool:
        """Whether the path reaches the goal, is clear of pegs, bends no joint too far, and is bad nearly nowhere."""
        return not self.flaws

    @property
    def flaws(self) -> tuple[str, ...]:
        """What is wrong with the path, a phrase each; empty if nothing is."""
        worst = self.quality.head[~self.quality.feasible]
        found = (
            (not self.reaches_goal, "the path does not reach the goal"),
            (self.bad > MOST_BAD, f"the pegs cannot push the robot on at {100 * self.bad:.3g} % of the positions"
             + (f", first with the head at {worst[0]:.3g} m" if worst.size else "")),
            (self.clearance < -OVERLAP, f"a link overlaps a peg by {-1e3 * self.clearance:.3g} mm"),
            (self.bend > self.joint_limit, f"a joint bends by {math.degrees(self.bend):.3g} degrees"),
        )  # fmt: skip
        return tuple(phrase for wrong, phrase in found if wrong)
