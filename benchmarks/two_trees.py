"""Processor time per step of one source tree over that of another, on four scenarios, one core; prints JSON.

python benchmarks/two_trees.py BEFORE AFTER [ROUNDS]

Each tree has a process of its own, and the two take turns. Where a process happens to lie in memory moves its speed by
up to 5 %, so every round starts both anew. The ratio of the best times is the steadiest figure.
"""

import json
import os
import subprocess
import sys
from statistics import median

SCENARIOS = {
    "transeth2008a/flat": 4000,
    "transeth2008a/obstacle-aided": 4000,
    "transeth2008b/sidewinding": 1500,
    "transeth2008b/lateral-undulation-orthotropic": 1500,
}
"""Steps of one timing [-]."""
TURNS = 9
"""Timings of each tree in a round [-]."""
SETTLED = 300
"""Steps before timings begin [-]."""

WORKER = f"""
import sys, time
from pushpoint.engine.settings import Settings
from pushpoint.engine.stepper import Stepper
from pushpoint.papers.registry import scenario

made = {{}}
for line in sys.stdin:
    name, steps = line.split()
    if name not in made:
        world = scenario(name).world
        stepper = Stepper([world.robot], [world.environment], Settings())
        stepper.load(stepper.initial([world.pose()]))
        stepper.use_waves([world.controller.wave(world.robot)], [False])
        stepper.advance({SETTLED})
        made[name] = stepper, stepper.state()
    stepper, state = made[name]
    stepper.load(state)
    begin = time.process_time()
    stepper.advance(int(steps))
    print("took", time.process_time() - begin, flush=True)
"""


class Tree:
    """A process that times steps with the sources of one tree."""

    def __init__(self, folder: str) -> None:
        own = os.environ | {"PYTHONPATH": os.path.join(folder, "src")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=own,
        )

    def time(self, name: str) -> float:
        """Processor time of one timing [s]."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(name, SCENARIOS[name], file=self._process.stdin, flush=True)
        for line in self._process.stdout:
            word, _, value = line.partition(" ")
            if word == "took":
                return float(value)
        raise SystemExit(f"a tree ended while it timed {name}")

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()


def one_round(folders: tuple[str, str]) -> dict[str, tuple[float, float]]:
    """Best times of both trees on every scenario [s]."""
    trees = [Tree(folder) for folder in folders]
    best = {}
    for name in SCENARIOS:
        times: tuple[list[float], list[float]] = ([], [])
        for turn in range(TURNS):
            for k in (0, 1) if turn % 2 else (1, 0):
                times[k].append(trees[k].time(name))
        best[name] = min(times[0]), min(times[1])
    for tree in trees:
        tree.close()
    return best


def compare(before: str, after: str, rounds: str = "8") -> None:
    """Prints after over before."""
    seen = [one_round((before, after)) for _ in range(int(rounds))]
    figures = {}
    for name, steps in SCENARIOS.items():
        pairs = [each[name] for each in seen]
        first, second = (min(pair[k] for pair in pairs) for k in (0, 1))
        ratios = [pair[1] / pair[0] for pair in pairs]
        figures[name] = {
            "ratio_of_bests": round(second / first, 4),
            "median_of_rounds": round(median(ratios), 4),
            "rounds_from": round(min(ratios), 3),
            "rounds_to": round(max(ratios), 3),
            "us_per_step_before": round(first / steps * 1e6, 3),
        }
    print(json.dumps({"rounds": len(seen), "scenarios": figures}, indent=2))


if __name__ == "__main__":
    compare(*sys.argv[1:])
