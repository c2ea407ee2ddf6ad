"""What was learned in an environment, as a controller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.control.neural.policy import Layer, NeuralPolicy
from pushpoint.envs.snake_task import SnakeTask


def policy_from(
    task: SnakeTask,
    layers: Sequence[tuple[np.ndarray, np.ndarray]],
    *,
    mean: np.ndarray | None = None,
    deviation: np.ndarray | None = None,
    **rest: Any,
) -> NeuralPolicy:
    """A network that was trained in an environment, as a controller that sees and acts as in there.

        policy = pushpoint.envs.policy_from(envs.unwrapped.task, [(weights, bias), (more_weights, more_bias)])
        run = pp.simulate(pp.World(robot, course, policy), 60.0)

    Args:
        task: The environment's task.
        layers: Weights, shape (n_outputs, n_inputs), and biases, shape (n_outputs,), of each layer; tanh is between.
        mean: What is taken from each row of an observation; default: zero.
        deviation: What each row is then divided by; default: one.
        **rest: `direction` [rad] and `size` that the policy is asked for, and its `source` in words.
    """
    count = len(task.observing.rows)
    return NeuralPolicy(
        layers=[Layer(*layer) for layer in layers],
        mean=np.zeros(count) if mean is None else mean,
        deviation=np.ones(count) if deviation is None else deviation,
        sensed=task.sensed,
        action=task.action,
        waves=task.waves,
        rate=task.rate,
        largest=task.largest_asked,
        **rest,
    )
