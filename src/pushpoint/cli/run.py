"""`pushpoint run` and `render`: simulate a published experiment or a scenario file, and draw what was saved."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import outputs
from pushpoint.cli.outputs import FAILED, INTERRUPTED, AsJson, Target

if TYPE_CHECKING:
    import xarray

    from pushpoint.scenarios.scenario import Scenario
    from pushpoint.simulation.simulate import Rollout


def run(
    target: Target,
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
    as_json: AsJson = False,
) -> None:
    """Simulate a published experiment or a scenario file.

    Writes run.nc, summary.json and course.png; and figures/*.png, run.mp4 and replay.html unless told not to.
    """
    from pushpoint.papers.registry import scenario as published

    begun = time.perf_counter()
    with outputs.stoppable():
        scenario = _timed(published(target, changes or ()), duration, dt)
        rollout = scenario.rollout()
        folder = outputs.prepare_folder(out or outputs.default_folder(scenario.name))
        result, summary, exit_status = _simulate(scenario, rollout, begun)
        written, remarks = outputs.write_outputs(result, folder, summary, media=media)
    outputs.tell(written, as_json, _print_summary)
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
    from pushpoint.cli.progress import drive_scenario
    from pushpoint.simulation.measures import per_motor, summary as measures_of

    result, timing, exit_status = drive_scenario(scenario, rollout, begun)
    steps, wall = int(rollout.stepper.state().step[0]), timing["wall_s"]
    simulated = steps * rollout.settings.dt
    timing |= {
        "simulated_s": simulated,
        "real_time_factor": simulated / wall if wall else float("nan"),
        "us_per_step": 1e6 * wall / steps if steps else float("nan"),
    }
    summary = {
        "name": scenario.name,
        "status": result.attrs["status"],
        "status_code": result.attrs["status_code"],
        "measures": measures_of(result),
        "motors": per_motor(result),
        "timing": timing,
    }
    return result, summary, exit_status


def _print_summary(written: dict[str, Any]) -> None:
    """The measures as a table, then how long it took and where the files are."""
    from pushpoint.simulation.measures import UNITS

    rows = [
        (name.replace("_", " "), "-" if value is None else f"{value:.4g}", UNITS.get(name, ""))
        for name, value in written["measures"].items()
    ]
    title = f"{written['name']}: {written['status']}"
    outputs.print_table(("measure", "value", "unit"), rows, numbers=slice(1, 2), title=title)
    timing = written["timing"]
    taken = f"in {timing['wall_s']:.3g} s, after {timing['startup_s']:.3g} s of startup"
    drawn = f"; media in {timing['media_s']:.3g} s" if "media_s" in timing else ""
    typer.echo(f"simulated {timing['simulated_s']:g} s {taken}{drawn}")
    outputs.print_files(written["files"])


def _remark(written: dict[str, Any], exit_status: int) -> str:
    if exit_status == FAILED:
        return f"error: {written['status']}; the samples up to there are kept"
    if exit_status == INTERRUPTED:
        return f"interrupted after {written['timing']['simulated_s']:g} s; the samples up to there are kept"
    return ""


def render(
    run: Annotated[Path, typer.Argument(metavar="RUN.nc", help="A run as `pushpoint run` or pp.save writes it.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the pictures; default: that of the run.")] = None,
    world: Annotated[int, typer.Option(help="Which world, of a run of several.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Draw a saved run again: course.png, figures/*.png, run.mp4 and replay.html."""
    from pushpoint.errors import InvalidModel
    from pushpoint.simulation.storage import load

    found = load(run)
    if "world" in found.dims:
        if world not in range(found.sizes["world"]):
            raise InvalidModel("--world", world, f"0 to {found.sizes['world'] - 1}")
        found = found.isel(world=world)
    files, remarks = outputs.write_pictures(found, outputs.prepare_folder(out or run.parent), media=True)
    outputs.tell({"files": files}, as_json, lambda _: outputs.print_files(files))
    for remark in remarks:
        typer.echo(remark, err=True)
