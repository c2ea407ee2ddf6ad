"""All errors that pushpoint raises on purpose. They carry their data as attributes."""

from __future__ import annotations

import difflib
import math
import numbers
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import accumulate, takewhile
from typing import Any

MOST_SHOWN = 60
"""Most characters of a value in a sentence."""
MOST_NAMED = 160
"""Most characters of a place or a path."""
MOST_SAID = 380
"""Most characters of a sentence."""
_MOST_MEMBERS, _DEEPEST = 12, 2
_MOST_BITS = 128
TURN = 2.0 * math.pi
"""A whole turn [rad]."""
_MOST_TURNS = 10
"""An angle of more turns than this was not meant in degrees either."""


def shown(value: Any, most: int = MOST_SHOWN) -> str:
    """A value as a sentence shows it: short, on one line, large things by kind and size. It never fails."""
    try:
        text = _in_words(value, most, 0)
    except Exception:  # raised by a repr or a property of the user's
        text = _a(type(value).__name__)
    return one_line(text, most)


def one_line(text: Any, most: int = MOST_SHOWN) -> str:
    """A name, path or sentence on one line: control characters are escaped, and a long one loses its middle."""
    try:
        text = str(text)
    except Exception:
        text = _a(type(text).__name__)
    ends = text if len(text) <= 2 * most else text[:most] + text[-most:]
    line = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in ends)
    return line if len(line) <= most else f"{line[: most * 2 // 3]}...{line[len(line) - most // 3 + 3 :]}"


def _in_words(value: Any, most: int, depth: int) -> str:
    """The value itself if it is short; otherwise its kind and size."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        digits = int((value.bit_length() - 1) * math.log10(2)) + 1
        return f"a number of {digits + (abs(value) >= 10**digits)} digits"
    if isinstance(value, str | bytes):
        return repr(value) if len(value) <= most - 2 else f"{value[: most // 2]!r}... of {len(value)}"
    if isinstance(value, numbers.Number | type(None)):
        return repr(value)
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return repr(value[()]) if value.shape == () and value.dtype != object else _array_in_words(value, most)
    if isinstance(value, list | tuple | set | frozenset | dict):
        whole = _members_in_words(value, most, depth)
        return whole or f"{_a(type(value).__name__)} of {len(value)}"
    if isinstance(getattr(value, "n_links", None), int):
        return f"{_a(type(value).__name__)} of {value.n_links} links"
    if is_dataclass(value):
        parts = [f"{each.name}={_in_words(getattr(value, each.name), most, depth + 1)}" for each in fields(value)]
        text = f"{type(value).__name__}({', '.join(parts)})"
        return text if len(text) <= most and depth < _DEEPEST else _a(type(value).__name__)
    if callable(value):
        return f"the function {getattr(value, '__name__', type(value).__name__)}"
    text = repr(value)
    return text if len(text) <= most and " at 0x" not in text else _a(type(value).__name__)


def _array_in_words(value: Any, most: int) -> str:
    text = repr(value.tolist()) if value.size <= _MOST_MEMBERS and value.dtype.kind in "biufc" else ""
    if text and len(text) <= most:
        return text
    strange = "" if value.dtype.kind in "iuf" else f" of {value.dtype}"
    return f"an array of shape {tuple(value.shape)}{strange}"


def _members_in_words(value: Any, most: int, depth: int) -> str:
    """What a container holds, if it is short."""
    if len(value) > _MOST_MEMBERS or depth >= _DEEPEST:
        return ""
    if isinstance(value, dict):
        each = [f"{_in_words(k, most, depth + 1)}: {_in_words(v, most, depth + 1)}" for k, v in value.items()]
        text = "{" + ", ".join(each) + "}"
    else:
        inside = ", ".join(_in_words(each, most, depth + 1) for each in value)
        ends = "[]" if isinstance(value, list) else "()" if isinstance(value, tuple) else "{}"
        text = f"{ends[0]}{inside}{',' if type(value) is tuple and len(value) == 1 else ''}{ends[1]}"
    return text if len(text) <= most else ""


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


class PushpointError(Exception):
    """Base class of all errors that pushpoint raises on purpose. The text is one sentence on one line."""

    def __init__(self, sentence: str = "") -> None:
        super().__init__(one_line(sentence, MOST_SAID))


@dataclass(frozen=True)
class Bounds:
    """The numbers that are allowed, with their unit."""

    unit: str
    """The unit, such as "m"; "-" without one."""
    low: float = -math.inf
    """Smallest number."""
    high: float = math.inf
    """Largest number."""
    above: bool = False
    """Whether `low` itself is excluded."""
    infinite: bool = False
    """Whether infinity is allowed."""
    least: float = 0.0
    """Numbers closer to zero are too small to compute with."""
    largest: float = math.inf
    """Finite numbers farther from zero are too large to compute with."""
    reason: str = ""
    """Why a number must not be smaller, in a few words."""

    def hold(self, number: float) -> bool:
        """Whether a number is allowed; NaN never is."""
        return self.contains(number) and (math.isinf(number) or self.least <= abs(number) <= self.largest)

    def contains(self, number: float) -> bool:
        """Whether a number lies within the bounds, whatever its magnitude."""
        if math.isinf(number) and not self.infinite:
            return False
        return (self.low < number if self.above else self.low <= number) and number <= self.high

    def broken_by(self, number: float) -> Bounds:
        """The bounds that a number breaks: these, or the magnitudes if these contain it."""
        found = self.narrowed if self.contains(number) else self
        return found if number <= max(self.low, self.least) else replace(found, reason="")

    @property
    def narrowed(self) -> Bounds:
        """The bounds of finite numbers, with the magnitudes as their ends."""
        low, high = max(self.low, self.least or -self.largest), min(self.high, self.largest)
        return replace(self, low=low, high=high, above=self.above and low == self.low)

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest float of a range in which every float is allowed."""
        found = self.narrowed
        low = math.nextafter(found.low, math.inf) if found.above else found.low
        return max(low, -sys.float_info.max), min(found.high, sys.float_info.max)

    def in_degrees(self) -> Bounds:
        """The same bounds in degrees, for an angle or a rate in radians."""
        ends = (self.low, self.high, self.least, self.largest)
        low, high, least, largest = (float(f"{math.degrees(end):.6g}") for end in ends)
        unit = self.unit.replace("rad", "deg", 1)
        return replace(self, unit=unit, low=low, high=high, least=least, largest=largest)

    def hint(self, value: Any) -> str:
        """What to add of a number that may be meant in degrees; empty where it is not an angle of at most a turn."""
        if self.unit != "rad" or self.high != TURN or isinstance(value, bool) or not isinstance(value, numbers.Real):
            return ""
        if not TURN < abs(float(value)) <= 360.0 * _MOST_TURNS:
            return ""
        return f"; {value:g} degrees are np.radians({value:g}) = {math.radians(value):.3g}"

    @property
    def range(self) -> str:
        """The range in words, without the unit."""
        turn = {"rad": TURN, "deg": 360.0}.get(self.unit)
        if self.high == turn:
            ends = ("-2 pi", "2 pi") if self.unit == "rad" else ("-360", "360")
            low = ends[0] if self.low == -turn else f"{self.low:.12g}"
            return f"at most a turn, in {'(' if self.above else '['}{low}, {ends[1]}]"
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"in [{self.low:.12g}, {self.high:.12g}]"
        if math.isfinite(self.low):
            return f"{'>' if self.above else '>='} {self.low:.12g}"
        return "not NaN" if self.infinite else "finite"

    def __str__(self) -> str:
        finite = "" if self.infinite or math.isfinite(self.high) or not math.isfinite(self.low) else "finite and "
        return f"{finite}{self.range} [{self.unit}]" + (f": {self.reason}" if self.reason else "")


