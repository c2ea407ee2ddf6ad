"""Numbers that the papers report: data files with their provenance, read, and drawn beside our curves.

The files are papers/<name>/*.toml. printed.toml has the numbers printed in text, tables and captions. Points read off a
figure go into a file of their own, such as fig-13.toml; nothing else has to change. A table is one `Reported`:

    [course-speed]
    what = "mean speed of the middle link among seven obstacles"
    where = "VIII-D.2, Fig. 14"
    origin = "experiment and simulation"
    relation = "about"
    columns = ["ground friction [1]", "speed [cm/s]"]
    values = "0.2, 15"
    ours = ["TA2 speed_cm_per_s"]
    drawn = [{ figure = "speed-over-friction", panel = "speed", form = "points", x = "ground friction", y = "speed" }]

Numbers are text, as printed, so that their digits show how accurate they are.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import BadFile, UnknownName
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import instance
from pushpoint.papers.citations import PAPERS

ORIGINS = ("experiment", "simulation", "experiment and simulation", "computed", "experience")
"""Where the authors' number comes from: their robot, their simulation, both, an equation, or their experience."""
RELATIONS = {"": "", "about": "≈ ", "below": "< ", "range": ""}
"""What the paper says before a number, and how it is written. For a range, the two ends are given."""
FORMS = ("points", "moments", "band", "slope")
"""How numbers are drawn: points, vertical lines at x, a band between two y, or a line from our start."""
MOST_LISTED = 20
"""How many numbers are listed one by one in words [-]."""
PRINTED, READ_OFF = "printed", "read off"
COLUMN = re.compile(r"(.+) \[(.+)\]")


@dataclass(frozen=True, kw_only=True)
class FigurePlace:
    """Where and how reported numbers are drawn: scale times the number, plus shift."""

    figure: str
    """The figure of the report, by its key in the paper's FIGURES."""
    panel: str
    """Label of the panel."""
    form: str
    """One of FORMS."""
    x: str = ""
    """Name of the column on the horizontal axis; none for a band or a slope."""
    y: str = ""
    """Name of the column on the vertical axis; none for moments."""
    scale: tuple[float, float] = (1.0, 1.0)
    """Factors of x and y, from the paper's units and signs to ours [-]."""
    shift: tuple[float, float] = (0.0, 0.0)
    """Offsets then added to x and y, in our units."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Reported:
    """A result that a paper reports, with its provenance. The last column is the result, the others its conditions."""

    __repr__ = brief

    paper: str
    """The paper, such as transeth2008a."""
    key: str
    """Its name in the data file."""
    what: str
    """What the numbers measure."""
    where: str
    """The paper's section, figure or table."""
    origin: str
    """One of ORIGINS."""
    columns: tuple[str, ...]
    """Names of the columns."""
    units: tuple[str, ...]
    """Their units, 1 for none."""
    text: tuple[tuple[str, ...], ...]
    """The numbers as printed, row by row."""
    values: np.ndarray
    """The numbers, shape (n_rows, n_columns)."""
    accuracy: np.ndarray
    """How far they may be off, same shape: half a unit of the last printed digit, or as stated for a figure."""
    how: str = PRINTED
    """ "printed", or "read off: " followed by how it was done."""
    relation: str = ""
    """One of RELATIONS."""
    ours: tuple[str, ...] = ()
    """The corresponding measurements of ours: each a claim and the name of a measured value."""
    note: str = ""
    """What else to know."""
    drawn: tuple[FigurePlace, ...] = ()
    """Where it is drawn."""

    def column(self, name: str) -> np.ndarray:
        """The numbers of a column, shape (n_rows,)."""
        if name not in self.columns:
            raise UnknownName(f"column of {self.key}", name, self.columns)
        return self.values[:, self.columns.index(name)]

    @property
    def kind(self) -> str:
        """Whether it is printed or read off a figure."""
        return self.how.partition(":")[0]

    @property
    def measured(self) -> bool:
        """Whether it comes from a physical robot, alone or together with a simulation."""
        return self.origin.startswith("experiment")

    @property
    def result(self) -> str:
        """The result in words, with its unit."""
        numbers = [row[-1] for row in self.text]
        joined = " to ".join(numbers) if self.relation == "range" else _listed(numbers)
        return _with_unit(RELATIONS[self.relation] + joined, self.units[-1])

    @property
    def conditions(self) -> str:
        """The conditions, in words."""
        at = zip(self.columns[:-1], self.units, zip(*self.text, strict=True), strict=False)
        return "; ".join(f"{name} {_with_unit(_listed(dict.fromkeys(cells)), unit)}" for name, unit, cells in at)

    @property
    def error(self) -> str:
        """How far the result may be off, in words; empty for a count."""
        most = float(self.accuracy[:, -1].max())
        return _with_unit(f"± {most:g}", self.units[-1]) if most > 0.0 else ""


