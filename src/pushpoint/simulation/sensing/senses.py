"""Measurements: the truth from the stepper's state and running totals, and what the sensors show of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pushpoint.engine.batching import merge, over_leaves, pick
from pushpoint.engine.planar.ranges import Outlines
from pushpoint.engine.sharing import Shared
from pushpoint.engine.signals import Measurement
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.model.sensors import PERFECT, QUANTITIES, Channel
from pushpoint.simulation.sensing.rays import Rays
from pushpoint.worlds.world import World

NUMBERS_AHEAD = 2048
"""Random numbers drawn at once per world and quantity [-]; a call costs more than a number."""
PAIRS_AT_ONCE = 100_000
"""Pairs of link and obstacle that are processed together [-]: enough to be fast, few enough for the cache."""


class Line:
    """One quantity of all worlds on its way from the truth to the readings.

    In every turn, `begin` says which worlds take a sample, and `pass_on` takes the true values and returns the
    readings. Reading k of a world shows its sample number max(0, k - delay) // every, counted in control periods. Noise
    comes from one random stream per world, independent of other worlds and other quantities.
    """

    def __init__(
        self, quantity: str, worlds: Sequence[World], size: int, period: float, largest: np.ndarray | None = None
    ) -> None:
        """`size` values per world, from 0 to `largest` if given; control periods last `period` [s]."""
        channels = _channels(worlds, quantity)
        counts = [_periods(f"worlds[{w}].sensors.{quantity}", each, period) for w, each in enumerate(channels)]
        self._every, self._delay = np.array(counts).T
        noise, bias, quantum = np.array([(each.noise, each.bias, each.quantum) for each in channels]).T[..., None]
        self._bias, self._rounded, self._quantum = bias, quantum > 0.0, np.where(quantum > 0.0, quantum, 1.0)
        self._largest = largest
        self._all = np.arange(len(channels))
        self._turn = np.full(len(channels), -1)
        self._held = np.zeros((len(channels), size))
        self._past = np.zeros((int(self._delay.max()) + 1, len(channels), size))
        self._noisy = np.flatnonzero(noise)
        self._deviation, number = noise[self._noisy], QUANTITIES.index(quantity)
        # A counter-based generator: equal keys give equal numbers, different keys give independent ones.
        keys = [np.array((worlds[w].sensors.seed, w * 256 + number), dtype=np.uint64) for w in self._noisy.tolist()]
        self._streams = [np.random.Generator(np.random.Philox(key=key)) for key in keys]
        self._ahead = np.zeros((len(keys), max(1, NUMBERS_AHEAD // size), size))
        self._next = np.full(len(keys), self._ahead.shape[1])

    def restart(self, chosen: np.ndarray) -> None:
        """Forgets held and delayed samples of these worlds. Their noise continues."""
        self._turn[chosen] = -1

    def begin(self, active: np.ndarray) -> np.ndarray:
        """Starts the next turn of the active worlds; returns which of them take a sample, shape (n_worlds,)."""
        self._turn[active] += 1
        return active & (self._turn % self._every == 0)

    def pass_on(self, values: np.ndarray, due: np.ndarray) -> np.ndarray:
        """The readings of this turn, shape (n_worlds, size). Samples of ranges lie between 0 and the largest."""
        samples = values + self._bias
        self._add_noise(samples, due)
        samples = np.where(self._rounded, np.rint(samples / self._quantum) * self._quantum, samples)
        if self._largest is not None:
            samples = np.clip(samples, 0.0, self._largest)
        self._held = np.where(due[:, None], samples, self._held)
        length = len(self._past)
        self._past[self._turn % length, self._all] = self._held
        return self._past[(self._turn - np.minimum(self._delay, self._turn)) % length, self._all]

    def _add_noise(self, samples: np.ndarray, due: np.ndarray) -> None:
        """Adds the next noise to the worlds that take a sample."""
        which = np.flatnonzero(due[self._noisy])
        if not which.size:
            return
        for k in which[self._next[which] == self._ahead.shape[1]]:
            self._streams[k].standard_normal(out=self._ahead[k])
            self._next[k] = 0
        samples[self._noisy[which]] += self._deviation[which] * self._ahead[which, self._next[which]]
        self._next[which] += 1


def _channels(worlds: Sequence[World], quantity: str) -> list[Channel]:
    """The channels of one quantity; a perfect one where it is not measured."""
    return [getattr(world.sensors, quantity) or PERFECT for world in worlds]


def _periods(field: str, channel: Channel, period: float) -> tuple[int, int]:
    """A channel's sampling interval and delay in control periods; raises InvalidModel if they are not whole numbers."""
    words, every = f"a whole number of control periods of {period:.6g} s", 1
    if channel.rate is not None:
        often = 1.0 / (channel.rate * period)
        every = whole_count(f"{field}.rate", channel.rate, often, f"a rate [Hz] whose period is {words}")
    return every, whole_count(f"{field}.delay", channel.delay, channel.delay / period, words, least=0)


