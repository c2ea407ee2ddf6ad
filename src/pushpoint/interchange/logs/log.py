"""Writes a run as an MCAP file, some samples at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.errors import InvalidModel
from pushpoint.interchange.logs.container import LogWriter
from pushpoint.interchange.logs.definitions import message
from pushpoint.interchange.logs.drawing import WORLD, pose, scene_of, vector
from pushpoint.interchange.logs.samples import WRITTEN, Samples, header, robot_facts, stamp_of
from pushpoint.interchange.report import Report, Translated
from pushpoint.scenery.drawn_run import DrawnRun, read_run
from pushpoint.scenery.reading import read_recording
from pushpoint.simulation.provenance import DESCRIPTION, refuse_batch, require, version_of
from pushpoint.whole_files import write_atomically

SAMPLES_AT_ONCE = 500
"""Samples that are in memory at a time while a log is written [-]."""
MOST_LOOKED_AT = 500
"""Samples from which the scene is drawn: how far the ground reaches, how high posts are [-]."""
ABOUT = ("status", "status_code", "versions", DESCRIPTION)
"""Attributes of a run that go into the metadata of its log."""


def write(run: xr.Dataset, path: Path) -> Report:
    """Writes a run of one world as an MCAP file for Foxglove and the tools of ROS 2, whole or not at all.

    Topics: `/scene` draws robot, obstacles and ground; `/tf` has the frames of the links, at their centres of mass;
    `/link_poses`, `/center_of_mass`, `/joint_states` (with torques as effort) and `/joint_references`; forces on each
    link in its frame, such as `/links/3/ground_force`; on obstacles `/obstacle_loads`, and `/obstacles/2/force` if
    `obstacle_reaction` was recorded; and numbers under `/plots`. Times are simulated ones, from zero.
    """
    refuse_batch(run)
    angle = "link_orientation" if "link_orientation" in run else "link_angle"
    require(run, "a log", "link_position", "center_of_mass", angle)
    time = np.asarray(run["time"], dtype=float)
    if not np.isfinite(time).all():
        raise InvalidModel("run: time", "times that are not numbers", "finite times [s]")
    every = -(-run.sizes["time"] // MOST_LOOKED_AT)
    course = read_run(run.isel(time=slice(None, None, every)))
    written = write_atomically(path, lambda place: _write(run, course, place))
    return Report(what=f"run {course.name}", into="MCAP", laws=tuple(_kept(run, course)), files=(written,))


def _kept(run: xr.Dataset, course: DrawnRun) -> Iterator[Translated]:
    """What the log keeps of the run."""
    yield Translated(
        law="postures, joint states, references", kept="exact", how="/tf, /joint_states, /joint_references"
    )
    yield Translated(law="forces on links", kept="exact", how="turned into the frames of the links, to rounding")
    if course.space is None:
        yield Translated(law="height of a planar robot", kept="approximated", how="it lies as high as its radius")
    elif course.space.square.any():
        yield Translated(law="edges of square links", kept="approximated", how="they are drawn sharp")
    yield Translated(law="friction, motors, contact laws", kept="lost", how="their description is in the metadata")
    left = [str(name) for name, each in run.data_vars.items() if each.ndim > 1 and name not in WRITTEN]
    if left:
        yield Translated(law="other variables", kept="lost", how=f"in a table of the run: {', '.join(left)}")


def _write(run: xr.Dataset, course: DrawnRun, place: Path) -> None:
    robot = read_recording(run).world.robot
    body, start = robot_facts(robot), stamp_of(float(run["time"][0]))
    stages = deque([(start, course.scenery), *((stamp_of(time), scenery) for time, scenery in course.later)])
    most = 0
    with place.open("wb") as file:
        log = LogWriter(file, f"pushpoint {version_of('pushpoint')}")
        log.about("pushpoint", {key: str(run.attrs[key]) for key in ABOUT if key in run.attrs})
        for first in range(0, run.sizes["time"], SAMPLES_AT_ONCE):
            part = Samples(run.isel(time=slice(first, first + SAMPLES_AT_ONCE)), body)
            for k, time in enumerate(part.times):
                scenery = None
                while stages and stages[0][0] <= time:
                    scenery = stages.popleft()[1]
                if scenery is not None:
                    stage = replace(course, scenery=scenery)
                    most = _write_stage(log, stage, robot.column("mass_offset"), time, most)
                for topic, kind, content in part.messages(k):
                    log.write(topic, kind, time, content)
        log.close()


def _write_stage(log: LogWriter, course: DrawnRun, mass_offset: np.ndarray, time: int, most: int) -> int:
    """Writes what stands there from a time on [ns]; `most` obstacles stood there before. Returns the larger number.

    The whole scene, since who jumps into a log is given the last message alone.
    """
    still = message("tf2_msgs/TFMessage", transforms=_still_frames(course, time))
    log.write("/tf_static", "tf2_msgs/TFMessage", time, still, latched=True)
    count = len(course.scenery.environment.obstacles)
    scene = scene_of(course, mass_offset, gone=range(count, most))
    log.write("/scene", "foxglove_msgs/SceneUpdate", time, scene, latched=True)
    return max(count, most)


def _still_frames(course: DrawnRun, time: int) -> list[Any]:
    """A frame in the middle of each obstacle, with the world's axes."""
    frames = {}
    for solid in course.scenery.solids:
        place, still = vector((*solid.center, 0.0)), pose((0.0, 0.0, 0.0)).orientation
        transform = message("geometry_msgs/Transform", translation=place, rotation=still)
        frames[solid.number] = message(
            "geometry_msgs/TransformStamped",
            header=header(time, WORLD),
            child_frame_id=f"obstacle_{solid.number}",
            transform=transform,
        )
    return list(frames.values())