class InvalidModel(PushpointError):
    """A robot, environment, gait, setting or argument has a value that is not allowed."""

    def __init__(
        self, field: str, value: Any, allowed: str | Bounds, *, unit: str = "", others: Mapping[str, Any] | None = None
    ) -> None:
        """Makes the sentence from its parts, which stay as data.

        Args:
            field: The place, such as motor.upper or links[3].mass; after ": " a remark about it.
            value: The value there.
            allowed: Words or bounds; "{lower}" in words stands for a neighbouring field, "{=least}" for a number.
            unit: Unit of the value, added after the words or at "{unit}"; bounds bring their own.
            others: What `allowed` names, in the unit of the value; None for a field whose name alone is used.
        """
        self.field, self.value = field, value
        place, _, self.remark = field.partition(": ")
        self.place: tuple[str | int, ...] = tuple(
            int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\], ]+", place)
        )
        self.bounds = allowed if isinstance(allowed, Bounds) else None
        self.unit = allowed.unit if isinstance(allowed, Bounds) else unit
        self.words, self.others = str(allowed), dict(others or {})
        owner = field.partition(".")[0]
        self.allowed = self.words_about(lambda name, value: (f"{owner}.{name}", value))
        hint = self.bounds.hint(value) if self.bounds else ""
        super().__init__(f"{one_line(field, MOST_NAMED)} = {shown(value)}, must be {self.allowed}{hint}")

    def of(self, owner: str) -> InvalidModel:
        """The same error about a field of an owner. Anything that is not a field becomes a remark about the owner."""
        field = f"{owner}.{self.field}" if self.field.isidentifier() else f"{owner}: {self.field}"
        return InvalidModel(field, self.value, self.bounds or self.words, unit=self.unit, others=self.others)

    def words_about(self, beside: Callable[[str, Any], tuple[str, Any]], *, degrees: bool = False) -> str:
        """What is allowed, with neighbouring fields under the names and values that a function gives.

        "{lower}" becomes motor.lower = -0.5, "{=least}" the number alone, and the unit goes to "{unit}" or to the end.
        With `degrees`, radians are given in degrees.
        """
        if self.bounds is not None:
            return str(self.bounds.in_degrees() if degrees else self.bounds)
        words, unit = self.words, self.unit.replace("rad", "deg", 1) if degrees else self.unit
        for name, value in self.others.items():
            called, given = beside(name, value)
            words = words.replace("{" + name + "}", called + ("" if value is None else f" = {given}"))
            if isinstance(value, float):
                words = words.replace("{=" + name + "}", f"{math.degrees(value) if degrees else value:.6g}")
        if "{unit}" in words:
            return words.replace("{unit}", f"[{unit}]")
        return f"{words} [{unit}]" if unit else words


