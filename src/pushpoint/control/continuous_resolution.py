"""Continuous jam resolution: a travelling wave with a force reflex at the same time.

It follows the proposal at the end of Liljeback2011 (IV-D, V). The wave never stops, and every link that touches
something is turned by (8) and (9) according to the current forces. There are no jams to detect and no modes to switch
(docs/theory/touch.md, 4). In our signs, with theta the link angles and f the obstacle forces toward the links' left,

    reference[j] = clip(-A sin(psi - beta (n_joints - 1 - j)) - heading_gain mean(theta) + r[j], joint limits)
    r[j] = clip(turn[j + 1] - turn[j], +-reflex_limit),  turn[i] = -gain f[i] cos(theta[i]),  psi' = beta speed / length
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.control.hybrid import Body, body_of, head_offset, measured_link_angles, next_side, per_joint, resolution
from pushpoint.engine.controller import Bindable, Controller, Memory
from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.checks import at_least, between, check_fields, real
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Coefficient, Frequency, Length, Share, Spread, Width
from pushpoint.model.spatial_robot import AnyRobot


class ResolutionMemory(NamedTuple):
    """What the controller remembers of a world between commands."""

    phase: np.ndarray
    """Phase psi of the wave at the head joint [rad]."""
    side: np.ndarray
    """Side to which the head is steered: +1 left, -1 right."""
    travel: np.ndarray
    """Distance that the wave has travelled since the head last changed sides [m]."""
    begun: np.ndarray
    """Whether a command has been given."""


def fitted_phase(joint_angle: np.ndarray, lags: np.ndarray) -> np.ndarray:
    """The phase at which a wave is closest to the robot's shape [rad], shape (n_worlds,).

    It is that of the first harmonic along the body: sin(psi - lag) = sin(psi) cos(lag) - cos(psi) sin(lag).
    """
    cosine, sine = (joint_angle * np.sin(lags)).sum(axis=1), (joint_angle * np.cos(lags)).sum(axis=1)
    return np.arctan2(-sine, cosine)


def next_turn(
    side: np.ndarray, travel: np.ndarray, offset: np.ndarray, swing: float | np.ndarray, longest: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The next side of the head and the travel since it changed: at the swing, or after the longest stretch."""
    wanted = next_side(side, offset, swing)
    wanted = np.where((wanted == side) & (travel >= longest), -side, wanted)
    return wanted, np.where(wanted == side, travel, 0.0)


@dataclass(frozen=True, kw_only=True)
class WaveWithReflex(Bindable[Memory]):
    """Base class of controllers with a travelling wave and a force reflex: the parameters that they share."""

    amplitude: Spread = 0.634
    """Amplitude A of the joints' wave [rad]."""
    phase_shift: Width = 0.664
    """Phase difference beta between neighbouring joints [rad]."""
    speed: Annotated[float, at_least(0, "m/s")] = 0.065
    """Speed of the wave along the body, v_ref [m/s]."""
    gain: Annotated[float, real("rad/N")] = 0.441
    """Turn of a link per force along the direction of travel [rad/N].

    A negative gain pushes backward; 0 switches the reflex off.
    """
    reflex_limit: Spread = 1.21
    """Largest change of a joint's reference by the reflex [rad]."""
    head_share: Share = 0.542
    """Share of the reflex that applies to the head joint [-], 0 to 1."""
    heading_gain: Coefficient = 0.0
    """Bend of every joint per mean angle between the body and the direction of travel [-]."""
    head_angle: Annotated[float, between(0, np.pi / 2, "rad")] = 0.628
    """Direction of the head link when steered to the left; to the right, minus this [rad]."""
    swing: Length = 0.25
    """Sideways offset of the head from the centre of mass at which it changes sides [m]."""
    longest_travel: Length = 1.63
    """Distance of the wave after which the head changes sides in any case [m]."""
    rate: Frequency = 20.0
    """Commands per second [Hz]."""

    def __post_init__(self) -> None:
        check_fields(self, "controller")


@register("continuous-resolution")
@dataclass(frozen=True, kw_only=True)
class ContinuousResolution(WaveWithReflex[ResolutionMemory]):
    """A travelling wave with a force reflex. It knows neither the course nor the friction.

    The defaults were found by a search for the paper's robot on random courses (benchmarks/touch/tuning.py). Three
    newtons bring the reflex to its limit.
    """

    __repr__ = brief

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundResolution:
        """Returns the controller bound to one robot."""
        body, length = body_of(robot), float(robot.column("length").mean())
        return BoundResolution(**vars(self) | {"body": body, "length": length})


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundResolution(ContinuousResolution):
    """Continuous jam resolution of one robot, or of several together."""

    batches = True

    body: Body
    """The robot."""
    length: float
    """Mean length of its links [m]."""

    def memory(self) -> ResolutionMemory:
        """The initial memory. The head is first steered to the right, as in the paper."""
        return ResolutionMemory(np.array(0.0), np.array(-1.0), np.array(0.0), np.array(False))

    def adopt(self, memory: Any, of: Controller[Any]) -> ResolutionMemory:
        """Continues from another controller of this kind."""
        return memory if isinstance(of, BoundResolution) else self.memory()

    def command(self, measurement: Measurement, memory: ResolutionMemory) -> tuple[Command, ResolutionMemory]:
        """Joint angles for the next period."""
        phase, side, travel, begun = memory
        angle, theta = measurement.joint_angle, measured_link_angles(measurement)
        step, lags = self.speed / self.rate, per_joint(self.phase_shift) * np.arange(angle.shape[1] - 1, -1, -1)
        phase = np.where(begun, phase + self.phase_shift * step / self.length, fitted_phase(angle, lags))
        travel = np.where(begun, travel + step, 0.0)
        wanted, travel = next_turn(side, travel, head_offset(self.body, theta), self.swing, self.longest_travel)
        limit = per_joint(self.reflex_limit)
        reflex = np.clip(resolution(self.gain, measurement.contact_normal_force, theta), -limit, limit)
        wave = -per_joint(self.amplitude) * np.sin(phase[:, None] - lags)
        reference = wave - per_joint(self.heading_gain) * theta.mean(axis=1)[:, None] + reflex
        reference[:, -1] = wanted * self.head_angle - theta[:, -2] + self.head_share * reflex[:, -1]
        kept = ResolutionMemory(phase, wanted, travel, np.ones_like(begun))
        return Command(joint_angle=np.clip(reference, self.body.lower, self.body.upper)), kept
