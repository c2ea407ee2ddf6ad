"""Kinds by name. Those that come with pushpoint are in several rooms, which are loaded when a name is not known yet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pushpoint import control, gaits, planning
from pushpoint.model.kinds import kinds_of, registered_kinds


def known_kinds(base: type, name: object = None) -> Mapping[str, type]:
    """The kinds of a family by name, in the order of their names.

    With the name of a kind whose module is imported already, as in the run of a published experiment, only those of
    such modules, and nothing is loaded; otherwise all of them.
    """
    found = registered_kinds(base)
    if not isinstance(name, str) or name not in found:
        _load_rooms()
        found = kinds_of(base)
    return _sorted_kinds(base, tuple(found.items()))


@cache
def _sorted_kinds(base: type, found: tuple[tuple[str, type], ...]) -> Mapping[str, type]:
    """Those of a family that derive from a class: once for each state of the family, as files are read in loops."""
    return {name: kind for name, kind in sorted(found) if issubclass(kind, base)}


@cache
def _load_rooms() -> None:
    """Imports every module with kinds; what a room offers comes from all of them."""
    for room in (gaits, planning, control):
        for name in dir(room):
            getattr(room, name)
