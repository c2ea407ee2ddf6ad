"""`pushpoint bench`: timing against peers."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

app = typer.Typer(help="Time the engine beside its peers.", rich_markup_mode=None)


@app.callback()
def _group() -> None:
    # With a callback, the only command keeps its name: bench planar.
    pass


@app.command()
def planar(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and shorter runs; a first impression.")] = False,
) -> None:
    """Time the planar engine beside MuJoCo on the obstacle-aided course."""
    from pushpoint.bench.planar import run_bench

    figures: dict[str, Any] = run_bench(quick=quick)
    if as_json:
        typer.echo(json.dumps(figures))
        return
    width = max(map(len, figures), default=0)
    for name, value in figures.items():
        typer.echo(f"{name:{width}}  {value:.4g}" if isinstance(value, float) else f"{name:{width}}  {value}")
