"""`pushpoint bench`: timing against peers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

app = typer.Typer(help="Time the engine beside its peers.", rich_markup_mode=None)


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Quick = Annotated[bool, typer.Option("--quick", help="Fewer and shorter runs; a first impression.")]


@app.command()
def planar(as_json: AsJson = False, quick: Quick = False) -> None:
    """Time the planar engine beside MuJoCo on the obstacle-aided course."""
    from pushpoint.bench.planar import run_bench

    _print(run_bench(quick=quick), as_json)


@app.command()
def spatial(as_json: AsJson = False, quick: Quick = False) -> None:
    """Time the spatial engine beside MuJoCo on sidewinding and lateral undulation."""
    from pushpoint.bench.spatial import run_bench

    _print(run_bench(quick=quick), as_json)


def _print(figures: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(figures))
        return
    lines = dict(_flat(figures))
    width = max(map(len, lines), default=0)
    for name, value in lines.items():
        typer.echo(f"{name:{width}}  {value:.4g}" if isinstance(value, float) else f"{name:{width}}  {value}")


def _flat(figures: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Figures of figures, one after the other, under names such as sidewinding.dt_1_ms.us_per_step."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
