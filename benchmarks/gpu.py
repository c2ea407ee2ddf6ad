"""The same kernels on a CPU and on a GPU: agreement per step and over half a second, and world-steps per second.

python benchmarks/gpu.py record FILE             with a CPU: states along runs, and where the CPU goes from them
python benchmarks/gpu.py check FILE [SCENARIO ...]  with a GPU: compares, times, prints JSON; needs NumPy and Warp only
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import warp as wp

from pushpoint.engine.settings import Settings
from pushpoint.engine.stepper import Stepper
from pushpoint.gaits import WaveGait
from pushpoint.kernels.planar import structs as planar
from pushpoint.kernels.spatial import structs as spatial
from pushpoint.model.catalogue import liljeback2014
from pushpoint.papers.liljeback2014.scenarios import sidewinder
from pushpoint.papers.registry import scenario
from pushpoint.planning import Aligner

TIMED = (
    "transeth2008a/flat",
    "transeth2008a/obstacle-aided",
    "transeth2008b/sidewinding",
    "transeth2008b/lateral-undulation-orthotropic",
)
COMPARED = (
    *TIMED,
    "transeth2008a/winding-channel",
    "transeth2008b/sidewinding-realistic",
    "spatial/stairs-rest",
    "spatial/rubble",
)
STATES_PER_COURSE = 50
TIGHT = 1e-8
HALF_A_SECOND = 500
ALIGNED = 65536
BATCHES = (4096, 65536)
WARP = 32
"""Threads that a GPU runs in step: with as many phases none of them does what its neighbours do [-]."""


def stepper_of(name: str, n_worlds: int, **settings: object) -> Stepper:
    """A batch of equal worlds at their start."""
    world = scenario(name).world
    stepper = Stepper([world.robot] * n_worlds, [world.environment] * n_worlds, Settings(**settings))
    put_at_start(stepper, name, n_worlds)
    return stepper


def put_at_start(stepper: Stepper, name: str, n_worlds: int, phases: int = 1) -> None:
    """Puts all worlds at their start, with one gait, or with so many phases of it side by side in turns."""
    world = scenario(name).world
    stepper.load(stepper.initial([world.pose()] * n_worlds))
    if isinstance(world.controller, WaveGait):
        turns = [replace(world.controller, phase=2 * np.pi * k / phases) for k in range(phases)]
        waves = [gait.wave(world.robot) for gait in turns]
        stepper.use_waves([waves[k % phases] for k in range(n_worlds)], [False] * n_worlds)


def as_batch(states: list, stepper: Stepper) -> object:
    """States of single worlds as one batch; the rows of a world's obstacles follow those of the worlds before it."""
    kind = type(states[0])
    fields = {name: np.concatenate([getattr(state, name) for state in states]) for name in kind.names()}
    first = stepper._obstacles.grids.numpy()["first"].reshape(-1, 1, 1)
    keys = fields["contact_key"]
    in_space = hasattr(states[0], "tail")
    shift = int(spatial.FEATURES if in_space else planar.FEATURES) * first
    ground = (keys < int(spatial.FEATURES)) if in_space else np.zeros(keys.shape, dtype=bool)
    return kind(**(fields | {"contact_key": np.where(ground, keys, keys + shift)}))


def record(path: str) -> None:
    """Writes states along both runs and the CPU's states one step and half a second later."""
    arrays: dict[str, np.ndarray] = {}
    for name in COMPARED:
        single = stepper_of(name, 1, tolerance=TIGHT)
        states = []
        for _ in range(STATES_PER_COURSE):
            single.advance(173)
            states.append(single.state())
        batch = stepper_of(name, STATES_PER_COURSE, tolerance=TIGHT)
        before = as_batch(states, batch)
        for label, steps in (("before", 0), ("step", 1), ("half", HALF_A_SECOND)):
            batch.load(before)
            batch.advance(steps)
            state = batch.state()
            arrays |= {f"{name}|{label}|{field}": getattr(state, field) for field in type(state).names()}
    arrays["alignment|angles"] = alignments(ALIGNED, "cpu")[0]
    np.savez_compressed(path, **arrays)


