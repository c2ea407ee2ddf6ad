"""Calls of the interchange of robots: files in and out, reports, paths beside MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import pushpoint as pp
from campaigns.calls import things
from campaigns.calls.running import method, place
from campaigns.calls.table import CALLS, Call, Made, made
from campaigns.calls.things import PLANAR, WORLD
from pushpoint import interchange

ENTRY = interchange.Translated(law="backlash", kept="lost", how="none", error=0.1, unit="rad", place="joint 2")
BESIDE = {"period": 1.0, "times": np.array([0.0, 1.0]), "path": np.zeros((2, 2)), "mujoco_path": np.ones((2, 2)),
          "turned": np.zeros(2)}  # fmt: skip


@made
def file() -> Path:
    """A robot of another tool."""
    file: Path = things.folder.make() / "robot.xml"
    pp.export(PLANAR, file)
    return file


@made
def beside() -> interchange.BesideMujoco:
    return interchange.BesideMujoco(**BESIDE)


parent = Made(lambda: file.make().parent)

CALLS |= {
    "export": Call(pp.export, PLANAR, place("out.xml")),
    "read_robot": Call(pp.read_robot, file, planar=True, head=None, folder=parent),
    "interchange.robot_of_file": Call(interchange.robot_of_file, file, planar=True, head=None, folder=parent),
    "interchange.RobotOfFile": Call(interchange.RobotOfFile, PLANAR, None, ()),
    "interchange.JointOfFile": Call(interchange.JointOfFile, "a", 1, 0.0),
    "interchange.Report": Call(interchange.Report, what="robot", into="MJCF", laws=(ENTRY,), files=()),
    "interchange.Translated": Call(interchange.Translated, law="backlash", kept="lost", how="none", error=0.1,
                                   unit="rad", place="joint 2"),
    "interchange.BesideMujoco": Call(interchange.BesideMujoco, **BESIDE),
    "interchange.run_beside_mujoco": Call(interchange.run_beside_mujoco, WORLD, periods=0.02),
    "BesideMujoco.predicted": Call(method(beside, "predicted"), 3.0),
}  # fmt: skip
