"""What lets one gait go over into another while the robot moves: its phase goes on, and no reference jumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi, remainder
from typing import Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Gait
from pushpoint.engine.signals import Fade, soft_step
from pushpoint.gaits.waves import WaveGait
from pushpoint.model.spatial_robot import AnyRobot


@dataclass(frozen=True, kw_only=True)
class HandedOver(Gait):
    """A gait that takes over from what was there before, within some time, without a jump of angles or rates."""

    __repr__ = brief

    gait: Gait
    """The gait that takes over."""
    begin: float
    """When it begins to [s]."""
    lasts: float
    """How long that takes [s]."""
    before: Gait | None = None
    """The gait before, which goes on meanwhile."""
    fade: Fade | None = None
    """If it was no gait: how far its last references were from those of this one, which fades."""

    @property
    def rate(self) -> float:
        """References per second [Hz]."""
        return self.gait.rate

    @property
    def hold(self) -> bool:
        """Whether each reference is held until the next."""
        return self.gait.hold

    @property
    def prescribed(self) -> bool:
        """Whether the joints follow the references exactly."""
        return self.gait.prescribed

    @property
    def period(self) -> float | None:
        """Duration of one cycle of the gait [s]; None without cycles."""
        return self.gait.period

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] at given times [s], shape (n_times, n_joints)."""
        angle, rate = self.gait.references(time, robot)
        if self.fade is not None:
            more, faster = self.fade.at(time)
            return angle + more, rate + faster
        if self.before is None or np.min(time) >= self.begin + self.lasts:
            return angle, rate
        share, grows = (each[:, None] for each in soft_step(np.asarray(time) - self.begin, self.lasts))
        old, old_rate = self.before.references(time, robot)
        return old + share * (angle - old), old_rate + share * (rate - old_rate) + grows * (angle - old)


def phase_going_on(before: Any, after: Any, time: float) -> float:
    """What must be added to the phase of a gait that takes over at a time [s], so that its waves go on where they are.

    Zero unless both are waves of one kind: others have no phase in common.
    """
    if not isinstance(before, WaveGait) or type(before) is not type(after):
        return 0.0
    return (before.angular_frequency - after.angular_frequency) * time


def ahead(gait: Any, phase: float) -> Any:
    """The same gait ahead by a phase [rad]; unchanged if it is none of waves or the phase is zero."""
    if not phase or not isinstance(gait, WaveGait):
        return gait
    return replace(gait, phase=remainder(gait.phase + phase, 2 * pi))


class Takeover(NamedTuple):
    """How one of the controllers of a world took over, as far as it is a gait."""

    number: int
    """Which of the world's controllers it is, in the order of time [-]."""
    phase: float
    """By how much it is ahead [rad]."""
    begin: float
    """When it took over [s]."""
    lasts: float
    """How long that takes [s]."""
    fade: Fade | None
    """What fades meanwhile; None if another gait goes on."""


MOST_STAGES = 20
"""Gaits that go over into each other at once [-]. A slider that is dragged may ask for thousands."""


def still_felt(stages: Sequence[Takeover], time: float) -> list[Takeover]:
    """The stages that matter to a gait that takes over at a time [s].

    What was before one that is over does not, and neither does one that would have begun now: nothing followed it yet.
    """
    over = [k for k, stage in enumerate(stages) if stage.begin + stage.lasts <= time]
    first = over[-1] if over else 0
    kept = [stages[first]._replace(lasts=0.0, fade=None) if over else stages[0], *stages[first + 1 :]]
    return kept[:-1] if kept[-1].lasts and kept[-1].begin == time else kept


def gait_of(stages: Sequence[Takeover], controllers: Sequence[Any]) -> Any:
    """The gait that results from those that took over, one after the other."""
    found: Any = None
    for stage in stages:
        gait = ahead(controllers[stage.number], stage.phase)
        alone = not stage.lasts or (found is None and stage.fade is None)
        times = {"begin": stage.begin, "lasts": stage.lasts}
        found = gait if alone else HandedOver(gait=gait, before=found, fade=stage.fade, **times)
    return found
