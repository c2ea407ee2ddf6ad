"""The numbers of a controller, a law, a motor or an obstacle, found in its declaration: nothing is listed by hand.

A number has the place where it is held, its name and unit as in a scenario file, its value and a range for a slider.
The range keeps to the declared bounds; where these are open, it is made from the value.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pushpoint.description.entries import Entry, entries_of
from pushpoint.errors import Bounds, InvalidModel, PushpointError
from pushpoint.model.checks import Many, Whole, parts_of

STRETCH = 3.0
"""A slider with open bounds goes up to this many times its value."""
STEPS = 2000
"""Steps of a slider, about: it is dragged in pixels, but a number that is typed is to be kept."""
USUAL = {"rad": math.pi / 2.0, "rad/s": 2.0 * math.pi}
"""Where a slider ends that begins at zero and has open bounds, by unit; otherwise at 1."""
MOST_PARTS = 3
"""Numbers of a list that are shown one by one, such as the coordinates of a place."""
DEEPEST = 3

Path = tuple[str | int, ...]
"""Names of fields and places in lists that lead to a number."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class SliderNumber:
    """A number as a page shows it: angles in degrees."""

    path: Path
    """Where it is."""
    label: str
    """Its name with its unit."""
    doc: str
    """What it means."""
    value: float
    """Its value, in the unit shown."""
    low: float
    """The least value of its slider."""
    high: float
    """The largest."""
    step: float
    """What the slider moves by at least."""
    scale: float
    """What the value is multiplied by to be held: turns degrees into radians."""
    whole: bool = False
    """Whether it is a whole number."""

    def refused(self, typed: float, error: InvalidModel) -> PushpointError:
        """What is wrong with a number, in the unit in which it was typed."""
        if self.scale == 1.0 or error.place[-1:] != self.path[-1:]:
            return error
        allowed = error.words_about(lambda name, value: (name.replace("_", " "), math.degrees(value)), degrees=True)
        name, _, unit = self.label.partition(" [")
        return PushpointError(f"{name} = {typed:g} {unit.removesuffix(']')}, must be {allowed}")

    @property
    def key(self) -> str:
        """Its place as text."""
        return ".".join(map(str, self.path))


def numbers_of(thing: Any, *, _above: Path = (), _depth: int = 0) -> list[SliderNumber]:
    """All numbers of an object, and of those it is made of."""
    found: list[SliderNumber] = []
    if not dataclasses.is_dataclass(thing) or _depth > DEEPEST:
        return found
    kind: Any = type(thing)
    for name, entry in entries_of(kind).items():
        held = getattr(thing, name)
        if dataclasses.is_dataclass(held):
            found += numbers_of(held, _above=(*_above, name), _depth=_depth + 1)
        else:
            found += _of_entry(entry, held, (*_above, name))
    return found


def _of_entry(entry: Entry, held: Any, path: Path) -> Iterator[SliderNumber]:
    kind, notes, _ = parts_of(entry.hint)
    if isinstance(held, bool) or held is None:
        return
    if isinstance(held, int | float) and kind in (int, float):
        yield _shown(entry, notes, float(held), path)
    elif Many in notes and isinstance(held, Sequence) and not isinstance(held, str) and len(held) <= MOST_PARTS:
        for place, each in enumerate(held):
            if isinstance(each, int | float):
                yield _shown(entry, notes, float(each), (*path, place))


def _shown(entry: Entry, notes: dict[type, Any], value: float, path: Path) -> SliderNumber:
    whole, bounds = notes.get(Whole), notes.get(Bounds)
    least, most = bounds.ends if bounds is not None else (-math.inf, math.inf)
    if whole is not None:
        least, most = (-math.inf if whole.low is None else whole.low), (math.inf if whole.high is None else whole.high)
    low, high = _range(value, float(least), float(most), entry.unit)
    angular = entry.angular
    scale = math.radians(1.0) if angular else 1.0
    low, high = low / scale, high / scale
    step = 1.0 if whole is not None else 10.0 ** math.floor(math.log10((high - low) / STEPS))
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    if low * scale < least:
        low += step
    if high * scale > most:
        high -= step
    part = _part(notes, path[-1])
    unit = entry.unit.replace("rad", "deg", 1) if angular else entry.unit
    words = " ".join(filter(None, [" ".join(str(p) for p in path if isinstance(p, str)).replace("_", " "), part]))
    return SliderNumber(
        path=path,
        label=f"{words} [{unit}]" if unit else words,
        doc=entry.doc,
        value=min(max(float(f"{value / scale:.12g}"), low), high),  # 30 deg, and not 29.999999999999996
        low=low,
        high=high,
        step=step,
        scale=scale,
        whole=whole is not None,
    )


def _part(notes: dict[type, Any], place: str | int) -> str:
    """Which of several numbers it is: a coordinate if their count is fixed, else its place in the list."""
    if isinstance(place, str):
        return ""
    return "xyz"[place] if notes[Many].count else str(place)


def _range(value: float, least: float, most: float, unit: str) -> tuple[float, float]:
    """Ends of a slider, from the bounds if they are near, else from the value."""
    if not math.isfinite(value):
        value = 0.0
    usual = USUAL.get(unit, 1.0)
    reach = STRETCH * abs(value) if value else usual
    both_near = math.isfinite(least) and math.isfinite(most) and most - least <= 2.0 * max(reach, usual)
    if both_near:
        return least, most
    low, high = max(least, -reach), min(most, reach)
    if not low < high:
        return value - usual, value + usual
    return min(low, value), max(high, value)


def with_number(thing: Any, path: Path, value: float, *, whole: bool = False) -> Any:
    """The same object with another number; its own checks judge it."""
    first, *rest = path
    if isinstance(thing, tuple | list | np.ndarray) and isinstance(first, int):
        return tuple(with_number(each, tuple(rest), value) if k == first and rest else (value if k == first else each)
                     for k, each in enumerate(thing))  # fmt: skip
    held = getattr(thing, str(first))
    inner = with_number(held, tuple(rest), value, whole=whole) if rest else (round(value) if whole else value)
    return dataclasses.replace(thing, **{str(first): inner})
