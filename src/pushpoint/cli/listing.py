"""`pushpoint list`: the published experiments, all of them or those that match."""

from __future__ import annotations

import json
import shutil
import textwrap
from typing import Annotated, Literal

import typer

from pushpoint.cli.known_names import Listed, complete_robots, known_names
from pushpoint.errors import UnknownName

LEAST_TITLE = 50
"""Columns that a title must have to stand beside its name; in a narrower terminal it stands below."""


def list_experiments(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORD]...", help="All must be in the name, the title or the robot.")
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only experiments with this robot.", autocompletion=complete_robots),
    ] = None,
    kind: Annotated[Literal["run", "sweep"] | None, typer.Option(help="Only single runs, or only sweeps.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array and nothing else.")] = False,
) -> None:
    """List the published experiments.

    Each stands behind the command that runs it: run or sweep.
    """
    names = known_names()
    robots = {*names.robots, *(each.robot for each in names.experiments)}
    if robot is not None and robot not in robots:
        raise UnknownName("robot", robot, robots)
    wanted = [word.casefold() for word in words or ()]
    found = [
        each
        for each in names.experiments
        if robot in (None, each.robot)
        and kind in (None, each.command)
        and all(word in f"{each.name} {each.title} {each.robot}".casefold() for word in wanted)
    ]
    if as_json:
        typer.echo(json.dumps([each._asdict() for each in found]))
    elif found:
        _print(found, shutil.get_terminal_size().columns)
    else:
        sought = " and ".join(f"'{word}'" for word in words or ())
        where = f"has {sought} in its name, title or robot" if sought else "is of that kind with that robot"
        typer.echo(f"no experiment {where}", err=True)


def _print(found: list[Listed], columns: int) -> None:
    """Names with their titles beside them, or below them where a terminal is narrow; no title is cut."""
    width = max(len(each.name) for each in found)
    beside = columns >= 9 + width + LEAST_TITLE
    indent = 9 + width if beside else 7
    for each in found:
        lines = textwrap.wrap(each.title, max(columns - indent, 20), break_on_hyphens=False)
        name = f"{each.command:5}  {each.name}"
        if beside:
            typer.echo(f"{name:{indent}}{lines[0]}")
        else:
            typer.echo(name)
        for line in lines[beside:]:
            typer.echo(" " * indent + line)
