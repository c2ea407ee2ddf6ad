"""`pushpoint reproduce`: judge what the papers claim and write one page about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pushpoint.cli.judging import judge_and_report


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
    from pushpoint.proof.reproduction import chosen_papers, plan_of

    judge_and_report(lambda: plan_of(chosen_papers(papers or [])), out, as_json, _print)


def _print(document: dict[str, Any], taken: float) -> None:
    """Counts per paper as a table, and the claims that are not simply reproduced."""
    from rich.console import Console
    from rich.table import Table

    from pushpoint.scenarios.claim import VERDICTS

    found = document["counts"]
    table = Table("paper", *VERDICTS)
    for column in table.columns[1:]:
        column.justify = "right"
    for paper, number in (found["papers"] | {"all": found}).items():
        table.add_row(paper, *(str(number[verdict]) for verdict in VERDICTS))
    Console().print(table)
    for claim in document["claims"]:
        if claim["verdict"] != "reproduced":
            typer.echo(f"{claim['id']}: {claim['verdict']}: {claim['reason'] or claim['failure']}")
    typer.echo(f"{found['claims']} claims in {taken:.3g} s")
