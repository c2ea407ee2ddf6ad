"""World-steps per second of MuJoCo Warp on a GPU, on jobs of benchmarks/gpu.py, so that both stand side by side.

python benchmarks/mujoco_warp.py [--jobs SCENARIO ...] [--worlds N ...] [--phases 1 32]

Each job is timed with the `default` preset of pushpoint.bench.mujoco and with the best of the settings listed here: the
fastest one whose mean velocity over the first gait period is near that of the reference settings in MuJoCo's C code,
which computes in double precision. MuJoCo Warp computes in float32 and has no PGS solver. Pyramidal cones are left out:
with the models of the `fastest` presets they miss the velocity by far, in C too on two of the jobs.

It prints JSON, and writes it as it comes to --out (out/mujoco_warp.json): a run that is cut short keeps what it has.
--device names another device, --worlds other numbers of worlds: `--device cpu --worlds 4` tries the program. --phases
says at how many moments of the gait the worlds begin, side by side in turns: 1 is equal worlds.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
import warp as wp

from pushpoint.bench.mujoco import MujocoPeer, Preset, references_of
from pushpoint.bench.mujoco.planar import PRESETS as PLANAR, PlanarJob
from pushpoint.bench.mujoco.spatial import PRESETS as SPATIAL, SpatialJob
from pushpoint.errors import PushpointError, SimulationFailed
from pushpoint.papers.registry import scenario
from pushpoint.whole_files import write_bytes

# A program's own folder comes first, and there this file has the name of the package.
sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]
import mujoco_warp as mjw  # noqa: E402

COURSE = "transeth2008a/obstacle-aided"
JOBS = (COURSE, "transeth2008b/sidewinding", "transeth2008b/lateral-undulation-orthotropic")
BATCHES = (4096, 65536)
"""Numbers of worlds; settings are ranked with the first, or with fewer if fewer are asked for [-]."""
WARP = 32
"""Moments of the first gait period from which worlds can begin, as many as the phases of benchmarks/gpu.py [-]."""
PER_GRAPH = 10
"""Steps of one CUDA graph [-]."""
SETTLING = STEPS = 200
"""Steps from rest before the timed part, and of one launch at most, as in benchmarks/gpu.py [-]."""
LAUNCH = 1.0
"""A launch that would take longer gets fewer steps [s]."""
NEAR = 0.15
"""Largest difference of the mean velocity from the reference, relative to it [-]."""
FEW = 2
"""Up to so many iterations of the solver are a plain sequence, without a conditional node in the graph [-]."""
AT_LIMIT = int(mjw.OverflowType.ITERATIONS | mjw.OverflowType.LS_ITERATIONS)  # which some settings intend


def varied(base: Preset, **options: str) -> Preset:
    """A preset with other options."""
    return replace(base, options={**base.options, **options})


class TimedCourse(PlanarJob):
    """The planar job with the settings that are tried."""

    presets = PLANAR | {
        "cg_1": varied(PLANAR["fastest"], iterations="1", ls_iterations="4"),
        "newton_1": varied(PLANAR["fastest"], solver="Newton", iterations="1"),
    }
    reference = "default"


class TimedGait(SpatialJob):
    """The spatial job with the settings that are tried; the default servos tremble, so they are no reference."""

    presets = SPATIAL | {
        "cg_2": varied(SPATIAL["fastest"], iterations="2"),
        "newton_1": varied(SPATIAL["fastest"], solver="Newton", iterations="1"),
        "newton_2": varied(SPATIAL["fastest"], solver="Newton", iterations="2"),
        "euler_cg_1": varied(SPATIAL["fastest"], integrator="Euler"),
    }
    reference = "discrete"


def job_of(name: str) -> Any:
    """A scenario as a job; made here because pushpoint.bench.spatial imports more than a machine on loan has."""
    base = scenario(name)
    world, same = base.world, references_of(base) | {"robot": base.world.robot}
    if name == COURSE:
        angles, place = np.array(world.start.link_angles), world.start.position[:2]
        place = {"link_angles": angles, "anchor_link": world.start.link, "anchor_position": place}
        return TimedCourse(environment=world.environment, **place, **same)
    pose, ground = world.pose(), replace(world.environment.ground, rolling=0.0)  # MuJoCo's contacts do not roll
    place = {"center_of_mass": pose["center"], "tail_orientation": pose["tail"], "joint_angle": pose["angle"]}
    return TimedGait(environment=replace(world.environment, ground=ground), **place, **same)


@wp.kernel
def control_step(table: wp.array2d[float], begun: wp.array[int], tally: wp.array[int], control: wp.array2d[float]):
    """Writes this step's row of the table, counted from the moment at which the world began."""
    world, axis = wp.tid()
    control[world, axis] = table[begun[world % begun.shape[0]] + tally[0], axis]


