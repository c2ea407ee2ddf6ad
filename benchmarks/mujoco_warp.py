"""World-steps per second of MuJoCo Warp on a GPU, on jobs of benchmarks/gpu.py, so that both stand side by side.

python benchmarks/mujoco_warp.py [--jobs SCENARIO ...] [--worlds N ...] [--phases 1 32]

Each job is timed with the `default` preset of pushpoint.bench.mujoco and with the best settings: of those listed here,
the fastest one whose mean velocity over the first gait period is near that of MuJoCo's C code, in double precision, with
the reference settings. MuJoCo Warp computes in float32. It has no PGS solver. Pyramidal cones are not in the list: with
the models of the `fastest` presets they miss the velocity by far, in C too.

It prints JSON, and writes it as it comes to --out (out/mujoco_warp.json): a run that is cut short keeps what it has.
--device names another device, --worlds other numbers of worlds: `--device cpu --worlds 4` tries the program.
"""

import argparse
import importlib.metadata
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
import warp as wp

from pushpoint.bench.mujoco import Job, MujocoPeer, Preset, references_of
from pushpoint.bench.mujoco.planar import PRESETS as PLANAR, PlanarJob
from pushpoint.bench.mujoco.spatial import PRESETS as SPATIAL, SpatialJob
from pushpoint.errors import PushpointError
from pushpoint.papers.registry import scenario
from pushpoint.whole_files import write_bytes

# A program's own folder comes first, and there this file has the name of the package.
sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]
import mujoco_warp as mjw

JOBS = (
    "transeth2008a/obstacle-aided",
    "transeth2008b/sidewinding",
    "transeth2008b/lateral-undulation-orthotropic",
)
BATCHES = (4096, 65536)
RANKED = 4096
"""Worlds, at most, with which settings are ranked [-]."""
PER_GRAPH = 10
"""Steps of one CUDA graph [-]."""
SETTLING = 200
"""Steps from rest before the timed part, as in benchmarks/gpu.py [-]."""
STEPS = 200
"""Steps of one launch that is timed, at most [-]."""
LAUNCH = 1.0
"""A launch that would take longer gets fewer steps [s]."""
NEAR = 0.15
"""Largest difference of the mean velocity from the reference, relative to it [-]."""
FEW = 2
"""Up to so many iterations of the solver are a plain sequence, without a conditional node in the graph [-]."""
AT_LIMIT = int(mjw.OverflowType.ITERATIONS | mjw.OverflowType.LS_ITERATIONS)
"""Flags of a solver that stopped at its number of iterations, as some settings intend."""


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
    world, same = base.world, references_of(base)
    if base.world.environment.obstacles:
        start = {
            "link_angles": np.array(world.start.link_angles),
            "anchor_link": world.start.link,
            "anchor_position": tuple(world.start.position[:2]),
        }
        return TimedCourse(robot=world.robot, environment=world.environment, **start, **same)
    pose = world.pose()
    ground = replace(world.environment.ground, rolling=0.0)
    start = {"center_of_mass": pose["center"], "tail_orientation": pose["tail"], "joint_angle": pose["angle"]}
    return TimedGait(robot=world.robot, environment=replace(world.environment, ground=ground), **start, **same)


def in_phases(name: str, job: Job, phases: int) -> list[Job]:
    """The job with so many phases of its gait; the start is the same."""
    gait, times = scenario(name).world.controller, np.arange(len(job.joint_reference)) * job.dt
    turns = [replace(gait, phase=2 * np.pi * k / phases) for k in range(phases)]
    tables = [turn.references(times, job.robot) for turn in turns]
    return [replace(job, joint_reference=angle, joint_reference_rate=rate) for angle, rate in tables]


@wp.kernel
def control_step(table: wp.array3d[float], step: wp.array[int], control: wp.array2d[float]):
    """Writes this step's row of the table of each world's gait phase."""
    world, axis = wp.tid()
    control[world, axis] = table[world % table.shape[0], wp.min(step[0], table.shape[1] - 1), axis]


@wp.kernel
def count_step(
    pairs: wp.array[int], contacts: wp.array[int], rows: wp.array[int], step: wp.array[int], peak: wp.array[int]
):
    """Counts the step, and keeps the most pairs and contacts of all worlds and the most rows of one world."""
    world = wp.tid()
    wp.atomic_max(peak, 2, rows[world])
    if world == 0:
        peak[0] = wp.max(peak[0], pairs[0])
        peak[1] = wp.max(peak[1], contacts[0])
        step[0] = step[0] + 1


