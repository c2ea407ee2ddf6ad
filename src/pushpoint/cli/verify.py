"""`pushpoint verify`: check the physics against what is known and write one page about it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.outputs import prepare_folder
from pushpoint.cli.run import FAILED, INTERRUPTED

if TYPE_CHECKING:
    from pushpoint.proof.check import CheckResult

PAGE, RESULTS = "report.html", "results.json"


def verify(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/verify"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Check the physics against closed forms, conservation laws and second implementations.

    Writes report.html (one page, figures inside) and results.json. What was finished before with the same sources is
    not done again. Fails if a check does.
    """
    begun = time.perf_counter()
    try:
        prepare_folder(out)
        results = _work(out)
        document = _write(results, out)
    except KeyboardInterrupt:
        typer.echo("interrupted; the same command goes on from there", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(document, allow_nan=False))
    else:
        _print(document, time.perf_counter() - begun)
    sentence = _complaint(results)
    if sentence:
        typer.echo(f"error: {sentence}", err=True)
    raise typer.Exit(FAILED if sentence else 0)


def _work(folder: Path) -> list[CheckResult]:
    """Runs what there is to run, with a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from pushpoint.proof.registry import checks
    from pushpoint.proof.session import run_checks

    console, chosen = Console(stderr=True), checks()
    columns = (TextColumn("{task.description:<24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    results = []
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting", total=len(chosen))
        for result in run_checks(chosen, folder, lambda name: progress.update(task, description=name)):
            results.append(result)
            progress.update(task, advance=1)
    return results


def _write(results: list[CheckResult], folder: Path) -> dict[str, Any]:
    """Writes the page and the JSON; returns what the command prints."""
    from pushpoint.proof.session import document_of
    from pushpoint.proof.verification_page import write_verification_page
    from pushpoint.simulation.storage import write_atomically

    document = document_of(results)
    text = json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    page = write_verification_page(results, folder / PAGE)
    kept = write_atomically(folder / RESULTS, lambda place: _write_text(place, text))
    return document | {"files": {"report": str(page), "results": str(kept)}}


def _write_text(place: Path, text: str) -> None:
    place.write_text(text, encoding="utf-8")


def _complaint(results: list[CheckResult]) -> str:
    from pushpoint.proof.session import complaint

    return complaint(results)


def _print(document: dict[str, Any], taken: float) -> None:
    """A line for every check, by group, then how long it took and where the files are."""
    before = ""
    typer.echo(_line("", "error", "tolerance", "unit", "", "MuJoCo"))
    for check in document["checks"]:
        if check["group"] != before:
            before = check["group"]
            typer.echo(before)
        verdict, peer = "passed" if check["passed"] else "FAILED", check["mujoco"]
        beside = "" if peer is None else _number(peer["measured"])
        error, tolerance = _number(check["measured"]), _number(check["tolerance"])
        typer.echo(_line(f"  {check['id']}", error, tolerance, check["unit"], verdict, beside))
    found = document["counts"]
    typer.echo(f"{found['passed']} of {found['checks']} checks passed in {taken:.3g} s")
    for path in document["files"].values():
        typer.echo(f"wrote {path}")


def _line(name: str, error: str, tolerance: str, unit: str, verdict: str, peer: str) -> str:
    """Columns of a terminal that is 80 wide."""
    return f"{name:<26}{error:>9}{tolerance:>11} {unit:<9}{verdict:<8}{peer:>9}".rstrip()


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}"
