"""Who tells the motors what to do: kernels (waves), tables (functions of time) or controllers (closed loop)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import positive
from pushpoint.simulation.sensing.senses import Senses
from pushpoint.worlds.world import World

PORTION = 0.25
"""Simulated time of one portion of a run [s]."""


def whole_steps(field: str, rate: float, dt: float) -> int:
    """Time steps in one period of `rate`; refuses a rate that the time step does not divide."""
    steps = 1.0 / (positive(field, rate, "Hz") * dt)
    if round(steps) < 1 or abs(steps - round(steps)) > 1e-6 * steps:
        raise InvalidModel(field, rate, f"a rate [Hz] whose period is a whole number of time steps of {dt} s")
    return round(steps)


GAIT_RATE = 200.0
"""How often gaits without a rate of their own are put into a table [Hz]."""

LAUNCH = 0.05
"""Wall time that one launch of the kernels should take [s]: long enough to hide its cost, short enough to interrupt."""


class WaveDriving:
    """All controllers are serpenoid gaits: the kernels evaluate them."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper) -> None:
        self._stepper = stepper
        self._portion = max(1, round(PORTION / stepper.settings.dt))
        waves = [world.controller.wave(world.robot) for world in worlds]
        stepper.use_waves(waves, [world.controller.prescribed for world in worlds])

    def advance(self, steps_left: int) -> int:
        """Runs one portion, at most steps_left; returns the steps done."""
        steps = min(self._portion, steps_left)
        begin = time.perf_counter()
        self._stepper.advance(steps)
        if time.perf_counter() - begin < LAUNCH / 2:
            self._portion *= 2
        return steps


class TableDriving:
    """All controllers are functions of time: a table of nodes per portion."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper) -> None:
        self._worlds = worlds
        self._stepper = stepper
        self._dt = stepper.settings.dt
        held = {bool(getattr(world.controller, "hold", False)) for world in worlds}
        rates = {float(getattr(world.controller, "rate", GAIT_RATE)) for world in worlds}
        if held != {False} and (len(held) > 1 or len(rates) > 1):
            raise InvalidModel(
                "worlds: gaits", "held and not, or at several rates", "alike in a batch where one is held"
            )
        self._held = held.pop()
        self._spacing = max(1, min(round(1.0 / (rate * self._dt)) for rate in rates))
        if self._held:
            self._spacing = whole_steps("gait.rate", rates.pop(), self._dt)
        self._nodes = max(1, round(PORTION / (self._spacing * self._dt)))
        self._done = 0

    def advance(self, steps_left: int) -> int:
        """Runs one portion, at most steps_left; returns the steps done."""
        times = (self._done + np.arange(self._nodes + 1) * self._spacing) * self._dt
        tables = [world.controller.references(times, world.robot) for world in self._worlds]
        self._stepper.use_table(
            np.stack([angle for angle, _ in tables]),
            np.stack([rate for _, rate in tables]),
            self._spacing,
            [world.controller.prescribed for world in self._worlds],
            held=self._held,
        )
        steps = min(self._nodes * self._spacing, steps_left)
        self._stepper.advance(steps)
        self._done += steps
        return steps


class ClosedLoopDriving:
    """At least one controller reads measurements: every period asks, then advances. Gaits beside it are sampled."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper) -> None:
        self._worlds = worlds
        self._stepper = stepper
        rates = {float(world.controller.rate) for world in worlds if hasattr(world.controller, "command")}
        if len(rates) != 1:
            raise InvalidModel("worlds: controller.rate", sorted(rates), "the same for all controllers of a batch")
        self._period = whole_steps("controller.rate", rates.pop(), stepper.settings.dt)
        self._portion = max(1, round(PORTION / (stepper.settings.dt * self._period)))
        needs_pose = any(getattr(world.controller, "needs_pose", False) for world in worlds)
        self._senses = Senses(worlds, stepper, period=self._period, with_pose=needs_pose)
        self._groups = _groups([world.controller for world in worlds])
        self._memories = [_stack([_memory(worlds[w]) for w in rows]) for _, rows in self._groups]
        self._left = 0
        self.modes: list[np.ndarray] = []
        """Modes of all worlds at each command, shape (n_worlds,); NaN where a controller tells none."""

    @property
    def period(self) -> int:
        """Time steps from command to command [-]."""
        return self._period

    def advance(self, steps_left: int) -> int:
        """Runs some control periods, at most steps_left; returns the steps done."""
        done = 0
        for _ in range(self._portion):
            if self._left == 0:
                self._stepper.use_command(self._ask(self._senses.read()), self._period)
                self._left = self._period
            steps = min(self._left, steps_left - done)
            self._stepper.advance(steps)
            self._left -= steps
            done += steps
            if done == steps_left:
                break
        return done

    def _ask(self, measurement: Measurement) -> Command:
        parts: list[tuple[np.ndarray, Command]] = []
        self.modes.append(np.full(len(measurement.time), np.nan))
        for g, (controller, rows) in enumerate(self._groups):
            t = measurement.time[rows]
            if hasattr(controller, "command"):
                command, self._memories[g] = controller.command(t, _rows(measurement, rows), self._memories[g])
                self._check(controller, rows, t, command)
                if hasattr(controller, "mode_of"):
                    self.modes[-1][rows] = controller.mode_of(self._memories[g])
            else:
                angle, rate = controller.references(t, self._worlds[rows[0]].robot)
                command = Command(joint_angle=angle, joint_rate=rate, prescribed=controller.prescribed)
            parts.append((rows, command))
        return _merge(parts, self._stepper)

    def _check(self, controller: Any, rows: np.ndarray, t: np.ndarray, command: Any) -> None:
        """Refuses what is not a command; where failures are raised also numbers that are none, with place and time."""
        whose = f" of {type(controller).__qualname__} at t = {t.min():.6g} s"
        check_command(command, len(rows), self._stepper, whose)
        if self._stepper.settings.on_failure != "raise":
            return  # the world ends alone, and its status says so
        for name, shape in _shapes(self._stepper).items():
            value = getattr(command, name)
            if value is None or np.isfinite(value).all():
                continue
            # A world that has failed measures nothing any more: what it is told has no meaning.
            failed = [self._stepper.statuses()[row].failed for row in rows]
            for at in np.argwhere(~np.isfinite(value)):
                w, k = at[:2]
                if not failed[w]:
                    part = f"link {k}" if len(shape) > 1 else f"joint {k}"
                    raise InvalidModel(
                        f"command.{name}{whose}, {part}, world {rows[w]}", float(value[tuple(at)]), "finite"
                    )


