"""What a section of a file holds, read off the dataclass that it becomes: keys, types, units, defaults, descriptions.

Angles are in degrees in a file: a field in [rad] or [rad/s] has a key that ends in `_deg`. Where no number of degrees
gives exactly the same radians, `_rad` is written instead, and either is read.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import textwrap
import typing
from functools import cache
from typing import Any

from pushpoint.errors import Bounds
from pushpoint.model.checks import Of, declared, parts_of

ANGULAR = ("rad", "rad/s")
DEGREES, RADIANS = "_deg", "_rad"
REQUIRED = dataclasses.MISSING


@dataclasses.dataclass(frozen=True)
class Entry:
    """One key of a section."""

    name: str
    """The field of the class."""
    hint: Any
    """Its type."""
    unit: str
    """Its unit, "" if it has none."""
    default: Any
    """What the class takes without it; REQUIRED if there is none."""
    doc: str
    """What it means; the unit is that of the file."""

    @property
    def angular(self) -> bool:
        """Whether the file holds degrees."""
        return self.unit in ANGULAR

    @property
    def key(self) -> str:
        """The key in the file."""
        return self.name + DEGREES if self.angular else self.name

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys that are read."""
        return (self.key, self.name + RADIANS) if self.angular else (self.key,)


@cache
def entries_of(kind: Any, quantity: str = "") -> dict[str, Entry]:
    """The entries of a dataclass by field; `quantity` is the unit of what a channel carries."""
    docs = docs_of(kind)
    made = {}
    for field in dataclasses.fields(kind):
        if not field.init:
            continue
        hint = declared(kind)[field.name]
        default = field.default if field.default_factory is REQUIRED else field.default_factory()
        doc = docs.get(field.name, "")
        unit = unit_of(hint, doc)
        unit = quantity if unit == Of.UNIT and quantity else unit
        carried = next((note.unit for note in parts_of(hint)[1] if isinstance(note, Of)), unit)
        made[field.name] = Entry(field.name, hint, unit, default, in_degrees(doc, carried))
    return made


def unit_of(hint: Any, doc: str = "") -> str:
    """The unit that a type is annotated with, or else the first one of the description: Amplitude [rad]."""
    kind, notes, _ = parts_of(hint)
    bounds = next((note for note in notes if isinstance(note, Bounds)), None)
    if bounds is not None:
        return bounds.unit
    if dataclasses.is_dataclass(kind):
        return ""
    found = re.search(r"\[((?:rad|m|s|kg|N|Hz|1|-)[^\]]*)\]", doc)
    return found[1] if found else ""


def in_degrees(doc: str, unit: str) -> str:
    """A description as a file has it."""
    return doc.replace(f"[{unit}]", f"[{unit.replace('rad', 'deg', 1)}]") if unit in ANGULAR else doc


@cache
def docs_of(kind: Any) -> dict[str, str]:
    """The docstrings below the fields of a class and of its bases; none where there is no source."""
    found: dict[str, str] = {}
    for owner in reversed(kind.__mro__):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(owner)))
        except (OSError, TypeError, SyntaxError):
            continue
        body = typing.cast(ast.ClassDef, tree.body[0]).body
        for field, doc in itertools.pairwise(body):
            text = doc.value if isinstance(doc, ast.Expr) else None
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    found[field.target.id] = " ".join(text.value.split())
    return found


def summary_of(kind: Any) -> str:
    """The first sentence of a class's or function's docstring."""
    return (inspect.getdoc(kind) or "").partition("\n")[0]
