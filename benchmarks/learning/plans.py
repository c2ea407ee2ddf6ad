"""What is trained: tasks, and what is changed of them and of the options of PPO."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One kind of run."""

    task: str
    """Name of the task: pegs or sidewind."""
    env: dict[str, Any] = field(default_factory=dict)
    """What is changed of the task."""
    ppo: dict[str, Any] = field(default_factory=dict)
    """What is changed of the options of PPO."""
    imitation: int = 0
    """Steps of all worlds in which the network imitates the touch policy, before PPO [-]."""

    def but(self, env: dict[str, Any] | None = None, **ppo: Any) -> Plan:
        """The same with some changes."""
        return replace(self, env=self.env | (env or {}), ppo=self.ppo | ppo)


PEGS = Plan(task="pegs", ppo={"noise": 0.25, "rate": 5e-4, "length": 32, "hidden": 96})
TAUGHT = Plan(
    task="pegs",
    env={"bare": 0.15, "drift_weight": 40.0},
    ppo={"noise": 0.1, "rate": 2e-4, "length": 32, "hidden": 96, "value_first": 20},
    imitation=1500,
)
SIDEWIND = Plan(task="sidewind", env={"dt": 0.01}, ppo={"noise": 0.5, "rate": 1e-3, "length": 32, "discount": 0.98})

PLANS = {
    "pegs": PEGS,
    "pegs-swim": PEGS.but(env={"bare": 0.0}),
    "pegs-loud": PEGS.but(noise=0.5),
    "pegs-far": PEGS.but(env={"bare": 0.0, "energy_weight": 0.0}, discount=0.997),
    "pegs-mild": PEGS.but(env={"drift_weight": 3.0, "free_drift": 0.1}, rate=1e-3),
    "taught": TAUGHT,
    "taught-quiet": TAUGHT.but(noise=0.05),
    "taught-loud": TAUGHT.but(noise=0.2),
    "taught-fast": TAUGHT.but(rate=5e-4),
    "taught-far": TAUGHT.but(discount=0.997),
    "sidewind": SIDEWIND,
    "sidewind-quiet": SIDEWIND.but(noise=0.3),
    "sidewind-fast": SIDEWIND.but(rate=1.5e-3),
    "sidewind-near": SIDEWIND.but(discount=0.97),
    "sidewind-long": SIDEWIND.but(length=64),
}
"""The runs by their names."""
