"""Valid calls of everything that is public, one each, and values that are wrong in most places.

A room adds its calls in a module beside this one, a line each:

    CALLS["Peg"] = Call(pp.Peg, x=0.5, y=0.2, radius=0.1)

The name is how a user reaches the function. What takes long to make is given as a function without arguments, decorated
with `made`, and made when it is first needed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.model.kinds import family_of


@dataclass(frozen=True)
class Made:
    """A valid argument that is made when it is first needed."""

    make: Callable[[], Any]


def made(make: Callable[[], Any]) -> Made:
    """Decorates a function that makes a valid argument."""
    return Made(cache(make))


class Call:
    """A valid call: a function and its arguments, by place or by name."""

    def __init__(self, function: Callable[..., Any] | Made, /, *args: Any, **kwargs: Any) -> None:
        self._function = function
        self._arguments: dict[int | str, Any] = {**dict(enumerate(args)), **kwargs}

    @property
    def function(self) -> Any:
        """What is called."""
        return self._function.make() if isinstance(self._function, Made) else self._function

    @property
    def places(self) -> list[int | str]:
        """Of its arguments."""
        return list(self._arguments)

    def argument(self, place: int | str) -> Any:
        """A valid argument."""
        value = self._arguments[place]
        return value.make() if isinstance(value, Made) else value

    def __call__(self, changes: Mapping[int | str, Any] | None = None) -> Any:
        """Calls with some arguments changed."""
        given = {place: self.argument(place) for place in self.places} | dict(changes or {})
        args = [given.pop(place) for place in sorted(place for place in given if isinstance(place, int))]
        return self.function(*args, **{str(name): value for name, value in given.items()})


CALLS: dict[str, Call] = {}
"""Valid calls by the names under which users find them."""


def rebuilt(thing: Made) -> Made:
    """The class of something that a function returned: what makes it again from its fields."""
    return Made(lambda: type(thing.make()))


def fields_of(thing: Made, *names: str) -> dict[str, Made]:
    """The fields of something that a function returned, as arguments of its class."""
    return {name: Made(lambda name=name: getattr(thing.make(), name)) for name in names}  # type: ignore[misc]


def _no_result(*args: Any, **kwargs: Any) -> None:
    """A function of anything that returns nothing."""


class _Silent:
    """An object of a user's that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("nothing to show")


@cache
def wrong_values() -> dict[str, Any]:
    """What users hand over by mistake; a generator is made anew for each call."""
    from campaigns.calls import things

    return {
        "none": None, "empty text": "", "text": "x", "a number": 3, "below zero": -1, "half": 0.5, "NaN": float("nan"),
        "infinity": float("inf"), "huge": 1e308, "minute": 1e-320, "true": True, "nothing": [],
        "a list of nothing": [[]],
        "mapping": {}, "an object": object(), "unprintable": _Silent(), "array of another shape": np.zeros((2, 3, 1)),
        "texts": np.array(["a", "b"]), "objects": np.array([None, {}], dtype=object), "complex": np.array([1j, 2.0]),
        "function": _no_result, "class": pp.Peg, "5,000 digits": 10**4999, "bytes": b"\x00\xff",
        "path": Path("no/where"),
        "zeros": [0.0] * 100_000, "a run": things.run.make(), "a robot": pp.catalogue.aiko_planar(),
        "NaN array": np.full(3, np.nan), "no numbers": np.zeros(0), "newline": "a\nb\x1b[31m",
        "negative array": np.array([-1, -2]),
        "nested": [[1, 2], [3]], "1-tuple": (1.0,), "a peg": pp.Peg(x=0.0, y=0.0, radius=1.0), "null": "a\0b",
        "long": "y" * 5000,
        "a batch": things.batch.make(), "run of no time": things.run.make().isel(time=slice(0)),
        "run of one sample": things.run.make().isel(time=slice(1)),
        "run without variables": things.run.make()[["time"]],
        "many numbers": np.arange(5000, dtype=float) + 0.123456789, "a long robot": things.long_robot.make(),
        "a large course": things.large_course.make(), "many pegs": list(things.large_course.make().obstacles),
        "many names": {f"name {k}": k for k in range(5000)},
        "run without description": things.run.make().drop_attrs(), "a spatial run": things.spatial_run.make(),
    }  # fmt: skip


def public_callables() -> Iterator[tuple[str, Any]]:
    """Everything that users can call, by the name under which they find it."""

    seen: set[int] = set()
    rooms = {name: getattr(pp, name) for name in pp.__all__ if isinstance(getattr(pp, name), ModuleType)}
    del rooms["errors"]  # for pushpoint itself to raise
    rooms |= {room.__name__.rpartition(".")[2]: room for room in (pp.event_driven, pp.reduced)}
    named = [(name, getattr(pp, name)) for name in pp.__all__]
    named += [(f"{room}.{name}", getattr(module, name)) for room, module in rooms.items() for name in _names(module)]
    for name, thing in named:
        if callable(thing) and not isinstance(thing, ModuleType) and id(thing) not in seen and not _cannot(thing):
            seen.add(id(thing))
            yield name, thing


def _names(module: ModuleType) -> list[str]:
    """Names that a module offers: those it lists, defines or imports under their own name."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    source = inspect.getsource(module)
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and (getattr(thing, "__module__", "") == module.__name__ or f"{name} as {name}" in source)
    ]


def _cannot(thing: Any) -> bool:
    """Whether it is not made to be called by users: what is abstract, errors, and words of the typing module."""
    is_class = isinstance(thing, type)
    if is_class and issubclass(thing, Enum):  # what Python's enumerations refuse is said by Python
        return True
    open_class = is_class and (
        inspect.isabstract(thing) or getattr(thing, "_is_protocol", False) or family_of(thing) is thing
    )
    ours = getattr(thing, "__module__", "").startswith("pushpoint")
    return (
        open_class
        or not ours
        or (is_class and issubclass(thing, Exception))
        or not (is_class or inspect.isroutine(thing))
    )
