"""A policy of a small network as a controller, in NumPy. Observations and actions are those of its environment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.control.neural.acting import KINDS, Acted, ActionKind, Actions, WaveRanges
from pushpoint.control.neural.observing import Asked, Observing
from pushpoint.engine.controller import Bindable
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import above, at_least, check_fields, instance, real, store
from pushpoint.model.environment import Environment
from pushpoint.model.quantities import Frequency, Line, Phase
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.user_files import parse_json
from pushpoint.whole_files import write_atomically

FORMAT = 1
"""The format of policy files that this version writes."""
KIND = "neural-policy"
"""What the file of such a policy calls itself."""


class Layer(NamedTuple):
    """One layer of a network."""

    weights: np.ndarray
    """Shape (n_outputs, n_inputs)."""
    bias: np.ndarray
    """Shape (n_outputs,)."""


class PolicyMemory(NamedTuple):
    """What a policy remembers of a world."""

    acted: Acted
    """Its last command."""
    begun: np.ndarray
    """Whether it has given one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NeuralPolicy(Bindable[PolicyMemory]):
    """A network that was trained in an environment: it sees the same rows, and its actions mean the same.

    With observations o, the action is the last layer of tanh layers of clip((o - mean) / deviation, -10, 10), clipped
    to -1 and 1.
    """

    __repr__ = brief

    layers: Sequence[Layer]
    """The layers; tanh is between them."""
    mean: np.ndarray
    """What is taken from each row of an observation, shape (n_rows,)."""
    deviation: np.ndarray
    """What each row is then divided by, same shape."""
    sensed: Sequence[str]
    """The measured quantities of an observation, by their names in a Measurement."""
    action: ActionKind
    """What the numbers of an action are."""
    waves: WaveRanges
    """What the numbers of a wave mean."""
    rate: Frequency = 20.0
    """Commands per second [Hz]."""
    direction: Phase = 0.0
    """Direction that it is asked for [rad]."""
    size: Annotated[float, at_least(0, "-")] = 1.0
    """Speed that it is asked for [m/s], or 1 for a direction alone."""
    largest: Annotated[float, above(0, "-")] = 1.0
    """The largest size in its training."""
    source: Line = ""
    """Where it comes from."""

    def __post_init__(self) -> None:
        check_fields(self, "policy")
        layers = tuple(
            Layer(
                array(f"policy.layers[{k}].weights", weights, real("-"), Axes("outputs", "inputs")),
                array(f"policy.layers[{k}].bias", bias, real("-"), Axes(len(weights))),
            )
            for k, (weights, bias) in enumerate(self.layers)
        )
        if not layers:
            raise InvalidModel("policy.layers", layers, "one layer or more")
        for k, (one, following) in enumerate(pairwise(layers)):
            if following.weights.shape[1] != len(one.bias):
                allowed = f"{len(one.bias)} columns, as many as layer {k} has outputs"
                raise InvalidModel(f"policy.layers[{k + 1}].weights", following.weights.shape, allowed)
        inputs = Axes(layers[0].weights.shape[1])
        store(
            self,
            layers=layers,
            mean=array("policy.mean", self.mean, real("-"), inputs),
            deviation=array("policy.deviation", self.deviation, above(0, "-"), inputs),
        )

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundPolicy:
        """Returns the policy bound to one robot; raises InvalidModel for another one than in its training."""
        actions = KINDS[self.action](robot, self.waves, self.rate)
        observing = Observing(tuple(self.sensed), robot, actions, self.largest)
        sizes = (len(self.mean), len(self.layers[-1].bias))
        if sizes != (len(observing.rows), len(actions.names)):
            what = f"one with {sizes[0]} rows in an observation and {sizes[1]} numbers in an action"
            raise InvalidModel("policy: robot", robot.name, what)
        return BoundPolicy(**vars(self) | {"actions": actions, "observing": observing})

    def act(self, seen: np.ndarray) -> np.ndarray:
        """Actions for observations, shape (n_worlds, n_rows)."""
        signal = np.clip((seen - self.mean) / self.deviation, -10.0, 10.0)
        for weights, bias in self.layers[:-1]:
            signal = np.tanh(signal @ weights.T + bias)
        weights, bias = self.layers[-1]
        return np.asarray(np.clip(signal @ weights.T + bias, -1.0, 1.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundPolicy(NeuralPolicy):
    """A policy of one robot."""

    actions: Actions = field(repr=False)
    """Makes commands of actions."""
    observing: Observing = field(repr=False)
    """Makes observations."""

    def __post_init__(self) -> None:
        """Does nothing: the fields come from a policy that has been checked."""

    def memory(self) -> PolicyMemory:
        """Nothing has been commanded yet."""
        return PolicyMemory(Acted(np.array(0.0), np.zeros(self.actions.n_joints)), np.array(False))

    def command(self, measurement: Measurement, memory: PolicyMemory) -> tuple[Command, PolicyMemory]:
        """What the network commands."""
        first, begun = self.actions.begin(measurement), memory.begun
        acted = Acted(
            np.where(begun, memory.acted.phase, first.phase),
            np.where(begun[:, None], memory.acted.reference, first.reference),
        )
        count = len(begun)
        asked = Asked(np.full(count, self.direction), np.full(count, self.size))
        action = self.act(self.observing.see(measurement, acted, asked))
        command, acted = self.actions.command(action, acted)
        return command, PolicyMemory(acted, np.ones_like(begun))


@checked_arguments
def write_policy(policy: NeuralPolicy, path: str | Path) -> Path:
    """Writes a policy as a file of arrays, whole or not at all; its name must end in .npz."""
    instance("policy", policy, NeuralPolicy, "a NeuralPolicy")
    target = Path(path)
    if target.suffix != ".npz":
        raise InvalidModel("path", target.name, "a name that ends in .npz")
    held: dict[str, Any] = {"format": FORMAT, "kind": KIND, "waves": json.dumps(vars(policy.waves))}
    for name in PLAIN:
        held[name] = np.array(getattr(policy, name))
    for k, layer in enumerate(policy.layers):
        held |= {f"weights_{k}": layer.weights, f"bias_{k}": layer.bias}

    def write(place: Path) -> None:
        with place.open("wb") as file:
            np.savez(file, **held)

    return write_atomically(target, write)


PLAIN = ("mean", "deviation", "sensed", "action", "rate", "direction", "size", "largest", "source")
"""Fields of a policy that its file holds as they are."""


def policy_of(held: Mapping[str, Any]) -> NeuralPolicy:
    """The policy that a file held, by name; raises InvalidModel if something is missing."""
    numbers = range(max(1, sum(name.startswith("weights_") for name in held)))
    for name in (*PLAIN, "waves", *(f"{part}_{k}" for k in numbers for part in ("weights", "bias"))):
        if name not in held:
            raise InvalidModel("policy", f"without '{name}'", f"a file that has {', '.join(PLAIN)} and the weights")
    layers = [Layer(held[f"weights_{k}"], held[f"bias_{k}"]) for k in numbers]
    found = {name: held[name] for name in PLAIN} | {"sensed": tuple(map(str, np.atleast_1d(held["sensed"])))}
    try:
        waves = WaveRanges(**parse_json(str(held["waves"]).encode()))
    except (TypeError, ValueError):
        raise InvalidModel("policy.waves", held["waves"], "ranges of a wave by name, as JSON") from None
    return NeuralPolicy(layers=layers, waves=waves, **found)
