"""`pushpoint compare`: controllers that feel their way; `compare-recording`: a recorded path laid over a run."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import outputs
from pushpoint.cli.folders import writing_in
from pushpoint.cli.known_names import complete_controllers, complete_experiments
from pushpoint.cli.outputs import AsJson
from pushpoint.cli.recordings import recording_from
from pushpoint.cli.studying.study import StudyBar
from pushpoint.errors import InvalidModel
from pushpoint.whole_files import remove_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pushpoint.studies.places import Place

USUAL_COURSES, MOST_COURSES, MOST_STARTS = 20, 10_000, 100
"""Random courses unless said otherwise, and the most courses and starts that are taken [-]."""


def compare(
    controllers: Annotated[
        list[str],
        typer.Argument(
            metavar="CONTROLLER ...",
            help="Names, such as hybrid or continuous:gain=0.1,speed=0.12.",
            autocompletion=complete_controllers,
        ),
    ],
    courses: Annotated[
        int | None, typer.Option(metavar="N", help="Random courses; default: 20, or none beside --on.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the first course; the others follow.")] = 0,
    starts: Annotated[int, typer.Option(help="Starts per course; those after the first are perturbed.")] = 1,
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            metavar="NAME-or-FILE",
            help="Robot, course and start of a scenario; repeatable.",
            autocompletion=complete_experiments,
        ),
    ] = None,
    duration: Annotated[float, typer.Option(metavar="SECONDS", help="Simulated time of a trial.")] = 100.0,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/compare"),
    as_json: AsJson = False,
) -> None:
    """Compare controllers that feel their way.

    They go through random courses of obstacles, or those of scenarios. Controllers are continuous, hybrid, hybrid-tuned
    and leader-follower, in SI units and radians, and trained policies such as touch-v1 or mine.json. Writes
    comparison.json and comparison.png. Trials that were finished before with the same sources are not run again.
    """
    from pushpoint.studies.comparison import ControllerComparison
    from pushpoint.studies.comparison_figure import comparison_figure
    from pushpoint.studies.comparison_study import compare_in
    from pushpoint.studies.controllers import controller_of

    begun = time.perf_counter()
    with outputs.stoppable():
        named: dict[str, Any] = {}
        for text in controllers:
            if text in named:
                raise InvalidModel("controller", text, "given once")
            named[text] = controller_of(text)
        places = _places(courses, seed, starts, on or [])
        asked = ControllerComparison(controllers=named, places=places, duration=duration)
        outputs.prepare_folder(out)
        store = out / "trials"
        count = len(named) * sum(len(place.starts) for place in places)
    with outputs.keeping(store, "trials") as progress, StudyBar("trials", count, progress) as watch:
        found = compare_in(store, asked, watch=watch)
    with outputs.stoppable(), writing_in(out):
        document = found.document() | {"timing": {"wall_s": time.perf_counter() - begun}}
        written = _write(out, document, comparison_figure(document))
    outputs.tell(written, as_json, _print)


FILES = {"comparison": "comparison.json", "figure": "comparison.png"}
"""What is written, by name: where it lies is said, but not kept."""


def _write(folder: Path, document: dict[str, Any], figure: Figure) -> dict[str, Any]:
    """Writes a comparison and its figure; returns it with the paths of both.

    An earlier figure leaves before the new comparison comes, so that the two are never of different questions.
    """
    from pushpoint import plots

    document_file, picture = (folder / name for name in FILES.values())
    written = outputs.write_json(document_file, document | {"files": FILES}, before=lambda: remove_file(picture))
    plots.save_figure(figure, picture)
    return written | {"files": {what: str(folder / name) for what, name in FILES.items()}}


def _places(courses: int | None, seed: int, starts: int, targets: list[str]) -> list[Place]:
    from pushpoint.studies.places import random_place, scenario_place

    count = (0 if targets else USUAL_COURSES) if courses is None else courses
    least = 0 if targets else 1
    if not least <= count <= MOST_COURSES:
        raise InvalidModel("--courses", count, f"{least} to {MOST_COURSES}")
    if not 1 <= starts <= MOST_STARTS:
        raise InvalidModel("--starts", starts, f"1 to {MOST_STARTS}")
    if seed < 0:
        raise InvalidModel("--seed", seed, "a whole number >= 0")
    own = [scenario_place(outputs.single_scenario(target), starts) for target in targets]
    return own + [random_place(seed + k, starts) for k in range(count)]


ROWS = {
    "progress": ("way of the head [m]", 1.0, ".2f"),
    "advance": ("way of the centre of mass [m]", 1.0, ".2f"),
    "time_to_pass": ("time to pass [s]", 1.0, ".1f"),
    "speed": ("speed [cm/s]", 100.0, ".2f"),
    "stops": ("stops", 1.0, ".3g"),
    "resolutions": ("jams resolved", 1.0, ".3g"),
    "energy_per_metre": ("energy [J/m]", 1.0, ".0f"),
    "torque_reversals": ("torque reversals [1/s]", 1.0, ".2f"),
    "touched": ("links touched", 1.0, ".2f"),
}
"""Medians in the table: name, factor and format."""


def _rows(summaries: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Of the table, which has a column per controller."""
    yield ["passed", *(f"{each['passed']} of {each['trials']}" for each in summaries)]
    yield [
        "success, 95 % [%]",
        *(" to ".join(f"{100.0 * end:.0f}" for end in each["success_95"]) for each in summaries),
    ]
    for name, (heading, factor, form) in ROWS.items():
        values = [each[name] for each in summaries]
        yield [heading, *("-" if value is None else format(factor * value, form) for value in values)]
    for cause in dict.fromkeys(cause for each in summaries for cause in each["causes"] if cause != "passed"):
        yield [cause, *(str(each["causes"].get(cause, 0)) for each in summaries)]


