"""What drives the motors: kernels (waves), tables (functions of time) or controllers (closed loop)."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pushpoint.engine.controller import Gait, checked_references
from pushpoint.engine.signals import PARTS, UNITS, Command, Measurement, Wave, checked_wave
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.gaits import Hold, WaveGait
from pushpoint.model.arrays import Axes, array_of_numbers
from pushpoint.model.checks import positive
from pushpoint.model.plain import flag
from pushpoint.model.sensors import PERFECT_SENSORS
from pushpoint.simulation.sensing.line import whole_count
from pushpoint.simulation.sensing.senses import Senses
from pushpoint.simulation.stepping.controllers import Controllers
from pushpoint.worlds.goals import LOOK_RATE, Goal, Until
from pushpoint.worlds.world import World


def whole_steps(field: str, rate: float, dt: float) -> int:
    """Time steps in one period of `rate`; raises InvalidModel if that is not a whole number."""
    steps = 1.0 / (positive(field, rate, "Hz") * dt)
    return whole_count(field, rate, steps, f"a rate [Hz] whose period is a whole number of time steps of {dt} s")


PORTION = 0.25
"""Simulated time of one portion of a run [s]."""
LAUNCH = 0.05
"""Wall time that one launch of the kernels should take [s]: long enough to hide its cost, short enough to interrupt."""
MOST_STEPS = 1 << 20
"""Most time steps of one launch [-]."""


class Watch:
    """Ends worlds that have reached their goal."""

    def __init__(self, until: Until, stepper: Stepper) -> None:
        if isinstance(until, type) or not (isinstance(until, Goal) or callable(until)):
            raise InvalidModel("until", until, "a Goal or a function of a Measurement")
        self._until, self._stepper = until, stepper
        self._first: Measurement | None = None
        self.rate = until.rate if isinstance(until, Goal) else LOOK_RATE

    def look(self, measurement: Measurement) -> None:
        """Ends worlds according to the current measurement. The first call sees their start."""
        first = self._first = self._first or measurement
        until = self._until
        told = until.reached(measurement, first) if isinstance(until, Goal) else until(measurement)
        over = told if isinstance(told, np.ndarray) else np.array(told, dtype=object if told is None else None)
        if over.dtype != bool or over.shape != measurement.time.shape:
            shape = f"one truth value per world, an array of shape {measurement.time.shape}"
            raise InvalidModel("until: result", over, shape)
        if over.any():
            self._stepper.end(over)


class OpenLoop:
    """All controllers are gaits or none: the steps of a portion run in one go, with goals checked in between."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, watch: Watch | None) -> None:
        self._stepper, self._watch = stepper, watch
        if watch is not None:
            exact = [replace(world, sensors=PERFECT_SENSORS) for world in worlds]
            self._senses = Senses(exact, stepper, period=1, with_pose=True)
        waves = evaluated_in_kernels(worlds)
        often = None if watch is None else 1.0 / watch.rate
        self._portions, self.least = (_waves if waves else _tables)(worlds, stepper, often)

    least: int
    """Steps that must remain each time, unless the run ends before [-]."""

    def advance(self, steps_left: int) -> int:
        """Runs one portion of at most steps_left steps; returns the steps done."""
        if self._watch is not None:
            self._watch.look(self._senses.read())
        steps = min(next(self._portions), steps_left)
        self._stepper.advance(steps)
        return steps


def way_of_driving(controller: Any) -> Hashable:
    """What controllers of a batch must have in common for each to act as it would alone."""
    if controller is None or isinstance(controller, WaveGait):
        return "kernels"
    if isinstance(controller, Gait):
        return "table", float(controller.rate), controller.hold
    return "feedback", float(controller.rate)


def evaluated_in_kernels(worlds: Sequence[World]) -> bool:
    """Whether no reference comes from outside the kernels: every controller is a wave, or there is none."""
    return all(world.controller is None or isinstance(world.controller, WaveGait) for world in worlds)


