"""The same kernels on a CPU and on a GPU: agreement per step and over half a second, and world-steps per second.

python benchmarks/gpu.py rates [SCENARIO ...]   world-steps per second on the GPU
python benchmarks/gpu.py agree [BEGINNING ...]  each world on both, from states along its run
python benchmarks/gpu.py variants [VARIANT ...] every variant of the kernels on both, on worlds that all of them cover
python benchmarks/gpu.py check                  all of it, and shape curves: what docs/results/gpu.json keeps

Each prints JSON, and writes it as it comes to --out (out/gpu.json): a run that is cut short keeps what it has.
--device names another device, --worlds other numbers of worlds: `--device cpu --worlds 8` tries the program.
--precisions float32 times one precision only.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import warp as wp

from pushpoint.engine.settings import Settings
from pushpoint.engine.stepper import Stepper
from pushpoint.engine.variants import VARIANTS
from pushpoint.errors import PushpointError, SimulationFailed
from pushpoint.gaits import WaveGait
from pushpoint.kernels.planar import structs as planar
from pushpoint.kernels.spatial import structs as spatial
from pushpoint.model.catalogue import liljeback2014
from pushpoint.papers.liljeback2014.scenarios import sidewinder
from pushpoint.papers.registry import ROOMS, scenario, scenario_names
from pushpoint.planning import Aligner
from pushpoint.whole_files import write_bytes

OF_ENGINE = {
    "planar": ("transeth2008a/obstacle-aided",),
    "spatial": ("transeth2008b/sidewinding", "transeth2008b/lateral-undulation-orthotropic"),
}
"""Scenarios that every variant of an engine covers."""
TIMED = (
    "transeth2008a/flat",
    "transeth2008a/obstacle-aided",
    "transeth2008b/sidewinding",
    "transeth2008b/lateral-undulation-orthotropic",
    "spatial/stairs-rest",
)
PUBLISHED = (*TIMED[:4], "transeth2008a/winding-channel", "transeth2008b/sidewinding-realistic")
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
PRECISIONS = ("float64", "float32")
STEPS = 200
"""Steps of one launch that is timed [-]."""
SETTLED = 1000
"""Steps before worlds are timed [-]: the start of a gait from rest asks for more iterations than the gait itself."""
WARP = 32
"""Threads that a GPU runs in step: with as many moments of a run none of them does what its neighbours do [-]."""
APART = 53
"""Steps from one of these moments to the next [-]."""


def compared() -> list[str]:
    """Names of the scenarios that are compared: some published ones and all of our own."""
    return [*PUBLISHED, *(name for name in scenario_names() if name.partition("/")[0] in GROUPS)]


def stepper_of(name: str, n_worlds: int, variant: str | None = None, **settings: object) -> Stepper:
    """A batch of equal worlds at their start; `variant` names a form of the kernels instead of the leanest."""
    world = scenario(name).world
    robots, environments = [world.robot] * n_worlds, [world.environment] * n_worlds
    stepper = Stepper(robots, environments, Settings(**settings), variant=variant)
    put_at_start(stepper, name, n_worlds)
    return stepper


def put_at_start(stepper: Stepper, name: str, n_worlds: int) -> None:
    """Puts all worlds at their start, with one gait."""
    world = scenario(name).world
    stepper.load(stepper.initial([world.pose()] * n_worlds))
    prescribed = [world.controller.prescribed] * n_worlds
    if isinstance(world.controller, WaveGait):
        stepper.use_waves([world.controller.wave(world.robot)] * n_worlds, prescribed)
    else:  # a posture that is held
        held = [
            np.repeat(each[None], n_worlds, axis=0) for each in world.controller.references(np.zeros(1), world.robot)
        ]
        stepper.use_table(*held, SETTLED * 10, prescribed, held=True)  # beyond any launch


def moments_of(name: str) -> list:
    """States of one world at several moments of its run, on a CPU."""
    single = stepper_of(name, 1)
    single.advance(SETTLED)
    states = [single.state()]
    for _ in range(WARP - 1):
        single.advance(APART)
        states.append(single.state())
    return states


def as_batch(states: list, stepper: Stepper) -> object:
    """States of single worlds, in turns, as one batch; the rows of a world's obstacles follow those of others."""
    kind = type(states[0])
    turns = np.arange(stepper.n_worlds) % len(states)
    fields = {name: np.concatenate([getattr(state, name) for state in states])[turns] for name in kind.names()}
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


def step_differences(name: str, device: str, variant: str | None = None) -> dict[str, float]:
    """Largest difference of velocities after one step [m/s, rad/s] and of positions after half a second [m, rad].

    Both devices start from the same states, recorded along a run on the CPU.
    """
    chosen = {"tolerance": TIGHT, "dt": scenario(name).settings.dt}
    single = stepper_of(name, 1, variant, **chosen)
    states = []
    for _ in range(STATES_PER_COURSE):
        single.advance(BETWEEN)
        states.append(single.state())
    batches = [stepper_of(name, STATES_PER_COURSE, variant, device=each, **chosen) for each in ("cpu", device)]
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


