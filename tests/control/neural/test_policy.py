"""Policies of networks: what they compute, their files, and that they act as in their environment."""

from __future__ import annotations

from dataclasses import replace
from math import tanh
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import pushpoint as pp
import pushpoint.envs
from pushpoint.control.neural.policy import Layer, NeuralPolicy, policy_of, write_policy
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.user_files import read_npz


def trained(task: Any, seed: int = 0, **rest: Any) -> NeuralPolicy:
    """A policy with random weights, as if it came from training."""
    random, rows, numbers = np.random.default_rng(seed), len(task.observing.rows), len(task.actions.names)
    layers = [
        (random.normal(0.0, 0.3, (7, rows)), random.normal(size=7)),
        (random.normal(0.0, 0.3, (numbers, 7)), random.normal(0.0, 0.1, numbers)),
    ]
    mean, deviation = random.normal(size=rows), random.uniform(0.5, 2.0, rows)
    return pushpoint.envs.policy_from(task, layers, mean=mean, deviation=deviation, **rest)


def test_a_network_is_what_its_formula_says() -> None:
    policy = trained(pushpoint.envs.Slither())
    seen = np.random.default_rng(3).normal(0.0, 30.0, (4, len(policy.mean)))
    for row, found in zip(seen, policy.act(seen), strict=True):
        signal = [
            min(10.0, max(-10.0, (x - mean) / deviation))
            for x, mean, deviation in zip(row, policy.mean, policy.deviation, strict=True)
        ]
        for k, (weights, bias) in enumerate(policy.layers):
            sums = [sum(w * x for w, x in zip(line, signal, strict=True)) for line in weights]
            signal = [each + b for each, b in zip(sums, bias, strict=True)]
            signal = [tanh(each) for each in signal] if k == 0 else signal
        np.testing.assert_allclose(found, np.clip(signal, -1.0, 1.0), rtol=1e-12)


@pytest.mark.parametrize(("name", "options"), [("Slither", {}), ("PegField", {"courses": [3]}), ("Sidewind", {})])
def test_a_policy_acts_as_in_its_environment(name: str, options: dict[str, Any]) -> None:
    env: Any = gymnasium.make(f"pushpoint/{name}-v0", **options).unwrapped
    seen, _ = env.reset(seed=5)
    vector = env._vector
    asked, world = vector._kept.asked, vector._simulator.worlds[0]
    policy = trained(env.task, direction=float(asked.direction[0]), size=float(asked.size[0]))
    for _ in range(20):
        seen, *_ = env.step(policy.act(seen[None].astype(float))[0])
    run = pp.simulate(replace(world, controller=policy), 1.0, settings=replace(env.task.settings, on_failure="raise"))
    place = run["center_of_mass"].isel(time=-1).values
    # The same numbers in the same order, but the network multiplies as many worlds at once as there are: round-off.
    np.testing.assert_allclose(vector._simulator.state.center[0], place, rtol=0.0, atol=1e-9)


def test_a_file_holds_a_policy(tmp_path: Path) -> None:
    policy = trained(pushpoint.envs.PegField(), direction=0.25, source="a test")
    held = read_npz(write_policy(policy, tmp_path / "policy.npz"), 10**7)
    assert (held["format"], held["kind"]) == (1, "neural-policy")
    back = pp.control.learned(tmp_path / "policy.npz")
    assert isinstance(back, NeuralPolicy)
    for one, other in zip(policy.layers, back.layers, strict=True):
        assert np.array_equal(one.weights, other.weights) and np.array_equal(one.bias, other.bias)
    for name in ("sensed", "action", "waves", "rate", "direction", "size", "largest", "source"):
        assert getattr(back, name) == getattr(policy, name)
    assert np.array_equal(back.mean, policy.mean) and np.array_equal(back.deviation, policy.deviation)


def test_a_broken_file_is_told_in_a_sentence(tmp_path: Path) -> None:
    """Every array of a policy file replaced by other things, one at a time, and left out."""
    file, broken = write_policy(trained(pushpoint.envs.PegField()), tmp_path / "policy.npz"), tmp_path / "broken.npz"
    held = read_npz(file, 10**7)
    others = (
        np.array("x"),
        np.array(-1),
        np.array(np.nan),
        np.zeros((0, 3)),
        np.zeros((2, 2, 2)),
        np.array("[1]"),
        None,
    )
    told = 0
    for name in held:
        for other in others:
            changed = {key: each for key, each in held.items() if key != name}
            np.savez(broken, **changed | ({} if other is None else {name: other}))
            try:
                assert isinstance(pp.control.learned(broken), NeuralPolicy)
            except BadFile as error:
                told += 1
                assert str(error).startswith(f"{broken}") and "\n" not in str(error)
    assert told > 60  # a source may be any text


def test_what_does_not_fit_is_told_in_a_sentence(tmp_path: Path) -> None:
    policy = trained(pushpoint.envs.Slither())
    with pytest.raises(
        InvalidModel, match=r"policy: robot = 'aiko-planar', must be one with 43 rows in an observation"
    ):
        policy.bind(pp.catalogue.aiko_planar())
    with pytest.raises(InvalidModel, match=r"policy.mean = \(5,\), must be of shape \(43,\)"):
        replace(policy, mean=np.zeros(5))
    with pytest.raises(InvalidModel, match=r"policy.layers\[1\].weights = \(4, 3\), must be 7 columns"):
        replace(policy, layers=[policy.layers[0], Layer(np.zeros((4, 3)), np.zeros(4))])
    with pytest.raises(InvalidModel, match=r"a name that ends in .npz"):
        write_policy(policy, tmp_path / "policy.zip")
    with pytest.raises(InvalidModel, match=r"policy = \"?without 'mean'"):
        policy_of({"waves": "{}"})
    file = write_policy(policy, tmp_path / "policy.npz")
    with np.load(file) as arrays:
        np.savez(file, **{name.replace("weights_1", "weights_2"): arrays[name] for name in arrays.files})
    with pytest.raises(BadFile, match=r"without 'weights_1'"):
        pp.control.learned(file)
