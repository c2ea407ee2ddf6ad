"""What a section of a file holds, derived from its dataclass: keys, types, units, defaults, descriptions.

Angles in a file are in degrees: a field in [rad] or [rad/s] has a key that ends in `_deg`. If no number of degrees
gives exactly the same radians, `_rad` is written instead. Both are read.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import textwrap
import typing
from functools import cache, cached_property
from typing import Any

from pushpoint.errors import Bounds
from pushpoint.model.checks import Of, declared, parts_of
from pushpoint.model.kinds import family_of

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
    """The default of the class; REQUIRED if there is none."""
    doc: str
    """What it means, with the unit of the file."""

    @cached_property
    def angular(self) -> bool:
        """Whether the file holds degrees."""
        return self.unit in ANGULAR

    @cached_property
    def key(self) -> str:
        """The key in the file."""
        return self.name + DEGREES if self.angular else self.name

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """All keys that are accepted."""
        return (self.key, self.name + RADIANS) if self.angular else (self.key,)

    @cached_property
    def single(self) -> bool:
        """Whether its value is one number."""
        return parts_of(self.hint)[0] is float


@cache
def entries_of(kind: Any, quantity: str = "") -> dict[str, Entry]:
    """The entries of a dataclass by field; `quantity` is the unit of what a channel measures."""
    made, hints, fields = {}, declared(kind), {field.name: field for field in dataclasses.fields(kind)}
    shared = getattr(family_of(kind), "__annotations__", {})  # fields shared by all kinds of a family come last
    for name in sorted(hints, key=shared.__contains__):
        field, hint, doc = fields[name], hints[name], docs_of(kind).get(name, "")
        default = field.default if field.default_factory is REQUIRED else field.default_factory()
        unit = unit_of(hint, doc)
        unit = quantity if unit == Of.UNIT and quantity else unit
        carried = carried_by(hint, unit)
        if carried in ANGULAR:
            doc = doc.replace(f"[{carried}]", f"[{carried.replace('rad', 'deg', 1)}]")
        made[name] = Entry(name, hint, unit, default, doc)
    return made


def unit_of(hint: Any, doc: str) -> str:
    """The unit that a type is annotated with, or else the first one in the description, as in: Amplitude [rad]."""
    kind, notes, _ = parts_of(hint)
    if Bounds in notes:
        return str(notes[Bounds].unit)
    found = re.search(r"\[((?:rad|m|s|kg|N|Hz|1|-)[^\]]*)\]", doc)
    return found[1] if found and not dataclasses.is_dataclass(kind) else ""


def carried_by(hint: Any, default: str = "") -> str:
    """The unit of what a channel measures."""
    note = parts_of(hint)[1].get(Of)
    return default if note is None else str(note.unit)


@cache
def docs_of(kind: Any) -> dict[str, str]:
    """The docstrings below the fields of a class and of its bases; none if there is no source."""
    found: dict[str, str] = {}
    # Finding a class parses its whole file: not those of bases without fields, such as Generic.
    for owner in (each for each in reversed(kind.__mro__) if inspect.get_annotations(each)):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(owner)))
        except (OSError, TypeError, SyntaxError):
            continue
        for pair in itertools.pairwise(typing.cast(ast.ClassDef, tree.body[0]).body):
            match pair:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = " ".join(text.split())
    return found


def summary_of(kind: Any) -> str:
    """The first line of a class's or function's docstring."""
    return (inspect.getdoc(kind) or "").partition("\n")[0]
