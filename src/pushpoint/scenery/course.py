"""A run as it is drawn: its body as arrays among what stands around it, the postures chosen, and the box they fill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.scenery.outlines import capsules
from pushpoint.scenery.reading import Recording, read_recording
from pushpoint.scenery.space import NO_FORCE, Space, read_space
from pushpoint.scenery.surroundings import Scenery
from pushpoint.scenery.views import TOP, View

if TYPE_CHECKING:
    import xarray

NEEDED = ("link_position", "center_of_mass")
MOST_FRAMES = 60
# A shorter arrow than this share of the longest could not be told from a dot; below NO_FORCE [N] it is round-off.
SMALLEST_SHARE = 0.03
# A diverged state beyond this is left out [m].
LARGEST_COORDINATE = 1e4


@dataclass(frozen=True, kw_only=True)
class Course:
    """What pictures need of a run; the arrays of a planar one have two axes, those of a spatial one three."""

    name: str
    """Name of the scenario, and which world of a batch this is."""
    status: str
    """A sentence if the run did not finish, else empty."""
    radius: np.ndarray
    """Capsule radii [m], shape (n_links,)."""
    half_side: np.ndarray
    """Half of the capsules' straight sides [m], shape (n_links,)."""
    scenery: Scenery
    """What stands around."""
    time: np.ndarray
    """Sample times [s], shape (n_times,)."""
    middle: np.ndarray
    """Middles of the links [m], shape (n_times, n_links, n_axes)."""
    along: np.ndarray
    """Unit vectors along the links [-], shape (n_times, n_links, n_axes)."""
    center: np.ndarray
    """Centre of mass of the robot [m], shape (n_times, n_axes)."""
    force: np.ndarray
    """Obstacle force on the links [N], shape (n_times, n_links, n_axes); zero where it was not recorded."""
    travel: np.ndarray
    """Horizontal unit vector from start to end; along x if the robot stayed where it was, shape (2,)."""
    space: Space | None = None
    """How a spatial run uses its third axis."""

    @property
    def length(self) -> float:
        """Length of the stretched body [m]."""
        between = np.linalg.norm(np.diff(self.middle[0], axis=0), axis=-1).sum()
        return float(between + np.sum((self.half_side + self.radius)[[0, -1]]))

    @property
    def lifts(self) -> bool:
        """Whether it is known which links carry."""
        return self.space is not None and self.space.carries is not None

    def carrying(self, sample: int) -> np.ndarray:
        """Which links carry, as far as known, shape (n_links,)."""
        if self.space is None or self.space.carries is None:
            return np.ones(len(self.radius), dtype=bool)
        return np.asarray(self.space.carries[sample])

    def outlines(self, sample: int, view: View = TOP) -> list[np.ndarray]:
        """Outlines of all links in a sample, from tail to head [m], each of shape (n, 2); a planar run from above."""
        if self.space is not None:
            return self.space.outlines(self.middle, sample, view)
        return list(capsules(self.middle[sample], self.along[sample], self.half_side, self.radius))


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One posture and the contact forces drawn with it."""

    sample: int
    """Index of the sample [-]."""
    foot: np.ndarray
    """Where the forces act [m], shape (n_arrows, n_axes)."""
    force: np.ndarray
    """Forces on the links [N], shape (n_arrows, n_axes)."""


def read_course(run: xarray.Dataset, world: int = 0) -> Course:
    """Takes from a run, or from one world of a batch, what pictures need; samples that are not finite are left out."""
    recording = read_recording(run, world)
    robot = recording.world.robot
    turned = "link_orientation" if recording.spatial else "link_angle"
    recording.require((*NEEDED, turned), "the figure")
    position = recording.values("link_position")
    if position.shape[1] != robot.n_links:
        raise InvalidModel(
            "run.attrs['scenario']: robot.links", robot.n_links, f"{position.shape[1]} links as recorded"
        )
    angle = recording.values(turned)
    known = np.all(np.abs(position) < LARGEST_COORDINATE, axis=(1, 2))
    known &= np.isfinite(angle).reshape(len(angle), -1).all(axis=1)
    if not known.any():
        raise InvalidModel("run: samples with finite positions", 0, "at least 1")
    if isinstance(robot, SpatialRobot):
        space = read_space(recording, robot, known)
        along = space.turn[..., 0]
    else:
        along, space = np.stack([np.cos(angle[known]), np.sin(angle[known])], axis=-1), None
    return Course(
        name=recording.name,
        status=recording.status,
        radius=robot.column("radius"),
        half_side=robot.column("side_length") / 2.0,
        scenery=Scenery(recording.world.environment),
        time=recording.time[known],
        middle=position[known] - robot.column("mass_offset")[:, None] * along,
        along=along,
        center=recording.values("center_of_mass")[known],
        force=_obstacle_force(recording, known),
        travel=recording.travel(),
        space=space,
    )


def _obstacle_force(recording: Recording, known: np.ndarray) -> np.ndarray:
    if not recording.has("obstacle_force"):
        return np.zeros_like(recording.values("link_position")[known])
    return np.nan_to_num(recording.values("obstacle_force")[known])


def choose_samples(course: Course, times: Sequence[float] | None, count: int) -> np.ndarray:
    """The samples nearest to times [s], without repeats; default: so many, evenly from start to end."""
    first, last = course.time[0], course.time[-1]
    wanted = np.linspace(first, last, count) if times is None else np.asarray(times, dtype=float).ravel()
    slack = 1e-9 + 1e-6 * (last - first)
    inside = (wanted >= first - slack) & (wanted <= last + slack)
    if not (1 <= len(wanted) <= MOST_FRAMES and inside.all()):
        raise InvalidModel("times", wanted.tolist(), f"1 to {MOST_FRAMES} times from {first:g} to {last:g} [s]")
    return np.unique(np.abs(course.time[None, :] - wanted[:, None]).argmin(axis=1))


def choose_frames(course: Course, samples: np.ndarray) -> list[Frame]:
    """Postures in some samples, and of their forces those that are not negligible."""
    size = np.linalg.norm(course.force[samples], axis=-1)
    drawn = size > max(NO_FORCE, SMALLEST_SHARE * float(size.max()))
    frames = []
    for sample, row in zip(samples.tolist(), drawn, strict=True):
        links = np.flatnonzero(row)
        foot, force = contact_points(course, sample, links), course.force[sample, links]
        frames.append(Frame(sample=sample, foot=foot, force=force))
    return frames


def contact_points(course: Course, sample: int, links: np.ndarray) -> np.ndarray:
    """Where links touch the obstacles in a sample [m], shape (n, n_axes)."""
    middle, along = course.middle[sample, links], course.along[sample, links]
    half, radius = course.half_side[links], course.radius[links]
    if course.space is None:
        places = map(course.scenery.contact_point, middle, along, half, radius)
        return np.array(list(places)).reshape(-1, 2)
    # Where the surface is met by a line from the middle against the force.
    force = course.force[sample, links]
    against = -force / np.maximum(np.linalg.norm(force, axis=-1), 1e-12)[:, None]
    ahead = np.abs(np.sum(against * along, axis=-1))
    aside = np.sqrt(np.maximum(1.0 - ahead**2, 1e-12))
    through_side = radius / aside
    through_end = half * ahead + np.sqrt(np.maximum(radius**2 - (half * aside) ** 2, 0.0))
    distance = np.where(through_side * ahead <= half, through_side, through_end)
    return np.asarray(middle + distance[:, None] * against)


def body_box(course: Course) -> np.ndarray:
    """Lower left and upper right corner of all that the body sweeps [m], shape (2, n_axes)."""
    if course.space is not None:
        reach = course.space.reach()
    else:
        reach = course.half_side[:, None] * np.abs(course.along) + course.radius[:, None]
    return np.stack([(course.middle - reach).min(axis=(0, 1)), (course.middle + reach).max(axis=(0, 1))])


def frame_box(course: Course, frames: Sequence[Frame] = (), meters_per_newton: float = 1.0) -> np.ndarray:
    """Corners of every frame [m], shape (2, 2): the body, its arrows and the obstacles near it, never a sliver."""
    tips = [(frame.foot + meters_per_newton * frame.force)[:, :2] for frame in frames]
    points = np.concatenate([body_box(course)[:, :2], near_obstacles(course), *tips])
    low, high = points.min(axis=0), points.max(axis=0)
    size = (high - low) + 0.03 * (high - low).max()
    size = np.maximum(size, (size[1] / 1.6, 0.16 * size[0]))
    return np.stack([(low + high - size) / 2.0, (low + high + size) / 2.0])


def near_obstacles(course: Course) -> np.ndarray:
    """Corners of the boxes around the obstacles beside the body [m], shape (n, 2); long walls are cut off."""
    body = body_box(course)[:, :2]
    near = 0.15 * (body[1] - body[0]).max()
    scenery = course.scenery
    beside = np.all((scenery.high > body[0] - near) & (scenery.low < body[1] + near), axis=1)
    is_long = np.array([len(solid.corners) > 1 for solid in scenery.solids], dtype=bool)[beside, None]
    low, high = scenery.low[beside], scenery.high[beside]
    low = np.where(is_long, np.maximum(low, body[0] - near), low)
    high = np.where(is_long, np.minimum(high, body[1] + near), high)
    return np.concatenate([low, high])