@wp.kernel
def count_step(pairs: wp.array[int], contacts: wp.array[int], rows: wp.array[int], tally: wp.array[int]):
    """Counts the step, and keeps the most pairs and contacts of all worlds and the most rows of the first world."""
    tally[0] = tally[0] + 1
    tally[1] = wp.max(tally[1], pairs[0])
    tally[2] = wp.max(tally[2], contacts[0])
    tally[3] = wp.max(tally[3], rows[0])


class Moments(NamedTuple):
    """States of one run at several steps."""

    step: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    qacc_warmstart: np.ndarray


class Batch:
    """Worlds of one job in MuJoCo Warp, which begin at moments of one run in turns, with the table of controls."""

    def __init__(self, peer: MujocoPeer, worlds: int, size: Mapping[str, int], start: Moments) -> None:
        self._start = start
        self.model = mjw.put_model(peer.model)
        self.model.opt.warn_overflow = 0  # the flags are read at the end
        self.model.opt.graph_conditional = peer.model.opt.iterations > FEW
        self.data = mjw.make_data(peer.model, nworld=worlds, **size)
        self._control = self.data.ctrl if peer.model.nu else self.data.qfrc_applied
        self._table, self._begun = wp.array(peer.control, dtype=float), wp.array(start.step, dtype=int)
        self.tally = wp.zeros(4, dtype=int)
        self._restart()
        self._several()  # compiles
        self._graph = None
        if wp.get_device().is_cuda:
            with wp.ScopedCapture() as capture:
                self._several()
            self._graph = capture.graph
        self._restart()

    def _restart(self) -> None:
        """Puts all worlds at their start, and forgets what was counted."""
        turns = np.arange(self.data.nworld) % len(self._start.step)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(self.data, name).assign(getattr(self._start, name)[turns].astype(np.float32))
        self.tally.zero_()
        self.data.overflow.zero_()

    def _several(self) -> None:
        data, told = self.data, [self._table, self._begun, self.tally]
        for _ in range(PER_GRAPH):
            wp.launch(control_step, dim=self._control.shape, inputs=told, outputs=[self._control])
            mjw.step(self.model, data)
            wp.launch(count_step, dim=1, inputs=[data.ncollision, data.nacon, data.nefc, self.tally])

    def advance(self, steps: int) -> float:
        """Advances all worlds by whole graphs of steps; returns the time [s]."""
        wp.synchronize()
        begin = time.perf_counter()
        for _ in range(steps // PER_GRAPH):
            wp.capture_launch(self._graph) if self._graph else self._several()
        wp.synchronize()
        return time.perf_counter() - begin

    def first(self) -> list[np.ndarray]:
        """Step, positions, velocities and warm start of the first world, as Moments has them."""
        at = self._start.step[0] + self.tally.numpy()[0]
        return [at, *(field.numpy()[0] for field in (self.data.qpos, self.data.qvel, self.data.qacc_warmstart))]

    def health(self) -> dict[str, object]:
        """Whether all is finite, and which room did not suffice."""
        flags = int(np.bitwise_or.reduce(self.data.overflow.numpy()))
        finite = all(bool(np.isfinite(field.numpy()).all()) for field in (self.data.qpos, self.data.qvel))
        short = [flag.name for flag in mjw.OverflowType if flags & ~AT_LIMIT & flag == flag]
        return {"finite": finite, "overflow": short, "at_iteration_limit": bool(flags & AT_LIMIT)}


class Trial(NamedTuple):
    """One world in the first gait period: where others can begin, the room it needs, its mean velocity [m/s]."""

    moments: Moments
    size: Mapping[str, int]
    velocity: np.ndarray


def trial(peer: MujocoPeer, steps: int) -> Trial:
    """Runs one world from rest, with MuJoCo Warp's own guess of the room."""
    job, model, data = peer.job, peer.model, peer.data
    before = peer.center_of_mass(peer.start[0])  # puts data at the start
    rest = Moments(np.zeros(1, dtype=int), data.qpos[None].copy(), data.qvel[None].copy(), np.zeros((1, model.nv)))
    batch = Batch(peer, 1, {}, rest)
    seen: list[list[np.ndarray]] = []
    while len(seen) < WARP:
        batch.advance((steps - SETTLING) // WARP // PER_GRAPH * PER_GRAPH if seen else SETTLING)
        seen.append(batch.first())
    batch.advance(steps - int(seen[-1][0]))
    end, place, *_ = batch.first()
    if not batch.health()["finite"]:
        raise SimulationFailed("MuJoCo Warp did not stay finite")
    data.qpos[:] = place
    mujoco.mj_fwdPosition(model, data)
    velocity = (data.body(f"body{job.root}").subtree_com - before) / (end * job.dt)
    _, pairs, contacts, rows = (int(count) for count in batch.tally.numpy())
    convex = max(pairs - job.robot.n_links, 0)  # the links meet the ground without the convex collider
    # Room for one contact more than in this run.
    size = {"nconmax": max(pairs, contacts) + 1, "nccdmax": convex + 1, "njmax": rows + 3}
    return Trial(Moments(*map(np.array, zip(*seen, strict=True))), size, velocity)


def timed(peer: MujocoPeer, run: Trial, worlds: int, phases: int = 1) -> dict[str, Any]:
    """Throughput of many worlds, best of three launches after a graph that warms up; again if the room was short."""
    start = Moments(*(each[: min(phases, WARP)] for each in run.moments))
    which = {"precision": "float32", "worlds": worlds, "phases": len(start.step)}
    for room in (1, 2):
        batch = Batch(peer, worlds, size := {name: room * count for name, count in run.size.items()}, start)
        graphs = max(1, min(STEPS // PER_GRAPH, int(LAUNCH / batch.advance(PER_GRAPH))))
        seconds, steps = min(batch.advance(graphs * PER_GRAPH) for _ in range(3)), graphs * PER_GRAPH
        health = batch.health()
        del batch  # and its memory, before the next
        if not health["overflow"]:
            break
    return which | {"world_steps_per_second": steps * worlds / seconds, "steps": steps} | health | size


def tried(job: Any, worlds: int) -> Iterator[tuple[dict[str, Any], MujocoPeer, Trial | None]]:
    """Each setting of a job: its velocity beside the reference, whether it is kept, and a rate for the ranking."""
    steps = round(job.period / job.dt)
    reference = MujocoPeer(job, job.reference).run(steps).mean_velocity
    for setting in (each for each in job.presets if each != "discrete"):  # the `fastest` of its kind is discrete too
        begin, peer, run = time.perf_counter(), MujocoPeer(job, setting), None
        found: dict[str, Any] = {"setting": setting, "options": dict(job.presets[setting].options), "kept": False}
        try:
            run = trial(peer, steps)
            off = float(np.linalg.norm(run.velocity - reference) / np.linalg.norm(reference))
            found |= {"velocity": run.velocity.tolist(), "reference": reference.tolist(), "off": off}
            if off <= NEAR:
                found |= timed(peer, run, worlds)
                found["kept"] = found["finite"] and not found["overflow"]
        except (PushpointError, NotImplementedError, RuntimeError) as wrong:
            found["failed"] = str(wrong)
        yield found | {"took_s": time.perf_counter() - begin}, peer, run


class Findings:
    """What was found so far, in a file that is whole at any time."""

    def __init__(self, file: Path, device: str) -> None:
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        versions = {each.__name__: each.__version__ for each in (mujoco, mjw, wp)}
        self.all: dict[str, Any] = {"device": str(wp.get_device(device).name), "versions": versions}

    def add(self, kind: str, found: dict[str, Any]) -> None:
        """Takes up one finding and writes all of them."""
        self.all.setdefault(kind, []).append(found)
        write_bytes(self._file, (json.dumps(self.all, indent=1) + "\n").encode())
        print(kind, found, file=sys.stderr, flush=True)


def time_job(name: str, findings: Findings, batches: Sequence[int], phases: Sequence[int]) -> None:
    """The settings first, then the rates of the default and of the best."""
    seen = {}
    for found, peer, run in tried(job_of(name), min(BATCHES[0], *batches)):
        findings.add("settings", {"scenario": name} | found)
        seen[found["setting"]] = found, peer, run
    ranks = {setting: found["world_steps_per_second"] for setting, (found, *_) in seen.items() if found["kept"]}
    best = max(ranks, key=lambda setting: ranks[setting], default="default")
    for setting in dict.fromkeys(("default", best)):
        found, peer, run = seen[setting]
        which = {"scenario": name, "setting": setting, "best": setting == best, "kept": found["kept"]}
        for worlds, count in product(batches, phases if run else ()):
            try:
                findings.add("rates", which | timed(peer, run, worlds, count))
            except RuntimeError as wrong:
                findings.add("rates", which | {"worlds": worlds, "phases": count, "failed": str(wrong)})


def main() -> None:
    """One job after the other."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--jobs", nargs="+", choices=JOBS, default=JOBS)
    asked.add_argument("--out", type=Path, default=Path("out/mujoco_warp.json"))
    asked.add_argument("--device", default="cuda:0")
    asked.add_argument("--worlds", type=int, nargs="+", default=BATCHES)
    asked.add_argument("--phases", type=int, nargs="+", default=(1,))
    told = asked.parse_args()
    findings = Findings(told.out, told.device)
    with wp.ScopedDevice(told.device):
        for name in told.jobs:
            time_job(name, findings, told.worlds, told.phases)
    print(json.dumps(findings.all, indent=1))


if __name__ == "__main__":
    main()
