"""What `reproduce` and `verify` do alike: judge with a progress bar, write, print, and end with the right status."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pushpoint.cli.outputs import prepare_folder
from pushpoint.cli.run import FAILED, INTERRUPTED

if TYPE_CHECKING:
    from pushpoint.proof.judgement import Judgement, WorkPlan

COMPILES = "(compiles kernels, if it is the first run)"


def judge_and_report(
    make_plan: Callable[[], WorkPlan], folder: Path, as_json: bool, say: Callable[[dict[str, Any], float], None]
) -> None:
    """Judges what is planned and ends the command; `say` prints the document, given the time that it took [s]."""
    begun = time.perf_counter()
    try:
        plan = make_plan()
        prepare_folder(folder)
        judgement = _work(plan, folder)
        document = judgement.document | {"files": judgement.write(folder)}
    except KeyboardInterrupt:
        typer.echo("interrupted; the same command goes on from there", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(document, allow_nan=False))
    else:
        say(document, time.perf_counter() - begun)
        for path in document["files"].values():
            typer.echo(f"wrote {path}")
    if judgement.complaint:
        typer.echo(f"error: {judgement.complaint}", err=True)
    raise typer.Exit(FAILED if judgement.complaint else 0)


def _work(plan: WorkPlan, folder: Path) -> Judgement:
    """Does what there is to do, with a progress bar on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

    from pushpoint.cli.progress import progress_bar
    from pushpoint.proof.judgement import work_through

    columns = (TextColumn("{task.description:<40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with progress_bar(*columns) as progress:
        task = progress.add_task("", total=plan.steps, completed=-1)

        def begin(name: str) -> None:
            first = progress.tasks[0].completed < 0
            progress.update(task, description=f"{name} {COMPILES}" if first else name, advance=1)

        done = work_through(plan, folder, begin)
        progress.update(task, completed=plan.steps)
        return done
