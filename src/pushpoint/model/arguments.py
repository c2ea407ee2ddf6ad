"""Checks the arguments of public functions against their declared types before anything is done with them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, ParamSpec, TypeVar

from pushpoint.model.checks import Check, axed, check_for, has_axes, hints_of

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Held = Callable[[Any, dict[str, int]], Any]
"""Checks one argument: takes the axis lengths known so far, returns the argument as it is stored."""


class _Declared:
    """The arguments of a function and their checks, read when it is first called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def checks(self) -> tuple[list[Held | None], dict[str, Held | None], Held | None]:
        """The checks of positional arguments, of keyword arguments, and of `*args`."""
        hints = hints_of(self._function)
        by_place: list[Held | None] = []
        by_name: dict[str, Held | None] = {}
        rest: Held | None = None
        for name, parameter in inspect.signature(self._function).parameters.items():
            held = _held(name, hints[name]) if name in hints else None
            if parameter.kind is parameter.VAR_POSITIONAL:
                rest = held
            elif parameter.kind is not parameter.VAR_KEYWORD:
                by_name[name] = held
                if parameter.kind is not parameter.KEYWORD_ONLY:
                    by_place.append(held)
        return by_place, by_name, rest


def _held(name: str, hint: Any) -> Held | None:
    """The check of an argument. Its place is the bare name, so that an error about a file can find the line."""
    if has_axes(hint):
        return lambda value, lengths: axed(name, value, hint, lengths)
    check: Check | None = check_for(hint)
    return None if check is None else lambda value, lengths: check(name, value)


def checked_arguments(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Checks a public function's arguments against its signature; a wrong one raises InvalidModel."""
    declared = _Declared(function)

    @wraps(function)
    def checked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        by_place, by_name, rest = declared.checks
        lengths: dict[str, int] = {}
        given: list[Any] = list(args)
        for k, value in enumerate(given):
            held = by_place[k] if k < len(by_place) else rest
            if held is not None:
                given[k] = held(value, lengths)
        for name, value in kwargs.items():
            held = by_name.get(name)
            if held is not None:
                kwargs[name] = held(value, lengths)
        return function(*given, **kwargs)

    return checked
