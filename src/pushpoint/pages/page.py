"""A report as one HTML file that needs no network: style and pictures are in it, scripts there are none.

Pages are made by the templates beside this file; text that is not markup is escaped where it enters.
"""

from __future__ import annotations

import base64
import io
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pushpoint.errors import BadFile
from pushpoint.pages.wording import CHECK_UNITS, measured, quantity, sentence, typeset
from pushpoint.simulation.storage import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    made.filters |= {"sentence": sentence, "typeset": typeset, "quantity": quantity, "inline": inline}
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


def write_bytes(path: Path, content: bytes) -> Path:
    """Writes a file, whole or not at all."""

    def write(place: Path) -> None:
        place.write_bytes(content)

    return write_atomically(path, write)


def figure_png(figure: Figure) -> bytes:
    """A matplotlib figure as a PNG picture."""
    with io.BytesIO() as buffer:
        figure.savefig(buffer, format="png", dpi=FIGURE_DPI)
        return buffer.getvalue()


def inline(png: bytes) -> str:
    """A PNG picture as an address that holds it."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")