def run_differences(name: str, device: str) -> dict[str, float]:
    """Largest difference of all that is recorded in the first half second, with the scenario's own controller."""
    runs = []
    for each in ("cpu", device):
        one = scenario(name)
        settings = replace(one.settings, tolerance=TIGHT, device=each)
        runs.append(replace(one, duration=HALF_A_SECOND, settings=settings).run())
    cpu, gpu = runs
    moved = ("center_of_mass", "joint_angle")
    found = {f"half_{each}": float(abs(gpu[each] - cpu[each]).max()) for each in moved if each in cpu}
    return found | {"fastest": float(abs(cpu["link_velocity"]).max()) if "link_velocity" in cpu else float("nan")}


def differences(name: str, device: str) -> dict[str, object]:
    """How far the GPU is from the CPU on one scenario."""
    try:
        waves = isinstance(scenario(name).world.controller, WaveGait)
        return step_differences(name, device) if waves else run_differences(name, device)
    except PushpointError as wrong:
        return {"failed": str(wrong)}


def world_steps_per_second(batch: Stepper) -> float:
    """Throughput of a batch over three launches, after one that warms up."""
    batch.advance(STEPS // 2)
    wp.synchronize()
    begin = time.perf_counter()
    for _ in range(3):
        batch.advance(STEPS)
    wp.synchronize()
    spent = time.perf_counter() - begin
    if not batch.running().all():
        raise SimulationFailed("worlds ended while they were timed")
    return 3 * STEPS * batch.n_worlds / spent


def rates(
    names: Sequence[str], device: str, batches: Sequence[int], precisions: Sequence[str]
) -> Iterator[dict[str, object]]:
    """World-steps per second over scenario, precision, number of worlds and number of moments of a run among them."""
    states = {name: moments_of(name) for name in names}
    for precision, n_worlds, name in product(precisions, batches, names):
        batch = stepper_of(name, n_worlds, device=device, precision=precision)
        waves = isinstance(scenario(name).world.controller, WaveGait)
        for moments in (1, WARP) if waves else (1,):
            batch.load(as_batch(states[name][:moments], batch))
            which = {"scenario": name, "precision": precision, "worlds": n_worlds, "moments": moments}
            yield which | {"world_steps_per_second": world_steps_per_second(batch)}


class Findings:
    """What was found so far, in a file that is whole at any time."""

    def __init__(self, file: Path, device: str) -> None:
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        layout = "planes" if device.startswith("cuda") else "records"
        self.all: dict[str, object] = {"device": str(wp.get_device(device).name), "layout": layout}

    def add(self, **found: object) -> None:
        """Takes up figures by name and writes all of them."""
        self.all |= found
        write_bytes(self._file, (json.dumps(self.all, indent=1) + "\n").encode())


def main() -> None:
    """Rates first: they are what a machine on loan is for."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("verb", choices=("rates", "agree", "variants", "check"))
    asked.add_argument("names", nargs="*")
    asked.add_argument("--out", type=Path, default=Path("out/gpu.json"))
    asked.add_argument("--device", default="cuda:0")
    asked.add_argument("--worlds", type=int, nargs="+", default=BATCHES)
    asked.add_argument("--precisions", nargs="+", default=PRECISIONS, choices=PRECISIONS)
    told = asked.parse_args()
    findings = Findings(told.out, told.device)
    if told.verb in ("rates", "check"):
        timed: list[dict[str, object]] = []
        for rate in rates(told.names or TIMED, told.device, told.worlds, told.precisions):
            timed.append(rate)
            findings.add(rates=timed)
            print(rate, file=sys.stderr, flush=True)
    if told.verb == "check":
        (here, _), (there, rate) = alignments(ALIGNED, "cpu"), alignments(ALIGNED, told.device)
        findings.add(**{"alignments/s": rate, "alignment": float(np.abs(here - there).max())})
    if told.verb in ("variants", "check"):
        compared_forms: dict[str, object] = {}
        for engine, variant in ((engine, variant) for engine, all_of_it in VARIANTS.items() for variant in all_of_it):
            if told.verb == "variants" and told.names and f"{engine}/{variant}" not in told.names:
                continue
            each = {name: step_differences(name, told.device, variant) for name in OF_ENGINE[engine]}
            compared_forms[f"{engine} {variant}"] = each
            findings.add(variants=compared_forms)
            print(engine, variant, each, file=sys.stderr, flush=True)
    if told.verb in ("agree", "check"):
        for name in (name for name in compared() if name.startswith(tuple(told.names) or ("",))):
            findings.add(**{name: differences(name, told.device)})
            print(name, findings.all[name], file=sys.stderr, flush=True)
    print(json.dumps(findings.all, indent=1))


if __name__ == "__main__":
    main()
