"""Figures of shape curves: control points, curve, the aligned robot, and what the simulated one makes of it.

A figure is rows of panels: shapes in space or from one side, the path of a link, screen-shots of a run. In a row all
panels are equally high; within each, lengths along all axes have one scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import one_of, positive
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.alignment import Alignment
from pushpoint.planning.curve import ShapeCurve
from pushpoint.planning.motion import AlongCurve
from pushpoint.planning.segments import GaitSegment, concatenated
from pushpoint.report.course_frames import Course, choose_frames, read_course
from pushpoint.report.drawing import (
    WIDTH,
    axes_at,
    draw_header,
    header_height,
    panel_title,
)
from pushpoint.report.shape_drawing import (
    ASLANT,
    BESIDE,
    Panel,
    PathPanel,
    ShapePanel,
    Shot,
    Stretch,
    draw_key,
)
from pushpoint.report.space import TOP, View
from pushpoint.report.spatial_scene import SpatialScene
from pushpoint.report.terrain import Terrain

if TYPE_CHECKING:
    import xarray

# Sizes on paper [in]: the edge of the figure, the key, and the largest height of a row.
EDGE, KEY_HEIGHT, TALLEST = 0.1, 0.2, 3.4
LOWEST = 1.2
"""A row is broken rather than made lower than this [in]."""
AXES = {"joint_angles": 1, "joint_points": 2, "link_orientations": 2, "center": 1, "references": 1}
"""How many axes the parts of one pose have [-]."""
PARTS = ("segment", "curve", "path", "shots")


def compose(lines: list[str], rows: Sequence[Sequence[Panel]]) -> Figure:
    """Builds a figure with a header, a key and rows of panels; axes are labelled "header", "panel 0", "panel 1", ..."""
    panels = [panel for row in rows for panel in row]
    keyed = any(isinstance(panel, ShapePanel) for panel in panels)
    tops = [header_height(lines) - 0.2 + KEY_HEIGHT * keyed]
    heights = [_row_height(row) for row in rows]
    least = min((height for row, height in zip(rows, heights, strict=True) if isinstance(row[0], Shot)), default=0.0)
    heights = [least if isinstance(row[0], Shot) else height for row, height in zip(rows, heights, strict=True)]
    for row, height in zip(rows, heights, strict=True):
        above, below = (max(panel.margins[side] for panel in row) for side in (2, 3))
        tops.append(tops[-1] + above + height + below)
    figure = Figure(figsize=(WIDTH, tops[-1] + EDGE), facecolor="white")
    draw_header(figure, lines)
    if keyed:
        place = (EDGE, header_height(lines) - 0.16, WIDTH - 2.0 * EDGE, KEY_HEIGHT)
        draw_key(axes_at(figure, "key", place))
    letters, number = iter("abcdefghijklmnopqrstuvwxyz"), 0
    for row, height, top in zip(rows, heights, tops, strict=False):
        left = EDGE + (WIDTH - 2.0 * EDGE - sum(_width(panel, height) for panel in row)) / 2.0
        above = max(panel.margins[2] for panel in row)
        for panel in row:
            wide = _width(panel, height) - panel.margins[0] - panel.margins[1]
            axes = axes_at(figure, f"panel {number}", (left + panel.margins[0], top + above, wide, height))
            panel.draw(axes, wide / float(np.ptp(panel.box[:, 0])))
            axes.set(xlim=panel.box[:, 0], ylim=panel.box[:, 1])
            follows = isinstance(panel, Shot) and number > 0 and isinstance(panels[number - 1], Shot)
            panel_title(axes, panel.title if follows else f"({next(letters)})  {panel.title}")
            number += 1
            left += _width(panel, height)
    return figure


def _width(panel: Panel, height: float) -> float:
    """Width of a panel with its margins [in] if its box is so high."""
    wide, tall = np.ptp(panel.box, axis=0)
    return panel.margins[0] + panel.margins[1] + height * float(wide / tall)


def _row_height(row: Sequence[Panel]) -> float:
    """Height of the boxes of panels that fill a row [in], unless they would be too tall."""
    spare = WIDTH - 2.0 * EDGE - sum(_width(panel, 0.0) for panel in row)
    return min(TALLEST, spare / sum(_width(panel, 1.0) - _width(panel, 0.0) for panel in row))


def shape_figure(
    curve: Any,
    poses: Any = (),
    *,
    labels: Sequence[str] = (),
    path: xarray.Dataset | None = None,
    link: int | None = None,
    title: str = "shape curve",
    view: View = ASLANT,
) -> Figure:
    """Builds a figure of a curve and of robots aligned along it.

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
        rows.append([path_panel(path, link=link)])
    return compose([title], rows)


def path_panel(run: xarray.Dataset, *, link: int | None = None, times: Sequence[float] | None = None) -> PathPanel:
    """The path of a link of a spatial run, by default the middle one, with the robot at some times [s]."""
    course = read_spatial(run)
    count = len(course.radius)
    number = count // 2 if link is None else link
    if not 0 <= number < count:
        raise InvalidModel("link", link, f"0 to {count - 1}")
    samples = tuple(frame.sample for frame in choose_frames(course, times, 4))
    return PathPanel(title=f"path of link {number}, simulated", course=course, link=number, samples=samples)


