"""`pushpoint run` and `render`: simulate a published experiment or a scenario file, and draw what was saved."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import outputs
from pushpoint.cli.folders import Results, check_kind, check_run, picture_names, writing_in
from pushpoint.cli.outputs import FAILED, AsJson, Changes, Folder, Target
from pushpoint.errors import BadFile, InvalidModel, PushpointError

if TYPE_CHECKING:
    import xarray

    from pushpoint.scenarios.scenario import Scenario


MOST_DRAWN = 200_000
"""Samples of a long run that pictures show [-]."""
MOST_IN_MEMORY = 1_000_000_000
"""Size of results above which a run is written to its file while it goes on [bytes]."""


def run(
    target: Target,
    changes: Changes = None,
    out: Folder = None,
    duration: Annotated[str | None, typer.Option(metavar="SECONDS", help="Simulated time.")] = None,
    dt: Annotated[str | None, typer.Option(metavar="SECONDS", help="Time step.")] = None,
    media: Annotated[
        bool,
        typer.Option(
            "--media/--no-media", help="Also draw course.png, figures/, run.mp4 and replay.html, or no picture at all."
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Simulate a published experiment or a scenario file.

    Writes run.nc and summary.json, and unless --no-media is given course.png, figures/*.png, run.mp4 and replay.html.
    """
    begun = time.perf_counter()
    with outputs.stoppable():
        times = {"duration": outputs.number_of(duration, "duration"), "dt": outputs.number_of(dt, "settings.dt")}
        scenario = outputs.single_scenario(target, changes).with_changes(**times)
        folder = out or outputs.default_folder(scenario.name)
        recording = recording_of(scenario, folder)
        rollout = scenario.rollout(recording)
        outputs.prepare_folder(folder)
        check_kind(folder, "run.nc")
        result, timing, exit_status = outputs.drive_scenario(scenario, rollout, begun)
        steps, wall = int(rollout.stepper.state().step[0]), timing["wall_s"]
        simulated = steps * rollout.settings.dt
        timing |= {
            "simulated_s": simulated,
            "real_time_factor": simulated / wall if wall else float("nan"),
            "us_per_step": 1e6 * wall / steps if steps else float("nan"),
        }
        about = {"name": scenario.name, "timing": timing}
        written, results = _write(result, folder, about, media=media, recording=recording)
    outputs.tell(written, as_json, _print)
    remarks = results.remarks
    if exit_status:
        stopped = f"interrupted after {written['timing']['simulated_s']:g} s"
        what = f"error: {written['status']}" if exit_status == FAILED else stopped
        remarks.append(f"{what}; the samples up to there are kept" if results.files else what)
    end_with(remarks, exit_status or FAILED * results.failed)


def end_with(remarks: list[str], exit_status: int = 0) -> None:
    """Says what there is to remark and ends the command."""
    for remark in remarks:
        typer.echo(remark, err=True)
    raise typer.Exit(exit_status)


def recording_of(scenario: Scenario, folder: Path) -> Path | None:
    """Where a run is written while it goes on; None if it has room in memory."""
    from pushpoint.simulation.estimate import estimate_of

    if scenario.varies is not None or estimate_of(scenario.experiment).recording <= MOST_IN_MEMORY:
        return None
    return folder / "recording.nc"


def _write(
    run: xarray.Dataset, folder: Path, about: dict[str, Any], *, media: bool, recording: Path | None = None
) -> tuple[dict[str, Any], Results]:
    """Writes run.nc, summary.json and the media; the summary again after these, with their names in it.

    A run that was written to a file as it went on has that file as `recording`, which becomes run.nc. Returns the
    summary, with the paths of the files in it, and what was written.
    """
    from pushpoint.simulation.measures import MEASURES, averaging_window, notes, per_motor, summary as measures_of
    from pushpoint.simulation.run_ids import identified

    summary = {
        "name": about["name"],
        **outputs.standing(run),
        "measures": (measures := measures_of(run)),
        "definitions": {name: {"unit": MEASURES[name].unit, "meaning": MEASURES[name].meaning} for name in measures},
        "averaging": averaging_window(run).document(),
        "notes": notes(run),
        "motors": per_motor(run),
        **about,
    }
    results = Results(folder, identified(run), others=("summary.json", *picture_names()), recording=recording)
    run.close()  # a recording is completed when it is put in place
    with writing_in(folder):
        results.save("run", "run.nc")
        written = results.summarise(summary)
        if media:
            begun = time.perf_counter()
            if recording is not None:
                _thin_out(results)
            _draw_media(results)
            timing = about["timing"] | {"media_s": time.perf_counter() - begun}
            written = results.summarise(summary | {"timing": timing})
    return written, results


