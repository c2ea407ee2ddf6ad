"""Figures of shape curves: control points, curve, the aligned robot, and what the simulated one makes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import one_of, positive
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import Alignment
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.planning.curves.segments import GaitSegment, concatenated
from pushpoint.plots.shapes.drawing import ASLANT, Stretch
from pushpoint.plots.shapes.panels import Panel, ShapePanel, compose, path_panel, read_spatial, screen_shots, unfold
from pushpoint.plots.shapes.trace import follow
from pushpoint.scenery.drawn_run import DrawnRun, choose_samples
from pushpoint.scenery.reading import driving_controller, read_recording
from pushpoint.scenery.views import View

if TYPE_CHECKING:
    import xarray

AXES = {"joint_angles": 1, "joint_points": 2, "link_orientations": 2, "center": 1, "references": 1}
"""How many axes the parts of one pose have [-]."""
PARTS = ("points", "segment", "curve", "path", "shots")
USUAL = PARTS[1:]
OF_RUN = PARTS[3:]


def shape_curve(
    curve: Any,
    poses: Any = (),
    *,
    labels: Sequence[str] = (),
    path: xarray.Dataset | None = None,
    link: int | None = None,
    title: str = "shape curve",
    view: View = ASLANT,
) -> Figure:
    """A curve and robots aligned along it.

    Args:
        curve: A ShapeCurve, a GaitSegment, or control points [m], shape (n, 3).
        poses: An Alignment or several; one of many head positions counts as many.
        labels: What to write beside the heads.
        path: A spatial run, to show from above where a link went.
        link: Which link that is, 0 for the tail; default: the middle one.
        title: The heading.
        view: Where the viewer stands.
    """
    shown = ShapePanel(
        title="shape curve",
        stretches=(Stretch.whole(as_curve(curve)),),
        poses=single_poses(poses),
        labels=tuple(labels),
        view=view,
    )
    rows: list[list[Panel]] = [[shown]]
    if path is not None:
        rows.append([path_panel(read_spatial(path), link=link)])
    return compose([title], rows)


def concatenation(
    curve: Any, pose: Alignment, segment: GaitSegment, frames: Any, *, title: str = "shape curves"
) -> Figure:
    """A curve alone and with a robot along it, and a segment that is repeated.

    Args:
        curve: A ShapeCurve, a GaitSegment, or control points [m], shape (n, 3).
        pose: A robot aligned along the curve.
        segment: One cycle of another curve.
        frames: Orientation of the shape frame in each repetition, shape (times, 3, 3).
        title: The heading.
    """
    _must_be("segment", segment, GaitSegment)
    drawn = (Stretch.whole(as_curve(curve)),)
    repeated = ShapeCurve(concatenated(segment, frames))
    rows: list[list[Panel]] = [
        [
            ShapePanel(title=f"a curve through {len(drawn[0].curve.points)} points", stretches=drawn),
            ShapePanel(title="the robot aligned", stretches=drawn, poses=single_poses(pose)),
        ],
        [
            ShapePanel(title=f"segment of {len(segment.points)} points", stretches=(Stretch.whole(segment.curve()),)),
            ShapePanel(title=f"repeated {len(frames)} times", stretches=(Stretch.whole(repeated),)),
        ],
    ]
    return compose([title], rows)


def motion(
    follower: ShapeCurveFollower,
    robot: SpatialRobot,
    *,
    duration: float,
    times: Sequence[float] | None = None,
    run: xarray.Dataset | None = None,
    link: int | None = None,
    parts: Sequence[str] = USUAL,
    title: str = "motion along a shape curve",
) -> Figure:
    """Curve and virtual robot of a follower, and a run with it.

    Args:
        follower: The follower; one that steers by where the robot is needs a run.
        robot: The robot.
        duration: How long the virtual robot moves [s].
        times: When robots are drawn [s]; default: 4 times, evenly from start to end.
        run: A run with this follower; without it there are neither "path" nor "shots".
        link: Whose path it shows, 0 for the tail; default: the middle link.
        parts: Which panels, in any order: "points" (one cycle of the curve and all of it, without a robot), "segment"
            (one cycle with the robot at time zero), "curve" (all of it with the robot at the times), "path" (of the
            link, from above) and "shots" (of the simulated robot).
        title: The heading.
    """
    _must_be("follower", follower, ShapeCurveFollower)
    wanted = {one_of("parts", part, PARTS) for part in parts}
    last = positive("duration", duration, "s")
    course = None if run is None else read_spatial(run)
    at = np.linspace(0.0, last, 4) if times is None else np.asarray(times, dtype=float).ravel()
    if not (len(at) and np.all((at >= 0.0) & (at <= last + 1e-9))):
        raise InvalidModel("times", at.tolist(), f"at least 1 time from 0 to {last:g} [s]")
    rows: list[list[Panel]] = [[], [], []]
    lines = [title]
    if wanted - set(OF_RUN):
        trace = follow(follower, robot, last, None if course is None else _center_of(course))
        if "points" in wanted:
            rows[0] += trace.bare_panels()
        if "segment" in wanted:
            rows[0].append(trace.first_panel())
        if "curve" in wanted:
            scenery = None if course is None else course.scenery
            rows["path" in wanted and course is not None].append(trace.whole_panel(at, scenery))
    if course is not None:
        if "path" in wanted:
            rows[1].append(path_panel(course, link=link, times=at.tolist()))
        if "shots" in wanted:
            shots, line = _shots(course, at)
            rows += shots
            lines.append(line)
    if not any(rows):
        raise InvalidModel("parts", list(parts), "at least 1, of which path and shots need a run")
    return compose(lines, unfold([row for row in rows if row]))


def _center_of(course: DrawnRun) -> Callable[[float], np.ndarray]:
    """Where the centre of mass of a run was at a time [m], between samples in a straight line."""
    return lambda t: np.array([np.interp(t, course.time, along) for along in course.center.T])


def _shots(course: DrawnRun, at: np.ndarray) -> tuple[list[list[Panel]], str]:
    """Screen-shots at some times [s] in rows, and a line that says how to read them."""
    shots, grid = screen_shots(course, choose_samples(course, at.tolist(), 4).tolist())
    tall = np.ptp(shots[0].box[:, 1]) / np.ptp(shots[0].box[:, 0])
    most = 2 if tall < 0.7 else 3 if tall < 1.1 else 4
    columns = math.ceil(len(shots) / math.ceil(len(shots) / most))
    pale = ", pale links are lifted" if course.lifts else ""
    rows: list[list[Panel]] = [[*shots[k : k + columns]] for k in range(0, len(shots), columns)]
    return rows, f"simulated: lines on the ground are {grid:g} m apart{pale}"


def _must_be(field: str, value: Any, kind: type) -> Any:
    """Refuses another kind by its name: what holds arrays would fill lines."""
    if not isinstance(value, kind):
        raise InvalidModel(field, type(value).__name__, kind.__name__)
    return value


def as_curve(curve: Any) -> ShapeCurve:
    """A curve, that of a segment, or one through points."""
    if isinstance(curve, GaitSegment):
        return curve.curve()
    return curve if isinstance(curve, ShapeCurve) else ShapeCurve(curve)


def single_poses(poses: Any) -> tuple[Alignment, ...]:
    """Alignments of one pose each, from one or several of any number."""
    if not isinstance(poses, Alignment):
        found = tuple(poses) if isinstance(poses, Sequence) else (poses,)
        return tuple(one for pose in found for one in single_poses(_must_be("poses", pose, Alignment)))
    arrays = {name: getattr(poses, name) for name in AXES}
    flat = {name: values.reshape(-1, *values.shape[values.ndim - AXES[name] :]) for name, values in arrays.items()}
    count = len(flat["center"])
    return tuple(replace(poses, **{name: values[k] for name, values in flat.items()}) for k in range(count))


STANDING = ("points", "segment", "shots")
"""Panels for a virtual robot at rest."""


def follows_a_curve(run: xarray.Dataset) -> bool:
    """Whether the robot of a run followed a shape curve."""
    return isinstance(driving_controller(run), ShapeCurveFollower)


def shape(
    run: xarray.Dataset,
    *,
    parts: Sequence[str] | None = None,
    follower: ShapeCurveFollower | None = None,
    world: int = 0,
) -> Figure:
    """Shape curve and virtual robot of a run beside the simulated one, with the panels of `motion` that fit it.

    Args:
        run: A run whose controller is a ShapeCurveFollower.
        parts: Which panels, as in `motion`; default: those that fit.
        follower: The controller, where the run cannot hold it: one that moves control points by a function.
        world: Which world of a batched run.
    """
    read = read_recording(run, world)
    robot, controller = read.world.robot, follower or read.world.controller
    if not isinstance(controller, ShapeCurveFollower) or not isinstance(robot, SpatialRobot):
        raise InvalidModel("run: controller", type(controller).__name__, ShapeCurveFollower.__name__)
    last, times = float(read.time[-1]), None
    if controller.period is None:
        parts, times = parts or STANDING, [last]
    elif parts is None:
        # From above, a path in a vertical plane would be a straight line.
        level = np.ptp(read.values("link_position")[..., 1]) < robot.links[0].radius
        parts = [part for part in USUAL if not (level and part == "path")]
    return motion(controller, robot, duration=last, times=times, run=read.samples, parts=parts, title=read.scenario)
