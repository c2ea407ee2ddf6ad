"""Shape curves and the robots aligned along them, drawn in a look at space from far away: all scales are equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.planning.curves.alignment import Alignment
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.plots.page import SMALL
from pushpoint.scenery.outlines import round_number
from pushpoint.scenery.palette import BLUE, GREY, INK, ORANGE, PALE, VERMILION
from pushpoint.scenery.surroundings import CORNERS
from pushpoint.scenery.views import View, look_from, side_view

NODE_COLOR, SHADOW_COLOR, STEM_COLOR = VERMILION, "#d9d9d9", "#bcbcbc"
SAMPLES_PER_PIECE = 24
# Half of the bar that shows an axis, and the thickness of a link, in mean link lengths; and that in points.
BAR, THICKNESS, THINNEST, THICKEST = 0.38, 0.24, 2.4, 5.0
# Diameter of a control point: in mean distances of them, and in points.
NODE_SHARE, SMALLEST_NODE, LARGEST_NODE = 0.2, 2.4, 4.2
# Sizes on paper [in]: room of a number on an axis, and distance of numbers and names from it.
NUMBER_WIDTH, NUMBER_HEIGHT, NUMBER_GAP, NAME_GAP, UPRIGHT_NAME_GAP = 0.33, 0.15, 0.05, 0.34, 0.5
WORD_REACH = 0.25
"""Distance of a word from what it names [in]."""


ASLANT = look_from(math.radians(-28.0), math.radians(30.0))
BESIDE = side_view(np.array([1.0, 0.0]))


def axis_names(view: View) -> tuple[str, str] | None:
    """The world axes that point to the right and up in a view; None if it looks aslant."""
    names = ["xyz"[int(way.argmax())] for way in (view.right, view.up) if math.isclose(way.max(), 1.0)]
    return (names[0], names[1]) if len(names) == 2 else None


def link_ends(pose: Alignment) -> np.ndarray:
    """Rear and front ends of the links, tail to head [m], shape (n_links, 2, 3)."""
    along = rotation_of(pose.link_orientations)[..., 0]
    rear = pose.joint_points[:-1]
    return np.stack([rear, rear + pose.robot.column("length")[:, None] * along], axis=1)


def joint_axes(pose: Alignment) -> tuple[np.ndarray, np.ndarray]:
    """Where the axes of the joints are [m] and their directions, tail to head, shape (n_joints, 3) each.

    A pitch axis is across the front end of the link behind it, a yaw axis upright at the rear end of that before it.
    """
    ends, turn = link_ends(pose), rotation_of(pose.link_orientations)
    places, ways = [], []
    for axis in pose.robot.axes:
        pitch, behind = axis.name == "pitch", axis.link_behind
        places.append(ends[behind, 1] if pitch else ends[behind + 1, 0])
        ways.append(turn[behind, :, 1] if pitch else turn[behind + 1, :, 2])
    return np.reshape(places, (-1, 3)), np.reshape(ways, (-1, 3))


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """What is drawn of a curve."""

    curve: ShapeCurve
    """The curve."""
    part: tuple[float, float]
    """First and last parameter of what is drawn strongly [-]."""
    span: tuple[float, float]
    """First and last parameter of what is drawn at all [-]."""

    @staticmethod
    def whole(curve: ShapeCurve) -> Stretch:
        """All of a curve, strongly."""
        return Stretch(curve=curve, part=(0.0, curve.end), span=(0.0, curve.end))

    def line(self, ends: tuple[float, float]) -> np.ndarray:
        """Points between two parameters, close enough for a smooth line [m], shape (n, 3)."""
        count = max(2, round(SAMPLES_PER_PIECE * (ends[1] - ends[0])) + 1)
        return self.curve.at(np.linspace(*ends, count))

    def nodes(self, ends: tuple[float, float]) -> np.ndarray:
        """Control points between two parameters [m], shape (n, 3)."""
        return self.curve.points[math.ceil(ends[0] - 1e-9) : math.floor(ends[1] + 1e-9) + 1]


def draw_stretch(axes: Axes, view: View, stretch: Stretch, floor: float | None, inches_per_meter: float) -> None:
    """A curve with its control points, and if there is a floor, at this height [m], stems and its shadow on it."""
    line: dict[str, Any] = {"solid_capstyle": "round", "solid_joinstyle": "round"}
    strong, nodes = stretch.line(stretch.part), stretch.nodes(stretch.part)
    if floor is not None:
        shadow = view.flat(strong * (1.0, 1.0, 0.0) + (0.0, 0.0, floor))
        axes.plot(*shadow.T, color=SHADOW_COLOR, linewidth=2.2, zorder=1.0, gid="shadow", **line)
        for point in nodes:
            stem = view.flat(np.stack([point, (*point[:2], floor)]))
            axes.plot(*stem.T, color=STEM_COLOR, linewidth=0.5, zorder=1.1, gid="stem")
    if stretch.span != stretch.part:
        rest = view.flat(stretch.line(stretch.span))
        axes.plot(*rest.T, color=GREY, linewidth=0.6, zorder=1.4, gid="rest of the curve", **line)
        others = view.flat(stretch.nodes(stretch.span))
        axes.plot(*others.T, "o", color=GREY, markersize=2.2, zorder=1.5, gid="other control points")
    axes.plot(*view.flat(strong).T, color=INK, linewidth=1.1, zorder=1.6, gid="curve", **line)
    look: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.4, "zorder": 3.5}
    between = float(np.linalg.norm(np.diff(stretch.curve.points, axis=0), axis=1).mean())
    size = float(np.clip(72.0 * NODE_SHARE * between * inches_per_meter, SMALLEST_NODE, LARGEST_NODE))
    axes.plot(*view.flat(nodes).T, "o", color=NODE_COLOR, markersize=size, gid="control points", **look)


def draw_pose(axes: Axes, view: View, pose: Alignment, color: Any, inches_per_meter: float) -> None:
    """An aligned robot: links from the farthest to the nearest, and at each joint a bar along its axis."""
    mean = pose.robot.length / pose.robot.n_links
    thick = float(np.clip(72.0 * THICKNESS * mean * inches_per_meter, THINNEST, THICKEST))
    ends = link_ends(pose)
    strokes: list[tuple[str, np.ndarray, Any, float]] = [
        (f"link {k}", link, ORANGE if k == len(ends) - 1 else color, thick) for k, link in enumerate(ends)
    ]
    gaps = np.stack([ends[:-1, 1], ends[1:, 0]], axis=1)  # between the axes of a cardan
    apart = np.flatnonzero(np.linalg.norm(gaps[:, 1] - gaps[:, 0], axis=-1) > 1e-9)
    strokes += [(f"cardan {k}", gaps[k], GREY, 0.5 * thick) for k in apart]
    for k, (place, way) in enumerate(zip(*joint_axes(pose), strict=True)):
        bar = place + BAR * mean * np.array([[-1.0], [1.0]]) * way
        strokes.append((f"axis {k}", bar, INK, max(0.3 * thick, 0.7)))
    nearness = np.array([float((stroke[1] @ view.toward).mean()) for stroke in strokes])
    # A bar begins within its link: it is drawn after the links that it joins.
    nearness += [0.6 * mean * name.startswith("axis") for name, *_ in strokes]
    places = 2.0 + nearness.argsort().argsort() / len(strokes)
    for (name, points, shade, width), place in zip(strokes, places, strict=True):
        look: dict[str, Any] = {"linewidth": width, "solid_capstyle": "round", "zorder": float(place)}
        axes.plot(*view.flat(points).T, color=shade, gid=name, **look)


@dataclass(frozen=True, kw_only=True)
class Cage:
    """A box of space with ticks along three of its edges, for a view that looks aslant from above."""

    low: np.ndarray
    """Lowest x, y and z [m], shape (3,)."""
    high: np.ndarray
    """Highest x, y and z [m], shape (3,)."""
    view: View
    """Where the viewer stands."""

    @cached_property
    def near(self) -> np.ndarray:
        """The corner toward the viewer, but on the floor [m], shape (3,)."""
        return np.array([*np.where(self.view.toward > 0.0, self.high, self.low)[:2], self.low[2]])

    @cached_property
    def far(self) -> np.ndarray:
        """The corner of the floor farthest from the viewer [m], shape (3,)."""
        return np.array([*np.where(self.view.toward > 0.0, self.low, self.high)[:2], self.low[2]])

    @property
    def box(self) -> np.ndarray:
        """Lower left and upper right corner in the picture [m], shape (2, 2)."""
        seen = self.view.flat((self.low + self.high + CORNERS * (self.high - self.low)) / 2.0)
        return np.stack([seen.min(axis=0), seen.max(axis=0)])

    def ticks(self, axis: int, inches_per_meter: float) -> np.ndarray:
        """Round places along an axis that are far enough from each other on paper [m]."""
        step = np.abs(self.view.flat(np.eye(3)[axis])) * inches_per_meter
        least = float(np.min((NUMBER_WIDTH, NUMBER_HEIGHT) / np.maximum(step, 1e-12)))
        gap = next(each for factor in (1.0, 2.0, 2.5) if (each := round_number(factor * least)) >= 0.999 * least)
        # The lowest number of the upright axis would meet those of the level ones.
        low = self.low[axis] + 0.6 * least * (axis == 2)
        first, last = math.ceil(low / gap - 1e-6), math.floor(self.high[axis] / gap + 1e-6)
        return gap * np.arange(first, last + 1)

    def draw(self, axes: Axes, inches_per_meter: float) -> None:
        """Grids on the floor and the two walls behind, numbers and names along the edges in front and on the left."""
        for axis in range(3):
            ticks = self.ticks(axis, inches_per_meter)
            for value in ticks:
                self._lines(axes, axis, float(value), PALE)
            for value in (self.low[axis], self.high[axis]):
                self._lines(axes, axis, float(value), STEM_COLOR)
            self._label(axes, axis, ticks)

    def _lines(self, axes: Axes, axis: int, value: float, color: str) -> None:
        """What has one coordinate on the two faces behind that it crosses."""
        look: dict[str, Any] = {"linewidth": 0.5, "zorder": 0.2 + 0.1 * (color != PALE), "clip_on": False}
        for along in {0, 1, 2} - {axis}:
            ends = np.tile(self.far, (2, 1))
            ends[:, axis] = value
            ends[:, along] = self.low[along], self.high[along]
            axes.plot(*self.view.flat(ends).T, color=color, **look)

    def _label(self, axes: Axes, axis: int, ticks: np.ndarray) -> None:
        if axis == 2:
            sides = np.array([(self.near[0], self.far[1]), (self.far[0], self.near[1])])
            edge = np.array([*sides[self.view.flat(np.pad(sides, ((0, 0), (0, 1))))[:, 0].argmin()], 0.0])
            outward = np.array([-1.0, 0.0])
        else:
            edge = np.where(np.arange(3) == axis, 0.0, self.near)
            across = np.eye(3)[1 - axis] * np.sign(self.view.toward[1 - axis])
            outward = self.view.flat(across) / np.linalg.norm(self.view.flat(across))
        look: dict[str, Any] = {"size": SMALL, "color": INK, "textcoords": "offset points", "annotation_clip": False}
        sideways = "right" if outward[0] < -0.3 else "left" if outward[0] > 0.3 else "center"
        look["va"], along = "center" if axis == 2 else "top", np.eye(3)[axis]
        for value in ticks:
            number, step = f"{value:.4g}".replace("-", "−"), tuple(72.0 * NUMBER_GAP * outward)
            axes.annotate(number, tuple(self.view.flat(edge + value * along)), step, ha=sideways, **look)
        place = tuple(self.view.flat(edge + (self.low + self.high)[axis] / 2.0 * along))
        turned, far, sideways = (90.0, UPRIGHT_NAME_GAP, "center") if axis == 2 else (0.0, NAME_GAP, sideways)
        axes.annotate(f"{'xyz'[axis]} [m]", place, tuple(72.0 * far * outward), ha=sideways, rotation=turned, **look)


def draw_key(axes: Axes) -> None:
    """What the strokes of a shape are."""
    axes.axis("off")
    handles = [
        Line2D([], [], color=NODE_COLOR, marker="o", linestyle="", markersize=4.0, label="control point"),
        Line2D([], [], color=INK, linewidth=1.1, label="shape curve"),
        Line2D([], [], color=BLUE, linewidth=3.5, label="link of the virtual robot"),
        Line2D([], [], color=ORANGE, linewidth=3.5, label="its head"),
        Line2D([], [], color=INK, marker="|", linestyle="", markersize=7.0, label="axis of a joint"),
    ]
    axes.legend(
        handles=handles, loc="center left", bbox_to_anchor=(0.0, 0.5), ncols=5, fontsize=SMALL, frameon=False,
        borderaxespad=0.0, borderpad=0.0, handlelength=1.4, columnspacing=1.6,
    )  # fmt: skip


def write_beside(
    axes: Axes, label: str, place: np.ndarray, drawn: np.ndarray, box: np.ndarray, inches_per_meter: float
) -> np.ndarray:
    """A word beside a place, away from all that is drawn [m], shape (n, 2), and from the edges; rather above it.

    Returns what is drawn then: the word is as wide as three points.
    """
    turn = np.arange(16) * math.pi / 8.0
    ways = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    spots = place + WORD_REACH / inches_per_meter * ways
    clear = np.linalg.norm(spots[:, None] - drawn, axis=-1).min(axis=1)
    edge = np.minimum(spots - box[0], box[1] - spots).min(axis=1)
    x, y = spots[(np.minimum(clear, edge) * (1.0 + 0.2 * ways[:, 1])).argmax()]
    back = {"facecolor": "white", "alpha": 0.7, "linewidth": 0.0, "pad": 0.6}
    axes.text(x, y, label, size=SMALL, color=INK, ha="center", va="center", zorder=4.0, bbox=back)
    half = 0.6 * WORD_REACH / inches_per_meter
    return np.concatenate([drawn, [(x - half, y), (x, y), (x + half, y)]])