class State(NamedTuple):
    """Where one world per gait phase is."""

    qpos: np.ndarray
    qvel: np.ndarray
    qacc_warmstart: np.ndarray
    step: int


class Size(NamedTuple):
    """What MuJoCo Warp reserves for each world; none: its own guess."""

    nconmax: int | None = None
    nccdmax: int | None = None
    njmax: int | None = None


class Batch:
    """Worlds of one job in MuJoCo Warp, with a table of controls per gait phase."""

    def __init__(self, peers: Sequence[MujocoPeer], worlds: int, size: Size, start: State) -> None:
        self.worlds, self.size, model = worlds, size, peers[0].model
        self.model = mjw.put_model(model)
        self.model.opt.warn_overflow = 0  # the flags are read at the end
        self.model.opt.graph_conditional = model.opt.iterations > FEW
        self.data = mjw.make_data(model, nworld=worlds, **size._asdict())
        self.table = wp.array(np.stack([peer.control for peer in peers]), dtype=float)
        self.control = self.data.ctrl if model.nu else self.data.qfrc_applied
        self.step, self.peak = wp.zeros(1, dtype=int), wp.zeros(3, dtype=int)
        self.load(start)
        self._several()  # compiles
        self.graph = None
        if wp.get_device().is_cuda:
            with wp.ScopedCapture() as capture:
                self._several()
            self.graph = capture.graph
        self.load(start)

    def load(self, state: State) -> None:
        """Puts all worlds at a state, and forgets what was counted."""
        turns = np.arange(self.worlds) % len(state.qpos)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(self.data, name).assign(getattr(state, name)[turns].astype(np.float32))
        self.data.time.fill_(float(state.step) * float(self.model.opt.timestep.numpy()[0]))
        self.step.fill_(state.step)
        self.peak.zero_()
        self.data.overflow.zero_()

    def _several(self) -> None:
        data = self.data
        for _ in range(PER_GRAPH):
            wp.launch(control_step, dim=self.control.shape, inputs=[self.table, self.step], outputs=[self.control])
            mjw.step(self.model, data)
            counts = [data.ncollision, data.nacon, data.nefc, self.step, self.peak]
            wp.launch(count_step, dim=len(self.table), inputs=counts)

    def advance(self, graphs: int) -> float:
        """Advances all worlds by so many graphs of steps; returns the time [s]."""
        wp.synchronize()
        begin = time.perf_counter()
        for _ in range(graphs):
            if self.graph is None:
                self._several()
            else:
                wp.capture_launch(self.graph)
        wp.synchronize()
        return time.perf_counter() - begin

    def state(self) -> State:
        """Where the first worlds are, one per gait phase."""
        fields = (self.data.qpos, self.data.qvel, self.data.qacc_warmstart)
        return State(*(field.numpy()[: len(self.table)] for field in fields), int(self.step.numpy()[0]))

    def needed(self, n_links: int) -> Size:
        """The least size for what was counted, and one contact more; each link meets the ground without CCD."""
        pairs, contacts, rows = (int(count) for count in self.peak.numpy())
        pairs, contacts = (math.ceil(count / self.worlds) for count in (pairs, contacts))
        return Size(max(pairs, contacts) + 1, max(pairs - n_links, 0) + 1, rows + 3)

    def health(self) -> dict[str, object]:
        """Whether all is finite, and which room did not suffice."""
        flags = int(np.bitwise_or.reduce(self.data.overflow.numpy()))
        single = [flag for flag in mjw.OverflowType if flag & (flag - 1) == 0]
        finite = all(np.isfinite(field.numpy()).all() for field in (self.data.qpos, self.data.qvel))
        return {
            "finite": bool(finite),
            "overflow": [flag.name for flag in single if flags & flag & ~AT_LIMIT],
            "at_iteration_limit": bool(flags & AT_LIMIT),
        }


class Trial(NamedTuple):
    """What few worlds did, from rest."""

    settled: State
    """Where the timed part begins."""
    size: Size
    velocity: np.ndarray
    """Mean velocity of the centre of mass of the first world [m/s], shape (3,)."""
    health: dict[str, object]


