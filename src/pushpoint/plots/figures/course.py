"""One picture of a run: the body among the obstacles at several times, and how far it came.

A snake robot follows its own track, so postures laid over each other hide one another; each time gets its own frame of
the same course instead, as on a film strip.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.distances import distances
from pushpoint.plots.key import (
    KeySymbol,
    arrow_entry,
    draw_entries,
    key_lines,
    line_entry,
    link_entry,
    mark_entry,
    patch_entry,
)
from pushpoint.plots.looks import HEAD_COLOR
from pushpoint.plots.page import (
    LINE_HEIGHT,
    TALLEST_SHEET,
    WIDTH,
    X_LABEL_HEIGHT,
    PanelRow,
    dress,
    header_height,
    header_lines,
    page,
    place_legend,
)
from pushpoint.plots.stretches import RESOLUTION, mark_stretches, mode_color, mode_names, stays_in
from pushpoint.plots.world import (
    FINISH,
    GOAL,
    PLANNED,
    START,
    Side,
    draw_aim,
    draw_arrows,
    draw_body,
    draw_links,
    draw_map,
    draw_wheels,
    shades,
    time_colors,
)
from pushpoint.scenery.drawn_run import ARROW_SHARE, DrawnRun, ForceScale, read_run
from pushpoint.scenery.palette import GREY, INK, PATCH_LOOKS
from pushpoint.scenery.shapes import TOP, View
from pushpoint.scenery.surroundings import law_words

# Sizes on paper [in].
FRAME_GAP, TRAVEL_HEIGHT, TRAVEL_GAP, TITLE_HEIGHT, SHORTEST_ARROW, LEAST_STRIP = 0.24, 1.1, 0.3, 0.22, 0.05, 0.5
LEAST_IN_METERS = 0.1
COLUMNS = (1, 2, 3, 4, 6)
"""Frames beside each other."""
MOST_KEY_LINES, LEAST_SHARE = 2, 0.2
"""Lines of the key that there is room for [-], and of its width what a frame has at least [-]."""
SO_FAR: dict[str, Any] = {"color": INK, "linewidth": 1.3}
TO_COME: dict[str, Any] = {"color": INK, "linewidth": 0.5}


@checked_arguments
def course(run: xarray.Dataset, *, times: Sequence[float] | None = None, world: Natural = 0) -> Figure:
    """The body among the obstacles at several times, with the contact forces, and how far it came.

    Its axes are labelled "header", "posture 0", "posture 1", ... and "travel"; a spatial run has "side 0", ... as well.
    The postures are at the samples nearest to the times [s]; default: 4 or 6, evenly from start to end. A planned path,
    its start and goal are drawn where the run has them, and jam resolutions are marked where its controller tells them.
    """
    return strip_figure(run, times=times, world=world)


def strip_figure(
    run: xarray.Dataset,
    *,
    times: Sequence[float] | None,
    world: int,
    subject: str = "",
    names: Sequence[str] = (),
) -> Figure:
    """The same; subject: what is seen, beside the scenario's name; names: of the frames, before their times."""
    shown = read_run(run, world)
    seen = shown.body_box if shown.space is None else shown.frame_box()
    width, height = (seen[1] - seen[0])[:2]
    fewest = 1 if height < 0.2 * width else 2 if height < 0.75 * width else 3
    tried = [columns for columns in COLUMNS if columns >= fewest]
    strips = [_Strip.fitting(shown, times, columns, header_height(_lines(shown, subject))) for columns in tried]
    # A frame that fills its column is worth more than one of the same size that does not.
    strip = max(strips, key=lambda each: math.sqrt(each.share) * each.row.width)
    samples = strip.samples
    key = key_lines(_key(shown, strip), WIDTH - 0.2)
    lines = [*_lines(shown, subject), *[""] * (len(key) - 1)]
    below = PanelRow(panels=("travel",), height=TRAVEL_HEIGHT, above=X_LABEL_HEIGHT + TRAVEL_GAP)
    figure, panels = page(lines, [*strip.rows, below])
    header = panels["header"]
    draw_entries(header, key, header.get_ylim()[0] - 0.06 - LINE_HEIGHT * (len(key) - 1))
    colors = time_colors(len(samples))
    for number, color in enumerate(colors):
        strip.draw(panels, number, color, names[number] if number < len(names) else "")
    _draw_travel(panels["travel"], shown, samples, colors)
    _mark_resolutions(panels["travel"], run, shown, world)
    return figure


def _scale(shown: DrawnRun, long: float) -> ForceScale:
    """The scale of the run's usual large force, on which that force is an arrow so long [m]."""
    scale = shown.force_scale
    return replace(scale, meters_per_newton=scale.meters_per_newton * long / (ARROW_SHARE * shown.length))