MOST_PERIODS = 2**31
"""Most time steps or control periods between two events [-]."""


def whole_count(field: str, value: Any, count: float, allowed: str, least: int = 1) -> int:
    """Returns a count that is whole up to round-off; raises InvalidModel for its source value otherwise."""
    if not count < MOST_PERIODS or round(count) < least or abs(count - round(count)) > 1e-6 * count:
        raise InvalidModel(field, value, allowed)
    return round(count)


def _largest_ranges(worlds: Sequence[World]) -> np.ndarray:
    return np.array([world.sensors.max_range for world in worlds])[:, None]


class Ranges:
    """Measures distances around each link. Worlds with the same robot and environment are processed together."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self._largest = _largest_ranges(worlds)
        members: dict[tuple[int, int], list[int]] = {}
        for w, world in enumerate(worlds):
            if world.senses_range:
                members.setdefault((id(world.robot), id(world.environment)), []).append(w)
        self._groups: list[tuple[Any, Outlines, np.ndarray]] = [
            (worlds[rows[0]].robot, Outlines(worlds[rows[0]].environment.obstacles), np.array(rows))
            for rows in members.values()
        ]

    def read(self, state: Any, due: np.ndarray) -> np.ndarray:
        """Distances to the nearest obstacle [m], shape (n_worlds, n_links); NaN in worlds that do not measure them."""
        found = np.full(state.theta.shape, np.nan)
        for robot, outlines, members in self._groups:
            rows = members[due[members]]
            if not outlines.n_hulls:
                found[rows] = np.inf
                continue
            pairs = robot.n_links * (len(outlines.circles) + len(outlines.segments))
            together = max(1, PAIRS_AT_ONCE // pairs)
            for k in range(0, len(rows), together):
                part = rows[k : k + together]
                found[part] = outlines.distances(robot, state.center[part], state.theta[part]).min(axis=-1)
        return np.clip(found, 0.0, self._largest)


Seen = tuple[dict[str, np.ndarray], np.ndarray, dict[str, np.ndarray]]
"""Quantities of a state, velocity and orientation of the IMU's link, and the pose for those who may see it."""


