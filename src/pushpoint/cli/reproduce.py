"""`pushpoint reproduce`: judge what the papers claim and write one page about it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.outputs import prepare_folder
from pushpoint.cli.run import FAILED, INTERRUPTED

if TYPE_CHECKING:
    from pushpoint.proof.claims import Finding
    from pushpoint.proof.reproduction import Plan

COMPILES = "(compiles kernels, if it is the first run)"


def reproduce(
    papers: Annotated[
        list[str] | None, typer.Argument(metavar="[PAPER]...", help="Names such as transeth2008a; default: all.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/reproduce"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Judge every claim of the papers again.

    Writes report.html (one page, figures inside), results.json and figures/*.png. What was finished before with the
    same sources is not done again. Fails if a verdict is not the one on record.
    """
    from pushpoint.proof.claims import chosen_papers, complaint, document_of
    from pushpoint.proof.reproduction import plan_of

    begun = time.perf_counter()
    try:
        plan = plan_of(chosen_papers(papers or []))
        prepare_folder(out)
        findings, files = _work(plan, out)
    except KeyboardInterrupt:
        typer.echo("interrupted; the same command goes on from there", err=True)
        raise typer.Exit(INTERRUPTED) from None
    document = document_of(findings) | {"files": files}
    if as_json:
        typer.echo(json.dumps(document, allow_nan=False))
    else:
        _print(document, time.perf_counter() - begun)
    sentence = complaint(findings)
    if sentence:
        typer.echo(f"error: {sentence}", err=True)
    raise typer.Exit(FAILED if sentence else 0)


def _work(plan: Plan, folder: Path) -> tuple[tuple[Finding, ...], dict[str, str]]:
    """Does what there is to do, with a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from pushpoint.proof.reproduction import reproduce as work_through

    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=plan.steps, completed=-1)

        def begin(name: str) -> None:
            first = progress.tasks[0].completed < 0
            progress.update(task, description=f"{name} {COMPILES}" if first else name, advance=1)

        done = work_through(plan, folder, begin)
        progress.update(task, completed=plan.steps)
        return done


def _print(document: dict[str, Any], taken: float) -> None:
    """Counts per paper as a table, the claims that are not simply reproduced, and where the files are."""
    from rich.console import Console
    from rich.table import Table

    from pushpoint.scenarios.claim import VERDICTS

    found = document["counts"]
    table = Table("paper", *VERDICTS)
    for column in table.columns[1:]:
        column.justify = "right"
    for paper, number in found["papers"].items():
        table.add_row(paper, *(str(number[verdict]) for verdict in VERDICTS))
    table.add_row("all", *(str(found[verdict]) for verdict in VERDICTS))
    Console().print(table)
    for claim in document["claims"]:
        if claim["verdict"] != "reproduced":
            typer.echo(f"{claim['id']}: {claim['verdict']}: {claim['reason'] or claim['failure']}")
    typer.echo(f"{found['claims']} claims in {taken:.3g} s")
    for path in document["files"].values():
        typer.echo(f"wrote {path}")
