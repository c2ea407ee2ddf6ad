"""What was learned in an environment, as a controller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from pushpoint.control.neural.policy import Layer, NeuralPolicy
from pushpoint.envs.snake_task import SnakeTask
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes
from pushpoint.model.checks import above, at_least, members, real
from pushpoint.model.quantities import Line, Phase

PerRow = Annotated[np.ndarray, real("-"), Axes("rows")]


@checked_arguments
def policy_from(
    task: SnakeTask,
    layers: Sequence[tuple[np.ndarray, np.ndarray]],
    *,
    mean: PerRow | None = None,
    deviation: Annotated[np.ndarray, above(0, "-"), Axes("rows")] | None = None,
    direction: Phase = 0.0,
    size: Annotated[float, at_least(0, "-")] = 1.0,
    source: Line = "",
) -> NeuralPolicy:
    """A network that was trained in an environment, as a controller that sees and acts as in there.

        task = pp.envs.PegField()
        weights, bias = np.zeros((10, 53)), np.zeros(10)  # one linear layer: 53 rows in, 10 numbers out
        policy = pp.envs.policy_from(task, [(weights, bias)])

    Args:
        task: The environment's task, `env.unwrapped.task`.
        layers: Weights, shape (n_outputs, n_inputs), and biases, shape (n_outputs,), of each layer; tanh is between.
        mean: What is taken from each row of an observation, shape (n_rows,); default: zero.
        deviation: What each row is then divided by, same shape; default: one.
        direction: Direction that the policy is asked for [rad].
        size: Speed that it is asked for [m/s], or 1 for a direction alone.
        source: Where it comes from.
    """
    count = len(task.observing.rows)
    for k, layer in enumerate(members("layers", layers, Sequence, "weights and biases")):
        if len(layer) != 2:
            raise InvalidModel(f"layers[{k}]", layer, "two arrays, weights and biases")
    return NeuralPolicy(
        layers=[Layer(*layer) for layer in layers],
        mean=np.zeros(count) if mean is None else mean,
        deviation=np.ones(count) if deviation is None else deviation,
        sensed=task.sensed,
        action=task.action,
        waves=task.waves,
        rate=task.rate,
        largest=task.largest_asked,
        direction=direction,
        size=size,
        source=source,
    )