class PlanarTruth:
    """Reads a State."""

    imu_sizes = (1, 2, 0)
    """Number of values of the IMU's angular rate, acceleration and tilt."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self._imu = np.arange(len(worlds)), np.array([world.sensors.imu_on(world.robot) for world in worlds])

    def read(self, state: Any) -> Seen:
        """The true quantities of a state."""
        rate, angle = state.omega[self._imu], state.theta[self._imu]
        now = {
            "joint_angle": np.diff(state.theta, axis=1),
            "joint_rate": np.diff(state.omega, axis=1),
            "imu_angular_rate": rate[:, None],
            "imu_heading": angle[:, None],
        }
        motion = np.column_stack((state.v[self._imu], angle))
        return now, motion, {"center_of_mass": state.center, "link_angle": state.theta}

    def imu_acceleration(self, motion: np.ndarray, change: np.ndarray, per_time: np.ndarray) -> np.ndarray:
        """Mean acceleration along the link and to its left, in the frame halfway through the interval."""
        angle = motion[:, 2] - change[:, 2] / 2
        along = np.cos(angle) * change[:, 0] + np.sin(angle) * change[:, 1]
        left = np.cos(angle) * change[:, 1] - np.sin(angle) * change[:, 0]
        return np.column_stack((along, left)) * per_time


class SpatialTruth(PlanarTruth):
    """Reads a SpatialState."""

    imu_sizes = (3, 3, 2)

    def __init__(self, worlds: Sequence[World]) -> None:
        super().__init__(worlds)
        robots: Shared[Any] = Shared([world.robot for world in worlds])
        self._groups = list(zip(robots.parts, robots.members(), strict=True))
        self._gravity = np.array([world.environment.ground.gravity for world in worlds])

    def read(self, state: Any) -> Seen:
        """The true quantities of a state."""
        frames = np.empty((*state.v.shape[:2], 4))
        for robot, rows in self._groups:
            frames[rows] = link_poses(robot, state.center[rows], state.tail[rows], state.angle[rows])[1]
        frame = rotation_of(frames[self._imu])
        forward, left, up = frame[:, :, 0], frame[:, 2, 1], frame[:, 2, 2]
        now = {
            "joint_angle": state.angle,
            "joint_rate": state.rate,
            "imu_angular_rate": state.omega[self._imu],
            "imu_heading": np.arctan2(forward[:, 1], forward[:, 0])[:, None],
            "imu_tilt": np.column_stack((-np.arcsin(np.clip(forward[:, 2], -1.0, 1.0)), np.arctan2(left, up))),
        }
        motion = np.column_stack((state.v[self._imu], frames[self._imu]))
        return now, motion, {"center_of_mass": state.center, "link_orientation": frames}

    def imu_acceleration(self, motion: np.ndarray, change: np.ndarray, per_time: np.ndarray) -> np.ndarray:
        """Mean specific force in the link's frame halfway through the interval, as an IMU measures it."""
        before = motion[:, 3:] - change[:, 3:]
        nearer = np.where((before * motion[:, 3:]).sum(axis=1) < 0, -1.0, 1.0)[:, None]
        halfway = before + nearer * motion[:, 3:]
        frame = rotation_of(halfway / np.linalg.norm(halfway, axis=1)[:, None])
        force = change[:, :3] * per_time + np.outer(self._gravity, [0.0, 0.0, 1.0])
        return np.einsum("wij,wi->wj", frame, force)