def concatenation_figure(
    curve: Any, pose: Alignment, segment: GaitSegment, frames: Any, *, title: str = "shape curves"
) -> Figure:
    """Builds a figure of a curve alone, with a robot along it, and of a segment that is repeated.

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


def screen_shots(course: Course, samples: Sequence[int]) -> tuple[list[Shot], float]:
    """The robot in some samples, and the distance of the lines on the ground [m].

    Robots that could stand beside each other share one picture; else each has its own, and the camera stays. It looks
    from behind the robot, but from ahead at one that sinks: steps then show their risers.
    """
    thick, middle = float(course.radius.max()), course.middle[np.asarray(samples)]
    sinks = course.center[0, 2] - course.center[-1, 2] > 2.0 * thick
    scene = SpatialScene(replace(course, travel=-course.travel) if sinks else course)
    seen = scene.flat(middle)
    room = 4.0 * thick * np.array([[-1.0], [1.0]])
    box = room + np.stack([seen.min(axis=(0, 1)), seen.max(axis=(0, 1))])
    words = [f"{course.time[sample]:.4g} s" for sample in samples]
    pairs = [(k, j) for k in range(len(samples)) for j in range(k)]
    if pairs and min(np.linalg.norm(middle[k][:, None] - middle[j], axis=-1).min() for k, j in pairs) > 4.0 * thick:
        picture, box = _picture(scene, samples, box + room)
        shot = Shot(title="simulated", picture=picture, box=box, bodies=seen, labels=tuple(words))
        return [shot], scene.stage.grid
    shots: list[Shot] = []
    for k, word in enumerate(words):
        picture, part = _picture(scene, [samples[k]], box)
        title = word if k else f"simulated, {word}"
        shots.append(Shot(title=title, picture=picture, box=part, bodies=seen[k : k + 1]))
    return shots, scene.stage.grid


def _picture(scene: SpatialScene, samples: Sequence[int], box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Robots in a box [m], and the corners of what is seen; where the film's window is smaller, several are joined."""
    stage = scene.stage
    whole, tile = stage.picture.copy(), np.empty((*stage.window[::-1], 4), dtype=np.uint8)
    counts = np.ceil((box[1] - box[0]) / (np.array(stage.window) / stage.scale)).astype(int)
    for sample in samples:
        for place in np.ndindex(*counts):
            center = box[0] + (box[1] - box[0]) * (np.array(place) + 0.5) / counts
            rows, columns, _ = stage.region(center)
            scene.show(tile, sample, center)
            # Only what is not bare ground, which may hold a robot of another time.
            drawn = (tile != stage.picture[rows, columns]).any(axis=-1)
            whole[rows, columns][drawn] = tile[drawn]
    size = np.array(whole.shape[1::-1])
    first, last = (np.clip(np.round((corner - stage.origin) * stage.scale).astype(int), 0, size) for corner in box)
    part = whole[size[1] - last[1] : size[1] - first[1], first[0] : last[0]]
    return part.copy(), stage.origin + np.stack([first, last]) / stage.scale


def motion_figure(
    follower: ShapeCurveFollower,
    robot: SpatialRobot,
    *,
    duration: float,
    times: Sequence[float] | None = None,
    run: xarray.Dataset | None = None,
    link: int | None = None,
    parts: Sequence[str] = PARTS,
    title: str = "motion along a shape curve",
) -> Figure:
    """Builds a figure of a follower's curve and virtual robot, and of a run with it.

    Args:
        follower: The follower; its steering must not need to know where the robot is.
        robot: The robot.
        duration: How long the virtual robot moves [s].
        times: When robots are drawn [s]; default: 4 times, evenly from start to end.
        run: A run with this follower; without it there are neither "path" nor "shots".
        link: Whose path it shows, 0 for the tail; default: the middle link.
        parts: Which panels, in any order: "segment" (one cycle of the curve with the robot at time zero), "curve" (all
            of it with the robot at the times), "path" (of the link, from above) and "shots" (of the simulated robot).
        title: The heading.
    """
    _must_be("follower", follower, ShapeCurveFollower)
    wanted = [one_of("parts", part, PARTS) for part in parts]
    if run is None:
        wanted = [part for part in wanted if part in PARTS[:2]]
    last = positive("duration", duration, "s")
    course = None if run is None else read_spatial(run)
    at = np.linspace(0.0, last, 4) if times is None else np.asarray(times, dtype=float).ravel()
    if not (len(at) and np.all((at >= 0.0) & (at <= last + 1e-9))):
        raise InvalidModel("times", at.tolist(), f"at least 1 time from 0 to {last:g} [s]")
    rows: list[list[Panel]] = [[], []]
    lines = [title]
    if set(wanted) & {"segment", "curve"}:
        trace = follow(follower, robot, last)
        if "segment" in wanted:
            rows[0].append(trace.first_panel())
        if "curve" in wanted:
            terrain = None if course is None or course.space is None else course.space.terrain
            rows["path" in wanted].append(trace.whole_panel(at, terrain))
    if "path" in wanted and run is not None:
        rows[1].append(path_panel(run, link=link, times=at.tolist()))
    if "shots" in wanted and course is not None:
        shots, grid = screen_shots(course, [frame.sample for frame in choose_frames(course, at.tolist(), 4)])
        tall = np.ptp(shots[0].box[:, 1]) / np.ptp(shots[0].box[:, 0])
        most = 2 if tall < 0.7 else 3 if tall < 1.1 else 4
        columns = math.ceil(len(shots) / math.ceil(len(shots) / most))
        rows += [[*shots[k : k + columns]] for k in range(0, len(shots), columns)]
        pale = "" if course.space is None or course.space.carries is None else ", pale links are lifted"
        lines.append(f"simulated: lines on the ground are {grid:g} m apart{pale}")
    if not any(rows):
        raise InvalidModel("parts", list(parts), "at least 1, of which path and shots need a run")
    return compose(lines, _unfold([row for row in rows if row]))