class _Strip:
    """The frames of a figure, row by row; a spatial run has a side view below each.

    share: of the width that frames fill, less than 1 where the sheet would be too tall.
    """

    def __init__(
        self, course: DrawnRun, samples: list[int], columns: int, scale: ForceScale, share: float = 1.0
    ) -> None:
        self.course, self.samples, self.columns, self.scale, self.share = course, samples, columns, scale, share
        tips = [np.add(*course.arrows(sample, scale)) for sample in samples]
        self.box = course.frame_box(tips)
        row = PanelRow(panels=(), height=0.0, below=0.0, gap=FRAME_GAP, columns=columns)
        spare = (1.0 - share) * columns * row.width
        between = spare / (columns - 1) if columns > 1 else 0.0
        self.row = replace(row, gap=row.gap + between, right=row.right + (0.0 if columns > 1 else spare))
        self.side = None if course.space is None else Side(course, self.box, tips, LEAST_STRIP / self.row.width)
        self.inches_per_meter = float(self.row.width / (self.box[1, 0] - self.box[0, 0]))
        self.rows = self._rows()

    @staticmethod
    def fitting(course: DrawnRun, times: Sequence[float] | None, columns: int, header: float) -> _Strip:
        """Frames in so many columns, made smaller if the sheet with its header [in] would be too tall."""
        samples = course.choose_samples(times, 6 if columns == 3 else 4).tolist()
        columns = min(columns, len(samples))
        width, height = (course.body_box[1] - course.body_box[0])[:2]
        scale = _scale(
            course, max((0.05 + 0.02 * columns) * math.hypot(width, height), 2.0 * float(course.radius.max()))
        )
        strip, share = _Strip(course, samples, columns, scale), 1.0
        most = TALLEST_SHEET - header - MOST_KEY_LINES * LINE_HEIGHT - TRAVEL_HEIGHT - TRAVEL_GAP - 2.0 * X_LABEL_HEIGHT
        # Side strips have a least height, so that the share is not found at once.
        while strip.height > most and share > LEAST_SHARE:
            boxes = sum(row.height for row in strip.rows)
            share *= min(0.99, max(1.0 - (strip.height - most) / boxes, LEAST_SHARE))
            strip = _Strip(course, samples, columns, scale, share)
        return strip

    @property
    def height(self) -> float:
        """Of all rows [in]."""
        return sum(row.above + row.height for row in self.rows)

    @property
    def cut(self) -> bool:
        """Whether an arrow in the frames is cut."""
        return bool((np.linalg.norm(self.course.force[self.samples], axis=-1) > self.scale.largest).any())

    def _rows(self) -> list[PanelRow]:
        looks = {"posture": (self.box, TITLE_HEIGHT)}
        if self.side is not None:
            looks["side"] = self.side.box, 0.1 if self.side.along_x else X_LABEL_HEIGHT
        rows = []
        for first in range(0, len(self.samples), self.columns):
            numbers = range(first, min(first + self.columns, len(self.samples)))
            for name, (box, above) in looks.items():
                tall = self.row.width * float((box[1, 1] - box[0, 1]) / (box[1, 0] - box[0, 0]))
                rows.append(replace(self.row, panels=[f"{name} {k}" for k in numbers], height=tall, above=above))
        return rows

    def draw(self, panels: dict[str, Axes], number: int, color: Any, name: str) -> None:
        axes, side, sample = panels[f"posture {number}"], self.side, self.samples[number]
        lowest, first = number + self.columns >= len(self.samples), number % self.columns == 0
        draw_map(axes, self.course.scenery_at(sample), self.box, self.inches_per_meter)
        draw_aim(axes, self.course.aim, self.box)
        self._pose(axes, sample, color, TOP, self.box)
        time = f"{self.course.time[sample]:.4g} s"
        dress(axes, title=f"{name}, {time}" if name else time)
        self._label(axes, "x [m]", "y [m]", seen=lowest if side is None else not side.along_x, first=first)
        if side is not None:
            beside = panels[f"side {number}"]
            side.draw(beside, sample)
            self._pose(beside, sample, color, side.view, side.box)
            self._label(beside, side.label, "z [m]", seen=lowest, first=first)

    def _pose(self, axes: Axes, sample: int, color: Any, view: View, box: np.ndarray) -> None:
        """The body and the path of the centre of mass: thin as a whole, thick up to now; and the forces."""
        course, center = self.course, self.course.center
        feet, steps = course.arrows(sample, self.scale)
        if course.space is None:
            draw_body(axes, course.outlines(sample), color, 0.45)
            draw_wheels(axes, course.wheel_outlines(sample))
        else:
            draw_links(axes, course, sample, view, color)
            feet, steps, center = view.flat(feet), view.flat(steps), view.flat(center)
            # Seen from its tip, an arrow is a dot.
            long = np.linalg.norm(steps, axis=-1) * self.inches_per_meter > SHORTEST_ARROW
            feet, steps = feet[long], steps[long]
        axes.plot(*center.T, zorder=3, **TO_COME)
        axes.plot(*center[: sample + 1].T, zorder=3, **SO_FAR)
        x, y = center[sample]
        axes.scatter(x, y, s=14, color=INK, edgecolors="white", linewidths=0.5, zorder=3.1)
        draw_arrows(axes, feet, steps)
        axes.set(xlim=box[:, 0], ylim=box[:, 1], aspect="equal")

    def _label(self, axes: Axes, x: str, y: str, *, seen: bool, first: bool) -> None:
        axes.set_xlabel(x if seen else "", labelpad=1.5)
        axes.set_ylabel(y if first else "")
        axes.tick_params(labelbottom=seen, labelleft=first)


