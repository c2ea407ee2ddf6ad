"""What drives the motors: kernels (waves), tables (functions of time) or controllers (closed loop)."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pushpoint.engine.controller import Gait, checked_references
from pushpoint.engine.signals import PARTS, UNITS, Command, Fade, Measurement, Wave, check_waves
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

References = tuple[np.ndarray, np.ndarray]
"""Joint angles [rad] and rates [rad/s] of one world, shape (n_joints,) each."""


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
    """All controllers are gaits or none: many steps run in one go, with goals checked in between."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, watch: Watch | None = None, begin: int = 0) -> None:
        """`begin` is the time step at which it takes over."""
        self._stepper, self._watch, self._begin, self._step = stepper, watch, begin, begin
        self._worlds = worlds
        if watch is not None:
            exact = [replace(world, sensors=PERFECT_SENSORS) for world in worlds]
            self._senses = Senses(exact, stepper, period=1, with_pose=True)
        self._often = None if watch is None else 1.0 / watch.rate
        self._source = self._made()

    def _made(self) -> Waves | ReferenceTables:
        kind = Waves if evaluated_in_kernels(self._worlds) else ReferenceTables
        return kind(self._worlds, self._stepper, self._often, self._begin)

    @property
    def least(self) -> int:
        """Steps that should remain each time, unless the run ends before [-]."""
        return self._source.least

    def advance(self, steps_left: int) -> int:
        """Runs one portion of at most steps_left steps; returns the steps done."""
        done = self._step - self._begin
        portion, begins = self._source.portion(done)
        if self._watch is not None and begins:
            self._watch.look(self._senses.read())
        steps = min(portion, steps_left)
        self._source.run(steps)
        self._step += steps
        return steps

    def modes_at(self, steps: Sequence[int]) -> list[np.ndarray]:
        """No modes: NaN for each world, shape (n_worlds,) each."""
        return [np.full(len(self._worlds), np.nan) for _ in steps]

    def references(self) -> References | None:
        """Angles [rad] and rates [rad/s] that the only world's gait asks for now, shape (n_joints,); None without."""
        world, time = self._worlds[0], self._step * self._stepper.settings.dt
        if world.controller is None:
            return None
        angle, rate = checked_references(world.controller, np.array([time]), world.robot)
        return angle[0], rate[0]

    def moved_to(self, world: World) -> None:
        """Goes on in a world whose robot or environment has changed."""
        self._worlds = [replace(world, controller=self._worlds[0].controller)]
        self._source = self._made()

    def memory(self) -> dict[str, Any]:
        """What it needs besides its worlds to go on later."""
        return {"begin": self._begin, "step": self._step}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Goes back to where it was."""
        self._begin, self._step = memory["begin"], memory["step"]
        self._source = self._made()


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


class Waves:
    """Gaits that the kernels evaluate. A portion lasts as long as goals allow, or as long as is efficient."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, most: float | None, begin: int) -> None:
        """Goals are looked at every `most` [s]; None without any."""
        known: dict[tuple[int, int], Wave] = {}
        for world in worlds:
            key = (id(world.controller), id(world.robot))
            if key not in known:
                known[key] = _wave_of(world)
        check_waves(list(known.values()), worlds[0].robot.n_joints)
        waves = [known[id(world.controller), id(world.robot)] for world in worlds]
        stepper.use_waves(waves, [world.controller is not None and world.controller.prescribed for world in worlds])
        self._stepper, self._goals = stepper, most is not None
        self._steps = max(1, round((most or PORTION) / stepper.settings.dt))
        self.least = self._steps if self._goals else 1

    def portion(self, done: int) -> tuple[int, bool]:
        """Steps until goals are looked at again, and whether they are now, after so many steps."""
        past = done % self._steps if self._goals else 0
        return self._steps - past, past == 0

    def run(self, steps: int) -> None:
        """Runs so many steps of a portion."""
        begin = time.perf_counter()
        self._stepper.advance(steps)
        quick = steps == self._steps and time.perf_counter() - begin < LAUNCH / 2
        if quick and not self._goals:
            self._steps = min(2 * self._steps, MOST_STEPS)


