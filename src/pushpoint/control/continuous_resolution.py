"""Jam resolution as a continuous action beside the wave motion: what Liljeback2011 asks for at its end (IV-D, V).

A wave runs down the body without ever stopping, and every touched link is at the same time turned so that the push it
feels gets a larger forward part, by (8) and (9) with the forces as they are now. There is no jam to detect and nothing
to switch. In our signs, with theta the link angles and f the obstacle forces toward the links' left,

    reference[j] = clip(-A sin(psi - beta (n_joints - 1 - j)) - heading_gain mean(theta) + r[j], joint limits)
    r[j] = clip(turn[j + 1] - turn[j], +-reflex_limit),  turn[i] = -gain f[i] cos(theta[i]),  psi' = beta speed / length

The head joint instead points the head to the left or right of the direction of travel, as in leader-following, with a
share of the reflex. It changes sides at the swing's limits *or* after a stretch of wave travel: a head that waits for
the swing alone stays where it is held, the body copies it, and nothing moves any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pushpoint.control.hybrid import resolution
from pushpoint.control.leader_follower import Body, body_of, head_offset, link_angles, next_side
from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.checks import finite, non_negative, positive, store, within
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot


class ResolutionMemory(NamedTuple):
    """What the controller keeps of a world from one command to the next."""

    body: Body
    """The robot."""
    length: np.ndarray
    """Mean length of its links [m]."""
    phase: np.ndarray
    """psi of the wave at the head joint [rad]."""
    side: np.ndarray
    """Where the head is sent: +1 left, -1 right."""
    travel: np.ndarray
    """Way of the wave since the head last changed sides [m]."""
    begun: np.ndarray
    """Whether a command has been given."""


@dataclass(frozen=True, kw_only=True)
class ContinuousResolution:
    """A travelling wave with a force reflex in parallel; knows neither course nor friction.

    The defaults were found by a search for the paper's robot on random courses (benchmarks/touch_tuning.py). Three
    newtons bring the reflex to its limit.
    """

    amplitude: float = 0.634
    """A: amplitude of the joints' wave [rad]."""
    phase_shift: float = 0.664
    """beta: phase from joint to joint [rad]."""
    speed: float = 0.065
    """v_ref: speed of the wave along the body [m/s]."""
    gain: float = 0.441
    """Turn of a link per force along the direction of travel [rad/N]; negative pushes backward, 0 feels nothing."""
    reflex_limit: float = 1.21
    """Largest change of a joint's reference by the reflex [rad]."""
    head_share: float = 0.542
    """Share of the reflex that the head joint has [-]."""
    heading_gain: float = 0.0
    """Bend of every joint per mean angle of the body from the direction of travel [-]."""
    head_angle: float = 0.628
    """Direction of the head link on the left; minus this on the right [rad]."""
    swing: float = 0.25
    """Offset of the head from the centre of mass at which it changes sides [m]."""
    longest_travel: float = 1.63
    """Way of the wave after which the head changes sides anyway [m]."""
    rate: float = 20.0
    """Commands per second [Hz]."""

    def __post_init__(self) -> None:
        store(
            self,
            amplitude=non_negative("controller.amplitude", self.amplitude, "rad"),
            phase_shift=positive("controller.phase_shift", self.phase_shift, "rad"),
            speed=non_negative("controller.speed", self.speed, "m/s"),
            gain=finite("controller.gain", self.gain, "rad/N"),
            reflex_limit=non_negative("controller.reflex_limit", self.reflex_limit, "rad"),
            head_share=within("controller.head_share", self.head_share, 0.0, 1.0, "-"),
            heading_gain=non_negative("controller.heading_gain", self.heading_gain, "-"),
            head_angle=within("controller.head_angle", self.head_angle, 0.0, np.pi / 2, "rad"),
            swing=positive("controller.swing", self.swing, "m"),
            longest_travel=positive("controller.longest_travel", self.longest_travel, "m"),
            rate=positive("controller.rate", self.rate, "Hz"),
        )

    def init(self, robot: PlanarRobot, environment: Environment | None) -> Any:
        """Memory of one world; the head is first sent to the right, as in the paper."""
        length = np.array(robot.column("length").mean())
        return ResolutionMemory(body_of(robot), length, np.array(0.0), np.array(-1.0), np.array(0.0), np.array(False))

    def command(self, t: np.ndarray, measurement: Measurement, memory: Any) -> tuple[Command, Any]:
        """Joint angles for the next period."""
        parts, length, phase, side, travel, begun = memory
        body = Body(*parts)
        theta = link_angles(measurement)
        step = self.speed / self.rate
        phase = np.where(begun, phase + self.phase_shift * step / length, self._fitted(measurement.joint_angle))
        travel = np.where(begun, travel + step, 0.0)
        wanted = next_side(side, head_offset(body, theta), self.swing)
        wanted = np.where((wanted == side) & (travel >= self.longest_travel), -side, wanted)
        travel = np.where(wanted == side, travel, 0.0)
        reflex = resolution(self.gain, measurement.contact_normal_force, theta)
        reflex = np.clip(reflex, -self.reflex_limit, self.reflex_limit)
        reference = self._wave(phase, reflex.shape[1]) - self.heading_gain * theta.mean(axis=1)[:, None] + reflex
        reference[:, -1] = wanted * self.head_angle - theta[:, -2] + self.head_share * reflex[:, -1]
        kept = ResolutionMemory(body, length, phase, wanted, travel, np.ones_like(begun))
        return Command(joint_angle=np.clip(reference, body.lower, body.upper)), kept

    def _lags(self, n_joints: int) -> np.ndarray:
        return self.phase_shift * np.arange(n_joints - 1, -1, -1)

    def _wave(self, phase: np.ndarray, n_joints: int) -> np.ndarray:
        """The wave without anything else [rad], shape (n_worlds, n_joints)."""
        return -self.amplitude * np.sin(phase[:, None] - self._lags(n_joints))

    def _fitted(self, joint_angle: np.ndarray) -> np.ndarray:
        """Phases with which the wave is most like these joint angles [rad]: it begins near the robot's own shape."""
        # sin(psi - lag) = sin(psi) cos(lag) - cos(psi) sin(lag): the phase of the first harmonic over the body.
        lags = self._lags(joint_angle.shape[1])
        return np.arctan2(-(joint_angle * np.cos(lags)).sum(axis=1), (joint_angle * np.sin(lags)).sum(axis=1))
