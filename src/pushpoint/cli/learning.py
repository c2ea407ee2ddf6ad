"""`pushpoint learn`: what trained policies are worth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import outputs
from pushpoint.cli.folders import writing_in
from pushpoint.cli.known_names import complete_controllers
from pushpoint.cli.outputs import AsJson
from pushpoint.cli.studying.study import EVERY
from pushpoint.errors import InvalidModel

if TYPE_CHECKING:
    from pushpoint.studies.running.driving import Standing
    from pushpoint.studies.scoreboard import Scoring

app = typer.Typer(help="Score trained policies.", rich_markup_mode=None)

MOST_SEEDS = 10_000
"""Most courses of one score [-]."""


@app.callback()
def _group() -> None:
    """Keeps `score` a command of its own while it is the only one."""


@app.command("score", epilog="Example: pushpoint learn score touch-v1 --seeds 3000:3002 --short")
def score_policy(
    policy: Annotated[
        str,
        typer.Argument(
            metavar="POLICY",
            help="A policy or a controller by name, such as touch-v1, or a policy file.",
            autocompletion=complete_controllers,
        ),
    ],
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Use the two held-out sets: once, at the end; the result says so.")
    ] = False,
    seeds: Annotated[
        str | None, typer.Option(metavar="FIRST:END", help="Course seeds, the end left out; default: validation.")
    ] = None,
    duration: Annotated[float, typer.Option(metavar="SECONDS", help="Simulated time of a trial.")] = 100.0,
    short: Annotated[bool, typer.Option("--short", help="Leave the robustness table out.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: out/POLICY-score.")] = None,
    as_json: AsJson = False,
) -> None:
    """Score a policy on fixed courses.

    Success, time, energy and causes of failure beside the continuous controller, drift on bare ground, touch taken
    away, the published environments and robustness. Writes score.json and keeps the trials: stopped work goes on.
    """
    from pushpoint.studies.controllers import controller_of
    from pushpoint.studies.scoreboard import Scoring, score

    with outputs.stoppable():
        sets = _sets(held_out, seeds)
        robustness = not (short or held_out)  # robustness is a question of development
        scoring = Scoring(
            policy=controller_of(policy), name=_name(policy), seeds=sets, robustness=robustness, duration=duration
        )
        folder = outputs.prepare_folder(out or outputs.default_folder(_name(policy), "-score"))
    store = folder / "trials"
    with outputs.keeping(store, "trials") as progress:
        document = score(scoring, store, _telling(progress))
    with outputs.stoppable(), writing_in(folder):
        document = {"policy": policy, "held_out": _touched(scoring)} | document | {"files": FILES}
        written = outputs.write_json(folder / FILES["score"], document)
    outputs.tell(written | {"files": {what: str(folder / name) for what, name in FILES.items()}}, as_json, _print)


FILES = {"score": "score.json"}


def _name(policy: str) -> str:
    """What tables call it: a policy file by its name alone."""
    from pushpoint.control.policy_files import SUFFIXES

    return Path(policy).stem if Path(policy).suffix in SUFFIXES else policy


def _touched(scoring: Scoring) -> bool:
    """Whether any of the courses is held out."""
    from pushpoint.studies.splits import split_of

    return any((split_of(seed) or "").endswith("held-out") for seeds in scoring.seeds.values() for seed in seeds)


def _sets(held_out: bool, seeds: str | None) -> dict[str, range]:
    """The courses by the names of their sets."""
    from pushpoint.studies.splits import SPLITS, seeds_of, split_of

    if seeds is None:
        names = [name for name in SPLITS if name.endswith("held-out")] if held_out else ["validation"]
        return {name: seeds_of(name) for name in names}
    first, colon, end = seeds.partition(":")
    if held_out or not (colon and first.isdecimal() and end.isdecimal()):
        allowed = "left out: --held-out means all held-out courses" if held_out else "two whole numbers, FIRST:END"
        raise InvalidModel("--seeds", seeds, allowed)
    if not 1 <= int(end) - int(first) <= MOST_SEEDS:
        raise InvalidModel("--seeds", seeds, f"1 to {MOST_SEEDS:,} courses")
    asked = range(int(first), int(end))
    for seed in asked:
        if (split_of(seed) or "").endswith("held-out"):
            raise InvalidModel("--seeds", seeds, f"without seed {seed}, which is held out: --held-out asks for those")
    return {split_of(asked[0]) or "own seeds": asked}


def _telling(progress: Callable[[int, int], None]) -> Callable[[str, Standing], None]:
    """Says from time to time which comparison is run, and how far it is."""
    said = time.monotonic()

    def told(name: str, standing: Standing) -> None:
        nonlocal said
        done = standing.reused + standing.simulated
        progress(done, standing.worlds)
        if time.monotonic() - said > EVERY:
            said = time.monotonic()
            typer.echo(f"{name}: {done} of {standing.worlds} trials", err=True)

    return told


def _share(summary: Mapping[str, Any]) -> str:
    low, high = (100.0 * end for end in summary["success_95"])
    return f"{summary['passed']} of {summary['trials']} ({low:.0f} to {high:.0f} %)"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _rows(document: Mapping[str, Any]) -> Iterator[list[str]]:
    """One row per comparison and controller: what is asked, who, passed, time, energy, causes."""
    parts: list[tuple[str, Mapping[str, Any]]] = [*document["splits"].items()]
    for split, asked in document["without touch"].items():
        parts += [(f"{split}, {name}", each) for name, each in asked.items()]
    parts += [*document["environments"].items(), *document.get("robustness", {}).items()]
    for name, found in parts:
        for label, summary in found["controllers"].items():
            causes = ", ".join(f"{count} {cause}" for cause, count in summary["causes"].items() if cause != "passed")
            seconds, energy = _number(summary["time_to_pass"], ".1f"), _number(summary["energy_per_metre"], ".0f")
            yield [name, label, _share(summary), seconds, energy, causes]


def _print(document: dict[str, Any]) -> None:
    columns = ["", "controller", "passed, 95 %", "time [s]", "energy [J/m]", "failures"]
    outputs.print_table(columns, _rows(document), numbers=slice(2, 5))
    for name, found in document["splits"].items():
        pair = found["paired"]
        typer.echo(
            f"{name}: only {pair['first']} passes {pair['only_first']}, only {pair['second']} {pair['only_second']}; "
            f"p = {pair['p_value']:.2g} (exact McNemar test)"
        )
    drift = document["drift"]
    for who, found in drift.items():
        if isinstance(found, dict):
            said = ", ".join(f"{each['farthest_m']:.3f} m with {name}" for name, each in found.items())
            typer.echo(f"{who} on bare ground, farthest of {next(iter(found.values()))['starts']} starts: {said}")
    rule = f"never more than {drift['rule_m']:g} m within {drift['time_s']:g} s"
    typer.echo(f"the rule that the robot may not swim ({rule}) is {'kept' if drift['kept'] else 'broken: no score'}")
    for name, share in document["score"].items():
        typer.echo(f"score on {name}: {100.0 * share:.0f} %{' (held out)' if document['held_out'] else ''}")
