"""What moves in a scene: links and wheels in batches, and arrows of forces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.engine.spatial.kinematics import about, product
from pushpoint.model.joints import UP
from pushpoint.replays.legend import colors_of
from pushpoint.replays.scene import add_arrows, arrow_thickness, as_light, coarse, drawn, raised
from pushpoint.scenery.drawn_run import DrawnRun, ForceScale
from pushpoint.scenery.palette import PURPLE
from pushpoint.scenery.shapes import Mesh, box_mesh, capsule_mesh
from pushpoint.scenery.wheels import wheel_mesh

if TYPE_CHECKING:
    import viser

PICKED = drawn(PURPLE)
LINKS = "/snake/links"
# Height of a planar run's arrows in radii of the thickest link: they lie just above it.
ARROW_HEIGHT = 2.0
WHEEL_COLOR = (31, 31, 31)


class MovingParts:
    """What moves: links, wheels and arrows."""

    def __init__(self, server: viser.ViserServer, course: DrawnRun, scale: ForceScale | None = None) -> None:
        """Puts it into the scene as it is in the first sample; the scale of arrows is that of the run by default."""
        self._course = course
        self.picked: int | None = None
        """A link that is shown in another colour."""
        self._scale = course.force_scale if scale is None else scale
        self._level = ARROW_HEIGHT * float(course.radius.max()) + 1.2 * arrow_thickness(course)
        square = np.zeros(len(course.radius), dtype=bool) if course.space is None else course.space.square
        shapes = np.stack([course.half_side, course.radius, square], axis=-1)
        kinds, kind_of = np.unique(shapes, axis=0, return_inverse=True)
        self.links = [np.flatnonzero(kind_of.ravel() == kind) for kind in range(len(kinds))]
        self._colors = self._color(0)
        self.bodies = [
            server.scene.add_batched_meshes_simple(
                f"{LINKS} {kind}",
                *link_mesh(course, int(links[0])),
                *self._poses(0, links)[::-1],
                batched_colors=self._colors[links],
                lod="off",
                flat_shading=kinds[kind, 2] > 0,
            )
            for kind, links in enumerate(self.links)
        ]
        self._wheels = [
            server.scene.add_batched_meshes_simple(
                f"/snake/wheels {size:g}",
                *wheel_mesh(float(size)),
                *self._wheel_poses(0, course.wheels.radius == size)[::-1],
                batched_colors=WHEEL_COLOR,
                lod="off",
            )
            for size in np.unique(course.wheels.radius)
        ]
        self.arrows = add_arrows(server, "/contact forces", self._arrow_ends(0), course)

    def pose(self, sample: int, course: DrawnRun | None = None) -> None:
        """Moves all to a sample of the run, or of another one of the same robot."""
        if course is not None:
            self._course = course
        colors = self._color(sample)
        for links, body in zip(self.links, self.bodies, strict=True):
            body.batched_positions, body.batched_wxyzs = self._poses(sample, links)
            if not np.array_equal(colors[links], self._colors[links]):
                body.batched_colors = colors[links]
        self._colors = colors
        for size, wheels in zip(np.unique(self._course.wheels.radius), self._wheels, strict=True):
            poses = self._wheel_poses(sample, self._course.wheels.radius == size)
            wheels.batched_positions, wheels.batched_wxyzs = poses
        self.arrows.points = self._arrow_ends(sample)

    def _color(self, sample: int) -> np.ndarray:
        """Colours of all links, shape (n_links, 3)."""
        colors = colors_of(self._course.carrying(sample))
        if self.picked is not None:
            colors[self.picked] = as_light(PICKED)
        return colors

    def _poses(self, sample: int, links: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions [m] and unit quaternions of links."""
        course = self._course
        position = raised(course.middle[sample, links], course.radius[links] + course.wheels.lift[links])
        if course.space is not None:
            return coarse(position), coarse(course.space.quaternion[sample, links])
        half = np.arctan2(course.along[sample, links, 1], course.along[sample, links, 0]) / 2.0
        nothing = np.zeros(len(links))
        return coarse(position), coarse(np.column_stack([np.cos(half), nothing, nothing, np.sin(half)]))

    def _wheel_poses(self, sample: int, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions [m] and unit quaternions of wheels, their axles along their own y."""
        middle, turn = self._course.frames(sample)
        wheels = self._course.wheels
        quaternion = self._poses(sample, np.arange(len(self._course.radius)))[1][wheels.link]
        skew = np.arctan2(-wheels.axle[:, 0], wheels.axle[:, 1])
        found = product(quaternion, about(UP, skew))
        return coarse(wheels.middles(middle, turn)[which]), coarse(found[which])

    def _arrow_ends(self, sample: int) -> np.ndarray:
        """Foot and tip of every arrow [m], shape (n_arrows, 2, 3)."""
        feet, steps = self._course.arrows(sample, self._scale)
        return coarse(raised(np.stack([feet, feet + steps], axis=1), self._level))


def link_mesh(course: DrawnRun, link: int) -> Mesh:
    """A link about the origin, its axis along x."""
    space = course.space
    if space is None or not space.square[link]:
        return capsule_mesh(float(course.half_side[link]), float(course.radius[link]))
    return box_mesh(np.zeros(3), space.half[link] + space.rounding[link], np.eye(3))