def alignments(count: int, device: str) -> tuple[np.ndarray, float]:
    """Joint angles of many virtual robots along one sidewinding curve, and alignments per second."""
    follower = sidewinder()
    robot = liljeback2014()
    begun = follower.motion.begin(robot, 0.16)
    laid = follower.motion.laid(type(begun)(*(part[None] for part in begun)), np.zeros(1))
    aligner = Aligner(robot, laid.points.shape[1], per_curve=count, device=device)
    aligner.load(laid.points, laid.slopes)
    heads = laid.head - 8.0 * np.linspace(0.0, 1.0, count)  # back through one cycle
    rolls = np.linspace(0.0, 6.0, count)
    aligner.solve(heads, rolls)
    begin = time.perf_counter()
    angles = aligner.solve(heads, rolls).copy()
    return angles, count / (time.perf_counter() - begin)


def differences(name: str, stored: dict[str, np.ndarray]) -> dict[str, float]:
    """Largest difference of velocities after one step [m/s, rad/s] and of positions after half a second [m, rad]."""

    batch = stepper_of(name, STATES_PER_COURSE, tolerance=TIGHT, device="cuda:0")
    kind = type(batch.state())

    def state(label: str) -> object:
        return kind(**{field: stored[f"{name}|{label}|{field}"] for field in kind.names()})

    found: dict[str, float] = {}
    places = ("center", "tail", "angle") if hasattr(batch.state(), "tail") else ("center", "theta")
    for label, steps, fields in (("step", 1, ("v", "omega")), ("half", HALF_A_SECOND, places)):
        batch.load(state("before"))
        batch.advance(steps)
        now, cpu = batch.state(), state(label)
        for field in fields:
            found[f"{label}_{field}"] = float(np.abs(getattr(now, field) - getattr(cpu, field)).max())
    return found


def world_steps_per_second(batch: Stepper, n_worlds: int) -> float:
    """Throughput of a batch, best of three launches of 200 steps, after 200 steps."""
    batch.advance(200)
    seen = []
    for _ in range(3):
        wp.synchronize()
        begin = time.perf_counter()
        batch.advance(200)
        wp.synchronize()
        seen.append(200 * n_worlds / (time.perf_counter() - begin))
    return max(seen)


def rates(names: Sequence[str]) -> Iterator[dict[str, object]]:
    """World-steps per second over scenario, precision, number of worlds and number of gait phases among them."""
    for precision, n_worlds, name in product(("float64", "float32"), BATCHES, names):
        batch = stepper_of(name, n_worlds, device="cuda:0", precision=precision)
        for phases in (1, WARP):
            put_at_start(batch, name, n_worlds, phases)
            rate = world_steps_per_second(batch, n_worlds)
            print(f"{name} {precision} {n_worlds} worlds, {phases} phases: {rate:.3g}/s", file=sys.stderr, flush=True)
            which = {"scenario": name, "precision": precision, "worlds": n_worlds, "phases": phases}
            yield which | {"world_steps_per_second": rate}


def check(path: str, *names: str) -> None:
    """Prints agreement and throughput as JSON, of all scenarios or of those named."""
    stored = dict(np.load(path))
    figures: dict[str, object] = {"device": str(wp.get_device("cuda:0").name)}
    for name in names or COMPARED:
        figures[name] = differences(name, stored)
        print(name, figures[name], file=sys.stderr, flush=True)
    angles, figures["alignments/s"] = alignments(ALIGNED, "cuda:0")
    figures["alignment"] = float(np.abs(angles - stored["alignment|angles"]).max())
    print("alignment", figures["alignment"], f"{figures['alignments/s']:.3g}/s", file=sys.stderr, flush=True)
    figures["rates"] = list(rates([name for name in TIMED if name in (names or TIMED)]))
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    {"record": record, "check": check}[sys.argv[1]](*sys.argv[2:])
