"""Figures of shape curves: control points, curve, the aligned robot, and what the simulated one makes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray
from matplotlib.figure import Figure

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import one_of, positive
from pushpoint.model.quantities import Natural
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import Alignment
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.planning.curves.motion import AlongCurve
from pushpoint.planning.curves.segments import GaitSegment, concatenated
from pushpoint.plots.curves import ASLANT, Stretch
from pushpoint.plots.page import header_lines
from pushpoint.plots.panels import Drawing, Panel, compose, path_panel, read_spatial, screen_shots, shape_panel, unfold
from pushpoint.scenery.drawn_run import DrawnRun, nearest_samples
from pushpoint.scenery.reading import read_recording
from pushpoint.scenery.shapes import View
from pushpoint.scenery.surroundings import Scenery

PARTS = ("points", "segment", "curve", "path", "shots")
USUAL, OF_RUN, STANDING = PARTS[1:], PARTS[3:], ("points", "segment", "shots")
"""Which panels there are by default, which of them need a run, and those for a virtual robot at rest."""


@checked_arguments
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
    drawn = [Stretch.whole(as_curve(curve))]
    rows: list[list[Panel]] = [[shape_panel("shape curve", drawn, single_poses(poses), labels=labels, view=view)]]
    if path is not None:
        rows.append([path_panel(read_spatial(path), link=link)])
    return compose([title], rows)


@checked_arguments
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
    drawn, repeated = Stretch.whole(as_curve(curve)), Stretch.whole(ShapeCurve(concatenated(segment, frames)))
    alone = shape_panel(f"a curve through {len(drawn.curve.points)} points", [drawn])
    aligned = shape_panel("the robot aligned", [drawn], single_poses(pose))
    once = shape_panel(f"segment of {len(segment.points)} points", [Stretch.whole(segment.curve())])
    often = shape_panel(f"repeated {len(frames)} times", [repeated])
    return compose([title], [[alone, aligned], [once, often]])


@checked_arguments
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
    return _motion(follower, robot, duration=duration, times=times, run=run, link=link, parts=parts, lines=[title])


def _motion(
    follower: ShapeCurveFollower,
    robot: SpatialRobot,
    *,
    duration: float,
    times: Sequence[float] | None,
    run: xarray.Dataset | None,
    link: int | None,
    parts: Sequence[str],
    lines: list[str],
) -> Figure:
    """The same below the lines of a header."""
    _must_be("follower", follower, ShapeCurveFollower)
    wanted = {one_of("parts", part, PARTS) for part in parts}
    last = positive("duration", duration, "s")
    course = None if run is None else read_spatial(run)
    at = np.linspace(0.0, last, 4) if times is None else np.asarray(times, dtype=float).ravel()
    if not (len(at) and np.all((at >= 0.0) & (at <= last + 1e-9))):
        raise InvalidModel("times", at.tolist(), f"at least 1 time from 0 to {last:g} [s]")
    rows: list[list[Panel]] = [[], [], []]
    lines = [*lines]
    if wanted - set(OF_RUN):
        trace = follow(follower, robot, last, None if course is None else course.center_at)
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


def _shots(course: DrawnRun, at: np.ndarray) -> tuple[list[list[Panel]], str]:
    """Screen-shots at some times [s] in rows, and a line that says how to read them."""
    shots, grid = screen_shots(course, course.choose_samples(at.tolist(), 4).tolist())
    tall = np.ptp(shots[0].box[:, 1]) / np.ptp(shots[0].box[:, 0])
    most = 2 if tall < 0.7 else 3 if tall < 1.1 else 4
    columns = math.ceil(len(shots) / math.ceil(len(shots) / most))
    pale = "; pale links are lifted" if course.lifts else ""
    rows: list[list[Panel]] = [[*shots[k : k + columns]] for k in range(0, len(shots), columns)]
    return rows, f"simulated: ground lines {grid:g} m apart{pale}; dark line: path of the centre of mass"


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
    arrays = {name: values for name, values in vars(poses).items() if isinstance(values, np.ndarray)}
    leading = poses.center.ndim - 1
    flat = {name: values.reshape(-1, *values.shape[leading:]) for name, values in arrays.items()}
    count = len(flat["center"])
    return tuple(replace(poses, **{name: values[k] for name, values in flat.items()}) for k in range(count))


@checked_arguments
def shape(
    run: xarray.Dataset,
    *,
    parts: Sequence[str] | None = None,
    follower: ShapeCurveFollower | None = None,
    world: Natural = 0,
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
        raise InvalidModel("run: controller", controller and type(controller).__name__, ShapeCurveFollower.__name__)
    last, times = float(read.time[-1]), None
    if controller.period is None:
        parts, times = parts or STANDING, [last]
    elif parts is None:
        # From above, a path in a vertical plane would be a straight line.
        level = np.ptp(read.values("link_position")[..., 1]) < robot.links[0].radius
        parts = [part for part in USUAL if not (level and part == "path")]
    lines = header_lines(read.name, "shape curve and simulated robot", "", read.remarks, title=read.title)
    chosen = parts or USUAL
    return _motion(
        controller, robot, duration=last, times=times, run=read.samples, link=None, parts=chosen, lines=lines
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Trace:
    """What a follower's virtual robot did."""

    times: np.ndarray
    """Of the commands [s], shape (n,)."""
    poses: tuple[Alignment, ...]
    """The robot at these times."""
    curves: list[ShapeCurve]
    """Its curve then; one that grows or stays is the same one every time."""
    heads: list[float]
    """Parameters of the head [-]."""
    cycle: int | None
    """Pieces of the curve in a cycle; None without cycles."""

    @property
    def behind(self) -> float:
        """The last control point behind all that the robot needs at time zero [-]."""
        return float(max(np.floor(self.poses[0].references.min()), 0.0))

    def bare_panels(self) -> list[Drawing]:
        """The curve without a robot; of one that grows, a cycle of it and all that came of it after time zero."""
        curve = self.curves[0]
        if self.cycle is None:
            return [shape_panel(f"a curve through {len(curve.points)} points", [Stretch.whole(curve)])]
        first, last = math.floor(self.heads[0] + 1e-9), math.ceil(self.heads[-1] - 1e-9)
        behind = max(first - self.cycle, 0)
        parts = {f"segment of {self.cycle + 1} points": (behind, first), "repeated": (first, max(last, first + 1))}
        return [shape_panel(title, [Stretch(curve, part, part)]) for title, part in parts.items()]

    def first_panel(self) -> Drawing:
        """The robot at time zero, and the last cycle of its curve behind the head."""
        title, part, last = "shape curve", (self.behind, self.heads[0]), math.floor(self.heads[0] + 1e-9)
        if self.cycle is not None:
            title, part = "gait segment", (max(last - self.cycle, 0.0), float(last))
        span = (min(part[0], self.behind), self.heads[0])
        return shape_panel(f"{title} and aligned robot", [Stretch(self.curves[0], part, span)], self.poses[:1])

    def whole_panel(self, at: np.ndarray, scenery: Scenery | None) -> Drawing:
        """All of the curve with the robot at some times [s], from where it is seen best."""
        chosen = np.unique(nearest_samples(self.times, at)).tolist()
        curves = {id(self.curves[k]): self.curves[k] for k in chosen}.values()
        ends = (self.behind, float(math.ceil(max(self.heads[k] for k in chosen) - 1e-9)))
        return shape_panel(
            "shape curve and virtual robot",
            [Stretch(curve, ends, ends) for curve in curves],
            [self.poses[k] for k in chosen],
            labels=[f"{self.times[k]:.3g} s" for k in chosen],
            view=None,
            scenery=scenery,
        )


