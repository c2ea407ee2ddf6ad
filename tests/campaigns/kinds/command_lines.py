"""Command lines at random, of every verb that reads, and runs of a few steps: a status, and a sentence if it is not 0.

Left out: what takes long (sweep, compare, reproduce, verify, bench), and films and replays of what is rendered.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np

from campaigns.broken_texts import NASTY, NASTY_WORDS, Random, any_of, broken_text
from campaigns.campaign import fault_of_sentence, kind
from campaigns.kinds.run_files import files as run_files
from campaigns.kinds.scenario_files import text
from pushpoint import gallery
from pushpoint.cli.main import VERBS, main
from pushpoint.papers.registry import scenario_names, sweep_names

DURATIONS = ("0.01", "0.01", "0.01", "1e-9", "x", "", "nan", "-1", "1e400")
OUTS = ("out", "out", "", " ", "sound.yaml", "pipe.yaml/x")
WORDS = (
    "",
    " ",
    "-",
    "--",
    "--help",
    "--json",
    "--no-such",
    "-x",
    "\0",
    "a\nb",
    "é",
    "\udcff",
    "x" * 5000,
    "../..",
    "/dev/null",
    ".",
)
KEYS = (
    "duration",
    "settings.dt",
    "controller.amplitude_deg",
    "robot",
    "robot.n_links",
    "obstacles[0].x",
    "record.rate",
    "a.b",
    "",
)


@cache
def small_names() -> list[str]:
    """Scenarios that are quickly made and run."""
    return [name for name in scenario_names() if name.startswith(("transeth2008a", "liljeback2014", "transeth2008b"))]


def _value(random: Random) -> str:
    return str(any_of(random, (*NASTY_WORDS, *NASTY, "0.01", "30", "[1, 2]", "0.3")))


def _target(random: Random) -> str:
    way = random.random()
    if way < 0.4:
        return str(any_of(random, small_names()))
    if way < 0.8:
        return str(
            any_of(
                random,
                ("sound.yaml", "broken.yaml", "run.nc", "broken.nc", "folder", "pipe.yaml", "none.yaml", "table.csv"),
            )
        )
    return str(any_of(random, (*WORDS, *sweep_names())))


def _sets(random: Random) -> list[str]:
    count = int(random.integers(0, 3))
    return [part for _ in range(count) for part in ("--set", f"{any_of(random, KEYS)}={_value(random)}")]


def _options(random: Random, *known: str) -> list[str]:
    chosen = [name for name in known if random.random() < 0.3]
    parts = []
    for name in chosen:
        flag = name in ("--json", "--radians", "--strict")
        parts += [name] if flag else [name, _value(random) if random.random() < 0.7 else str(any_of(random, WORDS))]
    return parts


def _run(random: Random) -> list[str]:
    out, duration = any_of(random, OUTS), any_of(random, DURATIONS)
    asked = _options(random, "--json", "--dt")
    return [_target(random), *_sets(random), "--no-media", *asked, "--out", out, "--duration", duration]


def _references(random: Random) -> list[str]:
    asked = _options(random, "--robot", "--rate", "--radians", "--strict", "--json")
    return [_target(random), *asked, "--duration", any_of(random, ("0.1", "x", ""))]


def _recording(random: Random) -> list[str]:
    return [_target(random), any_of(random, ("table.csv", _target(random))), *_options(random, "--json", "--link")]


LINES: dict[str, Callable[[Random], list[str]]] = {
    "list": lambda random: _options(random, "--json"),
    "schema": lambda random: [],
    "show": lambda random: [_target(random), *_sets(random)],
    "check": lambda random: [_target(random) for _ in range(int(random.integers(1, 4)))],
    "run": _run,
    "render": lambda random: [_target(random), *_options(random, "--json", "--world", "--out")],
    "compare-recording": _recording,
    "references": _references,
}
"""What follows a verb."""
OFTEN = ("show", "check", "run", "run", "render", "compare-recording", "references")


def line(random: Random) -> list[str]:
    """A command line."""
    verb = any_of(random, OFTEN) if random.random() < 0.9 else any_of(random, sorted(LINES))
    arguments = [verb, *LINES[verb](random)]
    if random.random() < 0.1:
        arguments.insert(int(random.integers(len(arguments) + 1)), any_of(random, WORDS))
    if random.random() < 0.05:
        arguments.pop(int(random.integers(len(arguments))))
    return arguments


def furnish(random: Random, folder: Path) -> None:
    """Files to name: sound and broken ones, and what is no file."""
    name = str(any_of(random, small_names()))
    (folder / "sound.yaml").write_text(text(name), encoding="utf-8")
    (folder / "broken.yaml").write_bytes(broken_text(random, text(name)))
    (folder / "run.nc").write_bytes(run_files()[0])
    (folder / "broken.nc").write_bytes(run_files()[0][: int(random.integers(len(run_files()[0])))])
    (folder / "table.csv").write_bytes(broken_text(random, "time,x,y\n" + "".join(f"{k},{k},0\n" for k in range(20))))
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe.yaml")


@kind("command lines", full=5_000, short=20, limit=60.0)
def trial(seed: int) -> str:
    """One command line in a folder of its own."""
    random = np.random.default_rng((seed, 20))
    arguments, here = line(random), os.getcwd()
    said, complained = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        furnish(random, Path(folder))
        os.chdir(folder)
        try:
            with (
                contextlib.redirect_stdout(said),
                contextlib.redirect_stderr(complained),
                mock.patch.object(gallery, "write_media", return_value={}),
            ):
                status = main(arguments)
        finally:
            os.chdir(here)
    assert status in (0, 1, 2), f"status {status} of {arguments}"
    if status:
        judge(arguments, complained.getvalue())
    return f"{arguments[0] if arguments and arguments[0] in VERBS else 'nothing'} {status}"


def judge(arguments: list[str], complaints: str) -> None:
    """What a command that did not do its work says on standard error."""
    lines = complaints.splitlines()
    assert lines, f"no word of {arguments!r:.200}"
    for each in lines:
        fault = fault_of_sentence(each)
        assert not fault, fault
    if arguments[0] != "check":  # which says it of each file
        assert lines[-1].startswith("error: "), f"{lines[-1][:200]} of {arguments!r:.200}"
