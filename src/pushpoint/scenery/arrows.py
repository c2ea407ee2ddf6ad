"""Contact forces as arrows of one scale for a whole run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.scenery.drawn_run import NO_FORCE, DrawnRun, contact_points
from pushpoint.scenery.outlines import round_number

# A shorter arrow than this share of the longest could not be told from a dot; below NO_FORCE [N] it is round-off.
SMALLEST_SHARE = 0.03
# Length of a large arrow, as a share of the body's; an impact may be this many times longer before it is cut.
ARROW_SHARE, MOST_STRETCH = 0.15, 2.5
# A large force is one that this share of all contact forces lies below.
LARGE_SHARE = 90.0


@dataclass(frozen=True, kw_only=True)
class ForceScale:
    """How long arrows are."""

    meters_per_newton: float
    """Length per force [m/N]."""
    key: float
    """A round force to explain the scale with [N]; 0 if nothing ever touched."""
    largest: float
    """Force beyond which arrows are cut [N]."""
    smallest: float
    """Force below which there is no arrow [N]."""

    @property
    def words(self) -> str:
        """What the arrows are."""
        cut = f", cut at {float(f'{self.largest:.2g}'):g} N" if np.isfinite(self.largest) else ""
        return f"{self.key:g} N contact force on the link{cut}"


def force_scale(course: DrawnRun) -> ForceScale:
    """A scale on which the usual large force is an arrow of a seventh of the body."""
    size = np.linalg.norm(course.force, axis=-1)
    pushed = size[size > NO_FORCE]
    if not len(pushed):
        return ForceScale(meters_per_newton=1.0, key=0.0, largest=np.inf, smallest=np.inf)
    large = float(np.percentile(pushed, LARGE_SHARE))
    largest = MOST_STRETCH * large if pushed.max() > MOST_STRETCH * large else np.inf
    return ForceScale(
        meters_per_newton=ARROW_SHARE * course.length / large,
        key=round_number(large),
        largest=largest,
        smallest=max(NO_FORCE, SMALLEST_SHARE * large),
    )


def arrows(course: DrawnRun, sample: int, scale: ForceScale) -> tuple[np.ndarray, np.ndarray]:
    """Feet of the arrows, and from there to their tips, in one sample [m], shape (n_arrows, n_axes) each."""
    force = course.force[sample]
    size = np.linalg.norm(force, axis=-1)
    links = np.flatnonzero(size > scale.smallest)
    shown = force[links] * np.minimum(1.0, scale.largest / size[links])[:, None]
    return contact_points(course, sample, links), shown * scale.meters_per_newton
