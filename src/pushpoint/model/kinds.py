"""The names of kinds: what scenario files call a gait, a controller, a friction law or an obstacle.

A family is a base class. `register` gives a class of a family its name:

    @register("my-gait")
    @dataclass(frozen=True, kw_only=True)
    class MyGait(Gait): ...

Installed packages add kinds with an entry point in the group `pushpoint.kinds` that names one of their modules.
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
    """Returns the family that a class belongs to, or None."""
    bases = kind.__mro__ if isinstance(kind, type) else ()
    return next((base for base in bases if base in _FAMILIES), None)


def register(name: str) -> Callable[[Kind], Kind]:
    """Gives a class the name that scenario files, results, figures and studies use for it.

    Use it as a decorator above a gait, a controller, a friction law, an obstacle, a joint, a motion, a steering or a
    goal:

        @pp.register("soft-gait")
        @dataclass(frozen=True, kw_only=True)
        class SoftGait(pp.Gait): ...

    Args:
        name: Lower-case letters, digits and single dashes. It must not be taken within its family.
    """
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        raise InvalidModel("register: name", name, "lower-case letters, digits and single dashes, such as my-gait")

    def registered(kind: Kind) -> Kind:
        base = family_of(kind)
        if base is None:
            families = ", ".join(sorted(each.__name__ for each in _FAMILIES))
            raise InvalidModel(f"register('{name}')", kind, f"a class derived from one of {families}")
        known = _FAMILIES[base].setdefault(name, kind)
        if known is not kind and (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
            raise InvalidModel("register: name", name, f"a new one: {known.__qualname__} is already called that")
        _FAMILIES[base][name] = kind
        return kind

    return registered


def forget(name: str, kind: type) -> None:
    """Removes a registered name, for tests and notebooks that define a kind again."""
    base = family_of(kind)
    if base is not None and _FAMILIES[base].get(name) is kind:
        del _FAMILIES[base][name]


def kinds_of(base: type) -> Mapping[str, type]:
    """Returns all kinds of a family by name, including those of installed packages."""
    load_installed_kinds()
    return registered_kinds(base)


def registered_kinds(base: type) -> Mapping[str, type]:
    """Returns the kinds of a family by name whose modules have been imported so far."""
    found = family_of(base)
    return {} if found is None else _FAMILIES[found]


def name_of(kind: type) -> str | None:
    """Returns the name under which a class is registered, or None."""
    base = family_of(kind)
    return None if base is None else next((name for name, each in _FAMILIES[base].items() if each is kind), None)


@cache
def load_installed_kinds() -> None:
    """Imports the modules that installed packages list in the entry-point group, once."""
    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:
            raise PushpointError(f"the kinds of '{point.value}' cannot be loaded: {error}") from error
