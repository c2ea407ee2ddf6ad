"""`pushpoint sweep`: run a published sweep, judge its claim and draw it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.outputs import prepare_folder
from pushpoint.cli.run import FAILED, INTERRUPTED
from pushpoint.errors import UnknownName

if TYPE_CHECKING:
    import xarray
    from rich.table import Table

    from pushpoint.scenarios.scenario import Scenario


def sweep(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `pushpoint list` shows after `sweep`.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: out/NAME.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Run a published experiment with one thing changed from world to world.

    Writes runs.nc, summary.json and sweep.png.
    """
    from pushpoint.papers.registry import scenario as published, sweep_names

    begun = time.perf_counter()
    try:
        if name not in sweep_names():
            raise UnknownName("sweep", name, sweep_names())
        chosen = published(name)
        folder = out or Path("out") / chosen.name.replace("/", "-")
        prepare_folder(folder)
        runs, timing, exit_status = _simulate(chosen, begun)
        written = _write(chosen, runs, folder, timing)
    except KeyboardInterrupt:
        typer.echo("error: interrupted before all results were written", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(written))
    else:
        _print(written)
    if exit_status:
        typer.echo(f"error: {written['status']}; the samples up to there are kept, without a verdict", err=True)
    raise typer.Exit(exit_status)


def _simulate(sweep: Scenario, begun: float) -> tuple[xarray.Dataset, dict[str, float], int]:
    """Runs all worlds as `Scenario.run` does, with a progress bar; returns the runs, the timing and the exit status."""
    from pushpoint.cli.progress import drive_with_bar

    rollout = sweep.rollout()
    driven = drive_with_bar(rollout)
    startup = time.perf_counter() - driven.wall - begun
    runs = sweep.stamped(rollout.dataset(interrupted=driven.interrupted))
    exit_status = FAILED if rollout.failure() else INTERRUPTED if driven.interrupted else 0
    return runs, {"startup_s": startup, "wall_s": driven.wall, "simulated_s": rollout.time}, exit_status


def _write(sweep: Scenario, runs: xarray.Dataset, folder: Path, timing: dict[str, float]) -> dict[str, Any]:
    """Writes all files; returns the summary. Runs that did not finish have neither measures, verdict nor figure."""
    from pushpoint.papers.transeth2008a.sweeps import sweep_speeds
    from pushpoint.plots.figures.sweep import sweep as speeds_over_parameter, sweep_effects
    from pushpoint.plots.page import save_figure
    from pushpoint.simulation.provenance import plain
    from pushpoint.simulation.storage import save, write_atomically

    varies = sweep.varies
    assert varies is not None
    files = {"runs": str(save(runs, folder / "runs.nc"))}
    speeds = measures = None
    judged: dict[str, Any] = {"verdict": None, "measured": {}}
    (folder / "sweep.png").unlink(missing_ok=True)  # one of an earlier sweep does not belong to this one
    if runs.attrs["status_code"] == "finished":
        verdict = sweep.claims[0].evaluate(lambda _: runs)
        judged = {"verdict": verdict.verdict, "measured": dict(verdict.measured)}
        if varies.measures is None:
            speeds = sweep_speeds(sweep, runs)
            figure = speeds_over_parameter(sweep, speeds, verdict)
        else:
            measures = varies.measures(runs)
            figure = sweep_effects(sweep, runs, verdict)
        files["figure"] = str(save_figure(figure, folder / "sweep.png"))
    files["summary"] = str(folder / "summary.json")
    claim = sweep.claims[0]
    written: dict[str, Any] = plain(
        {
            "name": sweep.name,
            "title": sweep.title,
            "source": sweep.source,
            "status": runs.attrs["status"],
            "status_code": runs.attrs["status_code"],
            "parameter": {"name": varies.parameter, "unit": varies.unit, "values": varies.values},
            **({"labels": varies.labels, "measures": measures} if varies.labels else {"speeds_m_per_s": speeds}),
            "claim": {"id": claim.id, "statement": claim.statement, "where": claim.where, "recorded": claim.recorded}
            | judged,
            "timing": timing,
            "files": files,
        }
    )
    text = json.dumps(written, indent=2, allow_nan=False) + "\n"
    write_atomically(folder / "summary.json", lambda place: _write_text(place, text))
    return written


def _write_text(place: Path, text: str) -> None:
    place.write_text(text, encoding="utf-8")


def _print(written: dict[str, Any]) -> None:
    """What was found in every world as a table, then the verdict, how long it took and where the files are."""
    from rich.console import Console

    claim, timing = written["claim"], written["timing"]
    Console().print(_labelled_table(written) if "labels" in written else _speed_table(written), markup=False)
    typer.echo(f"{claim['id']}: {claim['statement']}: {claim['verdict'] or 'no verdict'}")
    count = len(written["parameter"]["values"])
    taken = f"in {timing['wall_s']:.3g} s, after {timing['startup_s']:.3g} s of startup"
    typer.echo(f"simulated {timing['simulated_s']:g} s in each of {count} worlds {taken}")
    for path in written["files"].values():
        typer.echo(f"wrote {path}")


def _table(written: dict[str, Any], *columns: str) -> Table:
    from rich.table import Table

    title = f"{written['name']}: {written['status']}"
    table = Table(*columns, title=title, title_justify="left")
    for column in table.columns:
        column.justify = "right"
    return table


def _speed_table(written: dict[str, Any]) -> Table:
    """The speeds over the parameter."""
    parameter = written["parameter"]
    unit = "" if parameter["unit"] == "1" else f" [{parameter['unit']}]"
    table = _table(written, f"{parameter['name']}{unit}", "forward speed [cm/s]")
    speeds = written["speeds_m_per_s"] or [None] * len(parameter["values"])
    for value, speed in zip(parameter["values"], speeds, strict=True):
        table.add_row(f"{value:g}", "-" if speed is None else f"{100.0 * speed:.2f}")
    return table


def _labelled_table(written: dict[str, Any]) -> Table:
    """The measures of every world by its label."""
    measures = written["measures"] or {}
    table = _table(written, written["parameter"]["name"], *measures)
    table.columns[0].justify = "left"
    for k, label in enumerate(written["labels"]):
        table.add_row(label, *(f"{values[k]:.4g}" for values in measures.values()))
    return table
