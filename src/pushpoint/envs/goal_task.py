"""Tasks in which the robot is to get on in a direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.engine.on_device.namespaces import namespace_of
from pushpoint.envs.snake_task import SnakeTask, StepOutcome, Turn
from pushpoint.model.checks import above, at_least
from pushpoint.model.quantities import Length

LEAST_GAIN = 1e-4
"""A way that is less than this further is no progress [m]."""


class Way(NamedTuple):
    """What is remembered of how far robots got."""

    start: np.ndarray
    """Where they began [m], shape (n_worlds, 2)."""
    furthest: np.ndarray
    """The furthest that they ever were in the direction of the goal [m], shape (n_worlds,)."""
    waiting: np.ndarray
    """Time since they last got any further [s], same shape."""


@dataclass(frozen=True, kw_only=True)
class GoalTask(SnakeTask):
    """Base class of tasks in which the robot is to get on in a direction.

    Only a way that is further than ever before counts, so that going back and forth earns nothing. The task is over at
    the goal. An episode without progress is broken off.
    """

    way: Length
    """Distance to the goal [m]."""
    progress_weight: Annotated[float, above(0, "1/m")] = 10.0
    """What a metre further toward the goal is worth [1/m]."""
    goal_reward: Annotated[float, at_least(0, "-")] = 5.0
    """What reaching the goal is worth [-]."""
    patience: Annotated[float, above(0, "s", infinite=True)] = 15.0
    """Time without progress after which an episode is truncated [s]."""

    def begin(self, place: np.ndarray) -> Way:
        """No way yet."""
        none = namespace_of(place).zeros_like(place[:, 0])
        return Way(place, none, none)

    def judge(self, turn: Turn, memory: Way) -> tuple[StepOutcome, Way]:
        """How much further the robot is. It is over at the goal, and broken off when nothing happens any more."""
        space: Any = namespace_of(turn.place)
        along = space.stack((space.cos(turn.asked.direction), space.sin(turn.asked.direction)), axis=1)
        way = ((turn.place - memory.start) * along).sum(axis=1)
        gain = space.clip(way - memory.furthest, 0.0, None)
        furthest = memory.furthest + gain
        waiting = space.where(gain > LEAST_GAIN, 0.0, memory.waiting + 1.0 / self.rate)
        passed = furthest > self.way
        rewards = {
            "progress": self.progress_weight * gain,
            "energy": self.cost(turn),
            "goal": space.where(passed, self.goal_reward, space.zeros_like(gain)),
        }
        stuck = waiting >= self.patience - 0.5 / self.rate
        told = {"way": furthest, "passed": passed}
        return StepOutcome(rewards, passed, stuck, told), Way(memory.start, furthest, waiting)
