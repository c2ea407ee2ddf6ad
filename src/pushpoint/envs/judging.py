"""What is remembered of worlds from step to step, and what a step was worth. NumPy or torch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pushpoint.control.neural.acting import Acted
from pushpoint.control.neural.observing import Asked
from pushpoint.engine.on_device.namespaces import namespace_of
from pushpoint.engine.signals import Measurement
from pushpoint.envs.snake_task import SnakeTask, StepOutcome, Turn


class Kept(NamedTuple):
    """What is remembered of all worlds from step to step; arrays have a leading world axis."""

    asked: Asked
    """What they are asked for."""
    acted: Acted
    """Their last commands."""
    place: np.ndarray
    """Where they are [m]."""
    memory: Any
    """What their task remembers."""
    steps: np.ndarray
    """Steps of their episodes so far [-]."""


def judged(
    task: SnakeTask, measurement: Measurement, failed: np.ndarray, kept: Kept
) -> tuple[StepOutcome, np.ndarray, Kept]:
    """What the step was worth, its reward, and what is kept now.

    A world that failed has not moved: its numbers mean nothing.
    """
    space: Any = namespace_of(measurement.joint_torque)
    place = space.where(failed[:, None], kept.place, task.place(measurement))
    power = space.abs(measurement.joint_torque * measurement.joint_rate)
    if space is np:  # in one order in memory, so that each sum is the same bits however many worlds there are
        power = np.ascontiguousarray(power)
    turn = Turn(place, space.where(failed, 0.0, power.sum(axis=1)), kept.asked)
    outcome, memory = task.judge(turn, kept.memory)
    reward: Any = sum(outcome.rewards.values())
    return outcome, reward, kept._replace(place=place, memory=memory)
