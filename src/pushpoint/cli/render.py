"""`pushpoint render`: figures, film and replay page of a run that was saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pushpoint.cli.outputs import prepare_folder, write_pictures


def render(
    run: Annotated[Path, typer.Argument(metavar="RUN.nc", help="A run as `pushpoint run` or pp.save writes it.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the pictures; default: that of the run.")] = None,
    world: Annotated[int, typer.Option(help="Which world, of a run of several.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Draw a saved run again: course.png, figures/*.png, run.mp4 and replay.html."""
    from pushpoint.errors import InvalidModel
    from pushpoint.simulation.storage import load

    found = load(run)
    if "world" in found.dims:
        if world not in range(found.sizes["world"]):
            raise InvalidModel("--world", world, f"0 to {found.sizes['world'] - 1}")
        found = found.isel(world=world)
    folder = out or run.parent
    prepare_folder(folder)
    files, remarks = write_pictures(found, folder, media=True)
    if as_json:
        typer.echo(json.dumps({"files": files}))
    else:
        for path in files.values():
            typer.echo(f"wrote {path}")
    for remark in remarks:
        typer.echo(remark, err=True)