class Senses:
    """Reads what the robots can measure. Forces and accelerations are means since their last sample."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, *, period: int, with_pose: bool) -> None:
        """Readings are `period` time steps apart."""
        self._stepper, self._dt, self._with_pose = stepper, stepper.settings.dt, with_pose
        self._all = np.ones(len(worlds), dtype=bool)
        self.move_to(worlds)
        n_rays, reach = (0, None) if self._rays is None else (self._rays.most, self._rays.reach)
        links, joints = stepper.n_links, stepper.n_joints
        rate, acceleration, tilt = self._truth.imu_sizes
        largest = {"range": _largest_ranges(worlds), "ray_range": reach}
        measured = {"range": self._ranges is not None, "ray_range": self._rays is not None}
        place = 3 if worlds[0].spatial else 2
        counts = (joints, joints, joints, links, rate, acceleration, 1, links, tilt, n_rays, place)
        sizes = zip(QUANTITIES, counts, strict=True)
        self._single = ("imu_heading", "imu_angular_rate") if rate == 1 else ("imu_heading",)
        self._lines = {
            name: Line(name, worlds, size, period * self._dt, largest.get(name))
            for name, size in sizes
            if measured.get(name, any(channel != PERFECT for channel in Shared(_channels(worlds, name)).parts))
        }
        state = stepper.state()
        self._since = {name: (np.array(total), np.array(state.step)) for name, total in self._totals(state).items()}
        """Running totals and steps at each world's last sample."""
        self._latest: Measurement | None = None
        self._pose: dict[str, np.ndarray] = {}

    def move_to(self, worlds: Sequence[World]) -> None:
        """Goes on in worlds whose robots or environments have changed, with the same sensors."""
        self._truth = SpatialTruth(worlds) if worlds[0].spatial else PlanarTruth(worlds)
        self._ranges = Ranges(worlds) if any(world.senses_range for world in worlds) else None
        self._rays = Rays(worlds) if any(world.sensors.rays for world in worlds) else None

    def memory(self) -> dict[str, Any]:
        """What it needs besides its worlds to go on later."""
        return {name: vars(self)[name] for name in ("_lines", "_since", "_latest", "_pose")}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Goes back to where it was."""
        vars(self).update(memory)

    def _totals(self, state: Any, motion: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """The totals whose changes give the means: angular and linear impulses, motion of the IMU's link."""
        return {
            "joint_torque": self._stepper.totals("motor"),
            "contact_normal_force": self._stepper.totals("side"),
            "imu_acceleration": self._truth.read(state)[1] if motion is None else motion,
        }

    @property
    def begun(self) -> bool:
        """Whether anything has been read yet."""
        return self._latest is not None

    def restart(self, chosen: np.ndarray) -> Measurement:
        """The first measurement of these worlds after a jump of their state; the last one again for the others."""
        if self._latest is None:
            chosen = self._all
        state = self._stepper.state()
        for name, total in self._totals(state).items():
            self._begin_interval(name, total, state.step, chosen)
        for line in self._lines.values():
            line.restart(chosen)
        before, now = self._latest, self._take(chosen)
        self._latest = now if before is None else merge(before, chosen, pick(now, chosen))
        return over_leaves(np.array, self._latest)

    def read(self) -> Measurement:
        """The next measurement of all worlds. Its arrays are copies, so writing to them changes nothing here."""
        self._latest = self._take(self._all)
        return over_leaves(np.array, self._latest)

    def _take(self, active: np.ndarray) -> Measurement:
        """A measurement in which the active worlds advance by one turn; the values of the others are meaningless."""
        state = self._stepper.state()
        due = {name: line.begin(active) for name, line in self._lines.items()}
        shown, motion, pose = self._truth.read(state)
        self._pose, shown["center_of_mass"] = pose, pose["center_of_mass"]
        for name, total in self._totals(state, motion).items():
            before, since = self._since[name]
            change, elapsed = total - before, (state.step - since)[:, None] * self._dt
            per_time = np.divide(1.0, elapsed, out=np.zeros_like(elapsed, dtype=float), where=elapsed > 0)
            is_imu = name == "imu_acceleration"
            shown[name] = self._truth.imu_acceleration(total, change, per_time) if is_imu else change * per_time
            self._begin_interval(name, total, state.step, due.get(name, active))
        if self._ranges is not None:
            shown["range"] = self._ranges.read(state, due["range"])
        if self._rays is not None:
            shown["ray_range"] = self._rays.read(state, due["ray_range"])
        for name, line in self._lines.items():
            shown[name] = line.pass_on(shown[name], due[name])
        for name in self._single:
            shown[name] = shown[name][:, 0]
        if self._with_pose:
            shown = pose | shown
        else:
            del shown["center_of_mass"]
        return Measurement(time=state.step * self._dt, **shown)

    def with_true_pose(self, measurement: Measurement) -> Measurement:
        """The last measurement as goals see it: what the robot's sensors show of its position does not matter."""
        return replace(measurement, **self._pose)

    def _begin_interval(self, name: str, total: np.ndarray, step: np.ndarray, chosen: np.ndarray) -> None:
        before, since = self._since[name]
        before[chosen], since[chosen] = total[chosen], step[chosen]
