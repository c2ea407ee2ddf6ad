"""Arguments of public functions, held against their declared types before anything is done with them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, ParamSpec, TypeVar

from pushpoint.model.checks import Check, axed, check_for, has_axes, hints_of

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class _Declared:
    """The arguments of a function and their checks, read when it is first called."""

    def __init__(self, function: Callable[..., Any], called: str) -> None:
        self._function, self._called = function, called

    @cached_property
    def signature(self) -> inspect.Signature:
        """The function's signature."""
        return inspect.signature(self._function)

    @cached_property
    def checks(self) -> dict[str, tuple[str, Any, Check | None]]:
        """By name: where it is, its type, and its check; of arrays with axes, which depend on each other, none."""
        hints = hints_of(self._function)
        found = {}
        for name, parameter in self.signature.parameters.items():
            variable = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            if name in hints and name not in ("self", "return") and not variable:
                check = None if has_axes(hints[name]) else check_for(hints[name])
                if check or has_axes(hints[name]):
                    found[name] = (f"{self._called}: {name}", hints[name], check)
        return found

    def hold(self, given: dict[str, Any]) -> None:
        """Replaces the arguments by what is kept of them, or refuses one."""
        lengths: dict[str, int] = {}
        for name, (field, hint, check) in self.checks.items():
            if name in given:
                value = given[name]
                given[name] = check(field, value) if check else axed(field, value, hint, lengths)


def checked_arguments(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Above a public function: what it is called with is as its signature declares, or one sentence says why not."""
    owner, _, name = function.__qualname__.rpartition(".")
    declared = _Declared(function, name if not owner else owner if name == "__init__" else f"{owner}.{name}")

    @wraps(function)
    def checked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        bound = declared.signature.bind(*args, **kwargs)
        declared.hold(bound.arguments)
        return function(*bound.args, **bound.kwargs)

    return checked