def _thin_out(results: Results) -> None:
    """Lets pictures show some of the samples of a long run: they read what they show into memory."""
    every = -(-results.run.sizes["time"] // MOST_DRAWN)
    if every > 1:
        results.run = results.run.isel(time=slice(None, None, every))
        results.remarks.append(f"pictures show one sample of {every}; the results hold all of them")


def _draw_media(results: Results) -> None:
    """Writes course.png and the media, saying on a terminal which; remarks why others are left out."""
    from rich.console import Console

    from pushpoint import plots
    from pushpoint.gallery import write_media

    folder = results.folder
    if folder is None:
        return
    reasons: dict[str, list[str]] = {}

    def leave_out(file: str, why: PushpointError) -> None:
        if isinstance(why, BadFile):
            results.fail(why)
        else:
            reasons.setdefault(str(why), []).append(file)

    console = Console(stderr=True)
    with console.status("media") if console.is_terminal else contextlib.nullcontext() as status:
        results.draw("figure", "course.png", lambda: plots.course(results.run))
        files = write_media(
            results.run,
            folder,
            begin=lambda file: None if status is None else status.update(f"writing {folder / file}"),
            progress=lambda file, share: (
                None if status is None else status.update(f"writing {folder / file}: {100.0 * share:.0f} %")
            ),
            leave_out=leave_out,
        )
    results.files |= {name: file.relative_to(folder).as_posix() for name, file in files.items()}
    results.remarks += [f"no {' and no '.join(names)}: {reason}" for reason, names in reasons.items()]


def _print(written: dict[str, Any]) -> None:
    """The measures as a table, then how long it took."""
    rows = [
        (name.replace("_", " "), "-" if value is None else f"{value:.4g}", *written["definitions"][name].values())
        for name, value in written["measures"].items()
    ]
    title = f"{written['name']}: {written['status']}"
    outputs.print_table(("measure", "value", "unit", "meaning"), rows, numbers=slice(1, 2), title=title)
    for note in written["notes"]:
        typer.echo(note)
    outputs.print_warnings(written["warnings"])
    print_timing(written["timing"], "")


def print_timing(timing: dict[str, float], where: str) -> None:
    """How long it took."""
    drawn = f"; media in {timing['media_s']:.3g} s" if "media_s" in timing else ""
    taken = f"in {timing['wall_s']:.3g} s, after {timing['startup_s']:.3g} s of startup"
    typer.echo(f"simulated {timing['simulated_s']:g} s {where}{taken}{drawn}")


def render(
    run: Annotated[Path, typer.Argument(metavar="RUN.nc", help="A run as `pushpoint run` or pp.save writes it.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the pictures; default: that of the run.")] = None,
    world: Annotated[int, typer.Option(help="Which world, of a run of several.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Draw a saved run again.

    Writes course.png, figures/*.png, run.mp4 and replay.html.
    """
    from pushpoint.simulation.storage import load

    found = load(run)
    if "world" in found.dims:
        if world not in range(found.sizes["world"]):
            raise InvalidModel("--world", world, f"0 to {found.sizes['world'] - 1}")
        found = found.isel(world=world)
    folder = outputs.prepare_folder(out or run.parent)
    results = Results(folder, found, others=picture_names())
    with writing_in(folder):
        check_run(folder, run, found)
        results.remove_others()
        _draw_media(results)
    outputs.tell({"files": results.paths}, as_json, lambda _: None)
    end_with(results.remarks, FAILED * results.failed)