def trial(peers: Sequence[MujocoPeer], steps: int) -> Trial:
    """Runs one world per gait phase, with MuJoCo Warp's own guess of the room."""
    peer, job = peers[0], peers[0].job
    mujoco.mj_setState(peer.model, peer.data, peer.start[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    rest = [np.tile(field, (len(peers), 1)) for field in (peer.data.qpos, peer.data.qvel, 0.0 * peer.data.qvel)]
    batch = Batch(peers, len(peers), Size(), State(*rest, 0))
    batch.advance(SETTLING // PER_GRAPH)
    settled = batch.state()
    batch.advance((steps - SETTLING) // PER_GRAPH)
    health, before, after = batch.health(), peer.center_of_mass(peer.start[0]), np.full(3, np.nan)
    if health["finite"]:
        peer.data.qpos[:] = batch.state().qpos[0]
        mujoco.mj_fwdPosition(peer.model, peer.data)
        after = np.array(peer.data.body(f"body{job.root}").subtree_com)
    return Trial(settled, batch.needed(job.robot.n_links), (after - before) / (batch.state().step * job.dt), health)


def timed(peers: Sequence[MujocoPeer], found: Trial, worlds: int) -> dict[str, object]:
    """Throughput of many worlds in the timed part, best of three launches after a graph that warms up."""
    batch = Batch(peers, worlds, found.size, found.settled)
    graphs = max(1, min(STEPS // PER_GRAPH, int(LAUNCH / batch.advance(1))))
    seconds = min(batch.advance(graphs) for _ in range(3))
    steps = graphs * PER_GRAPH
    rate = {"world_steps_per_second": steps * worlds / seconds, "steps": steps}
    return rate | batch.health() | batch.size._asdict()


def tried(name: str, worlds: int) -> Iterator[dict[str, Any]]:
    """Each setting of a job: its velocity beside the reference, whether it is kept, and its rate for the ranking."""
    job = job_of(name)
    steps = round(job.period / job.dt)
    reference = MujocoPeer(job, job.reference).run(steps).mean_velocity
    for setting in (each for each in job.presets if each in ("default", "fastest") or each != job.reference):
        begin = time.perf_counter()
        found: dict[str, Any] = {"scenario": name, "setting": setting}
        try:
            peers = [MujocoPeer(job, setting)]
            run = trial(peers, steps)
            off = float(np.linalg.norm(run.velocity - reference) / np.linalg.norm(reference))
            found |= {"velocity": run.velocity.tolist(), "reference": reference.tolist(), "off": off}
            found |= {"rank": timed(peers, run, worlds) | {"worlds": worlds}} if off <= NEAR else run.health
            found["kept"] = off <= NEAR and bool(found["rank"]["finite"]) and not found["rank"]["overflow"]
        except (PushpointError, NotImplementedError, RuntimeError) as wrong:
            found |= {"kept": False, "failed": str(wrong)}
        yield found | {"options": dict(job.presets[setting].options), "took_s": time.perf_counter() - begin}


def rates(
    name: str, settings: Sequence[str], batches: Sequence[int], phases: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """World-steps per second of a job over settings, gait phases and numbers of worlds."""
    job = job_of(name)
    for setting in settings:
        for count in phases:
            peers = [MujocoPeer(each, setting) for each in in_phases(name, job, count)]
            run = trial(peers, SETTLING + 4 * STEPS)
            for worlds in batches:
                which = {
                    "scenario": name,
                    "setting": setting,
                    "precision": "float32",
                    "worlds": worlds,
                    "phases": count,
                }
                yield which | timed(peers, run, worlds)


def main() -> None:
    """For each job the settings first, then the rates of the default and of the best."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--jobs", nargs="+", choices=JOBS, default=JOBS)
    asked.add_argument("--out", type=Path, default=Path("out/mujoco_warp.json"))
    asked.add_argument("--device", default="cuda:0")
    asked.add_argument("--worlds", type=int, nargs="+", default=BATCHES)
    asked.add_argument("--phases", type=int, nargs="+", default=(1,))
    told = asked.parse_args()
    told.out.parent.mkdir(parents=True, exist_ok=True)
    versions = {each: importlib.metadata.version(each) for each in ("mujoco", "mujoco-warp", "warp-lang")}
    found: dict[str, Any] = {"device": str(wp.get_device(told.device).name), "versions": versions}
    found |= {"settings": [], "rates": []}

    def keep(kind: str, one: dict[str, Any]) -> None:
        found[kind].append(one)
        write_bytes(told.out, (json.dumps(found, indent=1) + "\n").encode())
        print(one, file=sys.stderr, flush=True)

    with wp.ScopedDevice(told.device):
        for name in told.jobs:
            for one in tried(name, min(RANKED, *told.worlds)):
                keep("settings", one)
            kept = [one for one in found["settings"] if one["scenario"] == name and one["kept"]]
            best = max(kept, key=lambda one: one["rank"]["world_steps_per_second"], default={"setting": "default"})
            for one in rates(name, list(dict.fromkeys(("default", best["setting"]))), told.worlds, told.phases):
                keep("rates", one | {"best": one["setting"] == best["setting"]})
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