def _listed(numbers: Iterable[str]) -> str:
    """All of them, or the first and the last if there are many."""
    every = tuple(numbers)
    return ", ".join(every) if len(every) <= MOST_LISTED else f"{every[0]}, ... {every[-1]} ({len(every)} numbers)"


def _with_unit(number: str, unit: str) -> str:
    return number if unit == "1" else f"{number} {unit}"


@checked_arguments
@cache
def reported(paper: str) -> Mapping[str, Reported]:
    """The results that a paper reports as numbers, by key, from its data files."""
    if paper not in PAPERS:
        raise UnknownName("paper", paper, PAPERS)
    found: dict[str, Reported] = {}
    for file in sorted((files("pushpoint.papers") / paper).iterdir(), key=lambda one: one.name):
        if file.name.endswith(".toml"):
            place = f"papers/{paper}/{file.name}"
            for key, one in read_reported(paper, file.read_text(encoding="utf-8"), place).items():
                if key in found:
                    raise BadFile(place, f"{key} is taken by another file of this paper")
                found[key] = one
    return found


@checked_arguments
def draw_reported(paper: str, figure: str, onto: Any) -> None:
    """Adds to a figure all numbers that a paper reports for it.

    Args:
        paper: Name of the paper, such as transeth2008a.
        figure: Key of the figure in the report.
        onto: A matplotlib Figure of ours.
    """
    from matplotlib.figure import Figure

    from pushpoint.plots.beside import Beside, draw_beside  # here, because matplotlib takes time to load

    instance("draw_reported: onto", onto, Figure, "a Figure of matplotlib")
    for one in reported(paper).values():
        for drawing in one.drawn:
            if drawing.figure == figure:
                x, y = (_placed(one, drawing, axis) for axis in (0, 1))
                label = f"{one.kind} in the paper, {one.where}"
                draw_beside(onto, drawing.panel, Beside(form=drawing.form, label=label, x=x, y=y))


def _placed(one: Reported, drawing: FigurePlace, axis: int) -> np.ndarray:
    """What is drawn along an axis and how far it may be off, shape (2, n_rows), or (2, 0) if there is nothing."""
    name = (drawing.x, drawing.y)[axis]
    if not name:
        return np.zeros((2, 0))
    scale, place = drawing.scale[axis], one.columns.index(name)
    return np.stack((scale * one.values[:, place] + drawing.shift[axis], abs(scale) * one.accuracy[:, place]))


