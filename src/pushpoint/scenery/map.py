"""The map of a course: regions of the ground, obstacles and what is written on them, as a pen would draw them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle

import numpy as np

from pushpoint.model.environment import Region
from pushpoint.scenery.palette import GREY, PATCH_LOOKS, SOLID_COLOR
from pushpoint.scenery.surroundings import Footprint, Scenery, law_words

LARGEST_TYPE, SMALLEST_TYPE = 7.5, 4.0
"""Sizes of numbers on obstacles [pt]."""
# Width of a letter over the size of its type, on average.
LETTER_WIDTH = 0.55
# A wall thinner than its own border [in] would be a pale line.
THIN = 2.0 / 72.0


@dataclass(frozen=True, kw_only=True)
class Area:
    """Something with an outline."""

    outline: np.ndarray
    """Points around it [m], shape (n, 2)."""
    face: str
    """What it is filled with."""
    hatch: str = ""
    """What it is hatched with; none for an obstacle."""
    circle: float = 0.0
    """Radius of a round one [m], about the mean of its outline; 0 for others."""


@dataclass(frozen=True, kw_only=True)
class Word:
    """Something written."""

    place: tuple[float, float]
    """Its middle, or the middle of its lower edge if it has a back [m]."""
    text: str
    """What it says."""
    size: float
    """Size of its type [pt]."""
    back: bool = False
    """Whether it stands on a pale back."""


def map_of(scenery: Scenery, box: np.ndarray, inches_per_meter: float) -> tuple[list[Area], list[Word]]:
    """What is drawn, from the lowest to the highest, and what is written where it fits in.

    Args:
        scenery: What stands around.
        box: Corners of what is seen [m], shape (2, 2).
        inches_per_meter: Scale on paper [in/m].
    """
    looks = zip(scenery.regions, cycle(PATCH_LOOKS), strict=False)
    areas = [Area(outline=np.array(region.vertices), face=face, hatch=hatch) for region, (face, hatch) in looks]
    words = [word for region in scenery.regions if (word := _law(region, box, inches_per_meter)) is not None]
    for solid in scenery.inside(box):
        areas.append(_area(solid, inches_per_meter))
        size = min(LARGEST_TYPE, 72.0 * solid.room * inches_per_meter)
        if size > SMALLEST_TYPE and solid.numbered:
            x, y = solid.center.tolist()
            words.append(Word(place=(x, y), text=str(solid.number), size=size))
    return areas, words


def _area(solid: Footprint, inches_per_meter: float) -> Area:
    if len(solid.corners) == 1:
        return Area(outline=solid.outline(), face=SOLID_COLOR, circle=solid.radius)
    thin = len(solid.corners) == 2 and 2.0 * solid.radius * inches_per_meter < THIN
    return Area(outline=solid.outline(), face=GREY if thin else SOLID_COLOR)


def _law(region: Region, box: np.ndarray, inches_per_meter: float) -> Word | None:
    """The friction law at the lower edge of what is seen of a region, where a body is least likely, if it fits."""
    seen, text = np.clip(np.array(region.vertices), box[0], box[1]), law_words(region.friction)
    y = float(seen[:, 1].min())
    x = float(seen[seen[:, 1] < y + 1e-6, 0].mean())
    if len(text) * LETTER_WIDTH * LARGEST_TYPE / 72.0 > 0.9 * np.ptp(seen[:, 0]) * inches_per_meter:
        return None
    place = (x, y + 0.03 / inches_per_meter)
    return Word(place=place, text=text, size=LARGEST_TYPE, back=True) if np.ptp(seen[:, 1]) > 0.0 else None
