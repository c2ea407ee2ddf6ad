"""The header of a film: title, name and grid, and a key to all that is drawn, in as many rows as it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.textpath import text_to_path

from pushpoint.films.planar import GOAL, PATH_LINE, PIXELS_PER_INCH, PLAN_LINE, START
from pushpoint.scenery.drawn_run import DrawnRun, ForceScale
from pushpoint.scenery.palette import (
    FORCE_COLOR,
    GREY,
    INK,
    NUMBER_COLOR,
    PATCH_LOOKS,
    PLAN_COLOR,
    SOLID_COLOR,
    link_colors,
)
from pushpoint.scenery.shapes import capsules
from pushpoint.scenery.surroundings import law_words

# Places in a film of the usual width [px]: margin; levels of title, name and first row of the key below the upper edge;
# distance of the rows; gaps between a mark and its words, and between entries; room kept for the clock.
MARGIN, TITLE_LEVEL, NAME_LEVEL, KEY_LEVEL, ROW, GAP, BETWEEN, CLOCK_ROOM = 16, 22, 46, 71, 23, 7, 22, 190
TITLE_TYPE, TYPE = 13.0, 9.5
SHAFT = 6.0
"""Thickness of an arrow's shaft [px]."""


@dataclass(frozen=True)
class KeyEntry:
    """A mark and what it means."""

    words: str
    """What it means."""
    wide: float
    """Width of the mark [px]."""
    mark: Callable[[float, float], list[Artist]]
    """Draws the mark from a left end, at a level [px]."""


def arrow_outline(foot: np.ndarray, step: np.ndarray, shaft: float) -> Outline:
    """Outline of an arrow; a short one is all head."""
    length = float(np.hypot(*step))
    along = step / max(length, 1e-12)
    across = np.array([-along[1], along[0]])
    neck = length - min(3.5 * shaft, 0.7 * length)
    local = [(0, 0.5), (neck, 0.5), (neck, 1.6), (length, 0.0), (neck, -1.6), (neck, -0.5), (0, -0.5), (0, 0.5)]
    return Outline([foot + x * along + y * shaft * across for x, y in local], closed=True)


def key_entries(course: DrawnRun, scale: ForceScale, pixels_per_meter: float, unit: float) -> Iterator[KeyEntry]:
    """What a film of a run has to explain; `unit` is its scale against the usual width."""
    pale, strong, head = link_colors(np.array([False, True, True]))

    def link(words: str, color: Any) -> KeyEntry:
        def mark(left: float, level: float) -> list[Artist]:
            middle, half = np.array([[left + 13.0 * unit, level]]), np.array([7.0 * unit])
            return [_filled(Outline(capsules(middle, np.array([[1.0, 0.0]]), half, 6.0 * unit * np.ones(1))[0]), color)]

        return KeyEntry(words, 26.0 * unit, mark)

    yield link("head", head)
    if course.lifts:
        yield link("carries weight", strong)
        yield link("lifted", pale)
    if scale.key:
        long = scale.key * scale.meters_per_newton * pixels_per_meter

        def arrow(left: float, level: float) -> list[Artist]:
            return [_filled(arrow_outline(np.array([left, level]), np.array([long, 0.0]), SHAFT * unit), FORCE_COLOR)]

        yield KeyEntry(scale.words, long, arrow)
    if course.meets_obstacles:
        yield KeyEntry("obstacle", 14.0 * unit, _patch(14.0 * unit, unit, SOLID_COLOR, round_=bool(_is_round(course))))
    for region, (face, hatch) in zip(course.scenery.regions, cycle(PATCH_LOOKS), strict=False):
        yield KeyEntry(law_words(region.friction), 22.0 * unit, _patch(22.0 * unit, unit, face, hatch=hatch))
    yield KeyEntry("path of the centre of mass", 26.0 * unit, _line(26.0 * unit, **PATH_LINE))
    if course.aim.path is not None:
        yield KeyEntry(course.aim.path_name, 32.0 * unit, _line(32.0 * unit, **PLAN_LINE))
        yield KeyEntry("its start", 12.0 * unit, _line(0.0, 6.0 * unit, markeredgewidth=1.4, **START))
        yield KeyEntry("goal", 14.0 * unit, _line(0.0, 7.0 * unit, **GOAL))
    if course.aim.finish is not None:
        yield KeyEntry("finishing line", 26.0 * unit, _line(26.0 * unit, color=PLAN_COLOR, linewidth=2.4))


