"""Long and much: a day of simulated time, a thousand runs, memory flat; and estimates beside what was taken."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from oracles.course import course
from oracles.robots import uneven_robot
from pushpoint.simulation import streaming
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.world import Experiment

DAY = 86_400.0
SMALL = pp.World(
    uneven_robot(),
    pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2))),
    pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.9),
)
FLAT = 20_000_000
"""What a long run may grow by after its first tenth [bytes]: the file's own index, and what allocators keep."""
FACTOR = 1.5
"""How far an estimate may be from what was taken [-], besides a start of 30 MB."""
START = 30_000_000


def taken() -> int:
    """Memory of this process now [bytes]."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(work, arguments)


def day(file: str) -> tuple[list[int], int]:
    record = pp.Record(rate=1.0)
    rollout = Rollout(Experiment((SMALL,), DAY, record=record), batched=False, file=file)
    levels, at = [], 0.0
    while not rollout.finished:
        rollout.advance()
        if rollout.time >= at:
            levels.append(taken())
            at += DAY / 20
    run = rollout.dataset()
    assert run.attrs["status_code"] == "finished" and float(run.time[-1]) == DAY
    levels.append(taken())
    return levels, run.sizes["time"]


@pytest.mark.campaign
def test_a_day_in_one_run_with_flat_memory(tmp_path: Path) -> None:
    levels, samples = apart(day, str(tmp_path / "day.nc"))
    assert samples == DAY + 1
    assert max(levels[2:]) - levels[2] < FLAT, [level - levels[2] for level in levels]


def thousand_runs() -> list[int]:
    levels = []
    for k in range(1000):
        run = pp.simulate(SMALL, 1.0)
        assert run.attrs["status_code"] == "finished"
        if k % 100 == 99:
            levels.append(taken())
    return levels


@pytest.mark.campaign
def test_a_thousand_runs_do_not_grow() -> None:
    levels = apart(thousand_runs)
    assert max(levels[1:]) - levels[1] < FLAT, [level - levels[1] for level in levels]


def simulator_day() -> list[int]:
    simulator = pp.Simulator([SMALL], rate=100.0)
    command, levels = pp.Command(joint_angle=np.zeros((1, 3))), []
    for k in range(50_000):
        simulator.step(command)
        if k % 5000 == 4999:
            levels.append(taken())
    return levels


@pytest.mark.campaign
def test_a_simulator_does_not_grow() -> None:
    levels = apart(simulator_day)
    assert max(levels[1:]) - levels[1] < FLAT // 10, [level - levels[1] for level in levels]


def peak_of(case: str, count: int, duration: float, file: str | None) -> tuple[int, int]:
    """What a run took at most beyond what was taken before, and what was foreseen."""
    spatial = pp.scenario("transeth2008b/sidewinding").world
    world = {"planar": course(obstacles=True), "spatial": spatial}[case]
    pp.simulate(world, 0.1)  # kernels are loaded, and libraries
    worlds, record = [world] * count, pp.Record(rate=1000.0)
    before = taken()
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    run = pp.simulate(worlds, duration, record=record, file=file)
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    found = pp.estimate(worlds, duration, record=record)
    assert run.sizes["time"] == found.samples
    return peak - before, found.memory if file is None else found.memory_with_file


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("case", "count", "duration", "to_file"),
    [
        ("planar", 1, 100.0, False),
        ("spatial", 1, 60.0, False),
        ("planar", 1000, 0.1, False),
        ("spatial", 500, 0.1, False),
        ("planar", 10_000, 0.005, False),
        ("planar", 1, 100.0, True),
        ("planar", 1000, 0.2, True),
    ],
)
def test_estimates_hold(case: str, count: int, duration: float, to_file: bool, tmp_path: Path) -> None:
    peak, foreseen = apart(peak_of, case, count, duration, str(tmp_path / "run.nc") if to_file else None)
    assert foreseen <= FACTOR * peak + START, (peak, foreseen)
    assert peak <= FACTOR * foreseen + START, (peak, foreseen)


def long_run(file: str) -> None:
    pp.simulate(replace(course(obstacles=True)), 10_000.0, record=pp.Record(rate=1000.0), file=file)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(20))
def test_killed_at_any_moment_what_was_written_is_read(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    process = multiprocessing.get_context("spawn").Process(target=long_run, args=(str(path),))
    process.start()
    while not streaming.partial_of(path).exists():
        time.sleep(0.01)
    time.sleep(0.3 + np.random.default_rng((seed, 16)).uniform(0.0, 1.0))
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with pp.load(streaming.partial_of(path), lazy=True) as left:
        assert left.sizes["time"] >= 1000 and not path.exists()
        assert np.isfinite(left["link_position"].values).all()
        np.testing.assert_allclose(np.diff(left["time"].values), 1e-3, rtol=1e-6)
