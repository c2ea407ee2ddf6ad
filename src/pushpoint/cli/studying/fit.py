"""`pushpoint fit`: parameters that explain a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pushpoint.cli import outputs
from pushpoint.cli.folders import writing_in
from pushpoint.cli.outputs import AsJson, Changes, Folder, Target
from pushpoint.cli.recordings import MappingFile, recording_from
from pushpoint.errors import InvalidModel

FILES = {"fit": "fit.json", "scenario": "fitted.yaml", "residual": "residual.png"}
"""What is written, by name."""


def fit(
    recording: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="CSV with columns t, joint_angle[3] and so on; MCAP; a ROS bag.")
    ],
    target: Target,
    vary: Annotated[
        list[str],
        typer.Option(
            "--vary",
            metavar="KEY=LOW:HIGH[:log]",
            help="A parameter and its range; repeatable.",
        ),
    ],
    changes: Changes = None,
    mapping: MappingFile = None,
    out: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Fit parameters of a scenario to a recording.

    Finds friction, motor gains, backlash, delay or any other number of the scenario, with 95 % intervals, and says what
    the recording cannot tell apart. Writes fit.json, the scenario as fitted.yaml, and residual.png.
    """
    from pushpoint import plots
    from pushpoint.scenarios.files import write_scenario
    from pushpoint.studies.fitting.figures import residual_figure
    from pushpoint.studies.fitting.fit import fit as find

    with outputs.stoppable():
        space = dict(_range(text) for text in vary)
        if len(space) < len(vary):
            raise InvalidModel("--vary", vary, "different keys")
        scenario = outputs.single_scenario(target, changes)
        folder = outputs.prepare_folder(out or outputs.default_folder(scenario.name, "-fit"))
        found = find(recording_from(recording, mapping), scenario, space)
    with outputs.stoppable(), writing_in(folder):
        about = {"name": scenario.name, "recording": recording.name, "files": FILES}
        written = outputs.write_json(folder / FILES["fit"], about | found.document())
        write_scenario(found.scenario, folder / FILES["scenario"])
        plots.save_figure(residual_figure(found), folder / FILES["residual"])
    paths = {"files": {what: str(folder / name) for what, name in FILES.items()}}
    outputs.tell(written | paths, as_json, _print)


def _range(text: str) -> tuple[str, Any]:
    """The key and the range of an option such as ground.friction.along=0.05:0.5:log."""
    from pushpoint.studies.optimising.space import Bounds

    name, equals, ends = text.partition("=")
    parts = ends.split(":")
    try:
        low, high = (float(part) for part in parts[:2])
    except ValueError:
        low = high = float("nan")
    if not equals or len(parts) not in (2, 3) or parts[2:] not in ([], ["log"]) or low != low:
        raise InvalidModel(
            "--vary", text, "KEY=LOW:HIGH or KEY=LOW:HIGH:log, such as ground.friction.along=0.05:0.5:log"
        )
    try:
        return name.strip(), Bounds(low=low, high=high, scale="log" if parts[2:] else "linear")
    except InvalidModel as error:
        raise InvalidModel("--vary", text, f"a range: {error}") from None


def _print(written: dict[str, Any]) -> None:
    """The parameters as a table, then the sentences about what is not known."""
    rows = [
        (name, *(f"{each[key]:.4g}" for key in ("value", "low", "high")), "" if each["known"] else "not told")
        for name, each in written["parameters"].items()
    ]
    title = f"{written['name']}: {written['recording']}"
    outputs.print_table(("parameter", "value", "95 % from", "to", ""), rows, numbers=slice(1, 4), title=title)
    for sentence in written["sentences"][len(rows) :]:
        typer.echo(sentence)
    for name, size in written["noise"].items():
        typer.echo(f"what is left of {name} has a standard deviation of {size:.3g}")
