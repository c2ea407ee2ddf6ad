"""Steps of environments per second of processor time, beside Gymnasium's MuJoCo Swimmer-v5, in alternation.

Usage: python benchmarks/environments.py [ROUNDS]
It needs the extras `learn` and `bench`, and writes out/environments.json. Swimmer-v5 has three links, no contacts and
25 steps per second; PegField and Slither have ten links, friction, contacts and 20 steps per second.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import gymnasium
import numpy as np

import pushpoint.envs
from pushpoint.bench.machine import machine

WORLDS = 256
LEAST = 1.0  # seconds of processor time per measurement


def stepper(name: str, worlds: int, moved: bool) -> tuple[Callable[[], Any], int]:
    """What makes one step of all worlds, and how many worlds there are; actions are zero or random."""
    env: Any
    random = np.random.default_rng(0)
    if name.startswith("pushpoint"):
        env = gymnasium.make_vec(name, worlds)
        shape = env.action_space.shape
    else:
        env = gymnasium.make(name).unwrapped
        shape = env.action_space.shape
    env.reset(seed=0)
    actions = [moved * random.uniform(-1.0, 1.0, shape).astype(np.float32) for _ in range(50)]
    turn = iter(range(10**9))

    def step() -> None:
        env.step(actions[next(turn) % len(actions)])

    step()
    return step, worlds


def rate(step: Callable[[], Any], worlds: int) -> float:
    """Steps of one world per second of processor time."""
    begin, count = time.process_time(), 0
    while time.process_time() - begin < LEAST:
        step()
        count += 1
    return worlds * count / (time.process_time() - begin)


def main(rounds: int) -> None:
    """Measures in turn and prints medians and ratios."""
    gymnasium.register_envs(pushpoint.envs)
    steppers = {
        "Swimmer-v5, one world": stepper("Swimmer-v5", 1, True),
        f"Slither-v0, {WORLDS} worlds, its middle wave": stepper("pushpoint/Slither-v0", WORLDS, False),
        f"Slither-v0, {WORLDS} worlds, random actions": stepper("pushpoint/Slither-v0", WORLDS, True),
        f"PegField-v0, {WORLDS} worlds, random actions": stepper("pushpoint/PegField-v0", WORLDS, True),
        "Slither-v0, one world": stepper("pushpoint/Slither-v0", 1, False),
        f"Sidewind-v0, {WORLDS} worlds, its middle wave": stepper("pushpoint/Sidewind-v0", WORLDS, False),
    }
    found: dict[str, list[float]] = {name: [] for name in steppers}
    for _ in range(rounds):
        for name, (step, worlds) in steppers.items():
            found[name].append(rate(step, worlds))
    swimmer = found["Swimmer-v5, one world"]
    table = {}
    for name, rates in found.items():
        ratios = [one / other for one, other in zip(rates, swimmer, strict=True)]
        table[name] = {"steps_per_core_second": median(rates), "over_peer": median(ratios)}
        print(f"{name:48s} {median(rates):9,.0f} steps per core-second, {median(ratios):6.2f} times Swimmer's")
    kept = {"rounds": rounds, "rates": table, "machine": machine()}
    out = Path("out/environments.json")
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
