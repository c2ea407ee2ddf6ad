"""A network that begins as an imitation of the touch policy, before PPO goes on with it.

The touch policy is asked in every world what it would do. It acts in one half of the worlds and the network in the
other one, so that the network also learns to get out of what it got itself into (DAgger, Ross et al. 2011). The network
has no memory as the touch policy has; it sees its own last command.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from field_or_bare import FieldOrBare

import pushpoint as pp
from pushpoint.engine.batching import merge, stack
from pushpoint.engine.signals import Measurement

TEACHER = "touch-v1"
MOST_SAMPLES = 2**21
"""Samples that are kept [-]."""
RATE, LEAST = 1e-3, 0.03
"""Learning rate at the beginning, and the share of it that is left at the end."""
UPDATES, MOMENTS = 2, 16
"""Steps of learning per step of the worlds, and moments in each."""
ALONE = 0.1
"""Share of the steps at the beginning in which the teacher acts in all worlds."""


class Watched(FieldOrBare):
    """A field whose measurements can be looked at."""

    latest: ClassVar[list[Measurement]] = []

    def place(self, measurement: Measurement) -> np.ndarray:
        """Where the robots are; keeps the measurement."""
        self.latest.append(measurement)
        del self.latest[:-2]
        return super().place(measurement)


class Teacher:
    """The touch policy in all worlds, in the environment's actions."""

    def __init__(self, envs: Any) -> None:
        self.envs, self.task, self.count = envs, envs.task, envs.num_envs
        self.bound = pp.control.learned(TEACHER).bind(envs.task.usual_robot)
        robot = envs.task.usual_robot
        self.half = (robot.motor_column("upper") - robot.motor_column("lower")) / 2.0
        self.fresh = stack([self.bound.memory()] * self.count)
        self.memory = self.fresh
        self.measured: Any = None

    def reset(self) -> None:
        """All worlds have just begun."""
        self.memory, self.measured = self.fresh, self.task.latest[-1]

    def watch(self, over: np.ndarray) -> None:
        """After a step: looks at what was measured. Worlds that were over begin, and are not measured yet."""
        full = [each for each in self.task.latest if len(each.time) == self.count]
        self.measured = full[0] if over.any() else full[-1]
        if over.any():
            self.memory = merge(self.memory, over, stack([self.bound.memory()] * int(over.sum())))

    def action(self) -> np.ndarray:
        """What it would do, shape (n_worlds, n_actions)."""
        actions, acted = self.task.actions, self.envs._kept.acted
        begun = np.ones(self.count, dtype=bool)
        memory = self.memory._replace(phase=acted.phase + np.pi, begun=begun)
        command, self.memory = self.bound.command(self.measured, memory)
        psi = self.memory.phase - np.pi
        low, high = self.task.waves.frequency
        frequency = (psi - acted.phase) * self.task.rate / (2.0 * np.pi)
        bends = (command.joint_angle - actions._wave(psi, {})) / self.half
        pace = (frequency - (low + high) / 2) / ((high - low) / 2)
        return np.clip(np.column_stack((pace, bends)), -1.0, 1.0)


class Lessons:
    """What was seen and what the teacher would have done, in the order of time."""

    def __init__(self, agent: Any, normal: Any, most: int) -> None:
        self.agent, self.normal, self.most = agent, normal, most
        self.optimiser = torch.optim.Adam(agent.policy.parameters(), lr=RATE)
        self.kept: list[tuple[torch.Tensor, torch.Tensor]] = []

    def add(self, seen: np.ndarray, label: np.ndarray) -> None:
        """Keeps one moment of many worlds."""
        self.kept.append((self.agent.tensor(seen), self.agent.tensor(label)))
        del self.kept[: -self.most]

    def learn(self, rate: float) -> float:
        """One step on some of the moments; returns the mean square of what the network is off."""
        self.optimiser.param_groups[0]["lr"] = rate
        chosen = [self.kept[k] for k in np.random.randint(len(self.kept), size=MOMENTS)]
        seen, wanted = (torch.cat(parts) for parts in zip(*chosen, strict=True))
        mean, deviation = self.agent.tensor(self.normal.mean), self.agent.tensor(self.normal.deviation)
        told = self.agent.policy(((seen - mean) / deviation).clamp(-10.0, 10.0))
        off = (told.clamp(-1.2, 1.2) - wanted).pow(2).mean()  # actions are clipped, so that further off is no worse
        self.optimiser.zero_grad()
        off.backward()
        self.optimiser.step()
        return off.item()


def imitate(envs: Any, agent: Any, normal: Any, steps: int, seed: int) -> float:
    """Lets a network imitate the teacher for some steps of all worlds; returns the mean square of what it is off."""
    seen, _ = envs.reset(seed=seed)
    teacher = Teacher(envs)
    teacher.reset()
    lessons = Lessons(agent, normal, MOST_SAMPLES // envs.num_envs)
    taught = np.arange(envs.num_envs) % 2 == 0
    over, off = np.zeros(envs.num_envs, dtype=bool), 0.0
    for share in np.arange(steps) / steps:
        normal.take(seen)
        label = teacher.action()
        lessons.add(seen[~over], label[~over])
        for _ in range(UPDATES):
            off = 0.99 * off + 0.01 * lessons.learn(RATE * max(LEAST, 1.0 - share))
        with torch.no_grad():
            own = agent.policy(agent.tensor(normal(seen))).cpu().numpy()
        action = np.where(taught[:, None] | bool(share < ALONE), label, own)
        seen, _, terminated, truncated, _ = envs.step(action)
        over = terminated | truncated
        teacher.watch(over)
    return off
