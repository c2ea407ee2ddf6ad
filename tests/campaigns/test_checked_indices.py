"""The kernels compiled with every array index checked: one out of bounds, or divided by zero, ends the process.

Each run is a process of its own with a kernel cache of its own. Warp takes indices from -n on as counted from the end,
so that what lies less than an array's length before its first entry is not noticed here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

HEAD = """
import sys
import numpy as np
import warp as wp

wp.config.mode = "debug"
wp.config.kernel_cache_dir = sys.argv[1]
sys.path.insert(0, sys.argv[2])
from pushpoint.engine.devices import start_warp

start_warp()
assert wp.config.mode == "debug"
"""

WORLDS = """
from itertools import groupby
from pushpoint.bench.random_worlds import random_case, run_cases
from pushpoint.bench.violent_worlds import violent_case, violent_planar_case

def run(make, seeds, duration):
    cases = sorted(map(make, seeds), key=lambda case: case.batch)
    for _, batch in groupby(cases, key=lambda case: case.batch):
        found = run_cases(list(batch), duration)
        assert all(outcome.steps > 0 for outcome in found)
"""

MANY = "run(violent_case, range(300), 0.5); run(random_case, range(40), 0.3); run(violent_planar_case, range(600), 0.5)"

OPTIONS = """
import pushpoint as pp
from campaigns.random_worlds import random_world

refused = 0
for seed in range(120):
    for precision in ("float64", "float32"):
        settings = pp.Settings(precision=precision, dt=1 / 600, on_failure="record")  # divides periods of 30 to 100 Hz
        try:
            pp.simulate(random_world(seed), duration=0.1, settings=settings)
        except pp.PushpointError as error:  # a start in an obstacle, a rate that dt does not divide
            print(error, file=sys.stderr)
            refused += 1
assert refused < 60

simulator = pp.Simulator([pp.World(pp.catalogue.aiko(), pp.Environment())], rate=100.0)
simulator.step(pp.Command(joint_angle=np.zeros((1, 20))))
problem = simulator.contact_problem()
assert pp.contact_problems.solve(problem.W, problem.q, problem.mu).converged
"""

BROKEN = """
@wp.kernel(enable_backward=False)
def broken(values: wp.array(dtype=float), k: int):
    values[k] = 1.0

wp.launch(broken, dim=1, inputs=[wp.zeros(3, dtype=float, device="cpu"), 3], device="cpu")
"""


def outcome(body: str, cache: Path, seconds: float) -> tuple[int, str, str]:
    """Return code, last line and complaints of a program in a process of its own."""
    program = HEAD + body + "\nprint('alive')\n"
    done = subprocess.run(
        [sys.executable, "-c", program, str(cache), str(TESTS)],
        capture_output=True, text=True, timeout=seconds, check=False, env=os.environ,
    )  # fmt: skip
    return done.returncode, done.stdout.strip()[-100:], done.stderr[-2000:]


def test_an_index_out_of_bounds_is_noticed(tmp_path: Path) -> None:
    code, said, _ = outcome(BROKEN, tmp_path, 120)
    assert code != 0 and said != "alive"


@pytest.mark.slow
def test_many_random_worlds_stay_within_their_arrays(tmp_path: Path) -> None:
    code, said, complaints = outcome(WORLDS + MANY, tmp_path, 3600)
    assert (code, said) == (0, "alive"), complaints


@pytest.mark.slow
def test_worlds_with_every_option_stay_within_their_arrays(tmp_path: Path) -> None:
    code, said, complaints = outcome(OPTIONS, tmp_path, 3600)
    assert (code, said) == (0, "alive"), complaints
