"""Shape curves and the robots aligned along them, drawn in a look at space from far away: all scales are equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.planning.curves.alignment import Alignment
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.plots.page import SMALL
from pushpoint.scenery.palette import BLUE, GREY, INK, ORANGE, PALE, VERMILION
from pushpoint.scenery.shapes import View, look_from, round_number, side_view

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

    The first axis of a joint is fixed to the front end of the link behind it, the second to the rear end of the link
    in front.
    """
    ends, turn = link_ends(pose), rotation_of(pose.link_orientations)
    places, ways = [], []
    for behind, joint in enumerate(pose.robot.chain):
        for number, hinge in enumerate(joint.hinges):
            places.append(ends[behind, 1] if number == 0 else ends[behind + 1, 0])
            ways.append(turn[behind + number] @ hinge.direction)
    return np.reshape(places, (-1, 3)), np.reshape(ways, (-1, 3))


@dataclass(frozen=True)
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
        return Stretch(curve, (0.0, curve.end), (0.0, curve.end))

    def line(self, ends: tuple[float, float]) -> np.ndarray:
        """Points between two parameters, close enough for a smooth line [m], shape (n, 3)."""
        count = max(2, round(SAMPLES_PER_PIECE * (ends[1] - ends[0])) + 1)
        return self.curve.at(np.linspace(*ends, count))

    def nodes(self, ends: tuple[float, float]) -> np.ndarray:
        """Control points between two parameters [m], shape (n, 3)."""
        return self.curve.points[math.ceil(ends[0] - 1e-9) : math.floor(ends[1] + 1e-9) + 1]


def _plot_pieces(axes: Axes, view: View, ends: np.ndarray, **look: Any) -> None:
    """Thin straight lines between ends of shape (2, n, 3) [m]."""
    axes.plot(*np.moveaxis(view.flat(ends), -1, 0), linewidth=0.5, **look)


def draw_stretch(axes: Axes, view: View, stretch: Stretch, floor: float | None, inches_per_meter: float) -> None:
    """A curve with its control points, and if there is a floor, at this height [m], stems and its shadow on it."""
    line: dict[str, Any] = {"solid_capstyle": "round", "solid_joinstyle": "round"}
    strong, nodes = stretch.line(stretch.part), stretch.nodes(stretch.part)
    if floor is not None:
        shadow, feet = (points * (1.0, 1.0, 0.0) + (0.0, 0.0, floor) for points in (strong, nodes))
        axes.plot(*view.flat(shadow).T, color=SHADOW_COLOR, linewidth=2.2, zorder=1.0, gid="shadow", **line)
        _plot_pieces(axes, view, np.stack([nodes, feet]), color=STEM_COLOR, zorder=1.1, gid="stem")
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


def draw_cage(axes: Axes, view: View, low: np.ndarray, high: np.ndarray, inches_per_meter: float) -> None:
    """A box of space between its lowest and highest x, y and z [m], shape (3,) each, for a view aslant from above.

    Grids are on its floor and on the two walls behind, numbers and names along the edges in front and on the left.
    """
    # The corners of the floor nearest to the viewer and farthest away.
    near, far = (np.array([*np.where(view.toward > 0.0, *ends)[:2], low[2]]) for ends in ((high, low), (low, high)))
    for axis in range(3):
        ticks = _ticks(view, axis, low, high, inches_per_meter)
        for values, color, place in ((ticks, PALE, 0.2), (np.array([low[axis], high[axis]]), STEM_COLOR, 0.3)):
            for along in {0, 1, 2} - {axis}:  # what has these coordinates on the two faces behind
                ends = np.tile(far, (2, len(values), 1))
                ends[..., axis] = values
                ends[..., along] = [[low[along]], [high[along]]]
                _plot_pieces(axes, view, ends, color=color, zorder=place, clip_on=False)
        if axis == 2:
            sides = np.array([(near[0], far[1]), (far[0], near[1])])
            edge = np.array([*sides[view.flat(np.pad(sides, ((0, 0), (0, 1))))[:, 0].argmin()], 0.0])
            outward = np.array([-1.0, 0.0])
        else:
            edge = np.where(np.arange(3) == axis, 0.0, near)
            across = view.flat(np.eye(3)[1 - axis] * np.sign(view.toward[1 - axis]))
            outward = across / np.linalg.norm(across)
        look: dict[str, Any] = {"size": SMALL, "color": INK, "textcoords": "offset points", "annotation_clip": False}
        sideways = "right" if outward[0] < -0.3 else "left" if outward[0] > 0.3 else "center"
        look["va"], step = "center" if axis == 2 else "top", np.eye(3)[axis]
        for value in ticks:
            number, shift = f"{value:.4g}".replace("-", "−"), tuple(72.0 * NUMBER_GAP * outward)
            axes.annotate(number, tuple(view.flat(edge + value * step)), shift, ha=sideways, **look)
        middle = tuple(view.flat(edge + (low + high)[axis] / 2.0 * step))
        turned, gap, sideways = (90.0, UPRIGHT_NAME_GAP, "center") if axis == 2 else (0.0, NAME_GAP, sideways)
        axes.annotate(f"{'xyz'[axis]} [m]", middle, tuple(72.0 * gap * outward), ha=sideways, rotation=turned, **look)


def _ticks(view: View, axis: int, low: np.ndarray, high: np.ndarray, inches_per_meter: float) -> np.ndarray:
    """Round places along an axis that are far enough from each other on paper [m]."""
    step = np.abs(view.flat(np.eye(3)[axis])) * inches_per_meter
    least = float(np.min((NUMBER_WIDTH, NUMBER_HEIGHT) / np.maximum(step, 1e-12)))
    gap = next(each for factor in (1.0, 2.0, 2.5) if (each := round_number(factor * least)) >= 0.999 * least)
    # The lowest number of the upright axis would meet those of the level ones.
    start = low[axis] + 0.6 * least * (axis == 2)
    first, last = math.ceil(start / gap - 1e-6), math.floor(high[axis] / gap + 1e-6)
    return gap * np.arange(first, last + 1)


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
    look: dict[str, Any] = {"fontsize": SMALL, "frameon": False, "borderaxespad": 0.0, "borderpad": 0.0}
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (0.0, 0.5), "ncols": 5}
    axes.legend(handles=handles, handlelength=1.4, columnspacing=1.6, **place, **look)


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
