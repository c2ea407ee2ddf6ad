"""`pushpoint list`, `show`, `check` and `schema`: published experiments, and the files that describe one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pushpoint.cli.outputs import FAILED, Changes, Target


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


def show_scenario(
    target: Target,
    changes: Changes = None,
) -> None:
    """Print a scenario as YAML: `pushpoint show transeth2008a/flat > mine.yaml`."""
    from pushpoint.description.files import text_of
    from pushpoint.papers.registry import scenario
    from pushpoint.scenarios.files import document_of

    typer.echo(text_of(document_of(scenario(target, changes or ()))), nl=False)


def check(files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scenario files.")]) -> None:
    """Say of each scenario file whether it can be run; the start is looked at, too. Ends with 1 if one cannot."""
    from pushpoint.errors import PushpointError
    from pushpoint.scenarios.files import read_scenario

    wrong = 0
    for file in files:
        try:
            scenario = read_scenario(file)
            scenario.world.pose()
            typer.echo(f"{file}: fine: {scenario.world.robot.n_links} links, {scenario.duration:g} s")
        except PushpointError as error:
            wrong += 1
            sentence = str(error)
            typer.echo(sentence if sentence.startswith(str(file)) else f"{file}: {sentence}", err=True)
    raise typer.Exit(FAILED if wrong else 0)


def schema() -> None:
    """Print the JSON schema of scenario files, with which editors check and complete them."""
    from pushpoint.description.schema import document_schema

    typer.echo(json.dumps(document_schema(), indent=2))
