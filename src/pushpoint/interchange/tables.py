"""A run as one tidy table: a row per sample (and world), a column per number, with its unit; CSV or Parquet.

Columns are named as channels of a recording are: joint_angle[3], link_position[10].x. So a table of one run can be read
as a recording of another.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from pushpoint.errors import MissingExtra
from pushpoint.interchange.report import Report, Translated
from pushpoint.simulation.provenance import DESCRIPTION, require
from pushpoint.whole_files import write_atomically

TIME = "t"
LETTERED = ("axis", "quaternion")
"""Dimensions whose parts have a letter; those of all others are counted."""
VALUES_AT_ONCE = 4_000_000
"""Numbers of a run that are in memory at a time while a table is written [-]."""
PARQUET = ".parquet"
EXTRA = "interchange"


class Block(NamedTuple):
    """The columns that one variable becomes."""

    variable: str
    """Its name in the run."""
    dims: tuple[str, ...]
    """Its dimensions besides those of worlds and times."""
    names: tuple[str, ...]
    """Names of the columns."""
    attrs: dict[str, str]
    """Unit and long name."""


def write(run: xr.Dataset, path: Path) -> Report:
    """Writes a run as a table with a row per sample, whole or not at all: CSV, or Parquet if the file is .parquet.

    Every number of a sample has a column, such as `joint_angle[3] [rad]` or `link_position[10].x [m]`. A CSV file has
    the units in its header; Parquet has them in the metadata of its fields, and the description of the run in that of
    the file. In a batch, the column `world` comes first, and then whatever else the run says of its worlds.
    """
    require(run, "a table")
    parquet = path.suffix.lower() == PARQUET
    written = write_atomically(path, lambda place: (_parquet if parquet else _csv)(run, place))
    still = [str(name) for name, values in run.data_vars.items() if "time" not in values.dims]
    laws = [Translated(law="recorded variables", kept="exact", how="one column per number, a row per sample")]
    if still:
        laws.append(Translated(law="constants", kept="lost", how=f"not in a table over time: {', '.join(still)}"))
    where = "in the metadata of the file" if parquet else "keep the run itself, which can be repeated and drawn"
    laws.append(Translated(law="description of world and run", kept="exact" if parquet else "lost", how=where))
    return Report(what="run", into="Parquet" if parquet else "CSV", laws=tuple(laws), files=(written,))


def blocks_of(run: xr.Dataset) -> list[Block]:
    """The variables that change with time, in the order of the run."""
    found = []
    for name, values in run.data_vars.items():
        if "time" not in values.dims:
            continue
        dims = tuple(str(dim) for dim in values.dims if dim not in ("world", "time"))
        parts = product(*(_parts(run, dim) for dim in dims))
        attrs = {key: str(values.attrs.get(key, "")) for key in ("units", "long_name")}
        found.append(Block(str(name), dims, tuple(f"{name}{''.join(part)}" for part in parts), attrs))
    return found


def _parts(run: xr.Dataset, dim: str) -> list[str]:
    """What stands behind a name for each place along a dimension."""
    if dim in LETTERED:
        return [f".{letter}" for letter in run[dim].values]
    return [f"[{number}]" for number in range(run.sizes[dim])]


def _of_worlds(run: xr.Dataset) -> list[str]:
    """What a batch says of each world: its number first, then the parameter or the name that it has in a sweep."""
    if "world" not in run.dims:
        return []
    others = [str(name) for name, values in run.coords.items() if values.dims == ("world",)]
    return ["world", *(name for name in others if name not in ("world", "description_key"))]


def _units(run: xr.Dataset) -> dict[str, dict[str, str]]:
    """Attributes of every column, by its name, in order."""
    worlds = {name: {"units": str(run[name].attrs.get("units", ""))} for name in _of_worlds(run) if name in run.coords}
    first = {"world": {"units": ""}} | worlds if "world" in run.dims else {}
    samples = {name: block.attrs for block in blocks_of(run) for name in block.names}
    return first | {TIME: {"units": "s", "long_name": "Time"}} | samples


def _pieces(run: xr.Dataset) -> Iterator[dict[str, np.ndarray]]:
    """The columns, some rows at a time; those of a batch world by world."""
    blocks, count = blocks_of(run), run.sizes["time"]
    rows = max(1, VALUES_AT_ONCE // max(1, sum(len(block.names) for block in blocks)))
    for number in range(run.sizes.get("world", 1)):
        world = run.isel(world=number) if "world" in run.dims else run
        for first in range(0, count, rows):
            part = world.isel(time=slice(first, first + rows))
            length = part.sizes["time"]
            columns: dict[str, np.ndarray] = {}
            for name in _of_worlds(run):
                value = run[name].values[number] if name in run.coords else number
                columns[name] = np.full(length, value)
            columns[TIME] = part["time"].values
            for block in blocks:
                values = part[block.variable].transpose("time", *block.dims).values.reshape(length, -1)
                columns |= dict(zip(block.names, values.T, strict=True))
            yield columns


def _csv(run: xr.Dataset, place: Path) -> None:
    header = [name + (f" [{a['units']}]" if a["units"] not in ("", "1") else "") for name, a in _units(run).items()]
    with place.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(header)
        for columns in _pieces(run):
            rows.writerows(zip(*map(_written, columns.values()), strict=True))


def _written(values: np.ndarray) -> list[str]:
    """Numbers with as many digits as tell them apart; an empty cell for one that is missing."""
    if values.dtype.kind == "f":
        return ["" if value != value else repr(value) for value in values.tolist()]
    return [str(value) for value in values.tolist()]


def _parquet(run: xr.Dataset, place: Path) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("a table as Parquet", EXTRA) from None
    about: dict[str, str] = {key: str(run.attrs[key]) for key in (DESCRIPTION, "status") if key in run.attrs}
    about["columns"] = json.dumps(_units(run))  # for readers that show the metadata of the file alone
    writer: Any = None
    try:
        for columns in _pieces(run):
            arrays = [pa.array(values) for values in columns.values()]
            if writer is None:
                fields = [
                    pa.field(name, array.type, metadata=attrs)
                    for (name, attrs), array in zip(_units(run).items(), arrays, strict=True)
                ]
                schema = pa.schema(fields, metadata=about)
                writer = pq.ParquetWriter(place, schema, compression="zstd")
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    finally:
        if writer is not None:
            writer.close()