def _wave_of(world: World) -> Wave:
    """The wave of a gait; for a passive robot zeros, which nothing follows."""
    if world.controller is not None:
        return world.controller.wave(world.robot)
    zero = np.zeros(world.robot.n_joints)
    return Wave(offset=zero, sine=zero, cosine=zero, angular_frequency=zero, soft_start=0.0, from_time=zero)


def _waves(worlds: Sequence[World], stepper: Stepper, most: float | None) -> tuple[Iterator[int], int]:
    """Gaits that the kernels evaluate: the steps of each portion, which lasts `most` [s] or as long as is efficient."""
    known: dict[tuple[int, int], Wave] = {}
    for world in worlds:
        key = (id(world.controller), id(world.robot))
        if key not in known:
            known[key] = checked_wave(_wave_of(world), world.robot.n_joints)
    waves = [known[id(world.controller), id(world.robot)] for world in worlds]
    stepper.use_waves(waves, [world.controller is not None and world.controller.prescribed for world in worlds])

    least = max(1, round((most or PORTION) / stepper.settings.dt))

    def portions() -> Iterator[int]:
        steps = least
        while True:
            begin = time.perf_counter()
            yield steps
            if most is None and time.perf_counter() - begin < LAUNCH / 2:
                steps = min(2 * steps, MOST_STEPS)

    return portions(), 1 if most is None else least


def _tables(worlds: Sequence[World], stepper: Stepper, most: float | None) -> tuple[Iterator[int], int]:
    """Gaits as tables of nodes, made again after every PORTION: the steps of each portion (at most `most` [s])."""
    active, dt = [world.controller for world in worlds if world.controller is not None], stepper.settings.dt
    gaits = [Hold() if world.controller is None else world.controller for world in worlds]
    held, rates = any(gait.hold for gait in active), {float(gait.rate) for gait in active}
    if held and not (all(gait.hold for gait in active) and len(rates) == 1):
        raise InvalidModel(
            "worlds: gaits", "held and not, or at several rates", "the same in a batch in which one is held"
        )
    spacing = max(1, min(round(1.0 / (rate * dt)) for rate in rates))
    if held:
        spacing = whole_steps("gait.rate", rates.pop(), dt)
    nodes, at_once = (max(1, round(seconds / (spacing * dt))) for seconds in (PORTION, most or PORTION))

    def portions() -> Iterator[int]:
        prescribed, done = [gait.prescribed for gait in gaits], 0
        while True:
            times = (done + np.arange(nodes + 1) * spacing) * dt
            tables = [checked_references(gait, times, world.robot) for gait, world in zip(gaits, worlds, strict=True)]
            angle, rate = (np.stack(parts) for parts in zip(*tables, strict=True))
            for at in range(0, nodes, at_once):
                # All remaining nodes, even if a goal is checked earlier: the end of a portion must not change the wave.
                stepper.use_table(angle[:, at:], rate[:, at:], spacing, prescribed, held=held)
                yield min(at_once, nodes - at) * spacing
            done += nodes * spacing

    return portions(), min(at_once, nodes) * spacing


