"""What stands around the robot: obstacles and regions of the ground, read from a run's scenario.

A peg, a wall and a convex polygon are one thing here: corners, and a distance by which the surface stands off them. A
peg has one corner, a wall two, and a polygon stands off by nothing. Boxes and stairs are what is seen of them from
above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.scenery.outlines import convex_hull, rounded_hull
from pushpoint.scenery.terrain import read_blocks

# A recorded force is a mean over an interval in which the link moves on, so touching is judged with this slack, and a
# link counts as flat on a face with that one; both as shares of the link's radius.
TOUCH_SLACK, FLAT_SLACK = 0.1, 0.01


@dataclass(frozen=True, kw_only=True)
class Solid:
    """An obstacle."""

    number: int
    """The number it has in the run [-]."""
    corners: np.ndarray
    """Corners, convex and counter-clockwise [m], shape (n_corners, 2)."""
    radius: float
    """How far the surface stands off the corners [m]."""
    numbered: bool = True
    """Whether its number is written on it; of the steps of stairs, one bears it."""

    @property
    def center(self) -> np.ndarray:
        """Mean of the corners [m], shape (2,)."""
        return np.asarray(self.corners.mean(axis=0))

    @property
    def room(self) -> float:
        """Radius of a circle about the centre that lies inside [m]."""
        if len(self.corners) < 3:
            return self.radius
        edge = np.roll(self.corners, -1, axis=0) - self.corners
        out = np.stack([edge[:, 1], -edge[:, 0]], axis=-1) / np.hypot(*edge.T)[:, None]
        return float(self.radius + np.min(np.sum((self.corners - self.center) * out, axis=1)))

    def outline(self, segments: int = 64) -> np.ndarray:
        """Points around it, counter-clockwise [m], shape (n, 2); round ends are cut in `segments` per whole turn."""
        return rounded_hull(self.corners, self.radius, segments)

    def touch(self, middle: np.ndarray, along: np.ndarray, half: float, radius: float) -> np.ndarray | None:
        """Where a capsule touches it [m], shape (2,), the middle of the touching side if flat; None if it does not."""
        reach = np.clip((self.corners - middle) @ along, -half, half)
        on_axis, on_solid = middle + reach[:, None] * along, self.corners
        if len(self.corners) > 1:
            ends = np.stack([middle - half * along, middle + half * along])
            edge = np.roll(self.corners, -1, axis=0) - self.corners
            share = np.einsum("eka,ka->ek", ends[:, None] - self.corners, edge) / np.sum(edge**2, axis=1)
            nearest = self.corners + np.clip(share, 0.0, 1.0)[..., None] * edge
            on_axis = np.concatenate([on_axis, np.repeat(ends, len(edge), axis=0)])
            on_solid = np.concatenate([on_solid, nearest.reshape(-1, 2)])
        distance = np.hypot(*(on_solid - on_axis).T)
        least = float(distance.min())
        if not 0.0 < least < self.radius + radius + TOUCH_SLACK * radius:
            return None
        chosen = distance <= least + FLAT_SLACK * radius * (len(self.corners) > 1)
        normal = (on_solid[chosen] - on_axis[chosen]) / distance[chosen, None]
        feet = on_axis[chosen] + radius * normal
        return np.asarray((feet.min(axis=0) + feet.max(axis=0)) / 2.0)


@dataclass(frozen=True, kw_only=True)
class Patch:
    """A region of the ground with its own friction."""

    corners: np.ndarray
    """Corners [m], shape (n_corners, 2)."""
    label: str
    """Its friction law in words."""


@dataclass(frozen=True, kw_only=True)
class Scenery:
    """All of them."""

    solids: tuple[Solid, ...]
    """The obstacles."""
    patches: tuple[Patch, ...]
    """The regions."""
    low: np.ndarray
    """Lower left corners of the boxes around the obstacles [m], shape (n_solids, 2)."""
    high: np.ndarray
    """Upper right corners [m], shape (n_solids, 2)."""

    def inside(self, box: np.ndarray) -> list[Solid]:
        """The obstacles that reach into a box of lower left and upper right corner [m], shape (2, 2)."""
        seen = np.all((self.high > box[0]) & (self.low < box[1]), axis=1)
        return [self.solids[number] for number in np.flatnonzero(seen)]

    def contact_point(self, middle: np.ndarray, along: np.ndarray, half: float, radius: float) -> np.ndarray:
        """Where a link touches [m]; the link's middle if it touches nothing or several, as only their sum is known."""
        reach = half * np.abs(along) + (1.0 + TOUCH_SLACK) * radius
        touched = [
            point
            for solid in self.inside(np.stack([middle - reach, middle + reach]))
            if (point := solid.touch(middle, along, half, radius)) is not None
        ]
        return touched[0] if len(touched) == 1 else np.asarray(middle)


def read_scenery(document: dict[str, Any]) -> Scenery:
    """Obstacles and regions of a scenario; raises KeyError, TypeError or ValueError on one that it does not know."""
    obstacles = document.get("obstacles") or ()
    solids = tuple(solid for number, entry in enumerate(obstacles) for solid in _solids(number, entry))
    regions = (document.get("ground") or {}).get("regions") or ()
    patches = tuple(
        Patch(corners=np.array(region["vertices"], dtype=float).reshape(-1, 2), label=_law(region.get("friction")))
        for region in regions
    )
    boxes = [(solid.corners.min(axis=0), solid.corners.max(axis=0), solid.radius) for solid in solids]
    low = np.array([lowest - radius for lowest, _, radius in boxes]).reshape(-1, 2)
    high = np.array([highest + radius for _, highest, radius in boxes]).reshape(-1, 2)
    return Scenery(solids=solids, patches=patches, low=low, high=high)


def _solids(number: int, entry: dict[str, Any]) -> list[Solid]:
    """What an obstacle is seen as; stairs are several."""
    blocks = read_blocks(entry)
    if blocks:
        # The top step is drawn last and bears the number.
        outlines = [convex_hull(block.corners[:, :2]) for block in blocks]
        last = len(outlines) - 1
        return [
            Solid(number=number, corners=outline, radius=0.0, numbered=k == last) for k, outline in enumerate(outlines)
        ]
    kind = entry.get("kind", "Peg")  # files of earlier versions hold pegs alone and do not say so
    if kind == "Peg":
        corners, radius = [(entry["x"], entry["y"])], float(entry["radius"])
    elif kind == "Wall":
        corners, radius = [tuple(entry["start"]), tuple(entry["end"])], float(entry["thickness"]) / 2.0
    elif kind == "Polygon":
        corners, radius = [tuple(vertex) for vertex in entry["vertices"]], 0.0
    else:
        raise ValueError(f"obstacle of kind {kind}")
    points = np.array(corners, dtype=float).reshape(-1, 2)
    x, y = points.T
    clockwise = np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) < 0.0
    return [Solid(number=number, corners=points[::-1] if clockwise else points, radius=radius)]


def _law(friction: Any) -> str:
    """A friction law in a few words, such as `skin 0.1, 0.3, 0.4`."""
    if not isinstance(friction, dict):
        return ""
    numbers = [f"{value:g}" for key, value in friction.items() if isinstance(value, (int, float)) and key != "kind"]
    return " ".join([str(friction.get("kind", "")).lower(), ", ".join(numbers)]).strip()
