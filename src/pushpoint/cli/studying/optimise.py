"""`pushpoint optimise`: parameters that make a scenario best."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import outputs
from pushpoint.cli.folders import writing_in
from pushpoint.cli.outputs import AsJson, Folder
from pushpoint.errors import BadFile, PushpointError
from pushpoint.whole_files import remove_file

if TYPE_CHECKING:
    from pushpoint.studies.optimising.optimum import Optimum

FILES = {
    "optimum": "optimum.json",
    "scenario": "best.yaml",
    "history": "history.png",
    "parameters": "parameters.png",
    "front": "front.png",
    "film": "best.mp4",
}
"""What is written, by name: the front for several goals, the scenario and its film where a trial holds all limits."""


def optimise(
    target: Annotated[
        str, typer.Argument(metavar="FILE-or-NAME", help="A YAML file of a search, or a question such as planar-cost.")
    ],
    evaluations: Annotated[int | None, typer.Option(metavar="N", help="Candidates to try; default: its own.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="S", help="Seed of the search; default: its own.")] = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where trials are kept; default: trials in the folder of the results."),
    ] = None,
    out: Folder = None,
    media: Annotated[bool, typer.Option("--media/--no-media", help="Also film the best, or leave that out.")] = True,
    as_json: AsJson = False,
) -> None:
    """Search the parameters that make a scenario best.

    Every trial is kept: the same command goes on where it was stopped, and with more evaluations beyond its end. Writes
    optimum.json, the best scenario as best.yaml, pictures (history, parameters and, of several goals, the front) and
    unless --no-media is given best.mp4.
    Questions of the literature have names: planar-speed-3W, -10W, -30W, planar-cost, planar-front; the same of
    sidewinding; phase-6-links, -10- and -20-.
    """
    from pushpoint.studies.optimising.files import read_question

    begun = time.perf_counter()
    with outputs.stoppable():
        question = read_question(target)
        folder = outputs.prepare_folder(out or outputs.default_folder(question.name, "-search"))
        kept = store or folder / "trials"
    with outputs.keeping(kept, "evaluations") as progress:
        found = question.optimise(seed=seed, evaluations=evaluations, store=kept, progress=progress)
    with outputs.stoppable(), writing_in(folder):
        about = {"name": question.name, "title": question.title, "store": str(kept)}
        written = _write(folder, found, about | {"timing": {"wall_s": time.perf_counter() - begun}})
        remark = _film(folder, found, written) if media and written["best"] is not None else ""
    outputs.tell(written, as_json, _print)
    if remark:
        typer.echo(remark, err=True)


def _write(folder: Path, found: Optimum, about: dict[str, Any]) -> dict[str, Any]:
    """Writes what was found, its scenario and its pictures; returns the document with the paths of all."""
    from pushpoint import plots
    from pushpoint.scenarios.files import write_scenario
    from pushpoint.studies.optimising import figures

    document = found.document()
    drawn = {"history": figures.history_figure(found), "parameters": figures.parallel_figure(found)}
    if document["front"]:
        drawn["front"] = figures.front_figure(found)
    names = {what: name for what, name in FILES.items() if what in ("optimum", *drawn)}
    if document["best"] is not None:
        names["scenario"] = FILES["scenario"]
        write_scenario(found.scenario(), folder / FILES["scenario"])
    # What an earlier search left leaves before the new results come, so that they are never of different searches.
    earlier = [folder / name for what, name in FILES.items() if what not in names]
    document = about | document | {"files": names}
    written = outputs.write_json(
        folder / FILES["optimum"], document, before=lambda: [remove_file(each) for each in earlier]
    )
    for what, figure in drawn.items():
        plots.save_figure(figure, folder / FILES[what])
    return written | {"files": {what: str(folder / name) for what, name in names.items()}}


def _film(folder: Path, found: Optimum, written: dict[str, Any]) -> str:
    """Films the best, and names the film among the files; returns why there is none, or nothing."""
    from pushpoint.films.film import film

    try:
        written["files"]["film"] = str(film(found.scenario().run(), folder / FILES["film"]))
    except BadFile:
        raise
    except PushpointError as error:
        return f"no {FILES['film']}: {error}"
    return ""


def _print(written: dict[str, Any]) -> None:
    """The best trial as a table, or that there is none, and how long it took."""
    best, units = written["best"], written["units"]
    if best is None:
        typer.echo("no trial holds all limits: widen the ranges, loosen a limit or try more")
    else:
        rows = [(name, f"{value:.6g}", "") for name, value in best["parameters"].items()]
        for name, values in best["figures"].items():
            rows.append((name, " ".join("-" if value is None else f"{value:.4g}" for value in values), units[name]))
        title = f"{written['name']}: trial {best['number']} of {written['evaluations']}"
        outputs.print_table(("parameter or figure", "value", "unit"), rows, numbers=slice(1, 2), title=title)
    if written["front"]:
        typer.echo(f"the front has {len(written['front'])} points")
    typer.echo(
        f"{written['evaluations']} evaluations in {written['timing']['wall_s']:.3g} s, kept in {written['store']}"
    )
