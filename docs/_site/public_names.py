"""All public names of the package, as users write them: `pp.World`, `pp.gaits.Rolling`."""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import pushpoint


@cache
def public() -> dict[str, Any]:
    """Everything public by its name without the leading `pp.`; names of a module come with it."""
    found: dict[str, Any] = {}
    for name in pushpoint.__all__:
        thing = getattr(pushpoint, name)
        if isinstance(thing, ModuleType):
            found |= {f"{name}.{member}": value for member, value in members(thing).items()}
        else:
            found[name] = thing
    return found


def members(module: ModuleType) -> dict[str, Any]:
    """What a module offers: what it lists in `__all__`, or else what it defines or imports under its own name."""
    names = getattr(module, "__all__", None)
    if names is None:
        source = inspect.getsource(module)
        names = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_")
            and not isinstance(value, ModuleType)
            and (f"{name} as {name}" in source or _is_of(value, module))
        ]
    return {name: getattr(module, name) for name in names}


def _is_of(value: Any, module: ModuleType) -> bool:
    return getattr(value, "__module__", "") == module.__name__ and callable(value)


@cache
def written() -> dict[Any, str]:
    """The name of each public class and function as users write it; the shortest where it has several."""
    found: dict[Any, str] = {}
    for name, thing in sorted(public().items(), key=lambda item: -len(item[0])):
        if inspect.isclass(thing) or inspect.isroutine(thing):
            found[thing] = f"pp.{name}"
    return found


def named(name: str) -> list[tuple[str, Any]]:
    """What a name on a page stands for: a public name, a module with all of its own, or a module of the studies."""
    if name in public():
        return [(f"pp.{name}", public()[name])]
    if name.startswith("studies."):  # imported from their modules: the front does not have them
        module = import_module(f"pushpoint.{name}")
        return [(f"{module.__name__}.{key}", value) for key, value in members(module).items()]
    inside = [(f"pp.{key}", value) for key, value in public().items() if key.startswith(f"{name}.")]
    if not inside:
        raise KeyError(f"{name} is no public name")
    own = [(key, value) for key, value in inside if not inspect.isclass(value) or written()[value] == key]
    return sorted(own, key=lambda item: _rank(item[1]))


def _rank(thing: Any) -> int:
    """Errors first, then classes, then functions; otherwise the order of the module."""
    return 2 if not inspect.isclass(thing) else 0 if issubclass(thing, Exception) else 1
