"""`pushpoint reproduce` and `verify`: judge the claims of papers, check the physics, and write a page about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.known_names import complete_papers
from pushpoint.cli.outputs import FAILED, AsJson, prepare_folder, print_table, progress_bar, stoppable, tell

if TYPE_CHECKING:
    from pushpoint.proof.judgement import WorkPlan

COMPILES = "(compiles kernels, if it is the first run)"


def judge_and_report(
    make_plan: Callable[[], WorkPlan], folder: Path, as_json: bool, say: Callable[[dict[str, Any], str], None]
) -> None:
    """Judges what is planned, with a progress bar on a terminal, and ends the command.

    `say` prints the document, given the time that it took and what was done before, in words.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

    from pushpoint.proof.judgement import work_through

    begun = time.perf_counter()
    columns = (TextColumn("{task.description:<40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with stoppable("interrupted; the same command goes on from there"):
        plan = make_plan()
        prepare_folder(folder)
        with progress_bar(*columns) as progress:
            task = progress.add_task("", total=plan.steps, completed=-1)

            def begin(name: str) -> None:
                first = progress.tasks[0].completed < 0
                progress.update(task, description=f"{name} {COMPILES}" if first else name, advance=1)

            judgement = work_through(plan, folder, begin)
            progress.update(task, completed=plan.steps)
        document = judgement.document | {"files": judgement.write(folder)}
    before = f"; {judgement.done_before} of them were done before" if judgement.done_before else ""
    tell(document, as_json, lambda found: say(found, f"{time.perf_counter() - begun:.3g} s{before}"))
    if judgement.complaint:
        typer.echo(f"error: {judgement.complaint}", err=True)
    raise typer.Exit(FAILED if judgement.complaint else 0)


def reproduce(
    papers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PAPER]...", help="Names such as transeth2008a; default: all.", autocompletion=complete_papers
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/reproduce"),
    as_json: AsJson = False,
) -> None:
    """Judge every claim of the papers again.

    Writes report.html (one page, figures inside), results.json and figures/*.png. What was finished before with the
    same sources is not done again. Fails if a verdict is not the one on record.
    """
    from pushpoint.proof.reproduction import chosen_papers, plan_of

    judge_and_report(lambda: plan_of(chosen_papers(papers or [])), out, as_json, _print_claims)


def _print_claims(document: dict[str, Any], taken: str) -> None:
    """Counts per paper as a table, and the claims that are not simply reproduced."""
    from pushpoint.scenarios.claim import VERDICTS

    found = document["counts"]
    counts = (found["papers"] | {"all": found}).items()
    rows = [(paper, *(str(number[verdict]) for verdict in VERDICTS)) for paper, number in counts]
    print_table(("paper", *VERDICTS), rows, numbers=slice(1, None))
    for claim in document["claims"]:
        if claim["verdict"] != "reproduced":
            typer.echo(f"{claim['id']}: {claim['verdict']}: {claim['reason'] or claim['failure']}")
    typer.echo(f"{found['claims']} claims in {taken}")


def verify(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/verify"),
    as_json: AsJson = False,
) -> None:
    """Check the physics against theory and other solvers.

    The theory is closed forms and conservation laws. Writes report.html (one page, figures inside) and results.json.
    What was finished before with the same sources is not done again. Fails if a check does.
    """
    from pushpoint.proof.verification import plan_of_checks

    judge_and_report(plan_of_checks, out, as_json, _print_checks)


def _print_checks(document: dict[str, Any], taken: str) -> None:
    """A line for every check, by group."""
    before = ""
    typer.echo(_line("", "error", "tolerance", "unit", "", "MuJoCo"))
    for check in document["checks"]:
        if check["group"] != before:
            before = check["group"]
            typer.echo(before)
        measured, tolerance, peer = check["measured"], check["tolerance"], check["mujoco"]
        error, bound, beside = (
            "-" if each is None else f"{each:.2g}" for each in (measured, tolerance, peer and peer["measured"])
        )
        verdict = "passed" if check["passed"] else "FAILED"
        typer.echo(_line(f"  {check['id']}", error, bound, check["unit"], verdict, beside if peer else ""))
    found = document["counts"]
    typer.echo(f"{found['passed']} of {found['checks']} checks passed in {taken}")


def _line(name: str, error: str, tolerance: str, unit: str, verdict: str, peer: str) -> str:
    """Columns of a terminal that is 80 wide."""
    return f"{name:<26}{error:>9}{tolerance:>11} {unit:<9}{verdict:<8}{peer:>9}".rstrip()
