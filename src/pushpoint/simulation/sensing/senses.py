"""Measurements: the truth from the stepper's state and running totals, and what the sensors show of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pushpoint.engine.batching import merge, pick
from pushpoint.engine.planar.ranges import Outlines
from pushpoint.engine.sharing import Shared
from pushpoint.engine.signals import Measurement
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.model.environment import Environment
from pushpoint.model.sensors import PERFECT, QUANTITIES
from pushpoint.simulation.sensing.line import Line, channels_of, periods_of
from pushpoint.simulation.sensing.rays import Rays
from pushpoint.simulation.sensing.truth import TOTALS, PlanarTruth, SpatialTruth
from pushpoint.worlds.world import World

PAIRS_AT_ONCE = 100_000
"""Pairs of link and obstacle that are processed together [-]: enough to be fast, few enough for the cache."""


def _largest_ranges(worlds: Sequence[World]) -> np.ndarray:
    return np.array([world.sensors.max_range for world in worlds])[:, None]


class Ranges:
    """Measures distances around each link. Worlds with the same robot and environment are processed together."""

    def __init__(self, worlds: Sequence[World], before: Ranges | None = None) -> None:
        """`before` are those of worlds of which some are still there."""
        self.largest = _largest_ranges(worlds)
        members: dict[tuple[int, int], list[int]] = {}
        for w, world in enumerate(worlds):
            if world.senses_range:
                members.setdefault((id(world.robot), id(world.environment)), []).append(w)
        known = {} if before is None else before._outlines
        self._outlines: dict[int, tuple[Environment, Outlines]] = {}  # by the environments' identities
        self._groups: list[tuple[Any, Outlines, np.ndarray]] = []
        for (_, key), rows in members.items():
            robot, place = worlds[rows[0]].robot, worlds[rows[0]].environment
            self._outlines[key] = known.get(key) or (place, Outlines(place.obstacles))
            self._groups.append((robot, self._outlines[key][1], np.array(rows)))

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
        return np.clip(found, 0.0, self.largest)


class Senses:
    """Reads what the robots can measure. Forces and accelerations are means since their last sample."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, *, period: int, with_pose: bool) -> None:
        """Readings are `period` time steps apart."""
        self._stepper, self._dt, self._with_pose = stepper, stepper.settings.dt, with_pose
        self._all = np.ones(len(worlds), dtype=bool)
        self._ranges: Ranges | None
        self._rays: Rays | None
        self.move_to(worlds)
        n_rays = 0 if self._rays is None else self._rays.most
        links, joints = stepper.n_links, stepper.n_joints
        rate, acceleration, tilt = self._truth.imu_sizes
        place = 3 if worlds[0].spatial else 2
        counts = (joints, joints, joints, links, rate, acceleration, 1, links, tilt, n_rays, place)
        self._sizes = dict(zip(QUANTITIES, counts, strict=True))
        self._single = ("imu_heading", "imu_angular_rate") if rate == 1 else ("imu_heading",)
        self._period, self._lines, self._since = period * self._dt, dict[str, Line](), dict[str, np.ndarray]()
        self._add_lines(worlds, worlds)
        state = stepper.read(*self._truth.fields)
        self._before = self._totals(state)
        """Running totals at each world's last sample."""
        self._since = {name: state.step.copy() if name in self._lines else state.step for name in self._before}
        """The step of that sample; one array for all quantities without a line, which are sampled at every reading."""
        self._latest: Measurement | None = None
        self._pose: dict[str, np.ndarray] = {}

    def _largest(self, name: str) -> np.ndarray | None:
        """The largest values of a quantity that has a limit."""
        if name == "range" and self._ranges is not None:
            return self._ranges.largest
        return self._rays.reach if name == "ray_range" and self._rays is not None else None

    def _add_lines(self, new: Sequence[World], worlds: Sequence[World]) -> None:
        """Makes a line for every quantity that one of the new worlds does not measure perfectly."""
        known: Shared[Any] = Shared([world.sensors for world in new])
        new = [new[k] for k in known.first]
        measured = {"range": self._ranges is not None, "ray_range": self._rays is not None}
        for name in (name for name in QUANTITIES if name not in self._lines):
            if measured.get(name, any(channel != PERFECT for channel in channels_of(new, name))):
                if name in self._since:
                    self._since[name] = self._since[name].copy()
                self._lines[name] = Line(name, worlds, self._sizes[name], self._period, self._largest(name))

    def refuse(self, worlds: Sequence[World]) -> None:
        """Raises InvalidModel for worlds that cannot take the place of others: sensors that are not read here."""
        different: Shared[Any] = Shared([world.sensors for world in worlds])
        for k, world in enumerate(worlds):
            where = f"worlds[{k}].sensors"
            if world.senses_range and self._ranges is None:
                raise InvalidModel(
                    f"{where}.range", "given", "left out, as in the worlds that the Simulator began with"
                )
            most = 0 if self._rays is None else self._rays.most
            if len(world.sensors.rays) > most:
                words = f"at most {most}, as in the worlds that the Simulator began with"
                raise InvalidModel(f"{where}.rays", len(world.sensors.rays), words)
            for name in QUANTITIES if k in different.first else ():
                periods_of(f"{where}.{name}", channels_of([world], name)[0], self._period)

    def replace(self, rows: np.ndarray, worlds: Sequence[World]) -> None:
        """Takes the sensors of other worlds in these rows; `worlds` are all of the batch."""
        new = [worlds[row] for row in rows.tolist()]
        self._truth.replace(rows, worlds)
        if self._ranges is not None:
            self._ranges = Ranges(worlds, self._ranges)
        if self._rays is not None:
            self._rays = Rays(worlds, self._rays.most)
        for name, line in self._lines.items():
            line.replace(rows, new, self._largest(name))
        self._add_lines(new, worlds)

    def move_to(self, worlds: Sequence[World]) -> None:
        """Goes on in worlds whose robots or environments have changed, with the same sensors."""
        self._truth = SpatialTruth(worlds) if worlds[0].spatial else PlanarTruth(worlds)
        self._ranges = Ranges(worlds) if any(world.senses_range for world in worlds) else None
        self._rays = Rays(worlds) if any(world.sensors.rays for world in worlds) else None

    def memory(self) -> dict[str, Any]:
        """What it needs besides its worlds to go on later."""
        return {name: vars(self)[name] for name in ("_lines", "_before", "_since", "_latest", "_pose")}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Goes back to where it was."""
        vars(self).update(memory)

    def _totals(self, state: Any, motion: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """The totals whose changes give the means: angular and linear impulses, motion of the IMU's link."""
        return {
            **{name: self._stepper.totals(total) for name, total in TOTALS.items()},
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
        state = self._stepper.read(*self._truth.fields)
        for name, total in self._totals(state).items():
            self._begin_interval(name, total, state.step, chosen)
        for line in self._lines.values():
            line.restart(chosen)
        return self.read(chosen)

    def read(self, active: np.ndarray | None = None) -> Measurement:
        """The next measurement of the active worlds, by default of all; the others repeat their last one.

        Its arrays are copies, so writing to them changes nothing here.
        """
        now = self._take(self._all if active is None else active)
        if active is not None and self._latest is not None and not active.all():
            now = merge(self._latest, active, pick(now, active))
        self._latest = now
        copies: dict[str, Any] = {name: None if value is None else value.copy() for name, value in vars(now).items()}
        return Measurement(**copies)

    def _take(self, active: np.ndarray) -> Measurement:
        """A measurement in which the active worlds advance by one turn; the values of the others are meaningless."""
        state = self._stepper.read(*self._truth.fields)
        due = {name: line.begin(active) for name, line in self._lines.items()}
        shown, motion, pose = self._truth.read(state)
        self._pose, shown["center_of_mass"] = pose, pose["center_of_mass"]
        rates: dict[int, np.ndarray] = {}  # one over the time since the last sample
        for name, total in self._totals(state, motion).items():
            since = self._since[name]
            if id(since) not in rates:
                rates[id(since)] = _inverse((state.step - since)[:, None] * self._dt)
            change, per_time = total - self._before[name], rates[id(since)]
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
        if chosen is self._all:
            self._before[name], self._since[name] = total, step.copy() if name in self._lines else step
        else:
            self._before[name][chosen], self._since[name][chosen] = total[chosen], step[chosen]


def _inverse(elapsed: np.ndarray) -> np.ndarray:
    """One over each number; zero for zero."""
    if elapsed.all():
        return np.asarray(1.0 / elapsed)
    return np.asarray(np.divide(1.0, elapsed, out=np.zeros_like(elapsed), where=elapsed > 0))
