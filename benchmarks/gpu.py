"""The same kernels on a CPU and on a GPU: agreement per step and over half a second, and world-steps per second.

python benchmarks/gpu.py agree [BEGINNING ...]  each world on both, from states along its run; prints JSON
python benchmarks/gpu.py rates [SCENARIO ...]   world-steps per second on the GPU; prints JSON
python benchmarks/gpu.py check                  both, and shape curves: what docs/results/gpu.json keeps
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
from pushpoint.errors import PushpointError
from pushpoint.gaits import WaveGait
from pushpoint.kernels.planar import structs as planar
from pushpoint.kernels.spatial import structs as spatial
from pushpoint.model.catalogue import liljeback2014
from pushpoint.papers.liljeback2014.scenarios import sidewinder
from pushpoint.papers.registry import ROOMS, scenario, scenario_names
from pushpoint.planning import Aligner

TIMED = (
    "transeth2008a/flat",
    "transeth2008a/obstacle-aided",
    "transeth2008b/sidewinding",
    "transeth2008b/lateral-undulation-orthotropic",
)
PUBLISHED = (*TIMED, "transeth2008a/winding-channel", "transeth2008b/sidewinding-realistic")
GROUPS = tuple(room.partition(".")[2] for room in ROOMS if room.startswith("ours."))
"""Groups of our own scenarios: between them they use every law of the kernels."""
STATES_PER_COURSE = 50
TIGHT = 1e-8
HALF_A_SECOND = 0.5
"""Simulated time over which whole runs are compared [s]."""
BETWEEN = 173
"""Steps from one recorded state to the next [-]."""
ALIGNED = 65536
BATCHES = (4096, 65536)
WARP = 32
"""Threads that a GPU runs in step: with as many phases none of them does what its neighbours do [-]."""


def compared() -> list[str]:
    """Names of the scenarios that are compared: some published ones and all of our own."""
    return [*PUBLISHED, *(name for name in scenario_names() if name.partition("/")[0] in GROUPS)]


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
    turns = [replace(world.controller, phase=2 * np.pi * k / phases) for k in range(phases)]
    waves = [gait.wave(world.robot) for gait in turns]
    stepper.use_waves([waves[k % phases] for k in range(n_worlds)], [world.controller.prescribed] * n_worlds)


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


def step_differences(name: str) -> dict[str, float]:
    """Largest difference of velocities after one step [m/s, rad/s] and of positions after half a second [m, rad].

    Both devices start from the same states, recorded along a run on the CPU.
    """
    chosen = {"tolerance": TIGHT, "dt": scenario(name).settings.dt}
    single = stepper_of(name, 1, **chosen)
    states = []
    for _ in range(STATES_PER_COURSE):
        single.advance(BETWEEN)
        states.append(single.state())
    batches = [stepper_of(name, STATES_PER_COURSE, device=device, **chosen) for device in ("cpu", "cuda:0")]
    before = as_batch(states, batches[0])
    places = ("center", "tail", "angle") if hasattr(before, "tail") else ("center", "theta")
    found = {"fastest": float(np.linalg.norm(before.v, axis=-1).max())}
    half = round(HALF_A_SECOND / chosen["dt"])
    for label, steps, fields in (("step", 1, ("v", "omega")), ("half", half, places)):
        for batch in batches:
            batch.load(before)
            batch.advance(steps)
        cpu, gpu = (batch.state() for batch in batches)
        found |= {
            f"{label}_{field}": float(np.abs(getattr(gpu, field) - getattr(cpu, field)).max()) for field in fields
        }
    return found


def run_differences(name: str) -> dict[str, float]:
    """Largest difference of all that is recorded in the first half second, with the scenario's own controller."""
    runs = []
    for device in ("cpu", "cuda:0"):
        one = scenario(name)
        settings = replace(one.settings, tolerance=TIGHT, device=device)
        runs.append(replace(one, duration=HALF_A_SECOND, settings=settings).run())
    cpu, gpu = runs
    moved = ("center_of_mass", "joint_angle")
    found = {f"half_{each}": float(abs(gpu[each] - cpu[each]).max()) for each in moved if each in cpu}
    return found | {"fastest": float(abs(cpu["link_velocity"]).max()) if "link_velocity" in cpu else float("nan")}


def differences(name: str) -> dict[str, float]:
    """How far the GPU is from the CPU on one scenario."""
    try:
        waves = isinstance(scenario(name).world.controller, WaveGait)
        return step_differences(name) if waves else run_differences(name)
    except PushpointError as wrong:
        return {"failed": str(wrong)}


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


def agree(*names: str) -> dict[str, object]:
    """Agreement of all compared scenarios, or of those whose names begin like this."""
    figures: dict[str, object] = {"device": str(wp.get_device("cuda:0").name)}
    for name in (name for name in compared() if name.startswith(names or ("",))):
        figures[name] = differences(name)
        print(name, figures[name], file=sys.stderr, flush=True)
    return figures


def check() -> dict[str, object]:
    """Agreement and throughput of everything."""
    figures = agree()
    (here, _), (there, figures["alignments/s"]) = alignments(ALIGNED, "cpu"), alignments(ALIGNED, "cuda:0")
    figures["alignment"] = float(np.abs(here - there).max())
    return figures | {"rates": list(rates(TIMED))}


if __name__ == "__main__":
    verb, *chosen = sys.argv[1:]
    done = {"agree": agree, "rates": lambda *names: list(rates(names or TIMED)), "check": check}[verb](*chosen)
    print(json.dumps(done, indent=2))
