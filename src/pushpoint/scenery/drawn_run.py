"""A run as it is drawn: its body as arrays among what stands around it, the box that it fills, and force arrows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.errors import InvalidModel
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.scenery.outlines import capsules, convex_hull, round_number, rounded_hull
from pushpoint.scenery.reading import Recording, read_recording
from pushpoint.scenery.surroundings import CORNERS, Scenery
from pushpoint.scenery.views import TOP, View

if TYPE_CHECKING:
    import xarray

# A link carries if what holds it up exceeds this share of its weight, and this force [N] where nothing has weight.
CARRIED_SHARE, NO_FORCE = 0.01, 1e-3
# A shorter arrow than this share of the longest could not be told from a dot; below NO_FORCE [N] it is round-off.
SMALLEST_SHARE = 0.03
# Length of a large arrow, as a share of the body's; an impact may be this many times longer before it is cut.
ARROW_SHARE, MOST_STRETCH = 0.15, 2.5
# A large force is one that this share of all contact forces lies below.
LARGE_SHARE = 90.0
NEEDED = ("link_position", "center_of_mass")
MOST_FRAMES = 60
# A diverged state beyond this is left out [m].
LARGEST_COORDINATE = 1e4


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


@dataclass(frozen=True, kw_only=True)
class DrawnRun:
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


def read_run(run: xarray.Dataset, world: int = 0) -> DrawnRun:
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
        space = _read_space(recording, robot, known)
        along = space.turn[..., 0]
    else:
        along, space = np.stack([np.cos(angle[known]), np.sin(angle[known])], axis=-1), None
    return DrawnRun(
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


def _read_space(recording: Recording, robot: SpatialRobot, known: np.ndarray) -> Space:
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


def _obstacle_force(recording: Recording, known: np.ndarray) -> np.ndarray:
    if not recording.has("obstacle_force"):
        return np.zeros_like(recording.values("link_position")[known])
    return np.nan_to_num(recording.values("obstacle_force")[known])


def nearest_samples(time: np.ndarray, wanted: np.ndarray | float) -> np.ndarray:
    """Indices of the samples nearest to times [s], in the shape of those."""
    return np.searchsorted((time[1:] + time[:-1]) / 2.0, wanted)


def choose_samples(course: DrawnRun, times: Sequence[float] | None, count: int) -> np.ndarray:
    """The samples nearest to times [s], without repeats; default: so many, evenly from start to end."""
    first, last = course.time[0], course.time[-1]
    wanted = np.linspace(first, last, count) if times is None else np.asarray(times, dtype=float).ravel()
    slack = 1e-9 + 1e-6 * (last - first)
    inside = (wanted >= first - slack) & (wanted <= last + slack)
    if not (1 <= len(wanted) <= MOST_FRAMES and inside.all()):
        raise InvalidModel("times", wanted.tolist(), f"1 to {MOST_FRAMES} times from {first:g} to {last:g} [s]")
    return np.unique(nearest_samples(course.time, wanted))


def contact_points(course: DrawnRun, sample: int, links: np.ndarray) -> np.ndarray:
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


def body_box(course: DrawnRun) -> np.ndarray:
    """Lower left and upper right corner of all that the body sweeps [m], shape (2, n_axes)."""
    if course.space is not None:
        reach = course.space.reach()
    else:
        reach = course.half_side[:, None] * np.abs(course.along) + course.radius[:, None]
    return np.stack([(course.middle - reach).min(axis=(0, 1)), (course.middle + reach).max(axis=(0, 1))])


def frame_box(course: DrawnRun, tips: Sequence[np.ndarray] = ()) -> np.ndarray:
    """Corners of a frame [m], shape (2, 2): the body, the obstacles near it and tips of arrows, never a sliver."""
    points = np.concatenate([body_box(course)[:, :2], near_obstacles(course), *(tip[:, :2] for tip in tips)])
    low, high = points.min(axis=0), points.max(axis=0)
    size = (high - low) + 0.03 * (high - low).max()
    size = np.maximum(size, (size[1] / 1.6, 0.16 * size[0]))
    return np.stack([(low + high - size) / 2.0, (low + high + size) / 2.0])


def near_obstacles(course: DrawnRun) -> np.ndarray:
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