def _print(written: dict[str, Any]) -> None:
    """The table, the pairs, what was blocked or moved and how long it took."""
    summaries = written["controllers"]
    trials = sum(summary["trials"] for summary in summaries.values())
    if trials:
        outputs.print_table(["median over trials", *summaries], _rows(list(summaries.values())), numbers=slice(1, None))
    for pair in written["pairs"] if trials else []:
        low, high = (100.0 * end for end in pair["difference_95"])
        typer.echo(
            f"{pair['first']} against {pair['second']}: only the one passes {pair['only_first']}, only the other "
            f"{pair['only_second']}; {low:+.0f} to {high:+.0f} points, p = {pair['p_value']:.2g} (exact McNemar test)"
        )
    for place in written["places"]:
        if place["blocked"]:
            typer.echo(f"{place['name']} is blocked: there is no way through for this robot; not run")
        if place["note"]:
            typer.echo(f"{place['name']}: {place['note']}")
    before = f"; {written['done_before']} of them were done before" if written["done_before"] else ""
    taken = f"{trials} trials in {written['timing']['wall_s']:.3g} s"
    typer.echo(f"simulated {written['duration_s']:g} s in each of {taken}{before}")


WHOLE_ROBOT = "com"


def lay_recording(
    run_file: Annotated[Path, typer.Argument(metavar="RUN.nc", help="A result of `pushpoint run`.")],
    recording: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="CSV with times [s], x and y [m] and a header; MCAP; a ROS bag.")
    ],
    link: Annotated[
        str, typer.Option(metavar="NUMBER|com", help="Whose path was recorded; com: the robot's centre of mass.")
    ] = WHOLE_ROBOT,
    columns: Annotated[
        str, typer.Option(metavar="T,X,Y|FILE.yaml", help="Names of the columns of time, x and y; or a mapping file.")
    ] = "t,x,y",
    no_time_shift: Annotated[
        bool, typer.Option("--no-time-shift", help="Take the recorded times as they are.")
    ] = False,
    no_frame: Annotated[bool, typer.Option("--no-frame", help="Take the recorded places as they are.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: out/NAME-recording.")] = None,
    as_json: AsJson = False,
) -> None:
    """Lay a recorded path over a run.

    Finds the time offset and the planar frame that fit best, and says what error is left. Writes comparison.json and
    comparison.png.
    """
    from pushpoint import plots
    from pushpoint.simulation.provenance import experiment_of
    from pushpoint.simulation.recordings import CENTER_OF_MASS, compare_recording
    from pushpoint.simulation.storage import load

    if not (link == WHOLE_ROBOT or link.removeprefix("-").isdecimal()):
        raise InvalidModel("--link", link, f"the number of a link, or {WHOLE_ROBOT}")
    run = load(run_file)
    align = [what for what, fixed in (("time", no_time_shift), ("frame", no_frame)) if not fixed]
    names = [name.strip() for name in columns.split(",")]
    whose = CENTER_OF_MASS if link == WHOLE_ROBOT else int(link)
    given = recording_from(recording, Path(columns) if columns.endswith((".yaml", ".yml")) else None)
    found = compare_recording(run, given, link=whose, columns=names, align=align)
    name = experiment_of(run).name or "run"
    folder = out or outputs.default_folder(name, "-recording")
    outputs.prepare_folder(folder)
    with writing_in(folder):
        document = {"name": name, "run": run_file.name, **found.summary(), "recording": str(recording)}
        written = _write(folder, document, plots.recording(found, run))
    outputs.tell(written, as_json, _print_recording)
    if not no_time_shift and not found.time_is_sure:
        low, high = found.time_offset_range
        typer.echo(
            f"the path leaves the time offset open: others between {low:.3f} and {high:.3f} s fit as well", err=True
        )


def _print_recording(written: dict[str, Any]) -> None:
    """Errors and alignment as a table."""
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
    outputs.print_table(("measure", "value", "unit"), rows, numbers=slice(1, 2), title=title)
