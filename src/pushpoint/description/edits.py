"""The edits of an experiment as text: a list of sections, each with the time step, the kind and what is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pushpoint.description.complaints import Keys
from pushpoint.description.custom import is_custom, named, unread_controller
from pushpoint.description.reading import Reader
from pushpoint.description.writing import WRITERS, tagged
from pushpoint.errors import InvalidModel
from pushpoint.worlds.edits import ChangeController, Edit, after_edit
from pushpoint.worlds.world import World

EDITS = "edits"
PARTS: dict[str, Keys] = {"gait": ("controller",), "ground": ("ground",)}
"""The keys of what calls itself something else than an edit."""


def read_edits(reader: Reader) -> tuple[Edit, ...]:
    """The edits in a reader's document."""
    if reader.at((EDITS,)) is None:
        return ()
    return tuple(_read(reader, keys) for keys in reader.each((EDITS,), "a list of edits"))


def _read(reader: Reader, keys: Keys) -> Edit:
    given = reader.section(keys)
    if is_custom(given.get("controller")) and reader.where is None:  # of a run, which keeps the name of a custom one
        made: Edit = reader.make(
            ChangeController, keys, tags=("kind", "controller"), controller=unread_controller(given["controller"])
        )
        return made
    read: Edit = reader.kind(Edit, keys)
    return read


def refuse_unfit(reader: Reader, world: World, edits: Sequence[Edit]) -> None:
    """Raises an error, at its place, for the first edit that does not fit the world as it is then."""
    step = 0
    for number, edit in enumerate(edits):
        keys: Keys = (EDITS, number)
        if edit.step < step:
            raise reader.refuse((*keys, "step"), edit.step, f"at least that of the edit before, {step}")
        step = edit.step
        try:
            with reader.computing(keys):
                world = after_edit(world, edit)
        except InvalidModel as error:
            part = PARTS.get(str(error.place[0]), ())
            with reader.speaking_of((*keys, *part), owned=bool(part) or error.place[0] == "edit"):
                raise


def write_edits(edits: Sequence[Edit]) -> list[Any]:
    """The sections of edits, each with its kind and step first."""
    written = (WRITERS[type(edit)](edit) if type(edit) in WRITERS else tagged(edit) for edit in edits)
    return [{"kind": each["kind"], "step": each["step"]} | each for each in written]


def _write_controller(edit: ChangeController) -> dict[str, Any]:
    """The section of a change of controller; one that text cannot hold has its name alone."""
    section = {"kind": "controller", "step": edit.step, "over": edit.over}
    return section | {"controller": None if edit.controller is None else named(edit.controller)}


WRITERS[ChangeController] = _write_controller
