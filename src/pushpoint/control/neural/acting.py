"""What a learned policy commands: joint references, a travelling wave, a wave with bends, or torques.

All actions are numbers from -1 to 1. With k the joints between an axis and the head's, the wave is

    yaw[k]   = bend + amplitude sin(psi - k phase_shift),      psi' = 2 pi frequency
    pitch[k] = pitch_amplitude sin(psi - k phase_shift + pitch_lead)

It runs from head to tail. References stay within the joints' ranges. Arrays are NumPy's, or tensors of torch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from pushpoint.engine.on_device.namespaces import Constant, namespace_of
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, check_fields, real
from pushpoint.model.spatial_robot import AnyRobot

ActionKind = Literal["joints", "wave", "bends", "torque"]
"""What the numbers of an action are."""
FREE_RANGE = pi / 2
"""Half the range of references of a joint without end stops [rad]."""


class Acted(NamedTuple):
    """What is remembered of the commands so far."""

    phase: np.ndarray
    """Phase psi of the wave [rad], shape (n_worlds,)."""
    reference: np.ndarray
    """The latest joint references [rad], shape (n_worlds, n_joints)."""


@dataclass(frozen=True, kw_only=True)
class WaveRanges:
    """What the numbers of a wave mean: at -1 it has the smallest value, at 1 the largest, at 0 the one halfway."""

    amplitude: Annotated[Sequence[float], real("rad"), Many(2, "two numbers")]
    """Amplitude of the yaw joints [rad]."""
    frequency: Annotated[Sequence[float], real("Hz"), Many(2, "two numbers")]
    """Waves per second [Hz]."""
    phase_shift: Annotated[Sequence[float], real("rad"), Many(2, "two numbers")]
    """Phase difference between neighbouring joints [rad]."""
    bend: Annotated[Sequence[float], real("rad"), Many(2, "two numbers")] = (0.0, 0.0)
    """Mean angle of the yaw joints [rad]; > 0 turns left."""
    pitch_amplitude: Annotated[Sequence[float], real("rad"), Many(2, "two numbers")] = (0.0, 0.0)
    """Amplitude of the pitch joints [rad]; in space only."""
    pitch_lead: Annotated[Sequence[float], real("rad"), Many(2, "two numbers")] = (0.0, 0.0)
    """Phase of the pitch wave before that of the yaw wave [rad]; in space only."""

    def __post_init__(self) -> None:
        check_fields(self, "waves")

    def scaled(self, name: str, number: Any) -> Any:
        """The value of one quantity for numbers from -1 to 1."""
        low, high = getattr(self, name)
        found: Any = (low + high) / 2 + (high - low) / 2 * number
        return found


class Actions(ABC):
    """Makes commands of actions, for all worlds of a batch at once."""

    names: tuple[str, ...]
    """What each number of an action is, with its unit."""
    remembers: tuple[str, ...] = ("reference", "wave")
    """What of the commands so far an observation holds."""

    def __init__(self, robot: AnyRobot, waves: WaveRanges, rate: float) -> None:
        """`rate` actions come per second."""
        lower, upper = robot.motor_column("lower"), robot.motor_column("upper")
        lower = np.where(np.isfinite(lower), lower, -FREE_RANGE)
        upper = np.where(np.isfinite(upper), upper, FREE_RANGE)
        self._lower, self._upper = Constant(lower), Constant(upper)
        self._middle, self._half = Constant((upper + lower) / 2), Constant((upper - lower) / 2)
        self.n_joints, self.spatial = robot.n_joints, any(axis.name == "pitch" for axis in robot.axes)
        self._yaw = Constant([axis.name != "pitch" for axis in robot.axes])
        lag = robot.n_links - 2.0 - np.array([axis.link_behind for axis in robot.axes])
        self._lag, usual = Constant(lag), lag * waves.scaled("phase_shift", 0.0)
        self._usual = Constant(np.stack((np.cos(usual), np.sin(usual))))
        self._waves, self._rate = waves, rate

    def begin(self, measurement: Measurement) -> Acted:
        """Before the first command: the references are the measured angles, the phase that of the nearest wave."""
        reference = measurement.joint_angle
        angle, (cosine, sine) = reference * self._yaw.like(reference), self._usual.like(reference)
        # sin(psi - lag) = sin(psi) cos(lag) - cos(psi) sin(lag), so this phase has the largest product with the angles.
        phase = namespace_of(angle).arctan2((angle * cosine).sum(axis=1), -(angle * sine).sum(axis=1))
        return Acted(phase, reference)

    def posture(self, phase: float) -> np.ndarray:
        """A flat body in the shape of the wave halfway between the smallest and the largest [rad], (n_joints,)."""
        reference = np.clip(self._wave(np.array([phase]), {})[0], self._lower.values, self._upper.values)
        return np.asarray(reference * self._yaw.values)

    @abstractmethod
    def command(self, action: np.ndarray, memory: Acted) -> tuple[Command, Acted]:
        """The command for actions, shape (n_worlds, n_actions), and the new memory."""

    def _to(self, reference: np.ndarray, phase: np.ndarray) -> tuple[Command, Acted]:
        kept = namespace_of(reference).clip(reference, self._lower.like(reference), self._upper.like(reference))
        return Command(joint_angle=kept), Acted(phase, kept)

    def _axes(self, what: str) -> tuple[str, ...]:
        return tuple(f"{what}[{k}]" for k in range(self.n_joints))

    def _wave(self, phase: np.ndarray, parts: dict[str, np.ndarray]) -> np.ndarray:
        """The angles of the wave [rad], shape (n_worlds, n_joints), of numbers from -1 to 1 by their quantity."""
        columns: dict[str, Any] = {name: part[:, None] for name, part in parts.items()}
        of = {name: self._waves.scaled(name, columns.get(name, 0.0)) for name in vars(self._waves)}
        space, psi = namespace_of(phase), phase[:, None] - self._lag.like(phase) * of["phase_shift"]
        yaw = of["bend"] + of["amplitude"] * space.sin(psi)
        if not self.spatial:
            return yaw
        pitch = of["pitch_amplitude"] * space.sin(psi + of["pitch_lead"])
        found: np.ndarray = space.where(self._yaw.like(phase), yaw, pitch)
        return found

    def _turned(self, phase: np.ndarray, number: np.ndarray) -> np.ndarray:
        """The phase one period later."""
        return phase + 2 * pi * self._waves.scaled("frequency", number) / self._rate


class JointActions(Actions):
    """One number per joint: -1 and 1 are the ends of its range."""

    remembers = ("reference",)

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """The joints."""
        return self._axes("joint_reference")

    def command(self, action: np.ndarray, memory: Acted) -> tuple[Command, Acted]:
        """Joint references."""
        return self._to(self._middle.like(action) + self._half.like(action) * action, memory.phase)


class WaveActions(Actions):
    """The quantities of a travelling wave, see WaveRanges: four in the plane, six in space."""

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """The quantities."""
        flat = ("amplitude", "frequency", "phase_shift", "bend")
        return (*flat, "pitch_amplitude", "pitch_lead") if self.spatial else flat

    def command(self, action: np.ndarray, memory: Acted) -> tuple[Command, Acted]:
        """The wave's joint references; a change of frequency or bend never makes it jump by more than that."""
        parts = {name: action[:, k] for k, name in enumerate(self.names)}
        phase = self._turned(memory.phase, parts["frequency"])
        return self._to(self._wave(phase, parts), phase)


