"""The plane seen from above: links, obstacles, regions of the ground and force arrows, drawn with matplotlib."""

from __future__ import annotations

import math
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, PathPatch, Polygon
from matplotlib.path import Path as Outline

from pushpoint.plots.drawing import FORCE_COLOR, GREY, SMALL
from pushpoint.scenery.course_frames import Course
from pushpoint.scenery.space import TOP, View
from pushpoint.scenery.surroundings import Patch, Scenery, Solid

SOLID_COLOR, NUMBER_COLOR = "#d3d3d3", "#5a5a5a"
# Pale enough for a body on top; the hatches tell neighbours apart without colour.
PATCH_LOOKS = (("#fdf1d3", "...."), ("#dceff9", "////"), ("#f6e3ee", "\\\\\\\\"), ("#dcefe8", "----"))
SMALLEST_TYPE = 4.0
# Width of a letter over the size of its type, on average.
LETTER_WIDTH = 0.55


def capsule(middle: np.ndarray, along: np.ndarray, half_side: float, radius: float) -> Outline:
    """Outline of a link."""
    turn = np.linspace(-np.pi / 2.0, np.pi / 2.0, 17)
    front = np.stack([half_side + radius * np.cos(turn), radius * np.sin(turn)], axis=-1)
    local = np.concatenate([front, -front, front[:1]])
    across = np.array([-along[1], along[0]])
    return Outline(middle + local[:, :1] * along + local[:, 1:] * across, closed=True)


def body_outlines(course: Course, sample: int) -> list[Outline]:
    """Outlines of all links in a sample, from tail to head, seen from above."""
    if course.space is not None:
        return view_outlines(course, sample, TOP)
    links = zip(course.middle[sample], course.along[sample], course.half_side, course.radius, strict=True)
    return [capsule(*link) for link in links]


def view_outlines(course: Course, sample: int, view: View) -> list[Outline]:
    """Outlines of all links of a spatial run in a sample, from tail to head."""
    assert course.space is not None
    return [_closed(points) for points in course.space.outlines(course.middle, sample, view)]


def _closed(points: np.ndarray) -> Outline:
    return Outline(np.concatenate([points, points[:1]]), closed=True)


def draw_scenery(axes: Axes, scenery: Scenery, box: np.ndarray, inches_per_meter: float) -> None:
    """Regions, and obstacles that reach into the box, with the number they have in the run where it fits in."""
    for k, patch in enumerate(scenery.patches):
        face, hatch = PATCH_LOOKS[k % len(PATCH_LOOKS)]
        look: dict[str, Any] = {"facecolor": face, "edgecolor": GREY, "hatch": hatch, "linewidth": 0.4, "alpha": 0.7}
        with matplotlib.rc_context({"hatch.linewidth": 0.3}):
            axes.add_patch(Polygon(patch.corners, zorder=0.5, **look))
        _label_patch(axes, patch, box, inches_per_meter)
    for solid in scenery.inside(box):
        axes.add_patch(_solid_patch(solid, inches_per_meter))
        size = min(SMALL, 72.0 * solid.room * inches_per_meter)
        if size > SMALLEST_TYPE and solid.numbered:
            style: dict[str, Any] = {"color": NUMBER_COLOR, "ha": "center", "va": "center", "clip_on": True}
            x, y = solid.center
            axes.text(x, y, str(solid.number), size=size, zorder=1.1, **style)


def _solid_patch(solid: Solid, inches_per_meter: float) -> Circle | Polygon:
    look: dict[str, Any] = {"facecolor": SOLID_COLOR, "edgecolor": GREY, "linewidth": 0.6, "zorder": 1}
    if len(solid.corners) == 1:
        return Circle((float(solid.corners[0, 0]), float(solid.corners[0, 1])), solid.radius, **look)
    # A wall thinner than its own border would be a pale line.
    if len(solid.corners) == 2 and 2.0 * solid.radius * inches_per_meter < 2.0 / 72.0:
        look["facecolor"] = GREY
    return Polygon(solid.outline(), closed=True, **look)


def _label_patch(axes: Axes, patch: Patch, box: np.ndarray, inches_per_meter: float) -> None:
    """The friction law at the lower edge of what is seen of a region, where a body is least likely, if it fits."""
    seen = np.clip(patch.corners, box[0], box[1])
    y = float(seen[:, 1].min())
    x = float(seen[seen[:, 1] < y + 1e-6, 0].mean())
    fits = len(patch.label) * LETTER_WIDTH * SMALL / 72.0 < 0.9 * float(np.ptp(seen[:, 0])) * inches_per_meter
    if patch.label and fits and np.ptp(seen[:, 1]) > 0.0:
        look: dict[str, Any] = {"color": NUMBER_COLOR, "ha": "center", "va": "bottom", "clip_on": True}
        back = {"facecolor": "white", "alpha": 0.7, "linewidth": 0.0, "pad": 1.0}
        axes.text(x, y + 0.03 / inches_per_meter, patch.label, size=SMALL, zorder=1.2, bbox=back, **look)


def draw_body(axes: Axes, outlines: list[Outline], color: Any, opacity: float) -> list[PathPatch]:
    """The links, their head filled; returns both artists, so that they can be moved."""
    # One path of equally turning outlines is filled as their union, so overlaps at the joints are not darker.
    body = PathPatch(Outline.make_compound_path(*outlines), facecolor=color, edgecolor=color, linewidth=0.7, zorder=2)
    body.set_facecolor((*matplotlib.colors.to_rgb(color), opacity))
    head = PathPatch(outlines[-1], facecolor=color, edgecolor=color, linewidth=0.7, zorder=2.1)
    axes.add_patch(body)
    axes.add_patch(head)
    return [body, head]


def draw_arrows(axes: Axes, foot: np.ndarray, arrow: np.ndarray) -> None:
    """Arrows from foot along arrow, both in the unit of the axes."""
    if len(foot):
        look: dict[str, Any] = {"color": FORCE_COLOR, "edgecolor": "white", "linewidth": 0.4, "zorder": 4}
        true_length: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": 1.0}
        axes.quiver(*foot.T, *arrow.T, units="inches", width=0.022, minlength=0.1, **true_length, **look)


def round_number(largest: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above largest."""
    power = 10.0 ** math.floor(math.log10(largest))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= largest)
