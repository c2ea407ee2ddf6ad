"""A central pattern generator: coupled oscillators that drive the joints, and parameters that change without jumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from math import inf, pi
from typing import Annotated, Any, ClassVar

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.batching import form, stack
from pushpoint.engine.controller import Bindable, Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.gaits.oscillators import Followed, OscillatorGains, PatternMemory, Told, advanced, joint_angles
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import What, above, check_fields
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, AngularRate, Count, Duration, Frequency, Phase
from pushpoint.model.spatial_robot import AnyRobot

Gain = Annotated[float, above(0, "1/s")]
SAME_TIME = 1e-9
"""Times that differ by less than this are the same [s]."""


@dataclass(frozen=True, kw_only=True)
class PatternChange:
    """New parameters of a pattern generator from a time on; those that are not given stay as they are.

    For example:

        pp.gaits.PatternChange(time=5.0, offset=0.1)  # turns left from 5 s on
    """

    __repr__ = brief

    time: Duration
    """When they apply [s]: from the first command at or after this time."""
    angular_frequency: AngularRate | None = None
    """Angular frequency [rad/s]; default: unchanged."""
    amplitude: Angle | None = None
    """Amplitude of the yaw angles [rad]; default: unchanged."""
    phase_shift: Angle | None = None
    """Phase difference between neighbouring joints, from the head [rad]; default: unchanged."""
    offset: Angle | None = None
    """Mean yaw angle [rad]; default: unchanged."""
    pitch_amplitude: Angle | None = None
    """Amplitude of the pitch angles [rad]; default: unchanged."""
    pitch_lead: Angle | None = None
    """Phase lead of the pitch axes over the yaw axes [rad]; default: unchanged."""
    pitch_offset: Angle | None = None
    """Mean pitch angle [rad]; default: unchanged."""

    def __post_init__(self) -> None:
        check_fields(self, "change")


CHANGING = tuple(field.name for field in fields(PatternChange) if field.name != "time")
"""The parameters that may change."""


@register("pattern-generator")
@dataclass(frozen=True, kw_only=True)
class PatternGenerator(Bindable[PatternMemory]):
    """A central pattern generator: one oscillator per axis, each coupled to its neighbours.

        theta_i_dot = omega + sum_j coupling sin(theta_j - theta_i - (psi_j - psi_i)), over the neighbours j of i
        r_ddot = gain (gain/4 (amplitude - r) - r_dot); x in the same way follows the offset
        angle = x + r sin(theta)

    The phases settle at theta_i = omega t + psi_i, with psi = k phase_shift + phase for yaw axes, and pitch_lead more
    for pitch axes; k counts joints from the head. The robot then does what `LateralUndulation` or `Sidewinding` does.
    It starts at rest, with all joints straight. After Crespi and Ijspeert 2008. Here omega and psi follow what they are
    told like the amplitude, so that no change makes angles or rates jump.

    To change parameters from outside, for example with a Simulator, keep the memory and replace the generator:

        from dataclasses import replace

        robot = pp.catalogue.aiko_planar()
        simulator = pp.Simulator([pp.World(robot, pp.Environment())])
        generator = pp.gaits.PatternGenerator(angular_frequency=3.0, amplitude=0.5, phase_shift=-0.6)
        measurement, memory = simulator.reset(), generator.memories(robot, 1)
        for k in range(100):
            if k == 50:
                generator = replace(generator, offset=0.1)
            command, memory = generator.bind(robot).command(measurement, memory)
            measurement = simulator.step(command)
    """

    batches: ClassVar[bool] = True
    __repr__ = brief

    angular_frequency: AngularRate
    """Angular frequency omega [rad/s]."""
    amplitude: Angle
    """Amplitude of the yaw angles [rad]."""
    phase_shift: Angle
    """Phase difference between neighbouring joints, from the head [rad]; < 0 sends waves from head to tail."""
    offset: Angle = 0.0
    """Mean yaw angle [rad]; > 0 turns left."""
    pitch_amplitude: Angle = 0.0
    """Amplitude of the pitch angles [rad]."""
    pitch_lead: Angle = -pi / 2
    """Phase lead of the pitch axes over the yaw axes [rad]."""
    pitch_offset: Angle = 0.0
    """Mean pitch angle [rad]; > 0 bends the head down."""
    phase: Phase = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    changes: Annotated[Sequence[PatternChange], What("a PatternChange")] = ()
    """What changes on the way, in the order of time."""
    gain: Gain = 20.0
    """How fast parameters follow what they are told [1/s]: like (1 + gain t / 2) exp(-gain t / 2)."""
    coupling: Gain = 10.0
    """Weight of the coupling between neighbouring oscillators [1/s]."""
    rate: Frequency = 100.0
    """Commands per second [Hz]."""
    prescribed: bool = False
    """Whether the joints follow the references exactly instead of using them as servo targets."""

    def __post_init__(self) -> None:
        check_fields(self, "generator")
        times = [change.time for change in self.changes]
        if any(later < earlier for earlier, later in pairwise(times)):
            raise InvalidModel("generator.changes", times, "in the order of their times", unit="s")

    @property
    def period(self) -> float:
        """Duration of one cycle with the parameters of the start [s]."""
        return 2 * pi / abs(self.angular_frequency) if self.angular_frequency else inf

    def first_reference(self, robot: AnyRobot) -> np.ndarray:
        """All joints straight [rad], shape (n_joints,)."""
        return np.zeros(robot.n_joints)

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundPattern:
        """Returns the generator with one oscillator per axis of a robot."""
        stages = [self]
        for change in self.changes:
            given = {name: getattr(change, name) for name in CHANGING if getattr(change, name) is not None}
            stages.append(replace(stages[-1], changes=(), **given))
        told = Told(*(np.stack(part) for part in zip(*(stage._told(robot) for stage in stages), strict=True)))
        return BoundPattern(
            told=told,
            times=np.array([change.time for change in self.changes]),
            gain=self.gain,
            coupling=self.coupling,
            rate=self.rate,
            prescribed=self.prescribed,
        )

    @checked_arguments
    def memories(self, robot: AnyRobot, n_worlds: Count = 1) -> PatternMemory:
        """The memory of so many worlds before the first command, as a bound generator takes it.

        Args:
            robot: The robot of the worlds.
            n_worlds: How many worlds [-].
        """
        return stack([self.bind(robot).memory()] * n_worlds)

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] at increasing times [s], shape (n_times, n_joints).

        Parameters change at the first of these times at or after that of the change.
        """
        bound, angles, rates = self.bind(robot), [], []
        memory = self.memories(robot)
        for t in np.asarray(time, dtype=float):
            memory = bound.advanced(memory, np.array([t]))
            angle, rate = joint_angles(memory, np.asarray(bound.coupling))
            angles.append(angle[0])
            rates.append(rate[0])
        return np.array(angles).reshape(-1, robot.n_joints), np.array(rates).reshape(-1, robot.n_joints)

    def _told(self, robot: AnyRobot) -> Told:
        yaw = np.array([axis.name == "yaw" for axis in robot.axes])
        k = robot.n_links - 2 - np.array([axis.link_behind for axis in robot.axes])
        psi = k * self.phase_shift + self.phase + np.where(yaw, 0.0, self.pitch_lead)
        amplitude = np.where(yaw, self.amplitude, self.pitch_amplitude)
        return Told(amplitude, np.where(yaw, self.offset, self.pitch_offset), np.array([self.angular_frequency]), psi)


