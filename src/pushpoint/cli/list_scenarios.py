"""`pushpoint list`: the published experiments."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def list_scenarios(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array and nothing else.")] = False,
) -> None:
    """List the published experiments, each after the command that knows it by name: run or sweep."""
    from pushpoint.papers.registry import scenario_titles, sweep_titles

    listed = [
        {"command": command, "name": name, "title": title}
        for command, titles in (("run", scenario_titles()), ("sweep", sweep_titles()))
        for name, title in titles.items()
    ]
    if as_json:
        typer.echo(json.dumps(listed))
        return
    width = max((len(entry["name"]) for entry in listed), default=0)
    for entry in listed:
        typer.echo(f"{entry['command']:5}  {entry['name']:{width}}  {entry['title']}")
