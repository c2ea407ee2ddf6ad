"""Driving a run with a progress bar on standard error, until it ends or the user stops it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TextColumn

from pushpoint.cli.outputs import FAILED, INTERRUPTED

if TYPE_CHECKING:
    import xarray

    from pushpoint.scenarios.scenario import Scenario
    from pushpoint.simulation.simulate import Rollout

COMPILING = "compiling kernels (first run on this machine; takes up to half a minute)"
PATIENCE = 1.0
"""Loading compiled kernels takes milliseconds; what takes longer than this is compilation [s]."""


@contextmanager
def progress_bar(*columns: ProgressColumn) -> Iterator[Progress]:
    """A progress bar on standard error; `disable` is true, and nothing is shown, unless that is a terminal."""
    console = Console(stderr=True)
    progress = Progress(*columns, console=console, disable=not console.is_terminal)
    # One that is disabled is not begun either: older versions of rich end it with an empty line.
    with nullcontext() if progress.disable else progress:
        yield progress


def drive_scenario(scenario: Scenario, rollout: Rollout, begun: float) -> tuple[xarray.Dataset, dict[str, float], int]:
    """Runs a scenario's rollout with a progress bar; returns the run, its timing and the exit status."""
    wall = drive_with_bar(rollout)
    startup = time.perf_counter() - wall - begun
    interrupted = not rollout.finished
    run = scenario.stamped(rollout.dataset(interrupted=interrupted))
    exit_status = FAILED if rollout.failure() else INTERRUPTED if interrupted else 0
    return run, {"startup_s": startup, "wall_s": wall, "simulated_s": rollout.time}, exit_status


def drive_with_bar(rollout: Rollout) -> float:
    """Runs a rollout to its end, or to the end of a portion after Ctrl-C; a second Ctrl-C raises at once.

    Returns the time spent on simulating, without compilation [s].
    """
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"))
    with _stop_signal() as stop, progress_bar(*columns) as progress:
        task = progress.add_task(rollout.experiment.name, total=rollout.duration, state="")
        with _explaining_delay(progress, task):
            rollout.stepper.advance(0)
        begun = time.perf_counter()
        while not (rollout.finished or stop.is_set()):
            rollout.advance()
            wall = time.perf_counter() - begun
            state = f"{rollout.time:.2f} of {rollout.duration:g} s, {rollout.time / wall:.3g} x real time"
            progress.update(task, completed=rollout.time, state=state)
        return time.perf_counter() - begun


@contextmanager
def _stop_signal() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets, so that no portion of the run is cut in the middle."""
    stop = threading.Event()

    def note(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before: Any = signal.signal(signal.SIGINT, note)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _explaining_delay(progress: Progress, task: TaskID) -> Iterator[None]:
    """Says that kernels are being compiled, if it takes long enough to be noticed."""
    name = progress.tasks[0].description

    def explain() -> None:
        if progress.disable:
            progress.console.print(COMPILING, soft_wrap=True)
        progress.update(task, description=COMPILING)

    timer = threading.Timer(PATIENCE, explain)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        progress.update(task, description=name)