class ReferenceTables:
    """Gaits as tables of nodes. Each table lasts for a PORTION; the same step always reads the same table."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, most: float | None, begin: int) -> None:
        """Goals are looked at every `most` [s]; None without any. `begin` is the step of the first node."""
        active, dt = [world.controller for world in worlds if world.controller is not None], stepper.settings.dt
        self._stepper, self._begin = stepper, begin
        self._robots = [world.robot for world in worlds]
        self._gaits = [Hold() if world.controller is None else world.controller for world in worlds]
        self._held, rates = any(gait.hold for gait in active), {float(gait.rate) for gait in active}
        if self._held and not (all(gait.hold for gait in active) and len(rates) == 1):
            raise InvalidModel(
                "worlds: gaits", "held and not, or at several rates", "the same in a batch in which one is held"
            )
        self._spacing = max(1, min(round(1.0 / (rate * dt)) for rate in rates))
        if self._held:
            self._spacing = whole_steps("gait.rate", rates.pop(), dt)
        self._nodes, at_once = (max(1, round(seconds / (self._spacing * dt))) for seconds in (PORTION, most or PORTION))
        self.least = min(at_once, self._nodes) * self._spacing
        self._number, self._past = -1, 0
        self._angle = self._rate = np.zeros(0)

    def portion(self, done: int) -> tuple[int, bool]:
        """Steps until the next table or look at goals, and whether one is due now, after so many steps."""
        number, self._past = divmod(done, self._nodes * self._spacing)
        if number != self._number:
            self._make(number)
        past = self._past % self.least
        return min(self.least - past, self._nodes * self._spacing - self._past), past == 0

    def _make(self, number: int) -> None:
        """Makes a table: all its nodes, even if goals are looked at in between, so that these do not change it."""
        first = self._begin + number * self._nodes * self._spacing
        times = (first + np.arange(self._nodes + 1) * self._spacing) * self._stepper.settings.dt
        tables = [checked_references(gait, times, robot) for gait, robot in zip(self._gaits, self._robots, strict=True)]
        self._angle, self._rate = (np.stack(parts) for parts in zip(*tables, strict=True))
        self._number = number

    def run(self, steps: int) -> None:
        """Runs so many steps of a portion."""
        node, past = divmod(self._past, self._spacing)
        prescribed = [gait.prescribed for gait in self._gaits]
        ahead = self._angle[:, node:], self._rate[:, node:]
        self._stepper.use_table(*ahead, self._spacing, prescribed, held=self._held, past=past)
        self._stepper.advance(steps)


class ClosedLoopDriving:
    """At least one controller uses feedback: every period calls it, then advances. Gaits are sampled."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, watch: Watch | None = None, begin: int = 0) -> None:
        """`begin` is the time step at which it takes over."""
        self._stepper, self._watch, self._step = stepper, watch, begin
        controllers: list[Any] = [world.controller for world in worlds if world.controller is not None]
        rates = {float(each.rate) for each in controllers if not isinstance(each, Gait)}
        if len(rates) != 1:
            raise InvalidModel("worlds: controller.rate", sorted(rates), "the same for all controllers of a batch")
        self.period = whole_steps("controller.rate", rates.pop(), stepper.settings.dt)
        """Time steps between commands [-]."""
        self._portion = max(1, round(PORTION / (stepper.settings.dt * self.period)))
        with_pose = watch is not None or any("pose" in each.needs for each in controllers)
        self._senses = Senses(worlds, stepper, period=self.period, with_pose=with_pose)
        self._worlds = worlds
        self._controllers = Controllers(worlds)
        self.least = self._portion * self.period
        """Steps that should remain each time, unless the run ends before [-]."""
        self._left = 0  # steps until the next command
        self._command: Command | None = None
        self._handover: tuple[float, References | None] | None = None
        self._fade: Fade | None = None
        self._modes: list[tuple[int, np.ndarray]] = []  # and the step after which each of them acts

    def advance(self, steps_left: int) -> int:
        """Runs some control periods, at most steps_left steps; returns the steps done."""
        done = 0
        for _ in range(self._portion):
            if done == steps_left:
                break
            if self._left == 0 and not self._turn():
                return steps_left
            steps = min(self._left, steps_left - done)
            self._stepper.advance(steps)
            self._left -= steps
            self._step += steps
            done += steps
        return done

    def modes_at(self, steps: Sequence[int]) -> list[np.ndarray]:
        """The modes that acted up to these steps, shape (n_worlds,) each; forgets earlier ones.

        Before the first command it is the first mode. NaN where a controller has no modes.
        """
        found = []
        for step in steps:
            while len(self._modes) > 1 and self._modes[1][0] < step:
                del self._modes[0]
            found.append(self._modes[0][1] if self._modes else np.full(len(self._worlds), np.nan))
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
        self._modes.append((self._step, self._controllers.modes()))
        self._command, self._left = self._faded(command, measurement), self.period
        self._stepper.use_command(self._command, self.period)
        return True

    def hand_over(self, lasts: float, references: References | None) -> None:
        """Lets the next commands begin with these references, or with the joints where they are, and depart in time."""
        self._handover = (lasts, references)

    def _faded(self, command: Command, measurement: Measurement) -> Command:
        """The command with what is left of the difference to the references before it."""
        if command.joint_torque is not None or command.joint_angle is None:
            self._handover = self._fade = None
            return command
        angle, rate = command.joint_angle, command.joint_rate
        rate = np.zeros_like(angle) if rate is None else rate
        time = float(measurement.time[0])
        if self._handover is not None:
            lasts, before = self._handover
            if before is None or command.prescribed:
                before = measurement.joint_angle[0], measurement.joint_rate[0]
            self._handover = None
            self._fade = Fade(begin=time, lasts=lasts, angle=before[0] - angle[0], rate=before[1] - rate[0])
        if self._fade is None:
            return command
        more, faster = self._fade.at(time)
        if time >= self._fade.begin + self._fade.lasts:
            self._fade = None
        return replace(command, joint_angle=angle + more, joint_rate=rate + faster)

    def references(self) -> References | None:
        """Angles [rad] and rates [rad/s] that the only world is told now, shape (n_joints,); None without."""
        if self._command is None and self._handover is not None:
            return self._handover[1]  # it has not been asked yet
        if self._command is None or self._command.joint_angle is None or self._command.joint_torque is not None:
            return None
        angle, rate = self._command.joint_angle[0], self._command.joint_rate
        return angle, np.zeros_like(angle) if rate is None else rate[0]

    def moved_to(self, world: World) -> None:
        """Goes on in a world that has changed, with another controller of the same rate if it has one."""
        before = self._worlds[0]
        again = "environment" in world.controller.needs or before.robot is not world.robot
        if again or world.controller is not before.controller:
            self._controllers = self._controllers.succeeded_by(world)
        self._senses.move_to([world])
        self._worlds = [world]

    def takes(self, world: World) -> bool:
        """Whether the world's controller can go on with these periods and senses."""
        before, after = self._worlds[0].controller, world.controller
        if after is None or isinstance(after, Gait) or isinstance(before, Gait) or after.rate != before.rate:
            return False
        return ("range" in before.needs, "pose" in before.needs) == ("range" in after.needs, "pose" in after.needs)

    def memory(self) -> dict[str, Any]:
        """What it needs besides its worlds to go on later."""
        held = ("_step", "_left", "_command", "_handover", "_fade", "_modes")
        own = {name: vars(self)[name] for name in held}
        return {"own": own, "controllers": self._controllers.memories, "senses": self._senses.memory()}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Goes back to where it was."""
        vars(self).update(memory["own"])
        self._controllers.memories = memory["controllers"]
        self._senses.recall(memory["senses"])
        if self._command is not None:
            self._stepper.use_command(self._command, self.period)

    def _check(self, command: Any, rows: np.ndarray, time: float) -> None:
        """Raises InvalidModel for a wrong command, and if failures are raised also for NaN in it."""
        whose = f" of {type(self._worlds[rows[0]].controller).__qualname__} at t = {time:.6g} s"
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


Driving = OpenLoop | ClosedLoopDriving


def drive(worlds: Sequence[World], stepper: Stepper, watch: Watch | None = None, begin: int = 0) -> Driving:
    """Returns the kind of driving that these worlds' controllers need. Without a controller the motors are off.

    It takes over at the time step `begin`.
    """
    stepper.passive = np.array([world.controller is None for world in worlds])
    open_loop = all(world.controller is None or isinstance(world.controller, Gait) for world in worlds)
    return (OpenLoop if open_loop else ClosedLoopDriving)(worlds, stepper, watch, begin)


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
