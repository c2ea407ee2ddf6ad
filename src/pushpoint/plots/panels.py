"""Panels of figures of shape curves: shapes in space or from one side, the path of a link, screen-shots of a run.

A panel knows what it shows, the box of the picture that it needs, and how much room words around it take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from pushpoint.errors import InvalidModel
from pushpoint.planning.curves.alignment import Alignment
from pushpoint.plots.curves import (
    ASLANT,
    BESIDE,
    Stretch,
    axis_names,
    draw_cage,
    draw_key,
    draw_pose,
    draw_stretch,
    link_ends,
    write_beside,
)
from pushpoint.plots.page import TALLEST_SHEET, WIDTH, Sheet, axes_at, draw_header, dress, header_height
from pushpoint.plots.world import draw_body, draw_map, time_colors
from pushpoint.scenery.drawn_run import DrawnRun, read_run
from pushpoint.scenery.palette import BLUE, GREY, INK, SOLID_COLOR
from pushpoint.scenery.scene import SpatialScene
from pushpoint.scenery.shapes import TOP, View, convex_hull
from pushpoint.scenery.surroundings import CORNERS, Scenery, box_corners

# Room for words to the left, to the right, above and below [in].
Margins = tuple[float, float, float, float]
BESIDE_AXES, BESIDE_CAGE = (0.55, 0.12, 0.24, 0.4), (0.68, 0.25, 0.26, 0.24)
# Least height of a cage, and room around what it holds without and with labels, in its longest side.
FLATTEST, ROOM, LABEL_ROOM = 0.16, 0.05, 0.13
# Sizes on paper [in]: the edge of the figure, the key, and the largest height of a row.
EDGE, KEY_HEIGHT, TALLEST = 0.1, 0.2, 3.4
LOWEST = 1.2
"""A row is broken rather than made lower than this [in]."""
GRAZING = 0.05
"""A view in which an axis is seen shorter than that is refused [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawing:
    """A panel that is drawn with lines."""

    title: str
    """What the panel shows."""
    box: np.ndarray
    """Lower left and upper right corner [m], shape (2, 2)."""
    draw: Callable[[Axes, float], None]
    """Draws into axes that are as large as the box, at a scale [in/m]."""
    margins: Margins = BESIDE_AXES
    """Room for words [in]."""
    keyed: bool = False
    """Whether it needs the key."""


def shape_panel(
    title: str,
    stretches: Sequence[Stretch],
    poses: Sequence[Alignment] = (),
    *,
    labels: Sequence[str] = (),
    view: View | None = ASLANT,
    scenery: Scenery | None = None,
) -> Drawing:
    """Curves, robots aligned along them in one pose each with labels beside their heads, and what stands there.

    A view along an axis of the world gives an ordinary pair of axes and shows the scenery; None is from above or from
    beside, where more is seen.
    """
    lines = [stretch.line(stretch.span) for stretch in stretches]
    points = np.concatenate([*lines, *(link_ends(pose).reshape(-1, 3) for pose in poses)])
    low, high = points.min(axis=0), points.max(axis=0)
    longest = float((high - low).max())
    grown = np.maximum(high - low + 2.0 * (LABEL_ROOM if labels else ROOM) * longest, FLATTEST * longest)
    low, high = (low + high - grown) / 2.0, (low + high + grown) / 2.0
    look = view or (BESIDE if (high - low)[2] > (high - low)[1] else TOP)
    names, toward = axis_names(look), look.toward
    if names is None and min(abs(toward[0]), abs(toward[1]), toward[2]) < GRAZING:
        raise InvalidModel("view", toward.tolist(), "toward a viewer aslant above, or along an axis of the world")
    seen = look.flat((low + high + CORNERS * (high - low)) / 2.0)
    frame = np.stack([seen.min(axis=0), seen.max(axis=0)])

    def draw(axes: Axes, inches_per_meter: float) -> None:
        if names is None:
            axes.axis("off")
            draw_cage(axes, look, low, high, inches_per_meter)
        else:
            dress(axes, x=f"{names[0]} [m]", y=f"{names[1]} [m]", grid="both")
            for box in () if scenery is None else scenery.boxes:
                outline = convex_hull(look.flat(box_corners(box)))
                axes.add_patch(Polygon(outline, facecolor=SOLID_COLOR, edgecolor=GREY, linewidth=0.5, zorder=0.6))
        for stretch in stretches:
            draw_stretch(axes, look, stretch, None if names else float(low[2]), inches_per_meter)
        drawn, colors = look.flat(points), [BLUE] if len(poses) == 1 else time_colors(len(poses))
        for pose, color, label in zip(poses, colors, [*labels, *[""] * len(poses)], strict=False):
            draw_pose(axes, look, pose, color, inches_per_meter)
            if label:
                tip = look.flat(link_ends(pose)[-1, 1])
                drawn = write_beside(axes, label, tip, drawn, frame, inches_per_meter)

    margins = BESIDE_CAGE if names is None else BESIDE_AXES
    return Drawing(title=title, box=frame, draw=draw, margins=margins, keyed=True)


def path_panel(course: DrawnRun, *, link: int | None = None, times: Sequence[float] | None = None) -> Drawing:
    """The path of a link of a spatial run, by default the middle one, with the robot at some times [s].

    It is seen from above; that of a robot that climbs from beside.
    """
    count = len(course.radius)
    number = count // 2 if link is None else link
    if not 0 <= number < count:
        raise InvalidModel("link", link, f"0 to {count - 1}")
    samples = course.choose_samples(times, 4).tolist()
    moved = course.center[-1] - course.center[0]
    climbs = bool(abs(moved[2]) > 2.0 * np.hypot(*moved[:2]))
    view, frame = (BESIDE, course.body_box[:, [0, 2]]) if climbs else (TOP, course.frame_box())
    frame = frame + 0.08 * float((frame[1] - frame[0]).max()) * np.array([[-1.0], [1.0]])

    def draw(axes: Axes, inches_per_meter: float) -> None:
        if climbs:
            dress(axes, x="x [m]", y="z [m]")
            for peg in course.scenery.pegs:
                ends = peg.center[0] + np.array([-peg.radius, peg.radius])
                top = frame[1, 1] if peg.endless else peg.center[2] + peg.half[2]
                axes.fill_between(ends, 0.0, top, color=SOLID_COLOR, linewidth=0.0, zorder=0.6)
        else:
            draw_map(axes, course.scenery, frame, inches_per_meter)
        dress(axes, grid="both")
        path, bodies = view.flat(course.middle[:, number]), view.flat(course.middle[samples])
        drawn = np.concatenate([path, bodies.reshape(-1, 2)])
        for sample, body, color in zip(samples, bodies, time_colors(len(samples)), strict=True):
            draw_body(axes, course.outlines(sample, view), color, 0.25)
            axes.plot(*path[sample], "o", color=INK, markersize=4.0, markeredgecolor="white", zorder=3.2)
            label = f"{course.time[sample]:.3g} s"
            drawn = write_beside(axes, label, body[0], drawn, frame, inches_per_meter)
        axes.plot(*path.T, color=INK, linewidth=1.1, zorder=3.0, gid="path")

    return Drawing(title=f"path of link {number}, simulated", box=frame, draw=draw)


@dataclass(frozen=True, kw_only=True, eq=False)
class Shot:
    """A simulated robot at one time or several, as the film shows it."""

    title: str
    """What the panel shows."""
    picture: np.ndarray
    """Red, green, blue, opacity, upper row first, shape (height, width, 4)."""
    box: np.ndarray
    """Its corners [m], shape (2, 2)."""
    bodies: np.ndarray
    """Middles of the links in it, one robot after the other [m], shape (n, n_links, 2)."""
    labels: tuple[str, ...] = ()
    """What to write beside their heads."""
    margins: Margins = (0.06, 0.06, 0.2, 0.06)
    """Room for words [in]."""

    def draw(self, axes: Axes, inches_per_meter: float) -> None:
        """Draws into axes that are as large as the box."""
        axes.set(xticks=[], yticks=[])
        axes.imshow(self.picture, extent=tuple(self.box.T.ravel()), interpolation="antialiased", aspect="auto")
        drawn = self.bodies.reshape(-1, 2)
        for label, body in zip(self.labels, self.bodies, strict=False):  # links are thick here: farther away
            drawn = write_beside(axes, label, body[-1], drawn, self.box, 0.7 * inches_per_meter)


Panel = Drawing | Shot


def read_spatial(run: xarray.Dataset) -> DrawnRun:
    """A spatial run; a planar one is refused."""
    course = read_run(run)
    if course.space is None:
        raise InvalidModel("run", f"{course.name}, in the plane", "a run in space")
    return course


def screen_shots(course: DrawnRun, samples: Sequence[int]) -> tuple[list[Shot], float]:
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
    words = [f"{course.time[sample]:.3g} s" for sample in samples]
    pairs = [(k, j) for k in range(len(samples)) for j in range(k)]
    if pairs and min(np.linalg.norm(middle[k][:, None] - middle[j], axis=-1).min() for k, j in pairs) > 4.0 * thick:
        picture, box = scene.shot(box + room, samples)
        shot = Shot(title="simulated", picture=picture, box=box, bodies=seen, labels=tuple(words))
        return [shot], scene.plan.grid
    shots: list[Shot] = []
    for k, word in enumerate(words):
        picture, part = scene.shot(box, [samples[k]])
        title = word if k else f"simulated, {word}"
        shots.append(Shot(title=title, picture=picture, box=part, bodies=seen[k : k + 1]))
    return shots, scene.plan.grid


def compose(lines: list[str], rows: Sequence[Sequence[Panel]]) -> Figure:
    """A figure with a header, a key and rows of panels; axes are labelled "header", "panel 0", "panel 1", ..."""
    panels = [panel for row in rows for panel in row]
    keyed = any(isinstance(panel, Drawing) and panel.keyed for panel in panels)
    tops = [header_height(lines) - 0.2 + KEY_HEIGHT * keyed]
    heights = [_row_height(row) for row in rows]
    of_shots = [isinstance(row[0], Shot) for row in rows]
    least = min(compress(heights, of_shots), default=0.0)  # shots have one scale
    heights = [least if shots else height for shots, height in zip(of_shots, heights, strict=True)]
    words = sum(max(panel.margins[side] for panel in row) for row in rows for side in (2, 3))
    share = min(1.0, (TALLEST_SHEET - tops[0] - words - EDGE) / max(sum(heights), 1e-9))
    heights = [share * height for height in heights]
    for row, height in zip(rows, heights, strict=True):
        above, below = (max(panel.margins[side] for panel in row) for side in (2, 3))
        tops.append(tops[-1] + above + height + below)
    figure = Sheet(figsize=(WIDTH, tops[-1] + EDGE), facecolor="white")
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
            dress(axes, title=panel.title if follows else f"({next(letters)})  {panel.title}")
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


def unfold(rows: list[list[Panel]]) -> list[list[Panel]]:
    """Rows in which no panel is too small: those that do not fit beside each other are put below each other."""
    unfolded: list[list[Panel]] = []
    for row in rows:
        if len(row) > 1 and _row_height(row) < LOWEST and not isinstance(row[0], Shot):
            unfolded += unfold([row[:-1], row[-1:]])
        else:
            unfolded.append(row)
    return unfolded
