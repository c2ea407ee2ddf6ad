"""`pushpoint compare-recording`: lay a recorded path over a run."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.outputs import prepare_folder
from pushpoint.cli.printing import AsJson, print_files, print_table, write_json
from pushpoint.errors import InvalidModel

if TYPE_CHECKING:
    import xarray

    from pushpoint.simulation.recordings.comparing import Comparison

WHOLE_ROBOT = "com"


def compare_recording(
    run_file: Annotated[Path, typer.Argument(metavar="RUN.nc", help="A result of `pushpoint run`.")],
    recording: Annotated[Path, typer.Argument(metavar="RECORDING.csv", help="Times [s], x and y [m], with a header.")],
    link: Annotated[
        str, typer.Option(metavar="NUMBER|com", help="Whose path was recorded; com: the robot's centre of mass.")
    ] = WHOLE_ROBOT,
    columns: Annotated[str, typer.Option(metavar="T,X,Y", help="Names of the columns of time, x and y.")] = "t,x,y",
    no_time_shift: Annotated[
        bool, typer.Option("--no-time-shift", help="Take the recorded times as they are.")
    ] = False,
    no_frame: Annotated[bool, typer.Option("--no-frame", help="Take the recorded places as they are.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: out/NAME-recording.")] = None,
    as_json: AsJson = False,
) -> None:
    """Lay a recorded path over a run, and write comparison.json and comparison.png."""
    from pushpoint.simulation import storage
    from pushpoint.simulation.reading import experiment_of
    from pushpoint.simulation.recordings import comparing as recordings

    run = storage.load(run_file)
    align = [what for what, fixed in (("time", no_time_shift), ("frame", no_frame)) if not fixed]
    names = [name.strip() for name in columns.split(",")]
    found = recordings.compare_recording(run, recording, link=_link(link), columns=names, align=align)
    name = experiment_of(run).name or "run"
    folder = out or Path("out") / f"{name.replace('/', '-')}-recording"
    written = _write(found, run, folder, {"name": name, "run": str(run_file)})
    if as_json:
        typer.echo(json.dumps(written))
    else:
        _print(written)
    if not no_time_shift and not found.time_is_sure:
        low, high = found.time_offset_range
        typer.echo(
            f"the path leaves the time offset open: others between {low:.3f} and {high:.3f} s fit as well", err=True
        )


def _link(text: str) -> int | str:
    from pushpoint.simulation.recordings.comparing import CENTER_OF_MASS

    if text == WHOLE_ROBOT:
        return CENTER_OF_MASS
    try:
        return int(text)
    except ValueError:
        raise InvalidModel("--link", text, f"the number of a link, or {WHOLE_ROBOT}") from None


def _write(found: Comparison, run: xarray.Dataset, folder: Path, about: dict[str, str]) -> dict[str, Any]:
    """Writes the figure and the figures; returns the latter."""
    from pushpoint.plots.figures.recording import recording
    from pushpoint.plots.page import save_figure

    prepare_folder(folder)
    files = {"figure": str(save_figure(recording(found, run), folder / "comparison.png"))}
    files["summary"] = str(folder / "comparison.json")
    return write_json(folder / "comparison.json", about | found.summary() | {"files": files})


def _print(written: dict[str, Any]) -> None:
    """Errors and alignment as a table, then where the files are."""
    x, y = written["translation"]
    rows = (
        ("rms error", f"{1e3 * written['rms_error']:.4g}", "mm"),
        ("largest error", f"{1e3 * written['max_error']:.4g}", "mm"),
        ("error at the end", f"{1e3 * written['end_error']:.4g}", "mm"),
        ("common time", f"{written['overlap']:.3f}", "s"),
        ("common samples", str(written["samples"]), "1"),
        ("time offset", f"{written['time_offset']:.3f}", "s"),
        ("rotation", f"{math.degrees(written['rotation']):.3f}", "deg"),
        ("translation x", f"{x:.4f}", "m"),
        ("translation y", f"{y:.4f}", "m"),
    )
    title = f"{written['name']}: {written['recording']}"
    print_table(("measure", "value", "unit"), rows, numbers=slice(1, 2), title=title)
    print_files(written["files"])