class UnknownName(PushpointError):
    """An unknown name. The sentence lists the closest known names."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = sorted(known)
        said = one_line(name)
        near = difflib.get_close_matches(said, self.known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}" if near else f"known are {names_in_short(self.known)}"
        super().__init__(f"unknown {kind} '{said}'; {hint}")

    def inside(self, place: str) -> UnknownName:
        """The same error with its place, if any, in front."""
        self.args = (f"{place}: {self}",) if place else self.args
        return self


def names_in_short(names: Sequence[str], most: int = 200) -> str:
    """Names separated by commas; only the first ones if there are too many."""
    ends = accumulate(len(name) + len(", ") for name in names)
    kept = list(names)[: sum(1 for _ in takewhile(lambda end: end - len(", ") <= most, ends))]
    return ", ".join(kept) + (f" and {len(names) - len(kept)} more" if len(kept) < len(names) else "")


class StartOverlap(PushpointError):
    """The robot overlaps an obstacle, itself or the ground (the others None), before the first time step."""

    def __init__(
        self, world: int, link: int, obstacle: int | None, depth: float, *, other_link: int | None = None
    ) -> None:
        what = "the ground" if obstacle is None else f"obstacle {obstacle}"
        if other_link is not None:
            what = f"link {other_link}"
        super().__init__(f"start: link {link} overlaps {what} by {depth * 1e3:.3g} mm (world {world}), must be clear")
        self.world = world
        self.link = link
        self.obstacle = obstacle
        self.other_link = other_link
        self.depth = depth


class EditOverlap(PushpointError):
    """A change would put an obstacle, or the ground (None), where a link of the moving robot is."""

    def __init__(self, link: int, obstacle: int | None, depth: float, *, number: int | None = None) -> None:
        what = "the ground" if obstacle is None else f"obstacle {obstacle}"
        place = "edit" if number is None else f"edits[{number}]"
        super().__init__(f"{place}: link {link} would overlap {what} by {depth * 1e3:.3g} mm, must be clear")
        self.link = link
        self.obstacle = obstacle
        self.depth = depth
        self.number = number


class StartBeyondStop(PushpointError):
    """A joint is beyond an end stop of its motor before the first time step."""

    def __init__(self, world: int, joint: int, angle: float, stops: tuple[float, float]) -> None:
        lower, upper = stops
        super().__init__(
            f"start: joint {joint} is at {angle:.6g} rad (world {world}), "
            f"must be between its end stops, {lower:.6g} and {upper:.6g} [rad]"
        )
        self.world = world
        self.joint = joint
        self.angle = angle
        self.stops = stops


class SimulationFailed(PushpointError):
    """A world ended early because something went wrong. `run` holds the Dataset up to that time step."""

    def __init__(self, sentence: str, run: Any = None) -> None:
        super().__init__(sentence)
        self.run = run


class BadFile(PushpointError):
    """A file cannot be read or written, or does not hold what it should."""

    def __init__(self, path: Any, reason: str) -> None:
        super().__init__(f"{one_line(path, MOST_NAMED)}: {reason}")
        self.path = path
        self.reason = reason


class MissingExtra(PushpointError):
    """A library is not installed. The sentence names the extra that brings it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'pushpoint[{extra}]'")
        self.what = what
        self.extra = extra


class DeviceFailed(PushpointError):
    """A GPU failed, or memory ran out, during the work."""

    def __init__(self, device: str, reason: str) -> None:
        super().__init__(f"settings.device = {device!r} {reason}")
        self.device, self.reason = device, reason


class TooLarge(PushpointError):
    """Something would take more memory than there is. Raised before any of it is allocated."""

    def __init__(self, what: str, needed: int, allowed: int, advice: str, *, where: str = "this machine") -> None:
        """`what` would need `needed` bytes, but only `allowed` are available; the sentence says both."""
        sizes = f"{in_bytes(needed)} of memory, must be at most {in_bytes(allowed)} on {where}"
        super().__init__(f"{what}, {sizes}: {advice}")
        self.needed, self.allowed = needed, allowed


def in_bytes(size: float) -> str:
    """A number of bytes in words, such as 1.3 GB."""
    units = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
    power = 0
    while size >= 999.5 and power < len(units) - 1:
        size, power = size / 1000.0, power + 1
    return f"{size:.3g} {units[power]}"