def _is_round(course: DrawnRun) -> bool:
    return all(len(solid.corners) == 1 for solid in course.scenery.solids)


def _filled(outline: Outline, color: Any, **look: Any) -> PathPatch:
    return PathPatch(outline, facecolor=color, transform=None, **{"linewidth": 0.0} | look)


def _patch(
    wide: float, unit: float, color: Any, *, round_: bool = False, hatch: str = ""
) -> Callable[..., list[Artist]]:
    def mark(left: float, level: float) -> list[Artist]:
        half = 7.0 * unit
        shape = (
            Outline.circle((left + half, level), half)
            if round_
            else Outline(
                [(left + x * wide, level + y * half) for x, y in ((0, -1), (1, -1), (1, 1), (0, 1), (0, -1))],
                closed=True,
            )
        )
        return [_filled(shape, color, edgecolor=GREY, linewidth=0.6, hatch=hatch)]

    return mark


def _line(wide: float, ahead: float = 0.0, **look: Any) -> Callable[..., list[Artist]]:
    def mark(left: float, level: float) -> list[Artist]:
        places = [left + ahead, left + wide] if wide else [left + ahead]
        return [Line2D(places, [level] * len(places), transform=None, **look)]

    return mark


class Header:
    """The part of a film's frames that never changes; sizes in pixels.

    height: How high it is [px], an even number.
    """

    def __init__(self, course: DrawnRun, entries: list[KeyEntry], grid: float, width: int, unit: float) -> None:
        self._course, self._grid, self._width, self._unit = course, grid, width, unit
        self._rows: list[list[tuple[float, KeyEntry]]] = [[]]
        left = MARGIN * unit
        for entry in entries:
            wide = entry.wide + (GAP + BETWEEN) * unit + self._length(entry.words, TYPE)
            if left + wide > width and self._rows[-1]:
                self._rows.append([])
                left = MARGIN * unit
            self._rows[-1].append((left, entry))
            left += wide
        self.height = 2 * round(unit * (KEY_LEVEL + ROW * len(self._rows) - 6) / 2)

    def draw(self, figure: Figure) -> list[Artist]:
        """Draws it at the top of a figure, and returns all that it drew."""
        unit, course, artists = self._unit, self._course, list[Artist]()
        wide, tall = figure.get_size_inches() * figure.dpi

        def write(left: float, below: float, words: str, **look: Any) -> None:
            usual: dict[str, Any] = {"size": TYPE, "color": INK, "va": "center", "ha": "left", "parse_math": False}
            artists.append(figure.text(left / wide, 1.0 - below / tall, words, **usual | look))

        room = self._width - (MARGIN + CLOCK_ROOM) * unit
        title = self._shortened((course.title or course.name).removesuffix("."), TITLE_TYPE, room)
        write(MARGIN * unit, TITLE_LEVEL * unit, title, size=TITLE_TYPE, weight="bold")
        write(MARGIN * unit, NAME_LEVEL * unit, self._shortened(self._about(), TYPE, room), color=NUMBER_COLOR)
        for number, row in enumerate(self._rows):
            below = (KEY_LEVEL + ROW * number) * unit
            for left, entry in row:
                marks = entry.mark(left, tall - below)
                artists += [figure.add_artist(mark) for mark in marks]
                write(left + entry.wide + GAP * unit, below, entry.words)
        return artists

    def _about(self) -> str:
        """The line below the title."""
        course, slope = self._course, abs(self._course.scenery.environment.ground.slope)
        parts = [course.name] if course.title else []
        parts.append(f"grid {self._grid:g} m")
        parts += [f"slope {math.degrees(slope):.3g}°"] if slope else []
        return "   ·   ".join([*parts, *([f"not finished: {course.status}"] if course.status else [])])

    def _length(self, words: str, size: float, weight: str = "normal") -> float:
        """Width of words in a size of type [px]."""
        wide, _, _ = text_to_path.get_text_width_height_descent(words, FontProperties(size=size, weight=weight), False)
        return float(wide) / 72.0 * PIXELS_PER_INCH * self._unit

    def _shortened(self, words: str, size: float, room: float) -> str:
        """Words that fit into a room [px]."""
        weight = "bold" if size == TITLE_TYPE else "normal"
        if self._length(words, size, weight) <= room:
            return words
        while words and self._length(words + "…", size, weight) > room:
            words = words[:-1]
        return words.rstrip() + "…"
