"""Commands killed at a moment of their work, or stopped by a signal: nothing half, nothing mixed, nothing lost."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import numpy as np

from campaigns.campaign import kind
from campaigns.faults.commands import COMMANDS, Command, begin, said_beside, whole, working_folder
from campaigns.faults.folders import check_folder, kept_batches, names
from pushpoint.simulation.storage import load

SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
MOST_TRIES = 8
"""How often a command may end before its moment [-]."""
SHORT = ("run", "references")
"""Commands of the short form: the first seeds."""


@kind("kills", full=300, short=len(SHORT), limit=300.0)
def trial(seed: int) -> str:
    """One command, one moment, one signal; then what the folder holds, and the same command again."""
    random = np.random.default_rng((seed, 16))
    name = SHORT[seed] if seed < len(SHORT) else str(random.choice(list(COMMANDS)))
    number = signal.Signals(SIGNALS[int(random.integers(len(SIGNALS)))])
    command, usual = COMMANDS[name], whole(name)
    # Half of the moments lie where files are written.
    earliest = usual.writing - 0.05 if random.integers(2) else 0.0
    moment = random.uniform(max(0.0, earliest), 1.02 * usual.seconds)
    earlier = bool(random.integers(2))
    for _ in range(MOST_TRIES):
        with working_folder(command) as folder:
            if earlier:  # results of an earlier time are there
                shutil.copytree(usual.folder, folder / command.out)
            process = begin(command, folder)
            process.join(moment)
            if process.is_alive():
                os.kill(process.pid, number)
                process.join()
                _check(command, folder, int(process.exitcode), number)
                return "finished" if process.exitcode in command.statuses else number.name
            process.join()
            moment *= 0.7  # the machine was slower when the command was timed
    return "missed"


def _check(command: Command, folder: Path, status: int, number: signal.Signals) -> None:
    kept = kept_batches(folder / command.store) if command.store else {}
    check_folder(folder / command.out, command.made)
    _check_signal(command, folder, status, number)
    _finish(command, folder, kept)


def _check_signal(command: Command, folder: Path, status: int, number: signal.Signals) -> None:
    """The status names the signal, what is printed is no traceback, and what is said to be kept is kept."""
    said = said_beside(folder)
    # A signal that comes before the command has begun, or after its end, finds a process of Python's.
    allowed = {*command.statuses, -number, 128 + number}
    assert status in allowed, f"{command.arguments[0]}: status {status} after {number.name}: {said[-300:]}"
    assert "Traceback" not in said, f"{command.arguments[0]} after {number.name}: {said[-1500:]}"
    if "the samples up to there are kept" in said:
        (file,) = (folder / command.out).glob("*.nc")
        assert load(file).attrs["status_code"] == "interrupted", f"{file.name} is not the interrupted run"


def _finish(command: Command, folder: Path, kept: dict[str, bytes]) -> None:
    """The same command again comes to its end, uses what is kept, and leaves nothing that it did not mean to."""
    process = begin(command, folder)
    process.join()
    said = said_beside(folder)
    assert process.exitcode in command.statuses, f"again: status {process.exitcode}: {said[-500:]}"
    out = folder / command.out
    check_folder(out, command.made)
    missing, more = command.made - names(out), {name for name in names(out) if name.startswith(".")}
    assert not missing, f"again: {sorted(missing)} missing"
    assert not more, f"temporary files stay: {sorted(more)}"
    if command.store:
        after = kept_batches(folder / command.store)
        lost = [name for name, content in kept.items() if after.get(name) != content]
        assert not lost, f"done again although it was kept: {lost}"
