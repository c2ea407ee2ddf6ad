"""Tasks in which the robot is to move with a velocity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.engine.on_device.namespaces import namespace_of
from pushpoint.envs.snake_task import SnakeTask, StepOutcome, Turn
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, above, at_least, real

SpeedRange = Annotated[Sequence[float], at_least(0, "m/s"), Many(2, "two speeds, smallest and largest")]
AngleRange = Annotated[Sequence[float], real("rad"), Many(2, "two angles, smallest and largest")]


class HowItMoves(NamedTuple):
    """What is remembered of how robots move."""

    place: np.ndarray
    """Where they were [m], shape (n_worlds, 2)."""
    velocity: np.ndarray
    """Their velocity, smoothed [m/s], same shape."""


@dataclass(frozen=True, kw_only=True)
class VelocityTask(SnakeTask):
    """Base class of tasks in which the robot is to move with a velocity.

    A snake's velocity swings with its wave, so the one that counts is smoothed: v' = (velocity - v) / memory. A step is
    worth exp(-|v - asked|^2 / width^2), at most 1, less the energy.
    """

    speed: SpeedRange = (0.05, 0.25)
    """Smallest and largest speed that is asked for [m/s]."""
    direction: AngleRange = (0.0, 0.0)
    """Smallest and largest direction that is asked for, from where the body points at the start [rad]."""
    memory: Annotated[float, above(0, "s")] = 1.0
    """Time over which the velocity is smoothed [s]."""
    width: Annotated[float, above(0, "m/s")] = 0.1
    """Error of the velocity at which a step is worth 1/e [m/s]."""

    asked_unit = "m/s"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, (low, high) in (("speed", self.speed), ("direction", self.direction)):
            if low > high:
                raise InvalidModel(f"env.{name}", (low, high), "two numbers, the smaller one first")

    @property
    def largest_asked(self) -> float:  # type: ignore[override]
        """The largest speed [m/s]."""
        return self.speed[1]

    def asked(self, random: np.random.Generator) -> tuple[float, float, dict[str, Any]]:
        """Direction and speed of one episode, and what `reset` tells of them."""
        (right, left), (slow, fast) = self.direction, self.speed
        direction, speed = float(random.uniform(right, left)), float(random.uniform(slow, fast))
        return direction, speed, {"asked_direction": direction, "asked_speed": speed}

    def begin(self, place: np.ndarray) -> HowItMoves:
        """Robots start at rest."""
        return HowItMoves(place, namespace_of(place).zeros_like(place))

    def judge(self, turn: Turn, memory: HowItMoves) -> tuple[StepOutcome, HowItMoves]:
        """How close the velocity is to the one that was asked for. It is never over."""
        space: Any = namespace_of(turn.place)
        share = 1.0 - exp(-1.0 / (self.rate * self.memory))
        velocity = memory.velocity + share * ((turn.place - memory.place) * self.rate - memory.velocity)
        along = space.stack((space.cos(turn.asked.direction), space.sin(turn.asked.direction)), axis=1)
        error = space.sqrt(((velocity - turn.asked.size[:, None] * along) ** 2).sum(axis=1))
        rewards = {"velocity": space.exp(-((error / self.width) ** 2)), "energy": self.cost(turn)}
        never = space.zeros_like(error, dtype=space.bool)
        return StepOutcome(rewards, never, never, {"velocity_error": error}), HowItMoves(turn.place, velocity)
