"""How far a robot came: of one run there are several distances, and figures say which one they give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.scenery.drawn_run import DrawnRun


@dataclass(frozen=True, kw_only=True)
class Distances:
    """Straight from start to end, and along the path."""

    center: float
    """Of the centre of mass, from start to end [m]."""
    head: float
    """Of the front end of the head, from start to end [m]."""
    path: float
    """Of the centre of mass, along its path [m]."""

    @property
    def words(self) -> str:
        """The two from start to end."""
        return f"from start to end: centre of mass {self.center:.3g} m, head {self.head:.3g} m"


def distances(course: DrawnRun) -> Distances:
    """The distances of a run."""
    tip = (course.middle + course.half_side[:, None] * course.along)[:, -1]
    return Distances(
        center=float(np.linalg.norm(course.center[-1] - course.center[0])),
        head=float(np.linalg.norm(tip[-1] - tip[0])),
        path=float(np.linalg.norm(np.diff(course.center, axis=0), axis=-1).sum()),
    )
