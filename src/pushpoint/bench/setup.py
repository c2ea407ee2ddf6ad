"""What it costs to set up large worlds and large batches: processor time and memory, each in a process of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from math import ceil, cos, sin
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pushpoint.engine.planar.start import Start
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import PushpointError
from pushpoint.gaits import LateralUndulation
from pushpoint.model.catalogue import aiko, aiko_planar
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.world import Experiment, World

PEGS, PER_COURSE = 100_000, 20
WORLDS = (1_000, 10_000)
SPACING, RADIUS, CLEAR = 0.5, 0.05, 1.5
"""Distance of pegs from each other, their radius, and the free circle around the start [m]."""
DURATION = 0.01
"""Simulated time [s]: the shortest of which there are two samples."""
GAIT = LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
ROBOTS: dict[str, tuple[Callable[[], Any], Any]] = {"planar": (aiko_planar, Start), "spatial": (aiko, SpatialStart)}
"""How each kind of robot is made, and the class of its starts."""
SHARED = ("all", "course", "robot")
"""What the worlds of a batch share: everything; robot and course, with a start each; or the robot alone."""

Made = TypeVar("Made")


class Case(NamedTuple):
    """What one process sets up."""

    kind: str
    """Of the robot."""
    pegs: int
    """Pegs of each course [-]."""
    worlds: int = 1
    """Worlds [-]."""
    shared: str = "all"
    """One of SHARED."""


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """Processor time of each stage [s] and memory above that of the process [MB]; quick: a tenth of everything."""
    part = 10 if quick else 1
    figures: dict[str, Any] = {}
    for kind in ROBOTS:
        figures[f"{kind}_pegs_{PEGS // part}"] = _in_child(Case(kind, PEGS // part))
        for count in WORLDS:
            batches = {shared: _in_child(Case(kind, PER_COURSE, count // part, shared)) for shared in SHARED}
            figures[f"{kind}_worlds_{count // part}"] = {f"shared_{name}": each for name, each in batches.items()}
    return figures


def _in_child(case: Case) -> dict[str, float]:
    # A new process: memory that an earlier case has given back is still counted in this one.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(timed_case, case).result()


def timed_case(case: Case) -> dict[str, float]:
    """Times and memory of one case, in this process."""
    make, _ = ROBOTS[case.kind]
    robot = make()
    _run(World(robot, _environment(_pegs(1, 0)), GAIT))  # compiles the kernels, loads libraries
    figures: dict[str, float] = {}
    before = _memory("VmRSS:")

    def stage(name: str, work: Callable[[], Made]) -> Made:
        begin = time.process_time()
        done = work()
        figures[f"{name}_s"] = time.process_time() - begin
        return done

    courses = case.worlds if case.shared == "robot" else 1
    pegs = stage("pegs", lambda: [_pegs(case.pegs, seed) for seed in range(courses)])
    worlds = stage("worlds", lambda: _worlds(case, robot, [_environment(each) for each in pegs]))
    rollout = stage("pack", lambda: Rollout(Experiment(worlds, DURATION)))
    stage("steps", rollout.advance)
    stage("dataset", rollout.dataset)
    set_up = sum(figures[f"{name}_s"] for name in ("worlds", "pack", "dataset"))
    figures["set_up_s"] = set_up
    figures["set_up_per_world_us"] = 1e6 * set_up / case.worlds
    figures["memory_mb"] = (_memory("VmHWM:") - before) / 1e6
    return figures


def _run(world: World) -> None:
    rollout = Rollout(Experiment((world,), DURATION))
    rollout.advance()
    rollout.dataset()


def _worlds(case: Case, robot: Any, environments: list[Environment]) -> tuple[World, ...]:
    if case.shared == "all":
        return (World(robot, environments[0], GAIT),) * case.worlds
    _, start = ROBOTS[case.kind]
    headings = np.linspace(-1.0, 1.0, case.worlds).tolist()
    places = environments if case.shared == "robot" else environments * case.worlds
    return tuple(World(robot, place, GAIT, start(heading=each)) for place, each in zip(places, headings, strict=True))


def _environment(pegs: list[Peg]) -> Environment:
    return Environment(ground=Ground(friction=Isotropic(0.2)), obstacles=pegs)


def _pegs(count: int, seed: int) -> list[Peg]:
    """Pegs on a spiral around a free circle, one per square of the spacing, beginning in a random direction."""
    begin, golden = np.random.default_rng(seed).uniform(0.0, 2 * np.pi), np.pi * (3.0 - 5.0**0.5)
    free = ceil(np.pi * (CLEAR / SPACING) ** 2)
    ways = (SPACING * np.sqrt(np.arange(free, free + count) / np.pi)).tolist()
    turns = (begin + golden * np.arange(count)).tolist()
    return [Peg(x=w * cos(turn), y=w * sin(turn), radius=RADIUS) for w, turn in zip(ways, turns, strict=True)]


def _memory(name: str) -> int:
    """Memory of this process [bytes]: VmRSS: now, VmHWM: at most so far."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))
    except (OSError, StopIteration):
        raise PushpointError(f"the memory of a process cannot be read on {os.name}: the bench needs Linux") from None
