"""`pushpoint run`: simulate a published experiment or a scenario file and write its results."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.outputs import prepare_folder, write_outputs

if TYPE_CHECKING:
    import xarray

    from pushpoint.cli.progress import Driven
    from pushpoint.scenarios.scenario import Scenario
    from pushpoint.simulation.rollout import Rollout

FAILED, INTERRUPTED = 1, 130


def run(
    target: Annotated[
        str, typer.Argument(metavar="NAME-or-FILE", help="A name from `pushpoint list`, or a YAML file.")
    ],
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a value, such as controller.amplitude_deg=30; repeatable."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: out/NAME.")] = None,
    duration: Annotated[str | None, typer.Option(metavar="SECONDS", help="Simulated time.")] = None,
    dt: Annotated[str | None, typer.Option(metavar="SECONDS", help="Time step.")] = None,
    media: Annotated[bool, typer.Option("--media/--no-media", help="Figures, a film and a replay page.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Simulate a published experiment or a scenario file.

    Writes run.nc, summary.json and course.png; and figures/*.png, run.mp4 and replay.html unless told not to.
    """
    from pushpoint.papers.registry import scenario as published

    begun = time.perf_counter()
    try:
        scenario = _timed(published(target, changes or ()), duration, dt)
        rollout = scenario.rollout()
        folder = out or Path("out") / scenario.name.replace("/", "-")
        prepare_folder(folder)
        result, summary, exit_status = _simulate(scenario, rollout, begun)
        written, remarks = write_outputs(result, folder, summary, media=media)
    except KeyboardInterrupt:
        typer.echo("error: interrupted before all results were written", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(written))
    else:
        _print_summary(written)
    for remark in filter(None, (*remarks, _remark(written, exit_status))):
        typer.echo(remark, err=True)
    raise typer.Exit(exit_status)


def _timed(scenario: Scenario, duration: str | None, dt: str | None) -> Scenario:
    from pushpoint.description.files import parse_value

    # The texts go in as they are, so that a wrong one is refused in the same words as in a file.
    return scenario.with_changes(
        duration=None if duration is None else parse_value(duration, "duration"),
        dt=None if dt is None else parse_value(dt, "settings.dt"),
    )


def _simulate(scenario: Scenario, rollout: Rollout, begun: float) -> tuple[xarray.Dataset, dict[str, Any], int]:
    """Runs and measures; returns the run, its summary and the exit status."""
    from pushpoint.cli.progress import drive_with_bar
    from pushpoint.simulation.measures import per_motor, summary as measures_of

    driven = drive_with_bar(rollout)
    finished = time.perf_counter()
    result = scenario.stamped(rollout.dataset(interrupted=driven.interrupted))
    exit_status = FAILED if rollout.failure() else INTERRUPTED if driven.interrupted else 0
    summary = {
        "name": scenario.name,
        "status": result.attrs["status"],
        "status_code": result.attrs["status_code"],
        "measures": measures_of(result),
        "motors": per_motor(result),
        "timing": _timing(rollout, driven, startup=finished - driven.wall - begun),
    }
    return result, summary, exit_status


def _timing(rollout: Rollout, driven: Driven, *, startup: float) -> dict[str, float]:
    steps = int(rollout.stepper.state().step[0])
    simulated = steps * rollout.settings.dt
    return {
        "startup_s": startup,
        "wall_s": driven.wall,
        "simulated_s": simulated,
        "real_time_factor": simulated / driven.wall if driven.wall else float("nan"),
        "us_per_step": 1e6 * driven.wall / steps if steps else float("nan"),
    }


def _print_summary(written: dict[str, Any]) -> None:
    """The measures as a table, then how long it took and where the files are."""
    from rich.console import Console
    from rich.table import Table

    from pushpoint.simulation.measures import UNITS

    table = Table("measure", "value", "unit", title=f"{written['name']}: {written['status']}", title_justify="left")
    table.columns[1].justify = "right"
    for name, value in written["measures"].items():
        table.add_row(name.replace("_", " "), "-" if value is None else f"{value:.4g}", UNITS.get(name, ""))
    console = Console()
    console.print(table)
    timing = written["timing"]
    taken = f"in {timing['wall_s']:.3g} s, after {timing['startup_s']:.3g} s of startup"
    drawn = f"; media in {timing['media_s']:.3g} s" if "media_s" in timing else ""
    typer.echo(f"simulated {timing['simulated_s']:g} s {taken}{drawn}")
    for path in written["files"].values():
        typer.echo(f"wrote {path}")


def _remark(written: dict[str, Any], exit_status: int) -> str:
    if exit_status == FAILED:
        return f"error: {written['status']}; the samples up to there are kept"
    if exit_status == INTERRUPTED:
        return f"interrupted after {written['timing']['simulated_s']:g} s; the samples up to there are kept"
    return ""
