"""Every command that writes, made small, each in a process of its own that can be killed.

Processes are forked from one that has loaded everything, so that a command begins at once and hundreds can be tried.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from pushpoint.cli.main import main

COURSE = """\
robot:
  n_links: 3
  link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor: {stiffness: 50, damping: 1}
obstacles:
  - {x: 1.0, y: 0.0, radius: 0.1}
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}
duration: 0.2
"""
STUDY = """\
base: course.yaml
varies:
  - {kind: range, field: controller.amplitude_deg, low: 10, high: 40, count: 20}
measures: [distance]
batch: 4
"""
FEW = 2
"""Claims and checks that are judged [-]."""


def as_it_is() -> None:
    """Leaves the work of a command alone."""


def few_claims() -> None:
    """Lets `reproduce` judge the first claims alone."""
    from pushpoint.proof import reproduction as all_of

    claims, figures = all_of.claims_of, all_of.figures_of
    all_of.claims_of = lambda paper: claims(paper)[:FEW]  # type: ignore[assignment]
    all_of.figures_of = lambda paper: figures(paper)[:1]  # type: ignore[assignment]


def few_checks() -> None:
    """Lets `verify` judge the first checks alone."""
    from pushpoint.proof import verification as all_of

    checks = all_of.all_checks
    all_of.all_checks = lambda: checks()[:FEW]  # type: ignore[assignment]


def short_worlds() -> None:
    """Lets random worlds run for a moment."""
    from pushpoint.bench import random_worlds as all_of

    run = all_of.run_cases
    all_of.run_cases = lambda cases: run(cases, 0.05)  # type: ignore[assignment]


@dataclass(frozen=True)
class Command:
    """A command that writes."""

    arguments: tuple[str, ...]
    """What is typed after `pushpoint`, in a folder that holds course.yaml, and run.nc and path.csv if it needs them."""
    out: str
    """Folder of its results."""
    made: frozenset[str]
    """Names of the files of a whole result, and of what is kept on the way."""
    smaller: Callable[[], None] = as_it_is
    """Makes its work small."""
    store: str = ""
    """The folder in which it keeps what is done; empty if it keeps nothing."""
    statuses: tuple[int, ...] = field(default=(0,))
    """Exit statuses that it may end with."""


def _command(*arguments: str, made: str, out: str = "there", **more: Any) -> Command:
    return Command((*arguments, "--out", out), out, frozenset(made.split()), **more)


RUN = "run.nc summary.json"
FIGURES = " ".join(f"figures/{name}.png" for name in ("contacts", "health", "joints", "motors", "paths"))
KEPT = {"store": "there/finished"}
COMMANDS = {
    "run": _command("run", "course.yaml", "--no-media", made=RUN),
    "run with media": _command("run", "course.yaml", made=f"{RUN} course.png {FIGURES} run.mp4 replay.html"),
    "render": _command("render", "run.nc", made=f"course.png {FIGURES} run.mp4 replay.html"),
    "sweep": _command(
        *("sweep", "course.yaml", "--vary", "controller.amplitude_deg=10,20,30"),
        made="runs.nc summary.json sweep.png",
        store="there/worlds",
    ),
    "compare": _command(
        *("compare", "hybrid", "leader-follower", "--courses", "2", "--duration", "1"),
        made="comparison.json comparison.png",
    ),
    "study": Command(("study", "study.yaml", "--store", "there"), "there", frozenset({"study.json"})),
    "compare-recording": _command(
        "compare-recording", "run.nc", "path.csv", "--no-time-shift", made="comparison.json comparison.png"
    ),
    "references": Command(
        ("references", "course.yaml", "--output", "there/rows.csv"), "there", frozenset({"rows.csv"})
    ),
    "reproduce": _command(
        *("reproduce", "holden2014"),
        made="report.html results.json finished/store.json",
        smaller=few_claims,
        **KEPT,
    ),
    "verify": _command("verify", made="report.html results.json finished/store.json", smaller=few_checks, **KEPT),
    "random worlds": _command(
        *("bench", "random-worlds", "--count", "3"),
        made="finished/store.json",
        smaller=short_worlds,
        statuses=(0, 1),
        **KEPT,
    ),
}


def perform(command: Command, folder: str, limits: dict[int, int]) -> None:
    """Runs a command in a folder, under limits of the system, and ends the process with its status."""
    said = os.open(Path(folder).with_suffix(".txt"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.chdir(folder)
    for what, most in limits.items():
        resource.setrlimit(what, (most, most))
    command.smaller()
    sys.exit(main(command.arguments))


@cache
def _processes() -> Any:
    made = mp.get_context("forkserver")
    made.set_forkserver_preload(["campaigns.faults.loaded"])
    return made


def begin(command: Command, folder: Path, limits: dict[int, int] | None = None) -> Any:
    """Starts a command in a folder; what it prints is appended to a file beside the folder."""
    process = _processes().Process(target=perform, args=(command, str(folder), limits or {}), daemon=True)
    process.start()
    return process


def said_beside(folder: Path) -> str:
    """What the commands in a folder have printed; nothing if none has begun."""
    file = folder.with_suffix(".txt")
    return file.read_text(encoding="utf-8") if file.exists() else ""


@cache
def _run_to_copy() -> tuple[bytes, bytes]:
    """A run, and a path recorded of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "made")
        folder.mkdir()
        (folder / "course.yaml").write_text(COURSE, encoding="utf-8")
        made = begin(COMMANDS["run"], folder)
        made.join()
        assert made.exitcode == 0, said_beside(folder)
        rows = "".join(f"{k / 100},{k / 1000},0.0\n" for k in range(21))
        return (folder / "there/run.nc").read_bytes(), f"t,x,y\n{rows}".encode()


@contextmanager
def working_folder(command: Command | None = None) -> Iterator[Path]:
    """A folder with what a command needs in it: a scenario, and a run if it reads one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "work")
        folder.mkdir()
        (folder / "course.yaml").write_text(COURSE, encoding="utf-8")
        (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
        if command is not None and "run.nc" in command.arguments:
            for name, content in zip(("run.nc", "path.csv"), _run_to_copy(), strict=True):
                (folder / name).write_bytes(content)
        yield folder


@dataclass(frozen=True)
class Whole:
    """What a command comes to when nothing stops it."""

    folder: Path
    """A copy of its results."""
    seconds: float
    """How long it takes [s]."""
    writing: float
    """When it begins to write [s]."""


@cache
def whole(name: str) -> Whole:
    """A command run to its end, once."""
    command = COMMANDS[name]
    with working_folder(command) as folder:
        begun = time.time()
        process = begin(command, folder)
        process.join()
        seconds = time.time() - begun
        assert process.exitcode in command.statuses, f"{name}: {process.exitcode}: {said_beside(folder)[-500:]}"
        files = [file for file in (folder / command.out).rglob("*") if file.is_file()]
        first = min(file.stat().st_mtime for file in files) - begun
        kept = Path(tempfile.mkdtemp(prefix="pushpoint-campaign-"), "there")
        Finalize(None, shutil.rmtree, args=(kept.parent,), exitpriority=0)
        shutil.copytree(folder / command.out, kept)
    return Whole(kept, seconds, max(0.0, min(first, seconds)))
