"""What the figure of a run shows: the run as plain arrays, the postures chosen from it, and the box they fill."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np

from pushpoint.errors import InvalidModel

if TYPE_CHECKING:
    import xarray

Color = tuple[float, float, float]

NEEDED = ("link_position", "link_angle", "center_of_mass")
MOST_FRAMES = 60
# A shorter arrow than this share of the longest could not be told from a dot; below NO_FORCE [N] it is round-off.
SMALLEST_SHARE = 0.03
NO_FORCE = 1e-3
# A recorded force is a mean over an interval in which the link moves on, so touching is judged with this slack, as a
# share of the link's radius.
TOUCH_SLACK = 0.1
# A diverged state beyond this is left out [m].
LARGEST_COORDINATE = 1e4


@dataclass(frozen=True, kw_only=True)
class Course:
    """What the figure needs of a run, as plain arrays."""

    name: str
    """Name of the scenario, and which world of a batch this is."""
    status: str
    """A sentence if the run did not finish, else empty."""
    radius: np.ndarray
    """Capsule radii [m], shape (n_links,)."""
    half_side: np.ndarray
    """Half of the capsules' straight sides [m], shape (n_links,)."""
    pegs: np.ndarray
    """x, y, radius of every peg [m], shape (n_pegs, 3)."""
    time: np.ndarray
    """Sample times [s], shape (n_times,)."""
    middle: np.ndarray
    """Middles of the links [m], shape (n_times, n_links, 2)."""
    along: np.ndarray
    """Unit vectors along the links [-], shape (n_times, n_links, 2)."""
    center: np.ndarray
    """Centre of mass of the robot [m], shape (n_times, 2)."""
    force: np.ndarray
    """Obstacle force on the links [N], shape (n_times, n_links, 2); zero where it was not recorded."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One posture and the contact forces drawn with it."""

    sample: int
    """Index of the sample [-]."""
    color: Color
    """Colour of its time."""
    foot: np.ndarray
    """Where the forces act [m], shape (n_arrows, 2)."""
    force: np.ndarray
    """Forces on the links [N], shape (n_arrows, 2)."""


def read_course(run: xarray.Dataset) -> Course:
    """Takes from a run what the figure needs; samples that are not finite are left out."""
    missing = [name for name in NEEDED if name not in run]
    if missing:
        raise InvalidModel("run: variables", list(run.data_vars), f"a list with {missing[0]}, which the figure needs")
    try:
        document = json.loads(run.attrs["scenario"])
        links: list[dict[str, Any]] = document["robot"]["links"]
        circles = [(peg["x"], peg["y"], peg["radius"]) for peg in document.get("obstacles") or ()]
        pegs = np.array(circles, dtype=float).reshape(-1, 3)
        radius = np.array([link["radius"] for link in links], dtype=float)
        sides = [link["length"] if link.get("side_length") is None else link["side_length"] for link in links]
        half_side = np.array(sides, dtype=float) / 2.0
        offset = np.array([link.get("mass_offset") or 0.0 for link in links], dtype=float)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidModel("run.attrs['scenario']", str(error), "a scenario with robot.links and obstacles") from error
    name = str(document.get("name") or "run")
    if "world" in run.dims:
        name += f" (world 0 of {run.sizes['world']})"
        run = run.isel(world=0)
    position = np.asarray(run["link_position"].transpose("time", "link", "axis"), dtype=float)
    angle = np.asarray(run["link_angle"].transpose("time", "link"), dtype=float)
    if position.shape[1] != len(links):
        raise InvalidModel("run.attrs['scenario']: robot.links", len(links), f"{position.shape[1]} links as recorded")
    known = np.all(np.abs(position) < LARGEST_COORDINATE, axis=(1, 2)) & np.all(np.isfinite(angle), axis=1)
    if not known.any():
        raise InvalidModel("run: samples with finite positions", 0, "at least 1")
    along = np.stack([np.cos(angle[known]), np.sin(angle[known])], axis=-1)
    force = np.zeros_like(along)
    if "obstacle_force" in run:
        force = np.nan_to_num(np.asarray(run["obstacle_force"].transpose("time", "link", "axis"), dtype=float)[known])
    finished = run.attrs.get("status_code", "finished") == "finished"
    return Course(
        name=name,
        status="" if finished else str(run.attrs.get("status") or run.attrs["status_code"]),
        radius=radius,
        half_side=half_side,
        pegs=pegs,
        time=np.asarray(run["time"], dtype=float)[known],
        middle=position[known] - offset[:, None] * along,
        along=along,
        center=np.asarray(run["center_of_mass"].transpose("time", "axis"), dtype=float)[known],
        force=force,
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
        foot = np.array([_contact_point(course, int(sample), int(link)) for link in chosen]).reshape(-1, 2)
        force = course.force[sample, chosen]
        frames.append(Frame(sample=int(sample), color=(red, green, blue), foot=foot, force=force))
    return frames


def _contact_point(course: Course, sample: int, link: int) -> np.ndarray:
    """Where a link touches its peg [m]; the link's middle if it touches none or several, as only their sum is known."""
    middle, along = course.middle[sample, link], course.along[sample, link]
    toward = course.pegs[:, :2] - middle
    half = course.half_side[link]
    axis_point = middle + np.clip(toward @ along, -half, half)[:, None] * along
    distance = np.hypot(*(course.pegs[:, :2] - axis_point).T)
    gap = distance - course.pegs[:, 2] - course.radius[link]
    touching = np.flatnonzero((gap < TOUCH_SLACK * course.radius[link]) & (distance > 0.0))
    if len(touching) != 1:
        return np.asarray(middle)
    peg = touching[0]
    normal = (course.pegs[peg, :2] - axis_point[peg]) / distance[peg]
    return np.asarray(axis_point[peg] + course.radius[link] * normal)


def body_box(course: Course) -> np.ndarray:
    """Lower left and upper right corner of all that the body sweeps [m], shape (2, 2)."""
    reach = course.half_side[:, None] * np.abs(course.along) + course.radius[:, None]
    return np.stack([(course.middle - reach).min(axis=(0, 1)), (course.middle + reach).max(axis=(0, 1))])


def frame_box(course: Course, body: np.ndarray, frames: list[Frame], meters_per_newton: float) -> np.ndarray:
    """Corners of every frame [m], shape (2, 2): the body, its arrows and the pegs near it, never a sliver."""
    near = 0.15 * (body[1] - body[0]).max()
    centers, radii = course.pegs[:, :2], course.pegs[:, 2:]
    beside = np.all((centers + radii > body[0] - near) & (centers - radii < body[1] + near), axis=1)
    tips = [frame.foot + meters_per_newton * frame.force for frame in frames]
    points = np.concatenate([body, centers[beside] - radii[beside], centers[beside] + radii[beside], *tips])
    low, high = points.min(axis=0), points.max(axis=0)
    size = (high - low) + 0.03 * (high - low).max()
    size = np.maximum(size, (size[1] / 1.6, 0.16 * size[0]))
    return np.stack([(low + high - size) / 2.0, (low + high + size) / 2.0])
