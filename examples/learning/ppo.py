"""Proximal policy optimisation in plain torch, in one file, on one vector environment of pushpoint.

    python examples/learning/ppo.py pushpoint/Sidewind-v0 --steps 2_000_000 --out out/sidewind

It writes the curve as it goes (curve.csv) and the policy (policy.npz), which needs NumPy alone to run:

    pp.control.learned("out/sidewind/policy.npz")
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

import pushpoint as pp
import pushpoint.envs


class Normal:
    """Mean and deviation of all observations so far, after Welford."""

    def __init__(self, size: int) -> None:
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 1e-4

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
        return np.sqrt(self.variance) + 1e-3

    def __call__(self, seen: np.ndarray) -> torch.Tensor:
        """Observations as the networks see them."""
        scaled = np.clip((seen - self.mean) / self.deviation, -10.0, 10.0)
        return torch.as_tensor(scaled, dtype=torch.float32)


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

    def distribution(self, seen: torch.Tensor) -> torch.distributions.Normal:
        """The distribution of actions."""
        return torch.distributions.Normal(self.policy(seen), self.log_noise.exp())


def collect(
    envs: Any,
    agent: Agent,
    normal: Normal,
    seen: np.ndarray,
    length: int,
    discount: float,
):
    """Steps all worlds `length` times; returns what was seen, done and earned, and the last observation."""
    kept: dict[str, list[Any]] = {
        name: [] for name in ("seen", "action", "chance", "value", "reward", "over")
    }
    ended: list[tuple[float, ...]] = []
    for _ in range(length):
        normal.take(seen)
        scaled = normal(seen)
        with torch.no_grad():
            distribution = agent.distribution(scaled)
            action = distribution.sample()
            chance = distribution.log_prob(action).sum(1)
            value = agent.value(scaled)[:, 0]
        seen, reward, terminated, truncated, info = envs.step(action.numpy())
        over, earned = terminated | truncated, reward.copy()
        if over.any():
            last = np.stack(info["final_obs"][over])
            with torch.no_grad():  # a truncated episode would have gone on
                rest = agent.value(normal(last))[:, 0].numpy()
            earned[over] += discount * rest * ~terminated[over]
            ended += finished(info["final_info"], over)
        for name, each in zip(
            kept, (scaled, action, chance, value, earned, over), strict=True
        ):
            kept[name].append(torch.as_tensor(each))
    return {name: torch.stack(each) for name, each in kept.items()}, seen, ended


def finished(info: dict[str, Any], over: np.ndarray) -> list[tuple[float, ...]]:
    """What counts of each episode that ended: whether it passed, or its last error of the velocity."""
    name = "passed" if "passed" in info else "velocity_error"
    return [(float(each),) for each in info[name][over]]


def advantages(
    kept: dict[str, torch.Tensor], last: torch.Tensor, discount: float, trace: float
) -> torch.Tensor:
    """Generalised advantage estimates."""
    found, ahead, value = (
        torch.zeros_like(kept["value"]),
        torch.zeros_like(last),
        last,
    )
    for k in reversed(range(len(found))):
        goes_on = (~kept["over"][k]).float()
        error = (
            kept["reward"][k].float()
            + discount * value * goes_on
            - kept["value"][k]
        )
        ahead = error + discount * trace * goes_on * ahead
        found[k], value = ahead, kept["value"][k]
    return found


def learn(
    agent: Agent,
    optimiser: torch.optim.Optimizer,
    kept: dict[str, torch.Tensor],
    gain: torch.Tensor,
    options,
):
    """Some epochs of clipped steps on what was collected."""
    flat = {name: each.flatten(0, 1) for name, each in kept.items()}
    gain, target = gain.flatten(), (gain + kept["value"]).flatten()
    for _ in range(options.epochs):
        for rows in torch.randperm(len(gain)).split(len(gain) // options.batches):
            distribution = agent.distribution(flat["seen"][rows])
            chance = distribution.log_prob(flat["action"][rows]).sum(1)
            ratio = (chance - flat["chance"][rows]).exp()
            share = (gain[rows] - gain[rows].mean()) / (gain[rows].std() + 1e-8)
            better = torch.min(
                ratio * share,
                ratio.clamp(1 - options.clip, 1 + options.clip) * share,
            ).mean()
            off = (
                (agent.value(flat["seen"][rows])[:, 0] - target[rows]).pow(2).mean()
            )
            loss = (
                -better
                + 0.5 * off
                - options.entropy * distribution.entropy().sum(1).mean()
            )
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimiser.step()


def save(agent: Agent, normal: Normal, task: Any, path: Path, source: str) -> None:
    """Writes the policy, which needs NumPy alone."""
    layers = [
        (
            layer.weight.detach().numpy().astype(float),
            layer.bias.detach().numpy().astype(float),
        )
        for layer in agent.policy
        if isinstance(layer, nn.Linear)
    ]
    size = task.speed[1] / 2 if hasattr(task, "speed") else 1.0
    made = pushpoint.envs.policy_from(
        task,
        layers,
        mean=normal.mean,
        deviation=normal.deviation,
        size=size,
        source=source,
    )
    pp.control.write_policy(made, path)


def arguments() -> argparse.Namespace:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("env", help="such as pushpoint/PegField-v0")
    parser.add_argument(
        "--steps", type=int, default=1_000_000, help="steps of all worlds together"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/ppo"))
    parser.add_argument("--num-envs", type=int, default=128)
    parser.add_argument(
        "--length", type=int, default=64, help="steps per world between updates"
    )
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument(
        "--rate",
        type=float,
        default=3e-4,
        help="learning rate at the beginning; it falls to zero",
    )
    parser.add_argument(
        "--noise",
        type=float,
        default=0.5,
        help="deviation of actions at the beginning",
    )
    parser.add_argument("--discount", type=float, default=0.99)
    parser.add_argument("--trace", type=float, default=0.95)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.0)
    return parser.parse_args()


def main() -> None:
    """Trains."""
    options = arguments()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    envs = gymnasium.make_vec(
        options.env, options.num_envs, autoreset_mode="SameStep"
    )
    task = envs.unwrapped.task
    agent = Agent(envs, options.hidden, options.noise)
    normal = Normal(envs.single_observation_space.shape[0])
    optimiser = torch.optim.Adam(agent.parameters(), lr=options.rate, eps=1e-5)
    seen, _ = envs.reset(seed=1_000_000 * (options.seed + 1))
    per_update, begin = options.num_envs * options.length, time.process_time()
    updates = max(1, options.steps // per_update)
    source = f"PPO on {options.env}, seed {options.seed}, examples/learning/ppo.py"
    with (options.out / "curve.csv").open("w", newline="") as file:
        curve = csv.writer(file)
        curve.writerow(
            (
                "steps",
                "processor_s",
                "reward_per_step",
                "episodes",
                "passed_or_error",
                "noise",
            )
        )
        for update in range(updates):
            optimiser.param_groups[0]["lr"] = options.rate * (
                1.0 - update / updates
            )
            kept, seen, ended = collect(
                envs, agent, normal, seen, options.length, options.discount
            )
            with torch.no_grad():
                last = agent.value(normal(seen))[:, 0]
            learn(
                agent,
                optimiser,
                kept,
                advantages(kept, last, options.discount, options.trace),
                options,
            )
            figures = (
                (update + 1) * per_update,
                round(time.process_time() - begin, 1),
                round(float(kept["reward"].mean()), 5),
                len(ended),
                round(float(np.mean(ended)), 4) if ended else "",
                round(agent.log_noise.exp().mean().item(), 3),
            )
            curve.writerow(figures)
            file.flush()
            if update % 10 == 0 or update == updates - 1:
                print(*figures, flush=True)
                save(
                    agent,
                    normal,
                    task,
                    options.out / "policy.npz",
                    f"{source}, {figures[0]:,} steps",
                )
    envs.close()


if __name__ == "__main__":
    main()
