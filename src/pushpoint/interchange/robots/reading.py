"""Robots read from URDF and MJCF files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pushpoint.brief import brief
from pushpoint.errors import BadFile
from pushpoint.interchange.report import Report
from pushpoint.interchange.robots.chains import End, ordered
from pushpoint.interchange.robots.making import JointOfFile, made_robot
from pushpoint.interchange.robots.mjcf.reading import read_mjcf
from pushpoint.interchange.robots.trees import read_tree
from pushpoint.interchange.robots.urdf.reading import read_urdf
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.user_files import is_inside

READERS = {"robot": read_urdf, "mujoco": read_mjcf}
"""By the outermost element."""


class RobotOfFile(NamedTuple):
    """A robot that was read from a file, and what became of the rest."""

    def __repr__(self) -> str:
        return brief(self)

    robot: AnyRobot
    """The robot."""
    report: Report
    """What was kept, approximated or lost."""
    joints: tuple[JointOfFile, ...]
    """For each axis of the robot, from tail to head, the joint of the file."""


@checked_arguments
def read_robot(
    path: str | Path, *, planar: bool = False, head: End | None = None, folder: str | Path | None = None
) -> AnyRobot:
    """Reads a robot from a URDF or an MJCF file.

        robot = pp.read_robot("snake.urdf")

    The links must form one straight chain with one or two axes between neighbours. What cannot be represented is
    refused with its name and line; `pp.interchange.robot_of_file` also says what is approximated or lost.

    Args:
        path: The file.
        planar: Whether to make a PlanarRobot. All axes must then be vertical.
        head: Which end of the chain the head is: "root", the end that the file begins with, or "tip". Default: the end
            that the root's x axis shows.
        folder: Folder in which included files and meshes must lie; default: that of the file.
    """
    return robot_of_file(path, planar=planar, head=head, folder=folder).robot


@checked_arguments
def robot_of_file(
    path: str | Path, *, planar: bool = False, head: End | None = None, folder: str | Path | None = None
) -> RobotOfFile:
    """Reads a robot as `read_robot` does, and says what became of everything in the file.

        robot, report, joints = pp.interchange.robot_of_file("snake.xml")
        print(report)

    Args:
        path: The file.
        planar: Whether to make a PlanarRobot.
        head: Which end of the chain the head is, "root" or "tip".
        folder: Folder in which included files and meshes must lie.
    """
    file = Path(path)
    place = file.parent if folder is None else Path(folder)
    if folder is not None and not is_inside(place, file):
        raise BadFile(file, f"must be inside the folder {place}")
    root = read_tree(file)
    if root.tag not in READERS:
        raise BadFile(root.place, f"begins with <{root.tag[:40]}>, must be <robot> (URDF) or <mujoco> (MJCF)")
    draft = READERS[root.tag](root, place)
    chain = ordered(draft, head)
    robot, joints = made_robot(draft, chain, planar=planar)
    kind = "planar" if planar else "spatial"
    report = Report(what=f"{draft.kind} file {file.name}", into=f"{kind} robot", laws=tuple(draft.laws))
    return RobotOfFile(robot, report, joints)
