"""Heights of the ground in a scenario document: rows of numbers, or the name of a file that holds them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from pushpoint.description.document_section import Pair, Section


def _rows_or_file(value: Any) -> str:
    return "file" if isinstance(value, str) else "rows"


class HeightFieldSection(Section):
    """Heights of the ground on a square grid, bilinear in between; beyond its rim the last heights go on."""

    heights: Annotated[
        Annotated[list[list[float]], Tag("rows")] | Annotated[str, Tag("file")], Discriminator(_rows_or_file)
    ]
    """Heights [m], one row per x, each along y; or the name of a .npy or .csv file beside the scenario file."""
    spacing: float
    """Distance from grid point to grid point [m]."""
    origin: Pair = Field(default=[0.0, 0.0])
    """Where the first height of the first row stands [m]."""
