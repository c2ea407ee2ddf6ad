"""`pushpoint sweep`: an experiment with one thing changed per world, published or your own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import outputs
from pushpoint.cli.folders import Results, check_kind, writing_in
from pushpoint.cli.known_names import complete_sweeps
from pushpoint.cli.outputs import FAILED, AsJson, Folder
from pushpoint.cli.run import end_with, print_timing
from pushpoint.cli.studying.study import StudyBar
from pushpoint.errors import InvalidModel, PushpointError, UnknownName

if TYPE_CHECKING:
    import xarray

    from pushpoint.scenarios.claim import Claim, Verdict
    from pushpoint.scenarios.scenario import Scenario

STORE = "worlds"
"""The folder inside that of the results where the runs of worlds are kept."""
MEASURES = ("mean_speed",)
"""What is shown of your own sweep unless said otherwise."""


def run_sweep(
    target: Annotated[
        str,
        typer.Argument(
            metavar="NAME-or-FILE",
            help="A name that `pushpoint list` shows after `sweep`; with --vary, any other or a YAML file.",
            autocompletion=complete_sweeps,
        ),
    ],
    vary: Annotated[
        str | None,
        typer.Option(metavar="KEY=V1,V2,...", help="Values of a key, such as controller.amplitude_deg=20,30,40."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="With --vary: a measure to show; default: mean_speed; repeatable."),
    ] = None,
    out: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Run an experiment with one thing changed per world.

    Writes runs.nc, summary.json and sweep.png. Worlds that were finished before with the same sources are not run
    again. With several keys, or thousands of worlds, use `pushpoint study`.
    """
    from pushpoint.studies.sweep_study import sweep_in

    begun = time.perf_counter()
    with outputs.stoppable():
        chosen = _sweep(target, vary, measure)
        folder = outputs.prepare_folder(out or outputs.default_folder(chosen.name, "-sweep" if vary else ""))
        check_kind(folder, "runs.nc")
        store, count = folder / STORE, len(chosen.experiment.worlds)
    with outputs.keeping(store, "worlds") as progress, StudyBar(chosen.name, count, progress) as watch:
        runs, standing = sweep_in(store, chosen, watch=watch)
    with outputs.stoppable():
        timing = {"startup_s": time.perf_counter() - standing.seconds - begun, "wall_s": standing.seconds}
        timing["simulated_s"] = float(runs.time[-1])
        written, results = write_sweep(chosen, runs, folder, {"done_before": standing.reused, "timing": timing})
    outputs.tell(written, as_json, _print)
    if failed := written["status_code"] != "finished":
        kept = "; the samples up to there are kept, without a verdict" if results.files else ""
        results.remarks.append(f"error: {written['status']}{kept}")
    end_with(results.remarks, FAILED * (failed or results.failed))


def _sweep(target: str, vary: str | None, measures: list[str] | None) -> Scenario:
    """The sweep that is asked for."""
    from pushpoint.papers.registry import is_sweep, scenario, scenario_names, sweep_names

    if vary is not None:
        from pushpoint.description.changes import KEY
        from pushpoint.description.files import parse_value
        from pushpoint.studies.sweep_study import sweep_over

        field, equals, text = vary.partition("=")
        values = parse_value(f"[{text}]", field) if equals and KEY.fullmatch(field) and text.strip() else None
        if not isinstance(values, list):
            raise InvalidModel("--vary", vary, "a key and values, such as controller.amplitude_deg=20,30,40")
        return sweep_over(outputs.single_scenario(target), field, values, measures or MEASURES)
    if measures:
        raise InvalidModel("--measure", measures[0], "left out without --vary")
    if is_sweep(target):
        return scenario(target)
    single = target in scenario_names()
    if single or Path(target).suffix in (".yaml", ".yml"):
        what = "a single run" if single else "a scenario file"
        raise PushpointError(f"'{target}' is {what}, not a sweep: pushpoint run {target}, or say what varies by --vary")
    raise UnknownName("sweep", target, sweep_names())


def write_sweep(
    sweep: Scenario, runs: xarray.Dataset, folder: Path, work: dict[str, Any]
) -> tuple[dict[str, Any], Results]:
    """Writes all files; runs that did not finish have neither measures, verdict nor figure.

    Returns the summary, with the paths of the files in it, and what was written.
    """
    from pushpoint import plots
    from pushpoint.papers.transeth2008a.scenarios import sweep_speeds
    from pushpoint.simulation.run_ids import identified

    varies, claim = sweep.varies, next(iter(sweep.claims), None)
    assert varies is not None
    found: Any = None
    verdict: Verdict | None = None
    results = Results(folder, identified(runs), others=("summary.json", "sweep.png"))
    with writing_in(folder):
        results.save("runs", "runs.nc")
        if runs.attrs["status_code"] == "finished":
            verdict = None if claim is None else claim.evaluate(lambda _: runs)
            found = sweep_speeds(sweep, runs) if varies.measures is None else varies.measures(runs)
            if varies.measures is None:
                results.draw("figure", "sweep.png", lambda: plots.sweep(sweep, found, verdict))
            else:
                results.draw("figure", "sweep.png", lambda: plots.sweep_effects(sweep, runs, verdict))
        about = {part: getattr(sweep, part) for part in ("name", "title", "source")} | outputs.standing(runs)
        about |= {
            "parameter": {"name": varies.parameter, "unit": varies.unit, "values": varies.values},
            **({"labels": varies.labels, "measures": found} if varies.labels else {"speeds_m_per_s": found}),
            "claim": None if claim is None else _judged(claim, verdict),
            **work,
        }
        return results.summarise(about), results


def _judged(claim: Claim, verdict: Verdict | None) -> dict[str, Any]:
    """A claim and what was found; without a verdict if the runs did not finish."""
    said = {part: getattr(claim, part) for part in ("id", "statement", "where", "recorded")}
    found = {} if verdict is None else dict(verdict.measured)
    return said | {"verdict": None if verdict is None else verdict.verdict, "measured": found}


def _print(written: dict[str, Any]) -> None:
    """What was found in every world as a table, then the verdict if something is claimed, and how long it took."""
    claim, parameter = written["claim"], written["parameter"]
    title = f"{written['name']}: {written['status']}"
    if "labels" in written:
        measures = written["measures"] or {}
        columns, numbers = (parameter["name"], *measures), slice(1, None)
        rows = [
            (label, *(f"{values[k]:.4g}" for values in measures.values())) for k, label in enumerate(written["labels"])
        ]
    else:
        unit = "" if parameter["unit"] == "1" else f" [{parameter['unit']}]"
        columns, numbers = (f"{parameter['name']}{unit}", "forward speed [cm/s]"), slice(None)
        speeds = written["speeds_m_per_s"] or [None] * len(parameter["values"])
        rows = [
            (f"{value:g}", "-" if speed is None else f"{100.0 * speed:.2f}")
            for value, speed in zip(parameter["values"], speeds, strict=True)
        ]
    outputs.print_table(columns, rows, numbers=numbers, title=title)
    outputs.print_warnings(written["warnings"])
    if claim is not None:
        typer.echo(f"{claim['id']}: {claim['statement']}: {claim['verdict'] or 'no verdict'}")
    print_timing(written["timing"], f"in each of {len(parameter['values'])} worlds ")
    if written["done_before"]:
        typer.echo(f"{written['done_before']} of the worlds were done before")
