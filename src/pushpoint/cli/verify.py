"""`pushpoint verify`: check the physics against what is known and write one page about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pushpoint.cli.judging import judge_and_report


def verify(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/verify"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Check the physics against closed forms, conservation laws and second implementations.

    Writes report.html (one page, figures inside) and results.json. What was finished before with the same sources is
    not done again. Fails if a check does.
    """
    from pushpoint.proof.verification import plan_of_checks

    judge_and_report(plan_of_checks, out, as_json, _print)


def _print(document: dict[str, Any], taken: float) -> None:
    """A line for every check, by group."""
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


def _line(name: str, error: str, tolerance: str, unit: str, verdict: str, peer: str) -> str:
    """Columns of a terminal that is 80 wide."""
    return f"{name:<26}{error:>9}{tolerance:>11} {unit:<9}{verdict:<8}{peer:>9}".rstrip()


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}"
