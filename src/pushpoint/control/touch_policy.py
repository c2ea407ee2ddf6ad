"""A wave with a force reflex that also heeds how much is touched: the form of what was learned by trial and error.

Continuous resolution (docs/theory/touch.md, 4) turns every link by its own force, however the force points and whatever
the others feel. Here the reflex acts on what exceeds a least force, a link's turn spreads to its neighbours and depends
on where the push points, and the wave depends on a starvation s, which grows while fewer than two links are touched.
The wave slows down with the time t since any link was touched: with nothing to push against, a wave can only swim.

    g[i] = sign(f[i]) max(|f[i]| - least_force, 0)
    turn[i] = -gain g[i] cos(theta[i]) (1 + forward_bias sign(-g[i] sin(theta[i])))
    spread[i] = turn[i] + neighbour_share (turn[i - 1] + turn[i + 1]) / 2
    s' = ([touched links <= 1] - s) / starvation_time,   A(s) = amplitude + starved_amplitude s, ...
    v(s, t) = speed (1 + starved_speed s) exp(-t / patience)

With the additional parameters at zero, which are their defaults, it is continuous resolution. What training made of
them, and why: docs/theory/learned-touch.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.control.continuous_resolution import WaveWithReflex, fitted_phase, next_turn
from pushpoint.control.hybrid import Body, body_of, head_offset, measured_link_angles, per_joint
from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.checks import above, at_least, between, real
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle
from pushpoint.model.spatial_robot import AnyRobot

LEAST_SHIFT = 0.1
"""No smaller phase difference is commanded [rad], however starved: the body would be one arc."""
FEW_LINKS = 1
"""A robot that touches with at most this many links has nothing to push against [-]."""


class TouchMemory(NamedTuple):
    """What the controller remembers of a world between commands."""

    phase: np.ndarray
    """Phase psi of the wave at the head joint [rad]."""
    side: np.ndarray
    """Side to which the head is steered: +1 left, -1 right."""
    travel: np.ndarray
    """Distance that the wave has travelled since the head last changed sides [m]."""
    starvation: np.ndarray
    """How long at most one link has been touched: 0 in contact, toward 1 without [-]."""
    alone: np.ndarray
    """Time since any link was touched [s]."""
    begun: np.ndarray
    """Whether a command has been given."""


@register("touch-policy")
@dataclass(frozen=True, kw_only=True)
class TouchPolicy(WaveWithReflex[TouchMemory]):
    """A wave with a reflex that spreads, prefers pushes that help, and reaches out when nothing is touched.

    The defaults are those of ContinuousResolution. Trained parameters come with pushpoint:
    `pp.control.learned("touch-v1")`.
    """

    __repr__ = brief

    neighbour_share: Annotated[float, real("-")] = 0.0
    """Share of the mean turn of a link's two neighbours that it makes as well [-]."""
    forward_bias: Annotated[float, between(-1, 1, "-")] = 0.0
    """How much more a link turns where the push already points forward, and less where it points backward [-]."""
    starvation_time: Annotated[float, above(0, "s")] = 3.0
    """Time constant with which starvation grows and fades [s]."""
    least_force: Annotated[float, at_least(0, "N")] = 0.0
    """A link that feels more than this is touched [N]; the reflex acts on what exceeds it."""
    patience: Annotated[float, above(0, "s", infinite=True)] = inf
    """Time constant with which the wave slows down while no link at all is touched [s]; infinite: it never does."""
    starved_amplitude: Angle = 0.0
    """What starvation adds to the amplitude of the wave [rad]."""
    starved_phase_shift: Angle = 0.0
    """What starvation adds to the phase difference between joints; a negative one makes the wave longer [rad]."""
    starved_speed: Annotated[float, at_least(-1, "-")] = 0.0
    """What starvation adds to the speed of the wave, as a share of the speed [-]."""
    starved_head_angle: Angle = 0.0
    """What starvation adds to the direction of the head link [rad]."""

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundTouchPolicy:
        """Returns the controller bound to one robot."""
        body, length = body_of(robot), float(robot.column("length").mean())
        return BoundTouchPolicy(**vars(self) | {"body": body, "length": length})


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundTouchPolicy(TouchPolicy):
    """The touch policy of one robot, or of several together."""

    batches = True

    body: Body
    """The robot."""
    length: float
    """Mean length of its links [m]."""

    def memory(self) -> TouchMemory:
        """The initial memory. The head is first steered to the right, as in the paper."""
        nothing = np.array(0.0)
        return TouchMemory(nothing, np.array(-1.0), nothing, nothing, nothing, np.array(False))

    def adopt(self, memory: Any, of: Controller[Any]) -> TouchMemory:
        """Continues from another controller of this kind."""
        return memory if isinstance(of, BoundTouchPolicy) else self.memory()

    def command(self, measurement: Measurement, memory: TouchMemory) -> tuple[Command, TouchMemory]:
        """Joint angles for the next period."""
        phase, side, travel, starvation, alone, begun = memory
        angle, theta = measurement.joint_angle, measured_link_angles(measurement)
        felt = self._felt(measurement.contact_normal_force)
        s = self._starved(felt, starvation)
        shift = np.maximum(self.phase_shift + self.starved_phase_shift * s, LEAST_SHIFT)
        lags = per_joint(shift) * np.arange(angle.shape[1] - 1, -1, -1)
        alone = np.where((felt != 0.0).any(axis=1), 0.0, alone + 1.0 / self.rate)
        step = self.speed * (1.0 + self.starved_speed * s) * np.exp(-alone / np.asarray(self.patience)) / self.rate
        phase = np.where(begun, phase + shift * step / self.length, fitted_phase(angle, lags))
        travel = np.where(begun, travel + step, 0.0)
        wanted, travel = next_turn(side, travel, head_offset(self.body, theta), self.swing, self.longest_travel)
        reflex = self._reflex(felt, theta)
        wave = -per_joint(self.amplitude + self.starved_amplitude * s) * np.sin(phase[:, None] - lags)
        reference = wave - per_joint(self.heading_gain) * theta.mean(axis=1)[:, None] + reflex
        head = wanted * (self.head_angle + self.starved_head_angle * s)
        reference[:, -1] = head - theta[:, -2] + self.head_share * reflex[:, -1]
        kept = TouchMemory(phase, wanted, travel, s, alone, np.ones_like(begun))
        return Command(joint_angle=np.clip(reference, self.body.lower, self.body.upper)), kept

    def _felt(self, force: np.ndarray) -> np.ndarray:
        """What exceeds the least force [N], shape (n_worlds, n_links)."""
        return np.asarray(np.sign(force) * np.maximum(np.abs(force) - per_joint(self.least_force), 0.0))

    def _starved(self, felt: np.ndarray, starvation: np.ndarray) -> np.ndarray:
        """The starvation after this measurement, shape (n_worlds,)."""
        few = (felt != 0.0).sum(axis=1) <= FEW_LINKS
        return np.asarray(few + (starvation - few) * np.exp(-1.0 / (self.rate * np.asarray(self.starvation_time))))

    def _reflex(self, felt: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """What the forces add to every joint angle [rad], shape (n_worlds, n_joints)."""
        turn = -per_joint(self.gain) * felt * np.cos(theta)
        turn = turn * (1.0 + per_joint(self.forward_bias) * np.sign(-felt * np.sin(theta)))
        beside = np.zeros_like(turn)
        beside[:, 1:] += turn[:, :-1]
        beside[:, :-1] += turn[:, 1:]
        limit = per_joint(self.reflex_limit)
        return np.clip(np.diff(turn + per_joint(self.neighbour_share) * beside / 2.0, axis=1), -limit, limit)
