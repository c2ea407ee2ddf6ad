"""The discrete part of the hybrid state: which contacts are closed, and what sticks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.event_driven.model import HybridModel

STICK, SLIDE, ONSET = 0, 1, 2
"""States of a support point; ONSET is a slide that has begun from rest and is still too slow to show its direction."""
REAR, SIDE, FRONT = -1, 0, 1
"""Where a peg touches a link: at an end circle or beside the straight side."""
CLEARANCE = 1e-9
"""How far a gap may fall below zero before it counts as an impact [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Touching:
    """Closed contacts; arrays of shape (n_contacts,)."""

    link: np.ndarray
    """Link that is touched [-]."""
    peg: np.ndarray
    """Peg that touches it [-]."""
    place: np.ndarray
    """REAR, SIDE or FRONT."""
    slip: np.ndarray
    """0 sticks; +1 or -1 slides, the sign of the slip velocity."""

    rest: np.ndarray | None = None
    """Normal force and friction when the mode began [N], shape (n_contacts, 2); see Mode.ground_rest."""

    @property
    def count(self) -> int:
        """Number of contacts [-]."""
        return len(self.link)

    @property
    def forces(self) -> np.ndarray:
        """The forces of `rest`, zero where none are known [N], shape (n_contacts, 2)."""
        return np.zeros((self.count, 2)) if self.rest is None else self.rest

    def only(self, keep: np.ndarray) -> Touching:
        """Those of them that a mask names."""
        return Touching(
            link=self.link[keep],
            peg=self.peg[keep],
            place=self.place[keep],
            slip=self.slip[keep],
            rest=self.forces[keep],
        )


NOTHING = np.zeros(0, dtype=int)
APART = Touching(link=NOTHING, peg=NOTHING, place=NOTHING, slip=NOTHING)
"""No contact."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Mode:
    """One node of the automaton."""

    contacts: Touching
    """Closed contacts."""
    ground: np.ndarray
    """STICK, SLIDE or ONSET of every support point, shape (n_points,)."""
    heading: np.ndarray
    """Direction in which a point at its ONSET begins to slide [-], shape (n_points, 2)."""
    spin: np.ndarray
    """0 for a link that the ground keeps from turning, else the sign of its rate, shape (n_links,)."""
    floor: np.ndarray
    """Gap below which an open pair of link and peg has met [m], shape (n_links, n_pegs)."""
    ground_rest: np.ndarray
    """Forces on the points that stick when the mode began [N], shape (n_points, 2).

    Where more points stick than the robot has freedoms the forces are not unique: those nearest to these are taken."""
    spin_rest: np.ndarray
    """Likewise the moments on links that do not turn [N m], shape (n_links,)."""


def all_sliding(model: HybridModel) -> Mode:
    """The mode of a robot that touches nothing and sticks nowhere."""
    n_points, n_links = len(model.ground_bound), model.n_links
    return Mode(
        contacts=APART,
        ground=np.full(n_points, SLIDE),
        heading=np.zeros((n_points, 2)),
        spin=np.ones(n_links, dtype=int),
        floor=np.full((n_links, model.n_pegs), -CLEARANCE),
        ground_rest=np.zeros((n_points, 2)),
        spin_rest=np.zeros(n_links),
    )