def _unfold(rows: list[list[Panel]]) -> list[list[Panel]]:
    """Rows in which no panel is too small: those that do not fit beside each other are put below each other."""
    unfolded: list[list[Panel]] = []
    for row in rows:
        if len(row) > 1 and _row_height(row) < LOWEST and not isinstance(row[0], Shot):
            unfolded += _unfold([row[:-1], row[-1:]])
        else:
            unfolded.append(row)
    return unfolded


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

    def first_panel(self) -> ShapePanel:
        """The robot at time zero, and the last cycle of its curve behind the head."""
        last = math.floor(self.heads[0] + 1e-9)
        part = (self.behind, self.heads[0]) if self.cycle is None else (max(last - self.cycle, 0.0), float(last))
        span = (min(part[0], self.behind), self.heads[0])
        title = f"{'shape curve' if self.cycle is None else 'gait segment'} and aligned robot"
        return ShapePanel(
            title=title, stretches=(Stretch(curve=self.curves[0], part=part, span=span),), poses=self.poses[:1]
        )

    def whole_panel(self, at: np.ndarray, terrain: Terrain | None) -> ShapePanel:
        """All of the curve with the robot at some times [s], from where it is seen best."""
        chosen = np.unique(np.abs(self.times[None, :] - at[:, None]).argmin(axis=1)).tolist()
        curves = {id(self.curves[k]): self.curves[k] for k in chosen}.values()
        ends = (self.behind, float(math.ceil(max(self.heads[k] for k in chosen) - 1e-9)))
        panel = ShapePanel(
            title="shape curve and virtual robot",
            stretches=tuple(Stretch(curve=curve, part=ends, span=ends) for curve in curves),
            poses=tuple(self.poses[k] for k in chosen),
            labels=tuple(f"{self.times[k]:.4g} s" for k in chosen),
            terrain=terrain,
        )
        size = panel.cage.high - panel.cage.low
        return replace(panel, view=BESIDE if size[2] > size[1] else TOP)


def follow(follower: ShapeCurveFollower, robot: SpatialRobot, duration: float) -> Trace:
    """Moves a virtual robot, and keeps all of the curve that it moves along."""
    times, poses = follower.virtual(robot, duration)
    motion, memory = follower.motion, _batched(follower.init(robot, None))
    kind = next((part.kind for part in (motion, *vars(motion).values()) if hasattr(part, "kind")), "pchip")
    grows = isinstance(motion, AlongCurve)
    unread: Any = None  # what steers without feedback reads no measurement
    curves: list[ShapeCurve] = []
    windows, heads, points = [], [], np.zeros((0, 3))
    for t in times[:, None]:
        _command, memory = follower.command(t, unread, memory)
        laid = motion.laid(memory[2], t)
        windows.append(laid.points[0].copy())
        new = _shift(windows[-2], windows[-1]) if grows and len(windows) > 1 else len(windows[-1])
        points = np.concatenate([points, windows[-1][len(windows[-1]) - new :]]) if grows else windows[-1]
        heads.append(len(points) - len(windows[-1]) + float(laid.head[0]))
        stays = len(windows) > 1 and np.array_equal(windows[-1], windows[-2])
        if not grows:
            curves.append(curves[-1] if stays else ShapeCurve(points, kind))
    if grows:
        curves = [ShapeCurve(points, kind)] * len(times)
    cycle = len(motion.segment.steps) if grows else None
    return Trace(times=times, poses=single_poses(poses), curves=curves, heads=heads, cycle=cycle)


def _shift(before: np.ndarray, after: np.ndarray) -> int:
    """How many control points a window has dropped since."""
    return next(k for k in range(len(before)) if np.array_equal(before[k:], after[: len(after) - k]))


def _batched(memory: Any) -> Any:
    """The memory of one world as that of a batch of one."""
    return tuple(_batched(part) for part in memory) if isinstance(memory, tuple) else memory[None]


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


def read_spatial(run: xarray.Dataset) -> Course:
    """A spatial run; a planar one is refused."""
    course = read_course(run)
    if course.space is None:
        raise InvalidModel("run", f"{course.name}, in the plane", "a run in space")
    return course