class BendActions(Actions):
    """How fast a wave runs, and how far each joint is bent away from it: 1 is half of its range.

    The wave has the quantities halfway between the smallest and the largest.
    """

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """The frequency and the joints."""
        return ("frequency", *self._axes("bend"))

    def command(self, action: np.ndarray, memory: Acted) -> tuple[Command, Acted]:
        """The wave's joint references and the bends."""
        phase = self._turned(memory.phase, action[:, 0])
        return self._to(self._wave(phase, {}) + self._half.like(action) * action[:, 1:], phase)


class TorqueActions(Actions):
    """One number per joint: 1 is the torque limit of its motor."""

    remembers = ()

    def __init__(self, robot: AnyRobot, waves: WaveRanges, rate: float) -> None:
        super().__init__(robot, waves, rate)
        self._limit = Constant(robot.motor_column("torque_limit"))
        if not np.isfinite(self._limit.values).all():
            raise InvalidModel("env.action", "torque", "another one for a robot whose motors have no torque limit")

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """The joints."""
        return self._axes("joint_torque")

    def command(self, action: np.ndarray, memory: Acted) -> tuple[Command, Acted]:
        """Torques."""
        return Command(joint_torque=self._limit.like(action) * action), memory


KINDS: dict[ActionKind, type[Actions]] = {
    "joints": JointActions,
    "wave": WaveActions,
    "bends": BendActions,
    "torque": TorqueActions,
}
"""The kinds of action by their names."""