def drive(worlds: Sequence[World], stepper: Stepper) -> WaveDriving | TableDriving | ClosedLoopDriving:
    """The driving that these worlds' controllers need."""
    controllers = [world.controller for world in worlds]
    for index, controller in enumerate(controllers):
        if not any(hasattr(controller, name) for name in ("wave", "references", "command")):
            raise InvalidModel(f"worlds[{index}].controller", controller, "a gait or a Controller")
    if all(hasattr(controller, "wave") for controller in controllers):
        return WaveDriving(worlds, stepper)
    if not any(hasattr(controller, "command") for controller in controllers):
        return TableDriving(worlds, stepper)
    return ClosedLoopDriving(worlds, stepper)


def _memory(world: World) -> Any:
    init = getattr(world.controller, "init", None)
    return None if init is None else init(world.robot, world.environment)


def _groups(controllers: Sequence[Any]) -> list[tuple[Any, np.ndarray]]:
    """Worlds that share one controller object are asked together."""
    rows: dict[int, list[int]] = {}
    for w, controller in enumerate(controllers):
        rows.setdefault(id(controller), []).append(w)
    return [(controllers[members[0]], np.array(members)) for members in rows.values()]


def _stack(memories: list[Any]) -> Any:
    if memories[0] is None:
        return None
    if isinstance(memories[0], tuple):
        return tuple(_stack(list(parts)) for parts in zip(*memories, strict=True))
    if len({np.shape(memory) for memory in memories}) > 1:
        raise InvalidModel("worlds: controller", "shared by robots that differ", "one object per robot here")
    return np.stack(memories)


def _rows(measurement: Measurement, rows: np.ndarray) -> Measurement:
    fields: dict[str, Any] = {name: None if value is None else value[rows] for name, value in vars(measurement).items()}
    return Measurement(**fields)


def check_command(command: Any, n_worlds: int, stepper: Stepper, whose: str = "") -> None:
    """Refuses what is not a command for that many worlds of this batch; `whose` is put behind the field's name."""
    if not isinstance(command, Command):
        raise InvalidModel(f"command{whose}", command, "a Command")
    for name, shape in _shapes(stepper).items():
        value = getattr(command, name)
        if value is None:
            continue
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise InvalidModel(f"command.{name}{whose}", value, f"numbers of shape {(n_worlds, *shape)}") from None
        if array.shape != (n_worlds, *shape):
            raise InvalidModel(f"command.{name}{whose}", array.shape, f"of shape {(n_worlds, *shape)}")


def _shapes(stepper: Stepper) -> dict[str, tuple[int, ...]]:
    joints = (stepper.n_joints,)
    return {
        "joint_angle": joints,
        "joint_rate": joints,
        "joint_torque": joints,
        "link_load": (stepper.n_links, stepper.load_size),
    }


def _merge(parts: list[tuple[np.ndarray, Command]], stepper: Stepper) -> Command:
    """One command for the batch; groups may differ in everything but whether they command torques or motion."""
    first = parts[0][1]
    if len(parts) == 1:
        return first
    kinds = {(command.prescribed, command.joint_torque is not None) for _, command in parts}
    if len(kinds) != 1:
        raise InvalidModel("worlds: controllers", "mixed", "all servo references, all torques or all prescribed motion")
    merged: dict[str, Any] = {}
    for name, shape in _shapes(stepper).items():
        if any(getattr(command, name) is not None for _, command in parts):
            values = np.zeros((stepper.n_worlds, *shape))
            for rows, command in parts:
                if getattr(command, name) is not None:
                    values[rows] = getattr(command, name)
            merged[name] = values
    return Command(prescribed=first.prescribed, **merged)
