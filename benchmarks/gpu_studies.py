"""Studies of 100,000 worlds on a GPU beside the processors of the same machine: worlds per second, and where time goes.

python -m benchmarks.gpu_studies --keep docs/results/studies.json

Every run is a process of its own: the GPU with one driver, one core alone, and as many processes of one core each, at
the same time, as the machine has cores. Kernels are compiled first. `--device cpu --worlds 2000` tries the program.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import warp as wp

import pushpoint as pp
from pushpoint.engine.devices import THREADS, start_warp, usable_cores
from pushpoint.engine.stepper import Stepper
from pushpoint.simulation import rollout
from pushpoint.studies import RandomDesign, Range, Study, Values
from pushpoint.studies.running import batches, driving
from pushpoint.studies.running.driving import run_study
from pushpoint.studies.running.rows import StudyRows
from pushpoint.studies.storing.store import StudyStore
from pushpoint.whole_files import write_bytes

SHARES = {"planar": 50, "spatial": 500}
"""Of so many worlds, one core alone simulates one."""
WARM = 40
"""Worlds of a run that compiles and loads kernels [-]."""
PARTS: tuple[tuple[str, Any, str], ...] = (
    ("keys", StudyRows, "keys"),
    ("making worlds", batches.BatchRunner, "_experiments"),
    ("packing", rollout.Rollout, "__init__"),
    ("physics", Stepper, "advance"),
    ("results", rollout.Rollout, "dataset"),
    ("measures", batches, "measured_by_end"),
    ("store", StudyStore, "keep"),
    ("table", driving, "write_table"),
)
"""What a study does, and the functions that do it."""


def study(kind: str, count: int, device: str) -> Study:
    """Planar undulation for 2 s at 4 ms, or sidewinding in space for 5 s at 1 ms."""
    if kind == "planar":
        base = pp.scenario("transeth2008a/flat").with_changes(duration=2.0, dt=4e-3)
        varies: list[Any] = [
            Range(field="controller.amplitude_deg", low=20.0, high=60.0),
            Range(field="controller.angular_frequency_deg", low=20.0, high=160.0),
            Values(field="ground.friction.coefficient", values=[0.1, 0.2, 0.3, 0.4]),
        ]
    else:
        base = pp.scenario("transeth2008b/sidewinding").with_changes(duration=5.0)
        varies = [
            Range(field="controller.yaw_amplitude_deg", low=-40.0, high=-20.0),
            Range(field="controller.angular_frequency_deg", low=60.0, high=100.0),
        ]
    made = Study(name=kind, base=base, varies=varies, design=RandomDesign(count=count), measures=["distance"])
    return made.on_device(device)


@contextmanager
def timed(clock: Callable[[], float] = time.perf_counter) -> Iterator[dict[str, float]]:
    """Time that each part of a study takes [s], without the parts inside it; by default wall time."""
    spent: Counter[str] = Counter()
    running: list[str] = []

    def wrapped(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            begun = clock()
            running.append(part)
            try:
                return function(*given, **named)
            finally:
                running.pop()
                lasted = clock() - begun
                spent[part] += lasted
                if running:
                    spent[running[-1]] -= lasted

        return call

    plain = {part: getattr(owner, name) for part, owner, name in PARTS}
    for part, owner, name in PARTS:
        setattr(owner, name, wrapped(part, plain[part]))
    try:
        yield spent
    finally:
        for part, owner, name in PARTS:
            setattr(owner, name, plain[part])


def one_run(kind: str, device: str, count: int) -> dict[str, Any]:
    """One study in this process, after a short one that loads the kernels."""
    with tempfile.TemporaryDirectory(prefix="studies-") as folder:
        run_study(study(kind, WARM, device), Path(folder) / "warm")
        if count <= WARM:
            return {}
        whole = study(kind, count, device)
        with timed() as spent:
            at, begun = time.time(), time.perf_counter()
            result = run_study(whole, Path(folder) / "store")
            wall = time.perf_counter() - begun
        spent["anything else"] = wall - sum(spent.values())
    steps = round(whole.base.experiment.duration / whole.base.settings.dt)
    return {
        "worlds": count,
        "steps": steps,
        "failed": result.failed,
        "wall_s": wall,
        "worlds_per_s": count / wall,
        "host_ms_per_world": 1e3 * (wall - spent["physics"]) / count,
        "physics_steps_per_s": count * steps / spent["physics"],
        "parts_s": {part: round(seconds, 3) for part, seconds in spent.items()},
        "from_to": [at, at + wall],
    }


def begun(kind: str, device: str, count: int, threads: int | None = None) -> subprocess.Popen[str]:
    """The same in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.gpu_studies", "one", kind, device, str(count)]
    own = {} if threads is None else {THREADS: str(threads)}
    return subprocess.Popen(words, stdout=subprocess.PIPE, env=os.environ | own, text=True)


def answer(running: subprocess.Popen[str]) -> dict[str, Any]:
    """What it found."""
    said, _ = running.communicate()
    if running.returncode:
        raise SystemExit(f"a run ended with status {running.returncode}")
    found: dict[str, Any] = json.loads(said)
    return found


def together(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Runs side by side as one: from the first to begin until the last to end."""
    wall = max(each["from_to"][1] for each in found) - min(each["from_to"][0] for each in found)
    worlds = sum(each["worlds"] for each in found)
    return {"processes": len(found), "worlds": worlds, "wall_s": wall, "worlds_per_s": worlds / wall}


def compare(device: str, count: int, tell: Callable[[dict[str, Any]], None]) -> None:
    """Both studies on the device, on one core and on all; `tell` is told after each."""
    start_warp()
    cores, begun_at = usable_cores(), time.perf_counter()
    for each in [begun(kind, where, WARM) for kind in SHARES for where in dict.fromkeys((device, "cpu"))]:
        answer(each)
    found: dict[str, Any] = {"device": wp.get_device(device).name, "cores": cores}
    found["kernels_s"] = time.perf_counter() - begun_at
    for kind, share in SHARES.items():
        found[kind] = {"on_device": answer(begun(kind, device, count))}
        tell(found)
        few = max(count // share, WARM + 1)
        found[kind]["one_core"] = answer(begun(kind, "cpu", few, 1))
        crowd = [begun(kind, "cpu", few, 1) for _ in range(cores)]
        found[kind]["all_cores"] = together([answer(each) for each in crowd])
        tell(found)


def main() -> None:
    if sys.argv[1:2] == ["one"]:
        kind, device, count = sys.argv[2:]
        print(json.dumps(one_run(kind, device, int(count))))
        return
    parser = argparse.ArgumentParser(description="Studies on a GPU beside those on processors.")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--worlds", type=int, default=100_000)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()

    def tell(found: dict[str, Any]) -> None:
        print(json.dumps(found, indent=1), flush=True)
        if asked.keep is not None:
            kept = json.loads(asked.keep.read_text(encoding="utf-8")) if asked.keep.exists() else {}
            write_bytes(asked.keep, (json.dumps(kept | {"on_a_gpu": found}, indent=1) + "\n").encode())

    compare(asked.device, asked.worlds, tell)


if __name__ == "__main__":
    main()
