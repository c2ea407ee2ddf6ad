"""`pushpoint robot`: what a URDF or an MJCF file holds as a robot of this library."""

from __future__ import annotations

import json
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.outputs import AsJson, print_table
from pushpoint.errors import InvalidModel

if TYPE_CHECKING:
    from pushpoint.interchange import RobotOfFile


def robot(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A URDF or an MJCF file.")],
    planar: Annotated[bool, typer.Option("--planar", help="As a robot in the plane.")] = False,
    head: Annotated[
        str | None, typer.Option(metavar="END", help="Which end the head is: root or tip; default: by the x axis.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Folder in which meshes and included files lie; default: that of the file.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw the robot as a PNG picture.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the robot in a URDF or an MJCF file.

    Says link by link what was read, and law by law what is exact, approximated or lost.
    """
    from pushpoint.interchange import robot_of_file

    if head not in (None, "root", "tip"):
        raise InvalidModel("head", head, "root or tip")
    found = robot_of_file(file, planar=planar, head=head, folder=folder)  # type: ignore[arg-type]
    files = {}
    if out is not None:
        from pushpoint.interchange.robots.drawing import draw_robot

        files["picture"] = str(draw_robot(found.robot, out))
    document = _document(found) | {"files": files}
    if as_json:
        typer.echo(json.dumps(document))
        return
    _print(found, document)
    for path in files.values():
        typer.echo(f"wrote {path}")


def _document(found: RobotOfFile) -> dict[str, Any]:
    """Links and joints from tail to head, and the report."""
    made = found.robot
    motors: Any = made.motors
    fields = ("length", "mass", "radius", "side_length", "mass_offset", "inertia")
    links = [{name: getattr(link, name) for name in fields} for link in made.links]
    joints = [
        {
            "name": joint.name,
            "axis": axis.name,
            "behind": axis.link_behind,
            "sign": joint.sign,
            "lower_deg": None if abs(motor.lower) == float("inf") else degrees(motor.lower),
            "upper_deg": None if abs(motor.upper) == float("inf") else degrees(motor.upper),
            "torque_limit": None if motor.torque_limit == float("inf") else motor.torque_limit,
        }
        for joint, axis, motor in zip(found.joints, made.axes, motors, strict=True)
    ]
    whole = {"name": made.name, "mass": made.mass, "length": made.length, "links": links, "joints": joints}
    return whole | {"report": found.report.document()}


def _print(found: RobotOfFile, document: dict[str, Any]) -> None:
    made = found.robot
    typer.echo(f"{made.name}: {made.n_links} links, {made.n_joints} axes, {made.length:.4g} m, {made.mass:.4g} kg")
    rows = [
        (str(k), *(f"{link[name]:.4g}" for name in ("length", "mass", "radius", "side_length")))
        for k, link in enumerate(document["links"])
    ]
    columns = ("link", "length [m]", "mass [kg]", "radius [m]", "straight sides [m]")
    print_table(columns, rows, numbers=slice(0, None))
    rows = [
        (str(j), each["name"], each["axis"], "+" if each["sign"] > 0 else "-", _stops(each))
        for j, each in enumerate(document["joints"])
    ]
    print_table(("axis", "joint of the file", "turns", "sign", "end stops [deg]"), rows, numbers=slice(0, 1))
    typer.echo(str(found.report))


def _stops(joint: dict[str, Any]) -> str:
    ends = [joint["lower_deg"], joint["upper_deg"]]
    return "none" if ends == [None, None] else " to ".join("-" if end is None else f"{end:.4g}" for end in ends)
