"""`pushpoint list`: the published experiments."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def list_scenarios(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array and nothing else.")] = False,
) -> None:
    """List the published experiments that `pushpoint run` knows by name."""
    from pushpoint.scenarios.registry import scenario_titles

    titles = scenario_titles()
    if as_json:
        typer.echo(json.dumps([{"name": name, "title": title} for name, title in titles.items()]))
        return
    width = max(map(len, titles), default=0)
    for name, title in titles.items():
        typer.echo(f"{name:{width}}  {title}")
