"""`pushpoint sweep`: run a published sweep, judge its claim and draw it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import outputs
from pushpoint.cli.outputs import AsJson
from pushpoint.errors import UnknownName

if TYPE_CHECKING:
    import xarray

    from pushpoint.scenarios.scenario import Scenario


def sweep(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `pushpoint list` shows after `sweep`.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: out/NAME.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a published experiment with one thing changed from world to world.

    Writes runs.nc, summary.json and sweep.png.
    """
    from pushpoint.cli.progress import drive_scenario
    from pushpoint.papers.registry import scenario as published, sweep_names

    begun = time.perf_counter()
    with outputs.stoppable():
        if name not in sweep_names():
            raise UnknownName("sweep", name, sweep_names())
        chosen = published(name)
        folder = outputs.prepare_folder(out or outputs.default_folder(chosen.name))
        runs, timing, exit_status = drive_scenario(chosen, chosen.rollout(), begun)
        written = _write(chosen, runs, folder, timing)
    outputs.tell(written, as_json, _print)
    if exit_status:
        typer.echo(f"error: {written['status']}; the samples up to there are kept, without a verdict", err=True)
    raise typer.Exit(exit_status)


def _write(sweep: Scenario, runs: xarray.Dataset, folder: Path, timing: dict[str, float]) -> dict[str, Any]:
    """Writes all files; returns the summary. Runs that did not finish have neither measures, verdict nor figure."""
    from pushpoint.papers.transeth2008a.scenarios import sweep_speeds
    from pushpoint.plots.figures.sweep import sweep as speeds_over_parameter, sweep_effects
    from pushpoint.plots.page import save_figure
    from pushpoint.simulation.storage import save

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
    return outputs.write_json(
        folder / "summary.json",
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
        },
    )


def _print(written: dict[str, Any]) -> None:
    """What was found in every world as a table, then the verdict, how long it took and where the files are."""
    claim, timing, parameter = written["claim"], written["timing"], written["parameter"]
    title = f"{written['name']}: {written['status']}"
    if "labels" in written:
        measures = written["measures"] or {}
        rows = [
            (label, *(f"{values[k]:.4g}" for values in measures.values())) for k, label in enumerate(written["labels"])
        ]
        outputs.print_table((parameter["name"], *measures), rows, numbers=slice(1, None), title=title)
    else:
        unit = "" if parameter["unit"] == "1" else f" [{parameter['unit']}]"
        speeds = written["speeds_m_per_s"] or [None] * len(parameter["values"])
        rows = [
            (f"{value:g}", "-" if speed is None else f"{100.0 * speed:.2f}")
            for value, speed in zip(parameter["values"], speeds, strict=True)
        ]
        columns = (f"{parameter['name']}{unit}", "forward speed [cm/s]")
        outputs.print_table(columns, rows, numbers=slice(None), title=title)
    typer.echo(f"{claim['id']}: {claim['statement']}: {claim['verdict'] or 'no verdict'}")
    taken = f"in {timing['wall_s']:.3g} s, after {timing['startup_s']:.3g} s of startup"
    typer.echo(f"simulated {timing['simulated_s']:g} s in each of {len(parameter['values'])} worlds {taken}")
    outputs.print_files(written["files"])
