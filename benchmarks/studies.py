"""Studies put to the test: what they cost, what two workers gain, and what kills do to them. Prints JSON.

python -m benchmarks.studies overhead      # time per world of key, row and transport; share of real work
python -m benchmarks.studies host          # what a world costs besides its physics
python -m benchmarks.studies memory        # of the driver, from ten thousand to a million rows
python -m benchmarks.studies speedup       # two workers beside one, alternated
python -m benchmarks.studies interrupted   # 10,000 worlds; the driver killed at a third, a worker at two thirds
python -m benchmarks.studies kills         # thirty kills at random moments

Several may be named. `--keep docs/results/studies.json` puts what was found in the place of what that file holds of it.
benchmarks/gpu_studies.py times studies on a GPU.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import xarray as xr
from benchmarks import gpu_studies

import pushpoint as pp
from pushpoint.bench.machine import machine
from pushpoint.errors import InvalidModel
from pushpoint.studies import RandomDesign, Range, Study, Values, register_measure
from pushpoint.studies.running import driving
from pushpoint.studies.running.batches import Batch, BatchRunner, Finished
from pushpoint.studies.running.cluster import DaskTeam
from pushpoint.studies.running.driving import run_study
from pushpoint.studies.running.rows import StudyRows
from pushpoint.studies.storing.store import FinishedIndex, StudyStore
from pushpoint.whole_files import write_bytes

COUNTED = "PUSHPOINT_COUNTED_WORLDS"
"""The environment variable with the file that the measure below adds a line to for each batch."""
BATCH = 250
ALTERNATED = 5

with contextlib.suppress(InvalidModel):

    @register_measure("counted-distance", unit="m", needs=["center_of_mass"])
    def counted_distance(run: xr.Dataset) -> Any:
        """The distance; writes down how many worlds were simulated, wherever that happens."""
        if COUNTED in os.environ:
            with open(os.environ[COUNTED], "a", encoding="utf-8") as file:
                file.write(f"{run.sizes['world']}\n")
        return pp.measures.distance(run)


def short(count: int, duration: float = 0.4) -> Study:
    """Planar worlds of some milliseconds."""
    return Study(
        name="short",
        base=pp.scenario("transeth2008a/flat").with_changes(duration=duration, dt=4e-3),
        varies=[
            Range(field="controller.amplitude_deg", low=20.0, high=60.0),
            Range(field="controller.angular_frequency_deg", low=20.0, high=160.0),
            Values(field="ground.friction.coefficient", values=[0.1, 0.2, 0.3, 0.4]),
        ],
        design=RandomDesign(count=count),
        measures=["counted-distance"],
        batch=BATCH,
        modules=["benchmarks.studies"],
    )


def sidewinding(count: int) -> Study:
    """Sidewinding worlds of 5 s."""
    return Study(
        name="sidewinding",
        base=pp.scenario("transeth2008b/sidewinding").with_changes(duration=5.0),
        varies=[
            Range(field="controller.yaw_amplitude_deg", low=-40.0, high=-20.0),
            Range(field="controller.angular_frequency_deg", low=60.0, high=100.0),
        ],
        design=RandomDesign(count=count),
        measures=["counted-distance"],
        batch=BATCH,
        modules=["benchmarks.studies"],
    )


def answered(batch: Batch) -> Finished:
    """An answer without any work, of the size of a real one."""
    count = len(batch.keys)
    words = {"status": np.full(count, "finished"), "message": np.full(count, "")}
    return Finished({"key": batch.keys, **words, "measure:counted-distance": batch.codes[:, 0]}, {})


class Answering(DaskTeam):
    """Workers that answer without simulating: what is left is the cost of the study itself."""

    def _look_after(self, first: Batch) -> set[str]:
        self._accepted = set(self._addresses())
        return self._accepted

    def _sent(self, batch: Batch, _address: str) -> Any:
        return self._client.submit(answered, batch, pure=False)


def overhead(folder: Path) -> dict[str, Any]:
    """Time per world of everything but simulation [ms], and the share that it adds to sidewinding worlds."""
    count, study = 100_000, short(100_000)
    begun = time.perf_counter()
    rows = StudyRows(study.plan())
    for codes in study.design.blocks(study.varies):
        rows.keys(codes)
    keys = time.perf_counter() - begun
    team = driving._team
    driving._team = lambda plan, workers, scheduler: Answering(plan, workers=workers)  # type: ignore[assignment]
    try:
        begun = time.perf_counter()
        found = run_study(study, folder / "answered", workers=2)
        whole = time.perf_counter() - begun
    finally:
        driving._team = team
    return {
        "worlds": count,
        "key_ms": 1e3 * keys / count,
        "key_row_transport_ms": 1e3 * found.standing.seconds / count,
        "with_start_and_table_ms": 1e3 * whole / count,
        "sidewinding": sidewinding_share(folder),
    }


def sidewinding_share(folder: Path) -> dict[str, Any]:
    """A study of 5 s sidewinding beside the same worlds in plain calls of `simulate` with the same measure."""
    study, settings = sidewinding(500), pp.Settings(on_failure="record")
    codes = np.concatenate(list(study.design.blocks(study.varies)))
    worlds = [one.worlds[0] for one in BatchRunner(study.plan())._experiments(codes) if not isinstance(one, str)]
    record = pp.Record(variables=["center_of_mass"])
    plain, studied = [], []
    for number in range(ALTERNATED):
        begun = time.perf_counter()
        for first in range(0, len(worlds), BATCH):
            run = pp.simulate(worlds[first : first + BATCH], 5.0, settings=settings, record=record)
            counted_distance(run)
        plain.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        study.run(folder / f"sidewinding-{number}")
        studied.append(time.perf_counter() - begun)
    ratios = [b / a - 1.0 for a, b in zip(plain, studied, strict=True)]
    return {
        "worlds": len(worlds),
        "plain_s": plain,
        "study_s": studied,
        "overhead_median": statistics.median(ratios),
        "overhead_of_medians": statistics.median(studied) / statistics.median(plain) - 1.0,
    }


def host(folder: Path, count: int = 4000) -> dict[str, Any]:
    """Processor time of all but the physics, for each world of a batch in which worlds differ in a few numbers."""
    found = {}
    for kind in ("planar", "spatial"):
        study = gpu_studies.study(kind, count, "cpu")
        base = study.base.with_changes(duration=2.0 * study.base.settings.dt)
        study = replace(study, base=base, batch=count)
        run_study(replace(study, design=RandomDesign(count=BATCH)), folder / f"warm-{kind}")
        begun = time.process_time()
        with gpu_studies.timed(time.process_time) as spent:
            run_study(study, folder / kind)
        whole = time.process_time() - begun
        parts = {name: 1e3 * seconds / count for name, seconds in spent.items() if name != "physics"}
        parts["anything else"] = 1e3 * (whole - sum(spent.values())) / count
        found[kind] = {"worlds": count, "ms_per_world": sum(parts.values()), "parts_ms": parts}
    return found


def memory(folder: Path) -> dict[str, Any]:
    """Largest resident size of a driver that makes rows and batches without running them [MB], by number of rows."""
    found = {}
    for count in (10_000, 100_000, 1_000_000):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.studies", "rows", str(count), str(folder / str(count))],
            capture_output=True,
            text=True,
            check=True,
        )
        found[count] = json.loads(done.stdout)
    return {"by_rows": found}


def only_rows(count: int, folder: Path) -> dict[str, Any]:
    """Makes the rows of a study, with a store, and drops them."""
    study, store = short(count), StudyStore(folder)
    begun = time.perf_counter()
    with store.taken({}, {}):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        pending = driving._Pending(study, StudyRows(study.plan()), FinishedIndex(store), store)
        made = sum(len(batch.keys) for batch in pending)
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    assert made == count
    return {"before_MB": before, "largest_MB": largest, "s": time.perf_counter() - begun}


def used_by_others() -> float:
    """Processor time that the whole machine has used, without this process and its children [s]."""
    whole, own = psutil.cpu_times(), os.times()
    return whole.user + whole.nice + whole.system - sum(own[:4])


def speedup(folder: Path, count: int = 4000) -> dict[str, Any]:
    """Wall clock of sidewinding worlds on one worker and on two, alternated [s]."""
    times: dict[int, list[float]] = {1: [], 2: []}
    steady: dict[int, list[float]] = {1: [], 2: []}
    others: dict[int, list[float]] = {1: [], 2: []}
    for number in range(ALTERNATED):
        for workers in (1, 2):
            store = folder / f"{workers}-{number}"
            begun, before = time.perf_counter(), used_by_others()
            run_study(sidewinding(count), store, workers=workers)
            times[workers].append(time.perf_counter() - begun)
            others[workers].append((used_by_others() - before) / times[workers][-1])
            done = [line for line in StudyStore(store).journal() if line["event"] == "finished"]
            later = sum(line["worlds"] for line in done[workers:])
            steady[workers].append(later / (done[-1]["at"] - done[workers - 1]["at"]))
            said = f"{workers} workers: {times[workers][-1]:.1f} s, others use {others[workers][-1]:.2f} cores"
            print(said, file=sys.stderr, flush=True)
    return {
        "worlds": count,
        "wall_s": times,
        "speedup_of_medians": statistics.median(times[1]) / statistics.median(times[2]),
        "cores_used_by_others": others,
        "steady_worlds_per_s": steady,
        "steady_speedup": statistics.median(steady[2]) / statistics.median(steady[1]),
    }


def driver(count: int, store: Path, workers: int) -> subprocess.Popen[bytes]:
    """A study in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.studies", "drive", str(count), str(store), str(workers)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finished_in(store: Path) -> set[str]:
    """Batches under their final names; a file on its way there has a hidden one."""
    return {path.name for path in StudyStore(store).batch_files()}


