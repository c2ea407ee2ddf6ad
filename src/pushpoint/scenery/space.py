"""What pictures of a spatial run need beyond those of a planar one: how links are turned, and which of them carry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.scenery.outlines import convex_hull, rounded_hull
from pushpoint.scenery.reading import Recording
from pushpoint.scenery.surroundings import CORNERS
from pushpoint.scenery.views import View

# A link carries if what holds it up exceeds this share of its weight, and this force [N] where nothing has weight.
CARRIED_SHARE, NO_FORCE = 0.01, 1e-3


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


def read_space(recording: Recording, robot: SpatialRobot, known: np.ndarray) -> Space:
    """Takes from a run how links are turned and whether they carry; known: the samples shown, shape (n_all_times,)."""
    quaternion = recording.values("link_orientation")[known]
    quaternion /= np.maximum(np.linalg.norm(quaternion, axis=-1, keepdims=True), 1e-12)
    radius = robot.column("radius")
    rounding = np.array([link.corner_radius or link.radius for link in robot.links])
    aside = radius - rounding
    return Space(
        quaternion=quaternion,
        turn=rotation_of(quaternion),
        half=np.stack([robot.column("side_length") / 2.0, aside, aside], axis=-1),
        rounding=rounding,
        square=np.array([link.shape == "square" for link in robot.links]),
        carries=_carries(recording, known),
    )


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
    weight = recording.world.environment.ground.gravity * recording.world.robot.column("mass")
    return np.asarray(np.nan_to_num(force[known]) > np.maximum(CARRIED_SHARE * weight, NO_FORCE))