class ClosedLoopDriving:
    """At least one controller uses feedback: every period calls it, then advances. Gaits are sampled."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, watch: Watch | None = None) -> None:
        self._stepper, self._watch = stepper, watch
        controllers: list[Any] = [world.controller for world in worlds if world.controller is not None]
        rates = {float(each.rate) for each in controllers if not isinstance(each, Gait)}
        if len(rates) != 1:
            raise InvalidModel("worlds: controller.rate", sorted(rates), "the same for all controllers of a batch")
        self.period = whole_steps("controller.rate", rates.pop(), stepper.settings.dt)
        """Time steps between commands [-]."""
        self._portion = max(1, round(PORTION / (stepper.settings.dt * self.period)))
        with_pose = watch is not None or any("pose" in each.needs for each in controllers)
        self._senses = Senses(worlds, stepper, period=self.period, with_pose=with_pose)
        self._names = [type(world.controller).__qualname__ for world in worlds]
        self._controllers = Controllers(worlds)
        self.least = self._portion * self.period
        """Steps that must remain each time, unless the run ends before [-]."""
        self._modes: list[np.ndarray] = []
        self._forgotten = 0

    def advance(self, steps_left: int) -> int:
        """Runs some control periods, at most steps_left steps; returns the steps done."""
        done = 0
        for _ in range(self._portion):
            if done == steps_left:
                break
            if not self._turn():
                return steps_left
            steps = min(self.period, steps_left - done)
            self._stepper.advance(steps)
            done += steps
        return done

    def modes_at(self, steps: Sequence[int]) -> list[np.ndarray]:
        """The modes that acted up to these steps, shape (n_worlds,) each; forgets earlier ones.

        At step 0 it is the first mode. NaN where a controller has no modes.
        """
        numbers = [max(step - 1, 0) // self.period - self._forgotten for step in steps]
        found = [self._modes[min(number, len(self._modes) - 1)] for number in numbers] if self._modes else []
        self._forgotten += max(len(self._modes) - 1, 0)
        del self._modes[:-1]
        return found

    def _turn(self) -> bool:
        """Measures, checks goals and calls the controllers; False if no world is running any more."""
        measurement = self._senses.read()
        if self._watch is not None:
            self._watch.look(self._senses.with_true_pose(measurement))
        running = self._stepper.running()
        if not running.any():
            return False
        time = float(measurement.time[running].min())
        command = self._controllers.ask(measurement, running, lambda found, rows: self._check(found, rows, time))
        self._modes.append(self._controllers.modes())
        self._stepper.use_command(command, self.period)
        return True

    def _check(self, command: Any, rows: np.ndarray, time: float) -> None:
        """Raises InvalidModel for a wrong command, and if failures are raised also for NaN in it."""
        whose = f" of {self._names[rows[0]]} at t = {time:.6g} s"
        check_command(command, len(rows), self._stepper, whose)
        if self._stepper.settings.on_failure != "raise":
            return  # only this world ends, and its status says so
        for name, axes in PARTS.items():
            value = getattr(command, name)
            if value is None or np.isfinite(value).all():
                continue
            # A failed world has no measurements any more, so its commands do not matter.
            running = self._stepper.running()[rows]
            for w, k, *rest in np.argwhere(~np.isfinite(value)):
                if running[w]:
                    field = f"command.{name}{whose}, {'link' if axes > 1 else 'joint'} {k}, world {rows[w]}"
                    raise InvalidModel(field, float(np.asarray(value)[(w, k, *rest)]), "finite")


def drive(worlds: Sequence[World], stepper: Stepper, until: Until | None = None) -> OpenLoop | ClosedLoopDriving:
    """Returns the kind of driving that these worlds' controllers need. Without a controller the motors are off."""
    stepper.passive = np.array([world.controller is None for world in worlds])
    watch = None if until is None else Watch(until, stepper)
    open_loop = all(world.controller is None or isinstance(world.controller, Gait) for world in worlds)
    return (OpenLoop if open_loop else ClosedLoopDriving)(worlds, stepper, watch)


def check_command(command: Any, n_worlds: int, stepper: Stepper, whose: str = "") -> None:
    """Raises InvalidModel unless this is a command for so many worlds; `whose` follows the field's name."""
    if not isinstance(command, Command):
        raise InvalidModel(f"command{whose}", command, "a Command")
    shapes = {1: (n_worlds, stepper.n_joints), 2: (n_worlds, stepper.n_links, stepper.load_size)}
    for name, axes in PARTS.items():
        value, shape = getattr(command, name), shapes[axes]
        if value is not None:
            array_of_numbers(f"command.{name}{whose}", value, Axes(*shape), unit=UNITS[name])
    flag(f"command.prescribed{whose}", command.prescribed)