def wait_for(store: Path, batches: int, running: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 600.0
    while len(finished_in(store)) < batches and time.monotonic() < until and running.poll() is None:
        time.sleep(0.01)


def kill_worker(running: subprocess.Popen[bytes]) -> None:
    """Kills the parent of a process that runs batches: a worker."""
    for each in psutil.Process(running.pid).children(recursive=True):
        if each.cmdline()[-1:] == ["pushpoint.studies.running.process"] and each.ppid() != running.pid:
            os.kill(each.ppid(), signal.SIGKILL)
            return
    raise RuntimeError("there is no worker to kill")


def interrupted(folder: Path, count: int = 10_000) -> dict[str, Any]:
    """Two workers; the driver is killed at a third, a worker at two thirds. Beside it an uninterrupted run."""
    os.environ[COUNTED] = str(folder / "counted.txt")
    cut, whole = folder / "cut", folder / "whole"
    first = driver(count, cut, 2)
    wait_for(cut, count // BATCH // 3, first)
    first.kill()
    first.wait()
    at_kill = len(finished_in(cut))
    second = driver(count, cut, 2)
    wait_for(cut, at_kill + 1, second)
    beside = driver(count, cut, 2)
    said = beside.communicate(timeout=300)[1].decode().strip().splitlines()[-1]
    wait_for(cut, 2 * count // BATCH // 3, second)
    kill_worker(second)
    assert second.wait(timeout=900) == 0, second.stderr.read().decode() if second.stderr else ""
    measured = sum(map(int, (folder / "counted.txt").read_text(encoding="utf-8").split()))
    begun = sum(line["worlds"] for line in StudyStore(cut).journal() if line["event"] == "begun")
    del os.environ[COUNTED]
    third = driver(count, whole, 2)
    assert third.wait(timeout=900) == 0
    (one,), (other,) = (list(store.glob("table.*")) for store in (cut, whole))
    return {
        "worlds": count,
        "finished_at_kill": at_kill * BATCH,
        "sent_again_by_the_driver": begun - count,
        "measured_more_than_once": measured - count,
        "allowed": 2 * 2 * BATCH + 2 * BATCH,
        "a_second_driver_said": said.partition(": ")[2].replace(str(cut), "STORE").replace(str(second.pid), "NUMBER"),
        "tables_equal": one.read_bytes() == other.read_bytes(),
        "table_bytes_per_world": one.stat().st_size / count,
        "batch_bytes_per_world": sum(path.stat().st_size for path in StudyStore(cut).batch_files()) / count,
    }


def kills(folder: Path, count: int = 30_000, number: int = 30) -> dict[str, Any]:
    """Kills a driver at random moments and looks at what it left."""
    chance, store = random.Random(7), folder / "store"
    lost = broken = left_over = 0
    moments = []
    for k in range(number):
        before = finished_in(store)
        running = driver(count, store, 2 if k % 3 == 0 else 0)
        wait = chance.uniform(0.2, 9.0 if k % 3 == 0 else 4.0)
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(timeout=wait)
        running.kill()
        running.wait()
        moments.append(round(wait, 2))
        after = finished_in(store)
        lost += len(before - after)
        for name in after - before:
            try:
                StudyStore(store).batch(store / "batches" / name)
            except pp.errors.BadFile:
                broken += 1
        print(f"kill {k + 1}: {len(after)} batches", file=sys.stderr, flush=True)
    last = driver(count, store, 0)
    assert last.wait(timeout=1800) == 0, last.stderr.read().decode() if last.stderr else ""
    whole = driver(count, folder / "whole", 0)
    assert whole.wait(timeout=1800) == 0
    left_over = len([path for path in store.rglob(".pushpoint-*")])
    (one,), (other,) = (list(each.glob("table.*")) for each in (store, folder / "whole"))
    sent = sum(line["worlds"] for line in StudyStore(store).journal() if line["event"] == "begun")
    return {
        "kills": number,
        "moments_s": moments,
        "worlds": count,
        "finished_batches_lost": lost,
        "half_files_under_a_final_name": broken,
        "temporary_files_at_the_end": left_over,
        "worlds_sent_again": sent - count,
        "tables_equal": one.read_bytes() == other.read_bytes(),
    }


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="studies-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


TESTS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "overhead": overhead,
    "host": host,
    "memory": memory,
    "speedup": speedup,
    "interrupted": interrupted,
    "kills": kills,
}


def main() -> None:
    what, *rest = sys.argv[1:]
    if what == "drive":
        count, store, workers = rest
        run_study(short(int(count)), store, workers=int(workers) or None)
        return
    if what == "rows":
        print(json.dumps(only_rows(int(rest[0]), Path(rest[1]))))
        return
    parser = argparse.ArgumentParser(description="Puts studies to the test.")
    parser.add_argument("tests", nargs="+", choices=TESTS)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    for name in asked.tests:
        load = os.getloadavg()[0]
        with scratch() as folder:
            found = {name: TESTS[name](folder) | {"machine": machine() | {"load_before": round(load, 2)}}}
        print(json.dumps(found, indent=1), flush=True)
        if asked.keep is not None:
            kept = json.loads(asked.keep.read_text(encoding="utf-8")) if asked.keep.exists() else {}
            write_bytes(asked.keep, (json.dumps(kept | found, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