@dataclass(frozen=True, eq=False)
class BoundPattern(Controller[PatternMemory]):
    """A pattern generator with one oscillator per axis of a robot."""

    batches: ClassVar[bool] = True

    told: Told
    """What it is told, one row per stage: before the first change, and from each change on."""
    times: np.ndarray
    """When the changes apply [s], shape (n_changes,)."""
    gain: float
    """Gain of what follows [1/s]."""
    coupling: float
    """Weight of the coupling [1/s]."""
    rate: float
    """Commands per second [Hz]."""
    prescribed: bool
    """Whether the joints follow the references exactly."""

    def memory(self) -> PatternMemory:
        """At rest, straight, with the phases in step."""
        first = Told(*(part[0] for part in self.told))
        still = Followed(np.zeros_like(first.amplitude), np.zeros_like(first.amplitude))
        omega, psi = (Followed(part, np.zeros_like(part)) for part in (first.omega, first.psi))
        return PatternMemory(np.zeros(()), np.zeros(1), np.zeros_like(first.psi), still, still, omega, psi)

    def adopt(self, memory: Any, of: Controller[Any]) -> PatternMemory:
        """Goes on from another generator of as many axes without a jump."""
        fresh = self.memory()
        return memory if isinstance(of, BoundPattern) and form(memory) == form(fresh) else fresh

    def advanced(self, memory: PatternMemory, time: np.ndarray) -> PatternMemory:
        """The memory at given times [s], shape (n_worlds,); changes apply to the time after the one remembered."""
        n_worlds = len(time)
        times = np.broadcast_to(self.times, (n_worlds, self.times.shape[-1]))
        stage = (times <= memory.time[:, None] + SAME_TIME).sum(axis=1)
        told = Told(*(_of_stage(part, stage) for part in self.told))
        gains = OscillatorGains(*(np.broadcast_to(gain, n_worlds)[:, None] for gain in (self.gain, self.coupling)))
        # A world that was reset is behind its memory, which then stands still.
        new = advanced(memory, told, gains, np.maximum(time - memory.time, 0.0))
        return new._replace(time=np.array(time, dtype=float))

    def command(self, measurement: Measurement, memory: PatternMemory) -> tuple[Command, PatternMemory]:
        """The angles and rates of the current time."""
        now = self.advanced(memory, measurement.time)
        coupling = np.broadcast_to(self.coupling, len(measurement.time))[:, None]
        angle, rate = joint_angles(now, coupling)
        return Command(joint_angle=angle, joint_rate=rate, prescribed=self.prescribed), now


def _of_stage(part: np.ndarray, stage: np.ndarray) -> np.ndarray:
    """The row of each world's stage, shape (n_worlds, ...), of (n_stages, ...) or (n_worlds, n_stages, ...)."""
    return part[stage] if part.ndim == 2 else part[np.arange(len(stage)), stage]