def _draw_travel(axes: Axes, course: DrawnRun, samples: list[int], colors: Sequence[Any]) -> None:
    """Displacement of the centre of mass from its start, with a dot at each posture's time."""
    moved = course.center - course.center[0]
    unit, scale = ("m", 1.0) if np.abs(moved).max() >= LEAST_IN_METERS else ("mm", 1e3)
    moved = scale * moved
    look: dict[str, Any] = {"s": 22, "c": colors, "edgecolors": "white", "linewidths": 0.5, "zorder": 3}
    for column, (name, style) in enumerate((("x", "-"), ("y", "--"), ("z", ":"))[: moved.shape[1]]):
        axes.plot(course.time, moved[:, column], style, color=INK, linewidth=1.0, label=f"along {name}")
        axes.scatter(course.time[samples], moved[samples, column], **look)
    title = "way of the centre of mass; dots: the frames above"
    dress(axes, title=title, x="time [s]", y=f"way [{unit}]", grid="y")
    first, last = float(course.time[0]), float(course.time[-1])
    axes.set_xlim(first - 0.02 * (last - first), last + 0.02 * (last - first) if last > first else first + 0.01)
    place_legend(axes, columns=moved.shape[1], handle=1.8)


def _mark_resolutions(axes: Axes, run: xarray.Dataset, shown: DrawnRun, world: int) -> None:
    """Tints and numbers the times in which the controller resolved a jam, if it tells them."""
    if "controller_mode" not in run:
        return
    codes = {name: code for code, name in mode_names(run).items()}
    if RESOLUTION not in codes:
        return
    told = (
        run["controller_mode"].isel(world=world) if "world" in run["controller_mode"].dims else run["controller_mode"]
    )
    time = np.asarray(run["time"], dtype=float)
    found = [(float(time[a]), float(time[b])) for a, b in stays_in(np.asarray(told), codes[RESOLUTION])]
    found = [stay for stay in found if stay[1] <= shown.time[-1]]
    if found:
        mark_stretches(axes, found, mode_color(codes[RESOLUTION]), "jam resolution")
        place_legend(axes, columns=3, handle=1.8, columnspacing=0.9)


def _lines(course: DrawnRun, subject: str) -> list[str]:
    """Title and name; duration, distances and mean speed; and what went wrong, if anything did."""
    duration = float(course.time[-1] - course.time[0])
    facts = f"{duration:.4g} s"
    if duration > 0.0:
        far = distances(course)
        facts += f"; {far.words}; mean speed of the centre of mass {far.center / duration:.3g} m/s"
    return header_lines(course.name, subject, facts, course.remarks, title=course.title)


def _key(course: DrawnRun, strip: _Strip) -> list[KeySymbol]:
    """All symbols of the frames."""
    green = time_colors(3)[1]
    carrying, lifted = (shades(green, np.array([up, up]))[0] for up in (True, False))
    entries = [link_entry("head", HEAD_COLOR, green)]
    if course.lifts:
        entries += [link_entry("link that carries weight", carrying, green), link_entry("lifted link", lifted, green)]
    entries += [line_entry("path of the centre of mass so far", **SO_FAR), line_entry("path to come", **TO_COME)]
    scale = strip.scale
    if scale.key:
        words = f"{scale.key:g} N, contact force on the link"
        words += f"; arrows longer than {float(f'{scale.largest:.2g}'):g} N are cut" if strip.cut else ""
        entries.append(arrow_entry(words, scale.key * scale.meters_per_newton * strip.inches_per_meter))
    if course.aim.path is not None:
        entries += [line_entry(course.aim.path_name, **PLANNED)]
        entries += [mark_entry("start", **START), mark_entry("goal", **GOAL)]
    if course.aim.finish_line(strip.box) is not None:
        entries.append(line_entry("finishing line", **FINISH))
    for region, (face, hatch) in zip(course.scenery.regions, cycle(PATCH_LOOKS), strict=False):
        look: dict[str, Any] = {"facecolor": face, "edgecolor": GREY, "hatch": hatch, "linewidth": 0.4}
        entries.append(patch_entry(f"ground: {law_words(region.friction)}", **look))
    if not course.scenery.ground.flat:
        entries.append(line_entry("contour lines in m", color=GREY, linewidth=0.5))
    return entries
