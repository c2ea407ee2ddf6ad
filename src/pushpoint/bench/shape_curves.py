"""How fast motion planning with shape curves is: one alignment, one command, and many worlds with their dynamics.

The dynamics are those of Liljeback2014's robot sidewinding on flat ground, with commands at 30 Hz. They are given in
processor time as well as wall time: the machine may be shared, and then only the former shows the cost. To show where
the time goes, the same references are also played from a table, which needs neither commands nor measurements.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import MISSING, fields, replace
from itertools import count
from typing import Any

import numpy as np

from pushpoint.bench.timing import alternate, new_rollout, timed
from pushpoint.engine.batching import stack
from pushpoint.engine.signals import Measurement
from pushpoint.errors import SimulationFailed
from pushpoint.gaits import FunctionOfTime, Sampled
from pushpoint.model.catalogue import liljeback2014
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.papers.liljeback2014.scenarios import STEP, floor, sidewinder
from pushpoint.planning.curves.alignment import Aligner
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

WORLDS = 64
CENTERS_ONLY = Record(variables=("center_of_mass",))
"""The runs keep little."""


def played(angles: np.ndarray, rate: float) -> Sampled:
    """References from a table of `rate` rows per second, held from row to row: what a follower commands, without it."""
    last = len(angles) - 1
    table = FunctionOfTime(function=lambda t: angles[min(int(t * rate + 1e-6), last)])
    return Sampled(gait=table, rate=rate, hold=True)


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """All numbers of the planner's benchmark; quick: fewer repeats and shorter runs, for a first impression."""
    calls, repeats, duration = (200, 1, 0.5) if quick else (5000, 5, 3.0)
    base = job(duration)
    return {
        "devices": {"alignment": "cpu", "dynamics": base.settings.device},
        "cores": os.cpu_count(),
        "links": base.world.robot.n_links,
        "us_per_alignment": 1e6 * time_of_alignment(base, calls),
        "us_per_command": 1e6 * time_of_command(base, calls // 5, worlds=1),
        "worlds": WORLDS,
        "simulated_s": duration,
        "repeats": repeats,
        **_many_worlds(base, repeats, 1e6 * time_of_command(base, calls // 20, worlds=WORLDS)),
    }


def job(duration: float) -> Scenario:
    """The paper's robot sidewinding on flat ground, from its first reference."""
    robot, follower = liljeback2014(), sidewinder()
    world = World(robot, floor(), follower, follower.start(robot))
    return Scenario(name="bench/shape-curves", worlds=world, duration=duration, settings=STEP, record=CENTERS_ONLY)


def time_of_alignment(base: Scenario, calls: int) -> float:
    """Median time of one call that lays the robot along a curve, with its head at a new place each time [s]."""
    _bound, memory = _side_by_side(base, 1)
    laid = base.world.controller.motion.laid(memory.motion, np.zeros(1))
    assert isinstance(base.world.robot, SpatialRobot)
    aligner = Aligner(base.world.robot, laid.points.shape[1])
    aligner.load(laid.points, laid.slopes)
    places = laid.head[0] + np.linspace(0.0, 1.0, calls + 1)
    return _median_time(lambda k: aligner.solve(places[k]), calls)


def time_of_command(base: Scenario, calls: int, *, worlds: int) -> float:
    """Median time of one command of the follower for this many worlds: motion, slopes, alignment [s]."""
    follower, memory = _side_by_side(base, worlds)
    # There is no feedback, so no measurement but the time is needed.
    sensed = [each.name for each in fields(Measurement) if each.default is MISSING]
    nothing: Any = np.zeros(worlds)
    empty = Measurement(**dict.fromkeys(sensed, nothing))
    seen = [replace(empty, time=np.full(worlds, k / follower.rate)) for k in range(calls + 1)]

    def command(k: int) -> None:
        nonlocal memory
        _sent, memory = follower.command(seen[k], memory)

    return _median_time(command, calls)


def _median_time(call: Callable[[int], Any], calls: int) -> float:
    """Median over calls numbered from 1 [s]; call 0 warms up. A median ignores calls that were interrupted."""
    numbers = count()
    (found,) = alternate(calls, timed(lambda: call(next(numbers)), time.perf_counter))
    return found


def _many_worlds(base: Scenario, repeats: int, us_per_command: float) -> dict[str, Any]:
    """How many worlds run at once, and how processor time splits into dynamics, commands and the rest."""
    _times, poses = base.world.controller.virtual(base.world.robot, base.duration)
    table = base.with_changes(controller=played(poses.joint_angles, base.world.controller.rate))
    rounds = [(_run_times(base), _run_times(table)) for _ in range(repeats + 1)][1:]  # the first one warms up
    (wall, processor), (_wall, dynamics) = np.median(np.array(rounds), axis=0).tolist()
    commands = 1e-6 * us_per_command * round(base.duration * base.world.controller.rate)
    return {
        f"us_per_command_{WORLDS}_worlds": us_per_command,
        f"real_time_factor_{WORLDS}_worlds": base.duration / wall,
        "wall_s": wall,
        "processor_s": processor,
        "processor_s_dynamics": dynamics,
        "processor_s_commands": commands,
        "processor_s_measurements_and_rest": processor - dynamics - commands,
    }


def _run_times(base: Scenario) -> tuple[float, float]:
    """Wall time and processor time, of all cores together, for the steps of all worlds [s]."""
    rollout = new_rollout(base, CENTERS_ONLY, worlds=WORLDS)
    rollout.stepper.advance(0)  # compiles
    wall, processor = time.perf_counter(), time.process_time()
    while not rollout.finished:
        rollout.advance()
    taken = time.perf_counter() - wall, time.process_time() - processor
    failure = rollout.failure()
    if failure is not None:  # a world that ended early would make the numbers look better
        raise SimulationFailed(failure)
    return taken


def _side_by_side(base: Scenario, worlds: int) -> tuple[Any, Any]:
    """The follower bound to its robot, and its memory for this many worlds before the first command."""
    follower = base.world.controller.bind(base.world.robot)
    return follower, stack([follower.memory()] * worlds)
