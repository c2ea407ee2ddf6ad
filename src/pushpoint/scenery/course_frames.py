"""What the figure of a run shows: the run as plain arrays, the postures chosen from it, and the box they fill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.scenery.reading import read_recording, travel_direction
from pushpoint.scenery.space import NO_FORCE, Space, half_side, read_space
from pushpoint.scenery.surroundings import Scenery, read_scenery
from pushpoint.scenery.terrain import read_terrain

if TYPE_CHECKING:
    import xarray

Color = tuple[float, float, float]

NEEDED = ("link_position", "center_of_mass")
MOST_FRAMES = 60
# A shorter arrow than this share of the longest could not be told from a dot; below NO_FORCE [N] it is round-off.
SMALLEST_SHARE = 0.03
# A diverged state beyond this is left out [m].
LARGEST_COORDINATE = 1e4


@dataclass(frozen=True, kw_only=True)
class Course:
    """What the figure needs of a run, as plain arrays; a planar one has two axes, a spatial one three."""

    name: str
    """Name of the scenario, and which world of a batch this is."""
    status: str
    """A sentence if the run did not finish, else empty."""
    radius: np.ndarray
    """Capsule radii [m], shape (n_links,)."""
    half_side: np.ndarray
    """Half of the capsules' straight sides [m], shape (n_links,)."""
    scenery: Scenery
    """Obstacles and regions of the ground."""
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


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One posture and the contact forces drawn with it."""

    sample: int
    """Index of the sample [-]."""
    color: Color
    """Colour of its time."""
    foot: np.ndarray
    """Where the forces act [m], shape (n_arrows, n_axes)."""
    force: np.ndarray
    """Forces on the links [N], shape (n_arrows, n_axes)."""


def read_course(run: xarray.Dataset) -> Course:
    """Takes from a run what the figure needs; samples that are not finite are left out."""
    recording = read_recording(run)
    turned = "link_orientation" if recording.spatial else "link_angle"
    recording.require((*NEEDED, turned), "the figure")
    try:
        links: list[dict[str, Any]] = recording.document["robot"]["links"]
        scenery, terrain = read_scenery(recording.document), read_terrain(recording) if recording.spatial else None
        radius = np.array([link["radius"] for link in links], dtype=float)
        half_sides = np.array([half_side(link) for link in links])
        offset = np.array([link.get("mass_offset") or 0.0 for link in links], dtype=float)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidModel("run.attrs['scenario']", str(error), "a scenario with robot.links and obstacles") from error
    position, angle = recording.values("link_position"), recording.values(turned)
    if position.shape[1] != len(links):
        raise InvalidModel("run.attrs['scenario']: robot.links", len(links), f"{position.shape[1]} links as recorded")
    known = np.all(np.abs(position) < LARGEST_COORDINATE, axis=(1, 2))
    known &= np.isfinite(angle).reshape(len(angle), -1).all(axis=1)
    if not known.any():
        raise InvalidModel("run: samples with finite positions", 0, "at least 1")
    if terrain is None:
        along, space = np.stack([np.cos(angle[known]), np.sin(angle[known])], axis=-1), None
    else:
        space = read_space(recording, known, terrain)
        along = space.turn[..., 0]
    force = np.zeros_like(along)
    if recording.has("obstacle_force"):
        force = np.nan_to_num(recording.values("obstacle_force")[known])
    return Course(
        name=recording.name,
        status=recording.status,
        radius=radius,
        half_side=half_sides,
        scenery=scenery,
        time=recording.time[known],
        middle=position[known] - offset[:, None] * along,
        along=along,
        center=recording.values("center_of_mass")[known],
        force=force,
        travel=travel_direction(recording),
        space=space,
    )


def choose_frames(course: Course, times: Sequence[float] | None, count: int) -> list[Frame]:
    """The postures to draw, without repeats, and of their forces those that are not negligible."""
    first, last = course.time[0], course.time[-1]
    wanted = np.linspace(first, last, count) if times is None else np.asarray(times, dtype=float).ravel()
    slack = 1e-9 + 1e-6 * (last - first)
    inside = (wanted >= first - slack) & (wanted <= last + slack)
    if not (1 <= len(wanted) <= MOST_FRAMES and inside.all()):
        raise InvalidModel("times", wanted.tolist(), f"1 to {MOST_FRAMES} times from {first:g} to {last:g} [s]")
    samples = np.unique(np.abs(course.time[None, :] - wanted[:, None]).argmin(axis=1))
    size = np.linalg.norm(course.force[samples], axis=-1)
    drawn = size > max(NO_FORCE, SMALLEST_SHARE * float(size.max()))
    colormap = matplotlib.colormaps["viridis_r"]
    frames = []
    for k, sample in enumerate(samples):
        red, green, blue, _ = colormap(0.25 + 0.7 * k / max(len(samples) - 1, 1))
        chosen = np.flatnonzero(drawn[k])
        foot = contact_points(course, int(sample), chosen)
        force = course.force[sample, chosen]
        frames.append(Frame(sample=int(sample), color=(red, green, blue), foot=foot, force=force))
    return frames


def contact_points(course: Course, sample: int, links: np.ndarray) -> np.ndarray:
    """Where links touch the obstacles in a sample [m], shape (n, n_axes)."""
    if course.space is not None:
        return _pushed_points(course, sample, links)
    points = [
        course.scenery.contact_point(
            course.middle[sample, link], course.along[sample, link], course.half_side[link], course.radius[link]
        )
        for link in links
    ]
    return np.array(points).reshape(-1, 2)


def _pushed_points(course: Course, sample: int, links: np.ndarray) -> np.ndarray:
    """Where the surface of links is met by a line from their middles against the forces on them [m], shape (n, 3)."""
    force, half, radius = course.force[sample, links], course.half_side[links], course.radius[links]
    against = -force / np.maximum(np.linalg.norm(force, axis=-1), 1e-12)[:, None]
    ahead = np.abs(np.sum(against * course.along[sample, links], axis=-1))
    aside = np.sqrt(np.maximum(1.0 - ahead**2, 1e-12))
    through_side = radius / aside
    through_end = half * ahead + np.sqrt(np.maximum(radius**2 - (half * aside) ** 2, 0.0))
    distance = np.where(through_side * ahead <= half, through_side, through_end)
    return np.asarray(course.middle[sample, links] + distance[:, None] * against)


def body_box(course: Course) -> np.ndarray:
    """Lower left and upper right corner of all that the body sweeps [m], shape (2, n_axes)."""
    if course.space is not None:
        reach = course.space.reach()
    else:
        reach = course.half_side[:, None] * np.abs(course.along) + course.radius[:, None]
    return np.stack([(course.middle - reach).min(axis=(0, 1)), (course.middle + reach).max(axis=(0, 1))])


def frame_box(course: Course, body: np.ndarray, frames: list[Frame], meters_per_newton: float) -> np.ndarray:
    """Corners of every frame [m], shape (2, 2): the body, its arrows and the obstacles near it, never a sliver."""
    tips = [(frame.foot + meters_per_newton * frame.force)[:, :2] for frame in frames]
    points = np.concatenate([body[:, :2], near_obstacles(course, body), *tips])
    low, high = points.min(axis=0), points.max(axis=0)
    size = (high - low) + 0.03 * (high - low).max()
    size = np.maximum(size, (size[1] / 1.6, 0.16 * size[0]))
    return np.stack([(low + high - size) / 2.0, (low + high + size) / 2.0])


def near_obstacles(course: Course, body: np.ndarray) -> np.ndarray:
    """Corners of the boxes around the obstacles beside the body [m], shape (n, 2); long walls are cut off."""
    body = body[:, :2]
    near = 0.15 * (body[1] - body[0]).max()
    scenery = course.scenery
    beside = np.all((scenery.high > body[0] - near) & (scenery.low < body[1] + near), axis=1)
    is_long = np.array([len(solid.corners) > 1 for solid in scenery.solids], dtype=bool)[beside, None]
    low, high = scenery.low[beside], scenery.high[beside]
    low = np.where(is_long, np.maximum(low, body[0] - near), low)
    high = np.where(is_long, np.minimum(high, body[1] + near), high)
    return np.concatenate([low, high])