def read_reported(paper: str, text: str, place: str) -> dict[str, Reported]:
    """The tables of a data file, by name; `place` is the file's name in errors."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(place, f"is not TOML ({error})") from None
    return {key: _read_table(paper, key, table, place) for key, table in tables.items()}


NEEDED = ("what", "where", "origin", "columns", "values")
OPTIONAL = ("how", "relation", "ours", "note", "accuracy", "drawn")


def _read_table(paper: str, key: str, table: Any, place: str) -> Reported:
    """One `Reported`; every error names the file, the table and the entry."""
    place = f"{place}, [{key}]"
    _check_names(table, NEEDED, (*NEEDED, *OPTIONAL), place)
    for name, allowed in (("origin", ORIGINS), ("relation", tuple(RELATIONS))):
        if table.get(name, "") not in (*allowed, ""):
            raise BadFile(place, f"{name} = {table[name]!r}, must be one of {', '.join(filter(None, allowed))}")
    split = [COLUMN.fullmatch(column) for column in table["columns"]]
    if not split or not all(split):
        raise BadFile(place, f"columns = {table['columns']}, must be names with units such as 'speed [cm/s]'")
    columns, units = zip(*(one.groups() for one in split if one), strict=True)
    cells = tuple(tuple(map(str.strip, line.split(","))) for line in table["values"].strip().splitlines())
    values = _numbers(cells, len(columns), place)
    how, given = table.get("how", PRINTED), table.get("accuracy")
    if how != PRINTED and not how.startswith(f"{READ_OFF}: "):
        raise BadFile(place, f"how = {how!r}, must be '{PRINTED}', or '{READ_OFF}: ' and how it was done")
    if how != PRINTED and given is None:
        raise BadFile(place, "accuracy is missing: numbers read off a figure need to say how far they may be off")
    if given is not None and (len(given) != len(columns) or min(given) < 0.0):
        raise BadFile(place, f"accuracy = {given}, must be a number >= 0 for each of {len(columns)} columns")
    accuracy = np.vectorize(_half_digit)(cells) if given is None else np.broadcast_to(given, values.shape)
    if table.get("relation") == "range" and len(cells) != 2:
        raise BadFile(place, f"values = {len(cells)} lines, must be two for a range: its ends")
    words = {name: table[name] for name in ("what", "where", "origin", "relation", "note") if name in table}
    drawn = tuple(_read_drawing(one, columns, place) for one in table.get("drawn", ()))
    known: dict[str, Any] = {"columns": columns, "units": units, "text": cells, "how": how, "drawn": drawn}
    known["ours"] = tuple(table.get("ours", ()))
    return Reported(paper=paper, key=key, values=values, accuracy=accuracy, **words, **known)


def _read_drawing(entry: Mapping[str, Any], columns: Sequence[str], place: str) -> FigurePlace:
    _check_names(entry, ("figure", "panel", "form"), tuple(one.name for one in fields(FigurePlace)), f"{place}, drawn")
    needed = {"points": ("x", "y"), "moments": ("x",), "band": ("y",), "slope": ("y",)}
    if entry["form"] not in FORMS:
        raise BadFile(place, f"drawn.form = {entry['form']!r}, must be one of {', '.join(FORMS)}")
    for name in needed[entry["form"]]:
        if entry.get(name) not in columns:
            raise BadFile(place, f"drawn.{name} = {entry.get(name)!r}, must be a column: {', '.join(columns)}")
    values: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in entry.items()}
    return FigurePlace(**values)


def _check_names(table: Mapping[str, Any], needed: Sequence[str], known: Sequence[str], place: str) -> None:
    for name in needed:
        if name not in table:
            raise BadFile(place, f"{name} is missing")
    for name in table:
        if name not in known:
            raise BadFile(place, f"{name} is not known here; known are {', '.join(known)}")


def _numbers(cells: Sequence[Sequence[str]], columns: int, place: str) -> np.ndarray:
    for number, row in enumerate(cells, 1):
        if len(row) != columns:
            raise BadFile(place, f"line {number} of values has {len(row)} numbers, must have {columns}")
    try:
        values = np.array(cells, dtype=float)
    except ValueError as error:
        raise BadFile(place, f"values are not all numbers ({error})") from None
    if not np.isfinite(values).all():
        raise BadFile(place, "values must be finite")
    return values


def _half_digit(text: str) -> float:
    """Half a unit of the last printed digit: 0.05 for 7.1, 0.5 for 15, 5e-12 for 1e-11."""
    mantissa, _, power = text.lower().partition("e")
    return 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
