"""A report as one HTML file that needs no network: style and pictures are in it, scripts there are none.

Pages are made by the templates beside this file; text that is not markup is escaped where it enters. Numbers, units and
sentences of the documents are worded here too.
"""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pushpoint.errors import BadFile
from pushpoint.whole_files import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NARROW = "\u202f"
"""A space at which no line breaks."""
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS = re.compile(r"(?<![\w-])-(?=\d)")
"""A hyphen that stands for a minus sign."""
POWER = re.compile(r"(\d+(?:\.\d+)?)e([+-]?\d+)")
ODD_UNITS = {"percent": "%", "1e_12": "· 10⁻¹²", "deg": "°", "Nm": "N m", "1": ""}


def _written(units: str) -> dict[str, str]:
    plain = {unit: unit.replace("_per_", "/").replace("_", " ").replace("2", "²") for unit in units.split()}
    return {unit: ODD_UNITS.get(unit, words) for unit, words in plain.items()}


CLAIM_UNITS = _written("cm_per_s m_per_s ms_per_s kg_m2 percent 1e_12 deg rad Nm mm cm ms N m s")
"""How the units at the end of a measured value's name are written; longer ones first."""
CHECK_UNITS = _written("kg_m2_per_s kg_m_per_s rad_per_s2 rad_per_s m_per_s2 m_per_s N_m N_s rad deg kg N J m s 1")
"""The same for the numbers behind a check, where what has no unit ends in 1."""


def typeset(text: str) -> str:
    """Numbers such as 1e-06 as 10⁻⁶, with true minus signs."""

    def power(found: re.Match[str]) -> str:
        exponent = str(int(found[2])).translate(RAISED)
        return f"10{exponent}" if found[1] == "1" else f"{found[1]}·10{exponent}"

    return MINUS.sub("−", POWER.sub(power, text))


def sentence(text: str) -> str:
    """Text as it stands in a page: with a capital and a full stop."""
    text = typeset(text)
    ended = text if not text or text.endswith(".") else f"{text}."
    return ended[:1].upper() + ended[1:]


def quantity(value: float | None, unit: str = "1", digits: int = 2) -> str:
    """Number and unit, which no line parts; the unit of a ratio is 1."""
    if value is None:
        return "none"
    unit = "" if unit == "1" else unit.replace(" ", NARROW)
    between = "" if unit in ("", "°") else NARROW
    return typeset(f"{value + 0.0:.{digits}g}") + between + unit


def measured(name: str, value: float | None, units: Mapping[str, str] = CLAIM_UNITS, digits: int = 4) -> str:
    """A measured value in words: speed_cm_per_s and -1.05 become `speed: −1.05 cm/s`."""
    ending = next((unit for unit in units if name.endswith(f"_{unit}")), "")
    words = name.removesuffix(f"_{ending}").replace("_", " ")
    return f"{words}: {quantity(value, units.get(ending, '1'), digits)}"


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in cells are escaped."""
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in (columns, *rows)]
    return "\n".join([lines[0], f"|{'---|' * len(columns)}", *lines[1:]])


FIGURE_DPI = 130
"""Of pictures in a page: sharp on a screen, small in the file."""


@cache
def templates() -> Environment:
    """The templates, and what they call."""
    made = Environment(
        loader=PackageLoader("pushpoint.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"sentence": sentence, "typeset": typeset, "quantity": quantity, "inline": inline, "zip": zip}
    made.globals |= {"measured": measured, "CHECK_UNITS": CHECK_UNITS}
    return made


def build_page(template: str, **content: Any) -> str:
    """The whole page as text."""
    return templates().get_template(template).render(content)


def write_page(page: str, path: str | os.PathLike[str]) -> Path:
    """Writes a page, whole or not at all."""
    target = Path(path)
    if target.suffix.lower() != ".html":
        raise BadFile(target, "the name of a page must end in .html")
    return write_bytes(target, page.encode())


def figure_png(figure: Figure) -> bytes:
    """A matplotlib figure as a PNG picture."""
    with io.BytesIO() as buffer:
        figure.savefig(buffer, format="png", dpi=FIGURE_DPI)
        return buffer.getvalue()


def inline(png: bytes) -> str:
    """A PNG picture as an address that holds it."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")
