"""What pictures of a spatial run need beyond those of a planar one: how links are turned, which carry, the terrain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pushpoint.scenery.outlines import convex_hull, rounded_hull
from pushpoint.scenery.reading import Recording
from pushpoint.scenery.terrain import CORNERS, Terrain

# A link carries if what holds it up exceeds this share of its weight, and this force [N] where nothing has weight.
CARRIED_SHARE, NO_FORCE = 0.01, 1e-3


@dataclass(frozen=True, kw_only=True)
class View:
    """A look at space from far away."""

    right: np.ndarray
    """What points to the right in the picture, shape (3,)."""
    up: np.ndarray
    """What points upward in the picture, shape (3,)."""

    @cached_property
    def toward(self) -> np.ndarray:
        """What points to the viewer, shape (3,)."""
        return np.cross(self.right, self.up)

    @cached_property
    def basis(self) -> np.ndarray:
        """Its right, up and toward as rows, shape (3, 3)."""
        return np.stack([self.right, self.up, self.toward])

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Places in the picture, shape (..., 3) to (..., 2)."""
        return np.asarray(points @ np.stack([self.right, self.up], axis=-1))


TOP = View(right=np.array([1.0, 0.0, 0.0]), up=np.array([0.0, 1.0, 0.0]))


def side_view(direction: np.ndarray) -> View:
    """A look from the right at what moves along a horizontal unit vector of shape (2,)."""
    return View(right=np.array([*direction, 0.0]), up=np.array([0.0, 0.0, 1.0]))


@dataclass(frozen=True, kw_only=True)
class Space:
    """The third dimension of a run."""

    quaternion: np.ndarray
    """Orientations of the links (w, x, y, z), of unit length, shape (n_times, n_links, 4)."""
    turn: np.ndarray
    """The same as matrices: axes of the links as columns, shape (n_times, n_links, 3, 3)."""
    half: np.ndarray
    """Half of the boxes whose corners, grown by `rounding`, are the links [m], shape (n_links, 3)."""
    rounding: np.ndarray
    """Radius of the links' edges [m], shape (n_links,)."""
    square: np.ndarray
    """Whether links are square bars, shape (n_links,)."""
    carries: np.ndarray | None
    """Whether something holds a link up, shape (n_times, n_links); None if that was not recorded."""
    terrain: Terrain
    """What the robot moves on."""

    def reach(self) -> np.ndarray:
        """How far links reach from their middles along x, y and z [m], shape (n_times, n_links, 3)."""
        return np.asarray((np.abs(self.turn) @ self.half[:, :, None])[..., 0] + self.rounding[:, None])

    def outlines(self, middle: np.ndarray, sample: int, view: View) -> list[np.ndarray]:
        """Outlines of all links in a view, from tail to head [m], each of shape (n, 2)."""
        corners = middle[sample][:, None] + np.einsum("lij,kj,lj->lki", self.turn[sample], CORNERS, self.half)
        return [
            rounded_hull(convex_hull(points), radius, 32)
            for points, radius in zip(view.flat(corners), self.rounding, strict=True)
        ]


def read_space(recording: Recording, known: np.ndarray, terrain: Terrain) -> Space:
    """Reads it from a run.

    Args:
        recording: The run.
        known: Which samples are shown, shape (n_all_times,).
        terrain: What the robot moves on.
    """
    quaternion = recording.values("link_orientation")[known]
    quaternion /= np.maximum(np.linalg.norm(quaternion, axis=-1, keepdims=True), 1e-12)
    links: list[dict[str, Any]] = recording.document["robot"]["links"]
    square = np.array([link.get("shape") == "square" for link in links], dtype=bool)
    rounding = np.array([link.get("corner_radius") or link["radius"] for link in links], dtype=float)
    half = [(half_side(link), *(link["radius"] - corner,) * 2) for link, corner in zip(links, rounding, strict=True)]
    return Space(
        quaternion=quaternion,
        turn=_matrices(quaternion),
        half=np.array(half),
        rounding=rounding,
        square=square,
        carries=_carries(recording, known),
        terrain=terrain,
    )


def half_side(link: dict[str, Any]) -> float:
    """Half of a link's straight side [m], from its entry in a scenario."""
    side = link.get("side_length")
    return float(link["length"] if side is None else side) / 2.0


def _matrices(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions, shape (..., 4) to (..., 3, 3)."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _carries(recording: Recording, known: np.ndarray) -> np.ndarray | None:
    if not recording.has("ground_force"):
        return None
    force = recording.values("ground_force")[..., 2]
    if recording.has("obstacle_force"):
        force = force + recording.values("obstacle_force")[..., 2]
    if len(force) < 2:
        return None
    if np.isnan(force[0]).all():
        force[0] = force[1]  # a mean over the time before the first sample is unknown
    mass = np.array([link.get("mass") or 0.0 for link in recording.document["robot"]["links"]], dtype=float)
    gravity = (recording.document.get("ground") or {}).get("gravity") or 0.0
    return np.asarray(np.nan_to_num(force[known]) > np.maximum(CARRIED_SHARE * gravity * mass, NO_FORCE))
