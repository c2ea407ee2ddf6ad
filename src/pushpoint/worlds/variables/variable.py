"""One entry of the table of variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["recorded", "constant", "coordinate"]
Engine = Literal["both", "plane", "space"]
_ENGINES = {"both": "always", "plane": "in the plane", "space": "in space"}

_MEAN = "Mean since the last sample; the first sample repeats the second."


@dataclass(frozen=True)
class Variable:
    """Layout and description of one variable. Batched runs put the dimension `world` first."""

    name: str
    """Its name in the Dataset. Numbered variables are described under the first name."""
    dims: tuple[str, ...]
    """Dimensions in the plane, or in both engines."""
    units: str
    """SI unit; "1" without a unit."""
    symbol: str
    """Letter in the documents and figures."""
    long_name: str
    """A few words that fit the axis of a figure."""
    description: str
    """Whole sentences."""
    engine: Engine = "both"
    """Which engine's runs have it."""
    condition: str = ""
    """What else must hold for it to be there, in words; empty if nothing."""
    kind: Kind = "recorded"
    """Whether it is recorded over time, a constant of the world, or a coordinate."""
    in_space: tuple[str, ...] = ()
    """Dimensions in space, if they differ."""
    mean: bool = False
    """Whether it is a mean since the last sample. The first sample has none before it and repeats the second."""
    on_request: bool = False
    """Whether it is recorded only if `Record` names it."""

    @property
    def dims_in_space(self) -> tuple[str, ...]:
        """Dimensions in space."""
        return self.in_space or self.dims

    @property
    def when(self) -> str:
        """When a run has it, in words."""
        condition = "on request" if self.on_request else self.condition
        if condition and self.engine == "both":
            return condition
        return _ENGINES[self.engine] + (f", {condition}" if condition else "")

    @property
    def meaning(self) -> str:
        """The description, and over which time it is taken."""
        return f"{self.description} {_MEAN}" if self.mean else self.description

    @property
    def attrs(self) -> dict[str, str]:
        """Attributes of the variable in the Dataset."""
        named = {name: getattr(self, name) for name in ("units", "long_name", "symbol")}
        return {**named, "description": self.meaning}

    def row(self) -> dict[str, Any]:
        """The entry in JSON types, for tables in documents."""
        texts = {name: getattr(self, name) for name in ("units", "symbol", "long_name", "when")}
        dims = {"dims": list(self.dims), "dims_in_space": list(self.dims_in_space)}
        return {"name": self.name, "kind": self.kind, **dims, **texts, "description": self.meaning}


TIME, LINK, JOINT, LINK_AXIS = ("time",), ("time", "link"), ("time", "joint"), ("time", "link", "axis")
"""Dimensions that many variables share."""
