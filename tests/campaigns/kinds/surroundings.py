"""Commands in bad surroundings: a full disk, a quota, little memory, others in the same folder, clocks that jump."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from campaigns.campaign import fault_of_sentence, kind
from campaigns.faults.commands import COMMANDS, Command, begin, said_beside, whole, working_folder
from campaigns.faults.folders import check_folder, names
from pushpoint.simulation.storage import load

Random = np.random.Generator
WRITING = ("run", "run with media", "render", "sweep", "compare", "references", "reproduce", "verify")
QUICK = ("run", "references", "verify")
REFUSED = (1, 2)
"""Exit statuses of a command that could not do what it should."""
BY_LIBRARIES = (-signal.SIGABRT, -signal.SIGSEGV, 127)
"""How libraries end a process that gets no memory from the system."""


def _judged(command: Command, folder: Path, status: int) -> str:
    """A command that failed says so in a line; whatever it left is whole."""
    said = said_beside(folder)
    assert "Traceback" not in said, f"{command.arguments[0]}: {said[-1500:]}"
    check_folder(folder / command.out, command.made)
    if status in command.statuses and not command.made - names(folder / command.out):
        return "finished"
    assert status in REFUSED, f"{command.arguments[0]}: status {status}: {said[-300:]}"
    lines = [line for line in said.splitlines() if line.startswith("error: ")]
    assert lines, f"{command.arguments[0]} fails without a word: {said[-300:]}"
    for line in lines:
        assert not fault_of_sentence(line), fault_of_sentence(line)
    return "refused"


def _ended(command: Command, folder: Path, limits: dict[int, int] | None = None) -> int:
    process = begin(command, folder, limits)
    process.join()
    return int(process.exitcode)


def _again(command: Command, folder: Path) -> None:
    """Without the fault the same command comes to its end, and no temporary file stays."""
    status = _ended(command, folder)
    assert status in command.statuses, f"again: status {status}: {said_beside(folder)[-500:]}"
    left = {name for name in names(folder / command.out) if Path(name).name.startswith(".")}
    assert not left, f"temporary files stay: {sorted(left)}"
    check_folder(folder / command.out, command.made)


def quota(random: Random, among: tuple[str, ...] = WRITING, most: float = 6.0) -> str:
    """No file may become larger than so much; `most` is the decimal logarithm of the largest size [B]."""
    command = COMMANDS[str(random.choice(among))]
    with working_folder(command) as folder:
        largest = int(10 ** random.uniform(4.0, most))  # what is printed stays below
        word = _judged(command, folder, _ended(command, folder, {resource.RLIMIT_FSIZE: largest}))
        _again(command, folder)
        return word


def _mount(*arguments: str) -> bool:
    return shutil.which("mount") is not None and subprocess.run(
        ["mount", *arguments], capture_output=True, check=False
    ).returncode == 0  # fmt: skip


def full_disk(random: Random) -> str:
    """A disk of so many bytes; needs the right to mount one."""
    command = COMMANDS[str(random.choice(WRITING))]
    with working_folder(command) as folder:
        out = folder / command.out
        out.mkdir()
        size = int(10 ** random.uniform(3.7, 6.5))
        if not _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(out)):
            return "skipped"
        try:
            word = _judged(command, folder, _ended(command, folder))
            assert _mount("-o", "remount,size=64m", str(out))
            _again(command, folder)
        finally:
            subprocess.run(["umount", str(out)], check=True)
        return word


def read_only(random: Random) -> str:
    """A folder that cannot be written; mounted so, since permissions do not bind an administrator."""
    command = COMMANDS[str(random.choice(WRITING))]
    with working_folder(command) as folder:
        out = folder / command.out
        shutil.copytree(whole("run").folder, out)
        before = {name: (out / name).read_bytes() for name in names(out)}
        if not (_mount("--bind", str(out), str(out)) and _mount("-o", "remount,ro,bind", str(out))):
            return "skipped"
        try:
            status = _ended(command, folder)
        finally:
            subprocess.run(["umount", str(out)], check=True)
        said = said_beside(folder)
        assert status in REFUSED and "Traceback" not in said, f"{command.arguments[0]}: {status}: {said[-500:]}"
        assert {name: (out / name).read_bytes() for name in names(out)} == before, "a read-only folder has changed"
        return "refused"


def little_memory(random: Random) -> str:
    """An address space of so much: below the minimum a sentence at the start, above it one for what is refused."""
    command = COMMANDS[str(random.choice(QUICK))]
    with working_folder(command) as folder:
        status = _ended(command, folder, {resource.RLIMIT_AS: int(2**30 * random.uniform(0.05, 3.0))})
        if status in BY_LIBRARIES:
            return "library"
        return _judged(command, folder, status)


def two_at_once(random: Random, among: tuple[str, ...] = WRITING) -> str:
    """Two processes, one folder."""
    command = COMMANDS[str(random.choice(among))]
    with working_folder(command) as folder:
        first = begin(command, folder)
        time.sleep(random.uniform(0.0, 0.5))
        statuses = [_ended(command, folder)]
        first.join()
        for status in (*statuses, int(first.exitcode)):
            assert status in command.statuses, f"status {status}: {said_beside(folder)[-500:]}"
        check_folder(folder / command.out, command.made)
        assert not command.made - names(folder / command.out), "files are missing"
        return "finished"


def eight_at_once(random: Random) -> str:
    """Eight processes, a folder each."""
    chosen = [COMMANDS[str(random.choice(QUICK))] for _ in range(8)]
    with working_folder() as folder:
        own = [replace(each, arguments=tuple(a.replace("there", f"there{k}") for a in each.arguments), out=f"there{k}")
               for k, each in enumerate(chosen)]  # fmt: skip
        processes = [begin(each, folder) for each in own]
        for each, process in zip(own, processes, strict=True):
            process.join()
            assert process.exitcode in each.statuses, f"status {process.exitcode}: {said_beside(folder)[-500:]}"
            check_folder(folder / each.out, each.made)
            assert not each.made - names(folder / each.out), "files are missing"
    return "finished"


JUMPS = (-2e9, -3600.0, 3600.0, 3e9)
"""How far the clock of the day jumps [s]."""


def _jumping_clock(jump: float) -> None:
    """Lets the clock of the day jump whenever it is looked at."""
    clock, looks = time.time, [0]

    def now() -> float:
        looks[0] += 1
        return clock() + jump * (looks[0] % 2)

    time.time = now


def clock_jumps(random: Random, among: tuple[str, ...] = WRITING) -> str:
    """Files from the past and the future, and a clock that jumps to and fro."""
    name, jump = str(random.choice(among)), float(random.choice(JUMPS))
    command = replace(COMMANDS[name], smaller=partial(_both, COMMANDS[name].smaller, jump))
    with working_folder(command) as folder:
        shutil.copytree(whole(name).folder, folder / command.out)
        for file in [*folder.rglob("*")]:
            when = max(0.0, time.time() + float(random.choice(JUMPS)))
            os.utime(file, (when, when))
        assert _ended(command, folder) in command.statuses, said_beside(folder)[-500:]
        _again(COMMANDS[name], folder)
        return "finished"


def _both(smaller: Callable[[], None], jump: float) -> None:
    smaller()
    _jumping_clock(jump)


@cache
def _cache() -> Path:
    """A kernel cache that holds what a run needs."""
    folder = whole("run").folder.parent / "cache"
    _fresh(folder, 1)
    return folder


def _fresh(cache_folder: Path, count: int) -> None:
    """So many new interpreters at once run a scenario with a kernel cache."""
    with working_folder() as folder:
        processes = [
            subprocess.Popen(
                [sys.executable, "-m", "pushpoint", "run", "course.yaml", "--no-media", "--out", f"there{k}"],
                cwd=folder,
                env=os.environ | {"WARP_CACHE_PATH": str(cache_folder)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for k in range(count)
        ]
        for k, process in enumerate(processes):
            said = process.communicate()[1]
            assert process.returncode == 0, f"status {process.returncode}: {said[-500:]}"
            assert load(folder / f"there{k}/run.nc").attrs["status_code"] == "finished"


def damaged_cache(random: Random) -> str:
    """A compiled kernel, or what stands beside it, that was cut or overwritten."""
    with working_folder() as folder:
        shutil.copytree(_cache(), copy := folder / "cache")
        files = sorted(file for file in copy.rglob("*") if file.suffix in (".o", ".meta"))
        file = files[int(random.integers(len(files)))]
        content = file.read_bytes()
        whole_or_less = content[: int(random.uniform() * len(content))]
        file.write_bytes(random.bytes(len(content)) if random.integers(2) else whole_or_less)
        _fresh(copy, 1)
        return "finished"


def raced_cache(random: Random) -> str:
    """An empty cache that eight processes fill at once."""
    with working_folder() as folder:
        _fresh(folder / "cache", 8)
        return "finished"


FAULTS = (
    quota, full_disk, read_only, little_memory, two_at_once, clock_jumps, quota, full_disk, little_memory,
    two_at_once, eight_at_once, damaged_cache,
)  # fmt: skip
SHORT = (partial(quota, among=QUICK[:1], most=4.1), partial(two_at_once, among=QUICK[:1]))
"""Faults of the short form: the first seeds."""
RACES = 40
"""Every so many trials an empty cache is raced for [-]."""


@kind("surroundings", full=240, short=len(SHORT), limit=900.0)
def trial(seed: int) -> str:
    """One fault, one command."""
    random = np.random.default_rng((seed, 16))
    if seed < len(SHORT):
        return SHORT[seed](random)
    return raced_cache(random) if seed % RACES == RACES - 1 else FAULTS[seed % len(FAULTS)](random)
