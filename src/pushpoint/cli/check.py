"""`pushpoint check`: judge scenario files without running them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FAILED = 1


def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scenario files.")],
) -> None:
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