def follow(
    follower: ShapeCurveFollower,
    robot: SpatialRobot,
    duration: float,
    center: Callable[[float], np.ndarray] | None = None,
) -> Trace:
    """Moves a virtual robot for a duration [s], and keeps all of the curve that it moves along.

    center: where the centre of mass of a run was [m], for a follower that steers by it.
    """
    motion: Any = follower.motion
    grows, kind = isinstance(motion, AlongCurve), motion.curve_kind
    times, poses, heads = [], [], []
    curves: list[ShapeCurve] = []
    window, points = np.zeros((0, 3)), np.zeros((0, 3))
    for t, laid, pose in follower.moves(robot, duration, center):
        if grows:
            count = len(laid.points)
            dropped = (k for k in range(len(window)) if np.array_equal(window[k:], laid.points[: count - k]))
            points = np.concatenate([points, laid.points[count - next(dropped, count) :]])
        else:
            points = laid.points
            curves.append(curves[-1] if np.array_equal(window, points) else ShapeCurve(points, kind))
        window = laid.points
        times.append(t)
        poses.append(pose)
        heads.append(len(points) - len(window) + float(laid.head))
    if grows:
        curves = [ShapeCurve(points, kind)] * len(times)
    cycle = len(motion.segment.steps) if grows else None
    return Trace(times=np.array(times), poses=tuple(poses), curves=curves, heads=heads, cycle=cycle)
