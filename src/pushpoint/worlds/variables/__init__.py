"""The table of everything that a run's Dataset may hold: names, dimensions, units, symbols and meanings.

The Dataset takes its attributes from here, `Record` the names that it knows, and the documents their reference.
"""

from __future__ import annotations

import re

from pushpoint.worlds.variables.on_request import BALANCE, REQUESTED
from pushpoint.worlds.variables.other import CONSTANT, COORDINATES
from pushpoint.worlds.variables.recorded import MOST_LOADED_OBSTACLES, RECORDED
from pushpoint.worlds.variables.variable import Variable

__all__ = ["BALANCE", "MOST_LOADED_OBSTACLES", "VARIABLES", "Variable", "dims_of", "entry_of", "table"]

VARIABLES = {each.name: each for each in (*RECORDED, *REQUESTED)}
"""The variables recorded over time, by name: those that `Record` can choose from."""
_ENTRIES = {each.name: each for each in (*RECORDED, *REQUESTED, *CONSTANT, *COORDINATES)}


def table() -> tuple[Variable, ...]:
    """Everything that a Dataset may hold: recorded variables, those on request, constants, coordinates."""
    return tuple(_ENTRIES.values())


def entry_of(name: str) -> Variable:
    """The entry of a variable or coordinate; numbered terrain has that of the first. Raises KeyError if unknown."""
    return _ENTRIES[re.sub(r"^(terrain_[a-z]+)_\d+$", r"\1", name)]


def dims_of(name: str, spatial: bool) -> tuple[str, ...]:
    """Dimensions of a recorded variable after that of worlds, in the plane or in space."""
    return VARIABLES[name].dims_in_space if spatial else VARIABLES[name].dims
