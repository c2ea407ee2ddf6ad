"""`pushpoint show`, `check`, `schema` and `references`: what scenarios say, without running them."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.known_names import complete_robots
from pushpoint.cli.outputs import (
    FAILED,
    AsJson,
    Changes,
    Target,
    default_folder,
    number_of,
    print_table,
    single_scenario,
    tell_of_edits,
)
from pushpoint.errors import MOST_NAMED, PushpointError, UnknownName, one_line

if TYPE_CHECKING:
    from pushpoint.interchange import JointReferences, Violation
    from pushpoint.model.spatial_robot import AnyRobot
    from pushpoint.scenarios.scenario import Scenario


def show_scenario(
    target: Target,
    changes: Changes = None,
) -> None:
    """Print a scenario as YAML.

    `pushpoint show transeth2008a/flat > mine.yaml` makes a file to change and run.
    """
    from pushpoint.description.files import text_of
    from pushpoint.scenarios.files import document_of

    text = text_of(document_of(single_scenario(target, changes)))
    # Bytes, so that what is redirected is a scenario file whatever the terminal's letters are; if it takes bytes.
    typer.echo(text.encode() if hasattr(sys.stdout, "buffer") else text, nl=False)


def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scenario files, or folders of results.")],
) -> None:
    """Say whether scenario files can be run.

    The start is looked at as well. Of a folder of results it says whether all files are of one run. Ends with status 1
    if something is wrong.
    """
    from pushpoint.cli.folders import check_folder
    from pushpoint.scenarios.files import read_scenario

    wrong = 0
    for file in files:
        try:
            if file.is_dir():
                typer.echo(f"{file}: fine: {check_folder(file)}")
                continue
            scenario = read_scenario(file)
            scenario.rollout()
            typer.echo(f"{file}: fine: {scenario.world.robot.n_links} links, {scenario.duration:g} s")
        except PushpointError as error:
            wrong += 1
            sentence, named = str(error), one_line(file, MOST_NAMED)
            typer.echo(sentence if sentence.startswith(named) else f"{named}: {sentence}", err=True)
    raise typer.Exit(FAILED if wrong else 0)


def schema() -> None:
    """Print the JSON schema of scenario files.

    Editors check and complete YAML with it: `pushpoint schema > scenario.schema.json`.
    """
    from pushpoint.description.schema import document_schema

    typer.echo(json.dumps(document_schema(), indent=2))


def references(
    target: Target,
    robot: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Another robot of the catalogue; default: the scenario's.",
            autocompletion=complete_robots,
        ),
    ] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="HZ", help="Rows per second; default: the controller's own, or 30.")
    ] = None,
    duration: Annotated[str | None, typer.Option(metavar="SECONDS", help="Default: the scenario's.")] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Default: out/NAME/references.csv, with --robot its name, too.")
    ] = None,
    radians: Annotated[bool, typer.Option("--radians", help="Angles in radians instead of degrees.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 and write nothing if a limit of the robot is violated.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write joint references as CSV for hardware.

    Lists where they go beyond the robot's limits. Nothing is simulated: gaits and shape-curve followers without
    feedback know their references beforehand.
    """
    from pushpoint.gaits import WaveGait
    from pushpoint.interchange import joint_references, limit_violations, write_csv
    from pushpoint.interchange.references import OWN_RATE
    from pushpoint.model.catalogue import ROBOTS

    scenario = single_scenario(target)
    if robot is not None and robot not in ROBOTS:
        raise UnknownName("robot", robot, ROBOTS)
    chosen = scenario.world.robot if robot is None else ROBOTS[robot]()
    driver = scenario.world.controller
    if driver is None:
        raise PushpointError(f"{scenario.name} has no controller: its motors are off, so there are no references")
    own = OWN_RATE if isinstance(driver, WaveGait) else driver.rate
    per_second = own if rate is None else number_of(rate, "rate")
    end = scenario.duration if duration is None else number_of(duration, "duration")
    found = joint_references(driver, chosen, duration=end, rate=per_second)
    violations = limit_violations(found, chosen)
    refused = strict and bool(violations)
    tell_of_edits(scenario)
    files = {}
    if not refused:
        usual = default_folder(scenario.name) / f"references{f'-{robot}' if robot else ''}.csv"
        files["references"] = str(write_csv(found, output or usual, radians=radians))
    summary = _summary(scenario, chosen, found, violations) | {"files": files}
    if as_json:
        typer.echo(json.dumps(summary))
    else:
        _print(summary, violations)
    if refused:
        typer.echo(f"error: {_count(violations)} of {chosen.name} violated, so nothing was written", err=True)
        raise typer.Exit(FAILED)


def _summary(
    scenario: Scenario, robot: AnyRobot, found: JointReferences, violations: list[Violation]
) -> dict[str, Any]:
    """What is printed, in degrees: the largest angle and speed of each kind of joint, and the violations."""
    import numpy as np

    limits = [robot.motor_column(name) for name in ("lower", "upper", "speed_limit")]
    largest = {}
    for kind in dict.fromkeys(found.names):
        columns = [j for j, name in enumerate(found.names) if name == kind]
        largest[kind] = {
            "joints": len(columns),
            "angle_deg": degrees(abs(found.angles[:, columns]).max()),
            "speed_deg_per_s": degrees(found.speeds[:, columns].max()),
        }
    return {
        "name": scenario.name,
        "robot": robot.name,
        "rate_hz": found.rate,
        "duration_s": float(found.times[-1]),
        "rows": len(found.times),
        "largest": largest,
        "limited_joints": int(np.isfinite(limits).any(axis=0).sum()),  # published robots often come without any
        "violations": [_in_degrees(violation) for violation in violations],
    }


def _in_degrees(violation: Violation) -> dict[str, Any]:
    unit = "deg" if violation.quantity == "angle" else "deg_per_s"
    fields = asdict(violation)
    limit, excess = degrees(fields.pop("limit")), degrees(fields.pop("excess"))
    times = {"first_time_s": fields.pop("first_time"), "duration_s": fields.pop("duration")}
    return fields | {f"limit_{unit}": limit, f"excess_{unit}": excess} | times


def _print(summary: dict[str, Any], violations: list[Violation]) -> None:
    """The largest values as a table, then the violations and where the file is."""
    typer.echo(f"{summary['name']} on {summary['robot']}")
    rows = [
        (kind, str(most["joints"]), f"{most['angle_deg']:.2f}", f"{most['speed_deg_per_s']:.2f}")
        for kind, most in summary["largest"].items()
    ]
    columns = ("joints", "number", "largest angle [deg]", "largest speed [deg/s]")
    print_table(columns, rows, numbers=slice(1, None))
    for violation in violations:
        typer.echo(str(violation))
    if violations:
        typer.echo(f"{_count(violations)} violated")
    else:
        limited, unlimited = summary["limited_joints"], f"{summary['robot']} has no limits to check against"
        typer.echo(f"within the limits of {limited} joints" if limited else unlimited)
    for path in summary["files"].values():
        every = f"{summary['rows']} rows, {summary['rate_hz']:g} per second from 0 to {summary['duration_s']:g} s"
        typer.echo(f"wrote {path}: {every}")


def _count(violations: list[Violation]) -> str:
    joints = len({violation.joint for violation in violations})
    return f"{len(violations)} limit{'s'[: len(violations) != 1]} of {joints} joint{'s'[: joints != 1]}"
