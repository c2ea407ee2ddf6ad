"""A network that begins as an imitation of the touch policy, before PPO goes on with it.

The touch policy is asked in every world what it would do, whoever acts: itself in one half of the worlds, the network in
the other one, so that the network also learns to get out of what it got itself into (DAgger, Ross et al. 2011). What
the touch policy remembers, the network does not; it sees its own last command.
"""

from __future__ import annotations

import time
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
        bends = (command.joint_angle - actions._wave(psi, {})) / actions.half
        pace = (frequency - (low + high) / 2) / ((high - low) / 2)
        return np.clip(np.column_stack((pace, bends)), -1.0, 1.0)


def imitate(envs: Any, agent: Any, normal: Any, seconds: float, seed: int, updates: int = 4, share: int = 8192) -> float:
    """Lets a network imitate the teacher; returns the last mean square of what it is off."""
    seen, _ = envs.reset(seed=seed)
    teacher = Teacher(envs)
    teacher.reset()
    optimiser = torch.optim.Adam(agent.policy.parameters(), lr=1e-3)
    kept: list[tuple[torch.Tensor, torch.Tensor]] = []
    taught = np.arange(envs.num_envs) % 2 == 0
    over, begin, off = np.zeros(envs.num_envs, dtype=bool), time.monotonic(), torch.tensor(0.0)
    most = max(1, MOST_SAMPLES // envs.num_envs)
    while (passed := time.monotonic() - begin) < seconds:
        normal.take(seen)
        label = teacher.action()
        raw = agent.tensor(seen)
        kept.append((raw[torch.as_tensor(~over)], agent.tensor(label)[torch.as_tensor(~over)]))
        del kept[:-most]
        mean, deviation = agent.tensor(normal.mean), agent.tensor(normal.deviation)
        for group in optimiser.param_groups:
            group["lr"] = 1e-3 * max(0.05, 1.0 - passed / seconds)
        for _ in range(updates):
            chosen = [kept[int(k)] for k in np.random.randint(len(kept), size=max(1, share // envs.num_envs))]
            inputs, wanted = (torch.cat(parts) for parts in zip(*chosen, strict=True))
            scaled = ((inputs - mean) / deviation).clamp(-10.0, 10.0)
            off = (agent.policy(scaled).clamp(-1.2, 1.2) - wanted).pow(2).mean()
            optimiser.zero_grad()
            off.backward()
            optimiser.step()
        with torch.no_grad():
            own = agent.policy(agent.tensor(normal(seen))).cpu().numpy()
        action = np.where(taught[:, None] | (passed < 0.1 * seconds), label, own)
        seen, _, terminated, truncated, _ = envs.step(action)
        over = terminated | truncated
        teacher.watch(over)
    return off.item()
