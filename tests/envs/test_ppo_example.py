"""The example of PPO, as far as it can be tried without training."""

from __future__ import annotations

import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gymnasium.spaces import Box

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "learning"


@pytest.mark.parametrize(("length", "worlds"), [(13, 5), (3, 1)])
def test_ppo_of_torch_learns_from_any_number_of_steps(
    length: int, worlds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch: Any = pytest.importorskip("torch")
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    ppo: Any = import_module("ppo")
    torch.manual_seed(0)
    options: Namespace = ppo.parser().parse_args(["any"])
    spaces = SimpleNamespace(single_observation_space=Box(-1, 1, (3,)), single_action_space=Box(-1, 1, (2,)))
    agent = ppo.Agent(spaces, 8, 0.5)
    kept = {"seen": torch.randn(length, worlds, 3), "action": torch.randn(length, worlds, 2)}
    kept |= {name: torch.randn(length, worlds) for name in ("chance", "value")}
    ppo.learn(agent, torch.optim.Adam(agent.parameters()), kept, torch.randn(length, worlds), options)
    assert all(bool(each.isfinite().all()) for each in agent.parameters())
