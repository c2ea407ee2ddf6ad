"""Proximal policy optimisation in plain torch, in one file, on one vector environment of pushpoint.

    python examples/learning/ppo.py pushpoint/Sidewind-v0 --steps 2_000_000 --out out/sidewind

It writes the curve as it goes (curve.csv) and the policy (policy.npz), which needs NumPy alone to run:

    pp.control.learned("out/sidewind/policy.npz")

On a GPU, for ten minutes at most:

    python examples/learning/ppo.py pushpoint/Sidewind-v0 --num-envs 2048 --device cuda:0 --seconds 600
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

import pushpoint as pp
import pushpoint.envs


class Normal:
    """Mean and deviation of all observations so far, after Welford; no deviation is above `largest`."""

    def __init__(self, size: int, largest: np.ndarray | float = inf) -> None:
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 1e-4
        self.largest = largest

    def take(self, seen: np.ndarray) -> None:
        """Adds a batch."""
        mean, variance, count = seen.mean(axis=0), seen.var(axis=0), len(seen)
        change, total = mean - self.mean, self.count + count
        self.variance = (
            self.variance * self.count
            + variance * count
            + change**2 * self.count * count / total
        ) / total
        self.mean, self.count = self.mean + change * count / total, total

    @property
    def deviation(self) -> np.ndarray:
        """The standard deviation of each row."""
        return np.minimum(np.sqrt(self.variance) + 1e-3, self.largest)

    def __call__(self, seen: np.ndarray) -> np.ndarray:
        """Observations as the networks see them."""
        return np.clip((seen - self.mean) / self.deviation, -10.0, 10.0)


def network(inputs: int, hidden: int, outputs: int, gain: float) -> nn.Sequential:
    """Two tanh layers and a linear one; a small gain makes the first policy nearly zero."""
    layers = [
        nn.Linear(inputs, hidden),
        nn.Tanh(),
        nn.Linear(hidden, hidden),
        nn.Tanh(),
        nn.Linear(hidden, outputs),
    ]
    for layer, size in zip(layers[::2], (2**0.5, 2**0.5, gain), strict=True):
        nn.init.orthogonal_(layer.weight, size)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*layers)


class Agent(nn.Module):
    """A policy with a normal distribution around its action, and the value of an observation."""

    def __init__(self, envs: Any, hidden: int, noise: float) -> None:
        super().__init__()
        rows = envs.single_observation_space.shape[0]
        numbers = envs.single_action_space.shape[0]
        self.policy = network(rows, hidden, numbers, 0.01)
        self.value = network(rows, hidden, 1, 1.0)
        self.log_noise = nn.Parameter(torch.full((numbers,), float(np.log(noise))))

    def tensor(self, numbers: np.ndarray) -> torch.Tensor:
        """Numbers where the networks are, in single precision."""
        return torch.as_tensor(
            numbers, dtype=torch.float32, device=self.log_noise.device
        )

    def distribution(self, seen: torch.Tensor) -> torch.distributions.Normal:
        """The distribution of actions."""
        return torch.distributions.Normal(self.policy(seen), self.log_noise.exp())


def collect(
    envs: Any, agent: Agent, normal: Normal, seen: np.ndarray, options: Any
):
    """Steps all worlds for a while; returns what was seen, done and earned, and the last observation."""
    kept: dict[str, list[torch.Tensor]] = {
        name: [] for name in ("seen", "action", "chance", "value", "reward", "over")
    }
    ended: list[float] = []
    for _ in range(options.length):
        normal.take(seen)
        scaled = agent.tensor(normal(seen))
        with torch.no_grad():
            distribution = agent.distribution(scaled)
            action = distribution.sample()
            chance = distribution.log_prob(action).sum(1)
            value = agent.value(scaled)[:, 0]
        seen, reward, terminated, truncated, info = envs.step(action.cpu().numpy())
        over, earned = terminated | truncated, reward.copy()
        if over.any():
            last = agent.tensor(normal(np.stack(info["final_obs"][over])))
            with torch.no_grad():  # a truncated episode would have gone on
                rest = agent.value(last)[:, 0].cpu().numpy()
            earned[over] += options.discount * rest * ~terminated[over]
            ended += finished(info["final_info"], over)
        each = (
            scaled,
            action,
            chance,
            value,
            agent.tensor(earned),
            agent.tensor(over),
        )
        for name, found in zip(kept, each, strict=True):
            kept[name].append(found)
    return {name: torch.stack(each) for name, each in kept.items()}, seen, ended


def finished(info: dict[str, Any], over: np.ndarray) -> list[float]:
    """What counts of each episode that ended: whether it passed, or its last error of the velocity."""
    name = "passed" if "passed" in info else "velocity_error"
    counts = over & ~info["bare"] if "bare" in info else over
    return [float(each) for each in info[name][counts]]


def advantages(
    kept: dict[str, torch.Tensor], last: torch.Tensor, options: Any
) -> torch.Tensor:
    """Generalised advantage estimates."""
    found, ahead, value = (
        torch.zeros_like(kept["value"]),
        torch.zeros_like(last),
        last,
    )
    for k in reversed(range(len(found))):
        goes_on = options.discount * (1.0 - kept["over"][k])
        error = kept["reward"][k] + value * goes_on - kept["value"][k]
        ahead = error + options.trace * goes_on * ahead
        found[k], value = ahead, kept["value"][k]
    return found


def learn(
    agent: Agent,
    optimiser: torch.optim.Optimizer,
    kept: dict[str, torch.Tensor],
    gain: torch.Tensor,
    options: Any,
    policy_too: bool = True,
) -> None:
    """Some epochs of clipped steps on what was collected, fewer if the policy changes too much."""
    flat = {name: each.flatten(0, 1) for name, each in kept.items()}
    gain, target = gain.flatten(), (gain + kept["value"]).flatten()
    batches = min(options.batches, len(gain) // 2)  # one alone has no deviation
    for _ in range(options.epochs):
        changes = []
        order = torch.randperm(len(gain), device=gain.device)
        for rows in order.tensor_split(batches):
            distribution = agent.distribution(flat["seen"][rows])
            chance = distribution.log_prob(flat["action"][rows]).sum(1)
            log_ratio = chance - flat["chance"][rows]
            ratio = log_ratio.exp()
            share = (gain[rows] - gain[rows].mean()) / (gain[rows].std() + 1e-8)
            near = ratio.clamp(1 - options.clip, 1 + options.clip)
            better = torch.min(ratio * share, near * share).mean()
            value = agent.value(flat["seen"][rows])[:, 0]
            off = (value - target[rows]).pow(2).mean()
            spread = distribution.entropy().sum(1).mean()
            loss = 0.5 * off + policy_too * (-better - options.entropy * spread)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimiser.step()
            changes.append((ratio - 1.0 - log_ratio).mean().detach())
        if torch.stack(changes).mean() > options.most_change:
            return


def train(
    envs: Any,
    agent: Agent,
    normal: Normal,
    options: Any,
) -> Iterator[dict[str, float]]:
    """Trains, and yields the figures of each update. The learning rate falls to zero at the end."""
    optimiser = torch.optim.Adam(agent.parameters(), lr=options.rate, eps=1e-5)
    begin, steps, update = time.monotonic(), 0, 0
    seen, _ = envs.reset(seed=1_000_000 * (options.seed + 1))
    share = 0.0
    while share < 1.0:
        optimiser.param_groups[0]["lr"] = options.rate * (1.0 - share)
        kept, seen, ended = collect(envs, agent, normal, seen, options)
        with torch.no_grad():
            last = agent.value(agent.tensor(normal(seen)))[:, 0]
        gain = advantages(kept, last, options)
        learn(agent, optimiser, kept, gain, options, update >= options.value_first)
        with torch.no_grad():
            agent.log_noise.clamp_(max=float(np.log(options.noise)))
        steps, update = steps + options.length * len(seen), update + 1
        passed = time.monotonic() - begin
        share = max(steps / options.steps, passed / options.seconds)
        yield {
            "steps": steps,
            "seconds": round(passed, 1),
            "reward_per_step": round(kept["reward"].mean().item(), 5),
            "episodes": len(ended),
            "passed_or_error": round(float(np.mean(ended)), 4) if ended else np.nan,
            "noise": round(agent.log_noise.exp().mean().item(), 4),
        }


def policy_of(
    agent: Agent, normal: Normal, task: Any, source: str
) -> pp.control.NeuralPolicy:
    """The policy as a controller, which needs NumPy alone."""
    layers = [
        tuple(
            each.detach().cpu().numpy().astype(float)
            for each in (layer.weight, layer.bias)
        )
        for layer in agent.policy
        if isinstance(layer, nn.Linear)
    ]
    asked = {}
    if isinstance(task, pushpoint.envs.VelocityTask):
        asked = {
            "direction": float(np.mean(task.direction)),
            "size": float(np.mean(task.speed)),
        }
    return pushpoint.envs.policy_from(
        task,
        layers,
        mean=normal.mean,
        deviation=normal.deviation,
        source=source,
        **asked,
    )


def parser() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    found = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    found.add_argument("env", help="such as pushpoint/PegField-v0")
    say = partial(found.add_argument, metavar="NUMBER")
    say("--steps", type=int, default=1_000_000, help="of all worlds together")
    say("--seconds", type=float, default=inf, help="stop after this time")
    say("--seed", type=int, default=0)
    say("--num-envs", type=int, default=128, help="worlds")
    say("--length", type=int, default=64, help="steps per world between updates")
    say("--hidden", type=int, default=64, help="size of a layer")
    say("--rate", type=float, default=3e-4, help="learning rate at the beginning")
    say("--noise", type=float, default=0.5, help="largest deviation of actions")
    say("--discount", type=float, default=0.99)
    say("--trace", type=float, default=0.95, help="lambda of the advantages")
    say("--epochs", type=int, default=5)
    say("--batches", type=int, default=8, help="per epoch")
    say("--clip", type=float, default=0.2)
    say(
        "--most-change", type=float, default=0.03, help="no more epochs beyond this"
    )
    say("--value-first", type=int, default=0, help="updates of the value alone")
    say("--entropy", type=float, default=0.0, help="weight of the entropy")
    found.add_argument("--out", type=Path, default=Path("out/ppo"))
    found.add_argument(
        "--device", default="cpu", help="of the worlds and the networks"
    )
    return found


def main() -> None:
    """Trains, and writes the curve and the policy as it goes."""
    options = parser().parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # small networks are faster on one
    options.out.mkdir(parents=True, exist_ok=True)
    envs = gymnasium.make_vec(
        options.env,
        options.num_envs,
        autoreset_mode="SameStep",
        device=options.device,
    )
    task = envs.unwrapped.task
    agent = Agent(envs, options.hidden, options.noise).to(options.device)
    normal = Normal(envs.single_observation_space.shape[0])
    source = f"PPO on {options.env}, seed {options.seed}, examples/learning/ppo.py"
    with (options.out / "curve.csv").open("w", newline="") as file:
        curve = csv.writer(file)
        for update, figures in enumerate(train(envs, agent, normal, options)):
            if update == 0:
                curve.writerow(figures)
            curve.writerow(figures.values())
            file.flush()
            if update % 10 == 0:
                print(*figures.values(), flush=True)
                told = f"{source}, {figures['steps']:,} steps"
                made = policy_of(agent, normal, task, told)
                pp.control.write_policy(made, options.out / "policy.npz")
    told = f"{source}, {figures['steps']:,} steps"
    made = policy_of(agent, normal, task, told)
    pp.control.write_policy(made, options.out / "policy.npz")
    envs.close()


if __name__ == "__main__":
    main()
