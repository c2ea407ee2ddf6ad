"""Kinds by name: what scenario files call a gait, a controller, a friction law, an obstacle, and the class behind it.

A family is a base class; `register` makes a class of a family known under a name:

    @register("my-gait")
    @dataclass(frozen=True, kw_only=True)
    class MyGait(Gait): ...

Installed packages do it by an entry point of the group `pushpoint.kinds` that names a module of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any, TypeVar

from pushpoint.errors import InvalidModel, PushpointError

GROUP = "pushpoint.kinds"
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

Kind = TypeVar("Kind", bound=type)

_FAMILIES: dict[type, dict[str, type]] = {}


def family_base(base: Kind) -> Kind:
    """Declares a base class whose kinds have names; used as a decorator."""
    _FAMILIES[base] = {}
    return base


def family_of(kind: Any) -> type | None:
    """The family that a class belongs to, if any."""
    bases = kind.__mro__ if isinstance(kind, type) else ()
    return next((base for base in bases if base in _FAMILIES), None)


def register(name: str) -> Callable[[Kind], Kind]:
    """Makes a class known to scenario files, results, figures and studies under a name such as my-gait."""
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        raise InvalidModel("register: name", name, "small letters, digits and single dashes, such as my-gait")

    def registered(kind: Kind) -> Kind:
        base = family_of(kind)
        if base is None:
            families = ", ".join(sorted(each.__name__ for each in _FAMILIES))
            raise InvalidModel(f"register('{name}')", kind, f"a class derived from one of {families}")
        known = _FAMILIES[base].setdefault(name, kind)
        if known is not kind and (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
            raise InvalidModel("register: name", name, f"a new one: {known.__qualname__} has it already")
        _FAMILIES[base][name] = kind
        return kind

    return registered


def forget(name: str, kind: type) -> None:
    """Takes a name back, for tests and notebooks that define a kind anew."""
    base = family_of(kind)
    if base is not None and _FAMILIES[base].get(name) is kind:
        del _FAMILIES[base][name]


def kinds_of(base: type) -> Mapping[str, type]:
    """All kinds of a family by name, those of installed packages included."""
    load_installed_kinds()
    found = family_of(base)
    return {} if found is None else _FAMILIES[found]


def name_of(kind: type) -> str | None:
    """The name under which a class is known; None if it is not registered."""
    base = family_of(kind)
    return None if base is None else next((name for name, each in _FAMILIES[base].items() if each is kind), None)


@cache
def load_installed_kinds() -> None:
    """Imports the modules that installed packages name in the entry-point group, once."""
    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:
            raise PushpointError(f"the kinds of '{point.value}' cannot be loaded: {error}") from error
