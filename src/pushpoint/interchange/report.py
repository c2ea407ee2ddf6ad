"""What a translation keeps, law by law: exact, approximated, or lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pushpoint.brief import brief
from pushpoint.model.checks import any_number, check_fields
from pushpoint.model.quantities import Line
from pushpoint.whole_files import write_bytes

ENDING = ".report.json"
"""What the name of the report beside a file ends in."""
Kept = Literal["exact", "approximated", "lost"]


@dataclass(frozen=True, kw_only=True)
class Translated:
    """One law or property, and what became of it."""

    law: Line
    """What is translated, such as "end stops"."""
    kept: Kept
    """What became of it: "exact", "approximated" or "lost"."""
    how: Line = ""
    """How, in one sentence; for an exact one, where it is."""
    error: Annotated[float, any_number("-")] | None = None
    """Size of the error, if it was measured."""
    unit: Line = ""
    """Unit of the error."""
    place: Line = ""
    """Where: a field of the world, or a file with its line; empty if it is everywhere."""

    def __post_init__(self) -> None:
        check_fields(self, "translated")

    def __str__(self) -> str:
        size = "" if self.error is None else f" [{self.error:.3g} {self.unit}]"
        where = f" ({self.place})" if self.place else ""
        return f"{self.kept}: {self.law}{where}{f': {self.how}' if self.how else ''}{size}"


def lost_edits(edits: Sequence[object]) -> list[Translated]:
    """The entry about what a scenario changes on its way, if it does."""
    how = "the file has the world as it begins; the run itself, as .mcap, has it as it was changed"
    law = f"{len(edits)} edit{'s' if len(edits) > 1 else ''} on the way"
    return [Translated(law=law, kept="lost", how=how)] if edits else []


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a file that was written or read keeps of the thing it was made from, law by law.

    report = pp.export(world, "snake.xml")
    print(report)
    print([entry.law for entry in report.laws if entry.kept == "lost"])
    """

    __repr__ = brief

    what: Line
    """What was translated, such as "robot aiko"."""
    into: Line
    """What it was translated into, such as MJCF."""
    laws: tuple[Translated, ...]
    """Each law, those that are exact first."""
    files: tuple[Path, ...] = ()
    """The files that were written, the one that was asked for first."""

    def __post_init__(self) -> None:
        check_fields(self, "report")
        order = ("exact", "approximated", "lost")
        object.__setattr__(self, "laws", tuple(sorted(self.laws, key=lambda each: order.index(each.kept))))

    def __str__(self) -> str:
        return "\n".join([f"{self.what} as {self.into}", *(f"  {entry}" for entry in self.laws)])

    def with_laws(self, *more: Translated) -> Report:
        """The same report with more entries."""
        return replace(self, laws=(*self.laws, *more))

    def document(self) -> dict[str, Any]:
        """The report in JSON types."""
        entries = [
            {name: value for name, value in vars(entry).items() if value not in ("", None)} for entry in self.laws
        ]
        return {"what": self.what, "into": self.into, "laws": entries, "files": [str(file) for file in self.files]}

    def written(self) -> Report:
        """Writes the report as JSON beside its first file; returns it with this file among its files."""
        beside = self.files[0].with_name(self.files[0].name + ENDING)
        whole = replace(self, files=(*(file for file in self.files if file != beside), beside))
        write_bytes(beside, (json.dumps(whole.document(), indent=2, allow_nan=False) + "\n").encode())
        return whole
