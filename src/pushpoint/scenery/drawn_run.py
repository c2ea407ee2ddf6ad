"""A run as it is drawn: its body as arrays among what stands around it, the box that it fills, and force arrows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray

from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.errors import InvalidModel
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.scenery.aims import Aim, aim_of
from pushpoint.scenery.reading import Recording, read_recording
from pushpoint.scenery.shapes import TOP, View, capsules, convex_hull, round_number, rounded_hull
from pushpoint.scenery.surroundings import CORNERS, Scenery
from pushpoint.scenery.wheels import DrawnWheels, drawn_wheels
from pushpoint.worlds.edits import stages
from pushpoint.worlds.world import World

# A link carries if what holds it up exceeds this share of its weight, and this force [N] where nothing has weight.
CARRIED_SHARE, NO_FORCE = 0.01, 1e-3
# A shorter arrow than this share of the longest could not be told from a dot; below NO_FORCE [N] it is round-off.
SMALLEST_SHARE = 0.03
# Length of a large arrow, as a share of the body's; an impact may be this many times longer before it is cut.
ARROW_SHARE, MOST_STRETCH = 0.15, 2.5
# A large force is one that this share of all contact forces lies below.
LARGE_SHARE = 90.0
NEEDED = ("link_position", "center_of_mass")
MOST_FRAMES = 24
# A course is shown whole if its extent is less than this many times that of the robot's way [-].
LARGEST_COURSE = 3.0
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

    @staticmethod
    def of(large: float, long: float, largest: float = np.inf) -> ForceScale:
        """A scale on which a large force [N] is an arrow so long [m], cut at the largest; none if it is round-off."""
        if large <= NO_FORCE:
            return ForceScale(meters_per_newton=1.0, key=0.0, largest=np.inf, smallest=np.inf)
        smallest = max(NO_FORCE, SMALLEST_SHARE * large)
        return ForceScale(meters_per_newton=long / large, key=round_number(large), largest=largest, smallest=smallest)

    @property
    def words(self) -> str:
        """What the arrows are, beside an arrow as long as the round force."""
        return f"{self.key:g} N contact force on the link{self._cut}"

    @property
    def as_length(self) -> str:
        """What the arrows are and how long, where no other arrow can be beside the words."""
        long = float(f"{self.key * self.meters_per_newton:.2g}")
        return f"contact force on the link, {self.key:g} N is {long:g} m long{self._cut}"

    @property
    def _cut(self) -> str:
        return f", cut at {float(f'{self.largest:.2g}'):g} N" if np.isfinite(self.largest) else ""


@dataclass(frozen=True, kw_only=True)
class DrawnRun:
    """What pictures need of a run; the arrays of a planar one have two axes, those of a spatial one three."""

    name: str
    """Name of the scenario, and which world of a batch this is."""
    title: str
    """What happens in one line, from the scenario; empty if nobody wrote one."""
    status: str
    """A sentence if the run did not finish, else empty."""
    remarks: tuple[str, ...]
    """All warnings of the run, one sentence each."""
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
    aim: Aim
    """The path it was to take and where it was to end, as far as the run has any."""
    wheels: DrawnWheels
    """What it rolls on."""
    space: Space | None = None
    """How a spatial run uses its third axis."""
    later: tuple[tuple[float, Scenery], ...] = ()
    """What stands around from later times on [s], where the run has edits of its surroundings."""

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
        known = None if self.space is None else self.space.carries
        return np.ones(len(self.radius), dtype=bool) if known is None else np.asarray(known[sample])

    def center_at(self, time: float) -> np.ndarray:
        """Centre of mass at a time [s], between samples in a straight line [m], shape (n_axes,)."""
        return np.array([np.interp(time, self.time, along) for along in self.center.T])

    def outlines(self, sample: int, view: View = TOP) -> list[np.ndarray]:
        """Outlines of all links in a sample, from tail to head [m], each of shape (n, 2); a planar run from above."""
        middle, space = self.middle[sample], self.space
        if space is None:
            return list(capsules(middle, self.along[sample], self.half_side, self.radius))
        corners = view.flat(middle[:, None] + np.einsum("lij,kj,lj->lki", space.turn[sample], CORNERS, space.half))
        return [rounded_hull(convex_hull(each), by, 32) for each, by in zip(corners, space.rounding, strict=True)]

    def frames(self, sample: int) -> tuple[np.ndarray, np.ndarray]:
        """Middles of the links [m], shape (n_links, 3), and their axes as columns, shape (n_links, 3, 3), in a sample.

        A planar robot lies as high as its radius and its wheels lift it.
        """
        if self.space is not None:
            return self.middle[sample], self.space.turn[sample]
        along, up = np.pad(self.along[sample], ((0, 0), (0, 1))), np.array([0.0, 0.0, 1.0])
        turn = np.stack([along, np.cross(up, along), np.broadcast_to(up, along.shape)], axis=-1)
        return np.column_stack([self.middle[sample], self.radius + self.wheels.lift]), turn

    def wheel_outlines(self, sample: int, view: View = TOP) -> list[np.ndarray]:
        """Outlines of all wheels in a sample [m], each of shape (n, 2)."""
        return self.wheels.outlines(*self.frames(sample), view)

    @cached_property
    def body_box(self) -> np.ndarray:
        """Lower left and upper right corner of all that the body sweeps [m], shape (2, n_axes)."""
        space = self.space
        reach = space.reach() if space else self.half_side[:, None] * np.abs(self.along) + self.radius[:, None]
        return np.stack([(self.middle - reach).min(axis=(0, 1)), (self.middle + reach).max(axis=(0, 1))])

    @cached_property
    def near_obstacles(self) -> np.ndarray:
        """Corners of the boxes around the obstacles beside the body [m], shape (n, 2); long walls are cut off."""
        return np.concatenate([self._beside(scenery) for scenery in self.sceneries])

    def _beside(self, scenery: Scenery) -> np.ndarray:
        """The same for what stands there for a time."""
        body = self.body_box[:, :2]
        near = 0.15 * (body[1] - body[0]).max()
        least, most = body[0] - near, body[1] + near
        low, high = scenery.bounds
        is_long = np.array([len(solid.corners) > 1 for solid in scenery.solids], dtype=bool)[:, None]
        beside = np.all((high > least) & (low < most), axis=1)
        low = np.where(is_long, np.maximum(low, least), low)[beside]
        high = np.where(is_long, np.minimum(high, most), high)[beside]
        return np.concatenate([low, high])

    @property
    def sceneries(self) -> list[Scenery]:
        """What stands around at any time, in order."""
        return [self.scenery, *(each for _, each in self.later)]

    def scenery_at(self, sample: int) -> Scenery:
        """What stands around in a sample."""
        changes = bisect_right(self.later, self.time[sample], key=lambda each: each[0])
        return self.later[changes - 1][1] if changes else self.scenery

    @cached_property
    def whole_course(self) -> np.ndarray:
        """Corners of the boxes around all obstacles [m], shape (n, 2), unless the robot's way would look small in it.

        Then those beside the body; long walls are cut off in any case.
        """
        low, high = self.scenery.bounds
        short = np.max(high - low, axis=1) < self.length
        corners = np.concatenate([low[short], high[short], self.near_obstacles])
        both = np.concatenate([corners, self.body_box[:, :2]])
        way = max(float(np.ptp(self.body_box[:, :2], axis=0).max()), self.length)
        return corners if np.ptp(both, axis=0).max() < LARGEST_COURSE * way else self.near_obstacles

    @property
    def meets_obstacles(self) -> bool:
        """Whether an obstacle stands within a body length of the way, so that pictures may show it."""
        around = self.body_box[:, :2] + self.length * np.array([[-1.0], [1.0]])
        return any(scenery.inside(around) for scenery in self.sceneries)

    def frame_box(self, tips: Sequence[np.ndarray] = ()) -> np.ndarray:
        """Corners of a frame [m], shape (2, 2): the body, the obstacles near it and tips of arrows, never a sliver."""
        points = np.concatenate([self.body_box[:, :2], self.near_obstacles, *(tip[:, :2] for tip in tips)])
        low, high = points.min(axis=0), points.max(axis=0)
        size = (high - low) + 0.03 * (high - low).max()
        size = np.maximum(size, (size[1] / 1.6, 0.16 * size[0]))
        return np.stack([(low + high - size) / 2.0, (low + high + size) / 2.0])

    def choose_samples(self, times: Sequence[float] | None, count: int) -> np.ndarray:
        """The samples nearest to times [s], without repeats; default: so many, evenly from start to end."""
        first, last = self.time[0], self.time[-1]
        wanted = np.linspace(first, last, count) if times is None else np.asarray(times, dtype=float).ravel()
        slack = 1e-9 + 1e-6 * (last - first)
        inside = (wanted >= first - slack) & (wanted <= last + slack)
        if not (1 <= len(wanted) <= MOST_FRAMES and inside.all()):
            raise InvalidModel("times", wanted.tolist(), f"1 to {MOST_FRAMES} times from {first:g} to {last:g} [s]")
        return np.unique(nearest_samples(self.time, wanted))

    def contact_points(self, sample: int, links: np.ndarray) -> np.ndarray:
        """Where links touch the obstacles in a sample [m], shape (n, n_axes)."""
        middle, along = self.middle[sample, links], self.along[sample, links]
        half, radius = self.half_side[links], self.radius[links]
        if self.space is None:
            places = map(self.scenery_at(sample).contact_point, middle, along, half, radius)
            return np.array(list(places)).reshape(-1, 2)
        # Where the surface is met by a line from the middle against the force.
        force = self.force[sample, links]
        against = -force / np.maximum(np.linalg.norm(force, axis=-1), 1e-12)[:, None]
        ahead = np.abs(np.sum(against * along, axis=-1))
        aside = np.sqrt(np.maximum(1.0 - ahead**2, 1e-12))
        through_side = radius / aside
        through_end = half * ahead + np.sqrt(np.maximum(radius**2 - (half * aside) ** 2, 0.0))
        distance = np.where(through_side * ahead <= half, through_side, through_end)
        return np.asarray(middle + distance[:, None] * against)

    @cached_property
    def force_scale(self) -> ForceScale:
        """A scale on which the usual large force is an arrow of a seventh of the body."""
        size = np.linalg.norm(self.force, axis=-1)
        pushed = size[size > NO_FORCE]
        large = float(np.percentile(pushed, LARGE_SHARE)) if len(pushed) else 0.0
        most = MOST_STRETCH * large
        return ForceScale.of(large, ARROW_SHARE * self.length, most if size.max() > most else np.inf)

    def arrows(self, sample: int, scale: ForceScale) -> tuple[np.ndarray, np.ndarray]:
        """Feet of the arrows, and from there to their tips, in one sample [m], shape (n_arrows, n_axes) each."""
        force = self.force[sample]
        size = np.linalg.norm(force, axis=-1)
        links = np.flatnonzero(size > scale.smallest)
        shown = force[links] * np.minimum(1.0, scale.largest / size[links])[:, None]
        return self.contact_points(sample, links), shown * scale.meters_per_newton


def read_run(run: xarray.Dataset, world: int = 0) -> DrawnRun:
    """Takes from a run, or from one world of a batch, what pictures need; samples that are not finite are left out."""
    recording = read_recording(run, world)
    robot = recording.world.robot
    turned = "link_orientation" if recording.spatial else "link_angle"
    recording.require((*NEEDED, turned), "the figure")
    position, angle = recording.values("link_position"), recording.values(turned)
    if position.shape[1] != robot.n_links:
        raise InvalidModel(
            "run.attrs['scenario']: robot.links", robot.n_links, f"{position.shape[1]} links as recorded"
        )
    known = np.all(np.abs(position) < LARGEST_COORDINATE, axis=(1, 2))
    known &= np.isfinite(angle).reshape(len(angle), -1).all(axis=1)
    if not known.any():
        raise InvalidModel("run: samples with finite positions", 0, "at least 1")
    if isinstance(robot, SpatialRobot):
        space = space_of(robot, angle[known], _carries(recording, known))
        along = space.turn[..., 0]
    else:
        along, space = np.stack([np.cos(angle[known]), np.sin(angle[known])], axis=-1), None
    force = recording.values("obstacle_force") if recording.has("obstacle_force") else np.zeros_like(position)
    return DrawnRun(
        name=recording.name,
        title=recording.title,
        status=recording.status,
        remarks=recording.remarks,
        radius=robot.column("radius"),
        half_side=robot.column("side_length") / 2.0,
        scenery=Scenery(recording.world.environment),
        time=recording.time[known],
        middle=position[known] - robot.column("mass_offset")[:, None] * along,
        along=along,
        center=recording.values("center_of_mass")[known],
        force=np.nan_to_num(force[known]),
        travel=recording.travel(),
        aim=aim_of(recording),
        wheels=drawn_wheels(robot),
        space=space,
        later=_later(recording),
    )


def _later(recording: Recording) -> tuple[tuple[float, Scenery], ...]:
    """What edits made of the surroundings, and when [s]."""
    worlds, edits = stages([recording.world], recording.edits), recording.edits
    pairs = zip(edits, worlds, worlds[1:], strict=False)
    changed = [(edit, after) for edit, before, after in pairs if after.environment is not before.environment]
    return tuple((edit.step * recording.settings.dt, Scenery(world.environment)) for edit, world in changed)


def space_of(robot: SpatialRobot, quaternion: np.ndarray, carries: np.ndarray | None = None) -> Space:
    """How a robot uses the third axis; quaternion: orientations of its links, shape (n_times, n_links, 4)."""
    quaternion = quaternion / np.maximum(np.linalg.norm(quaternion, axis=-1, keepdims=True), 1e-12)
    rounding = np.array([link.corner_radius or link.radius for link in robot.links])
    aside = robot.column("radius") - rounding
    return Space(
        quaternion=quaternion,
        turn=rotation_of(quaternion),
        half=np.stack([robot.column("side_length") / 2.0, aside, aside], axis=-1),
        rounding=rounding,
        square=np.array([link.shape == "square" for link in robot.links]),
        carries=carries,
    )


def _carries(recording: Recording, known: np.ndarray) -> np.ndarray | None:
    if not recording.has("ground_force") or len(recording.time) < 2:
        return None
    force = recording.values("ground_force")[..., 2]
    if recording.has("obstacle_force"):
        force = force + recording.values("obstacle_force")[..., 2]
    if np.isnan(force[0]).all():
        force[0] = force[1]  # older results have no mean there
    return carries(recording.world, np.nan_to_num(force[known]))


def carries(world: World, upward: np.ndarray) -> np.ndarray:
    """Whether links carry weight, from the forces that hold them up [N], shape (..., n_links) both."""
    weight = world.environment.ground.gravity * world.robot.column("mass")
    return np.asarray(upward > np.maximum(CARRIED_SHARE * weight, NO_FORCE))


def nearest_samples(time: np.ndarray, wanted: np.ndarray | float) -> np.ndarray:
    """Indices of the samples nearest to times [s], in the shape of those."""
    return np.searchsorted((time[1:] + time[:-1]) / 2.0, wanted)
