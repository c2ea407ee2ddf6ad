"""The table of a study: a row for each finished world, in the order of the design.

It is made from the batches, block by block, so that it takes no memory, and it is the same to the last bit however
often the study was interrupted.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.errors import BadFile
from pushpoint.model.arguments import checked_arguments
from pushpoint.studies.measuring import measures_named
from pushpoint.studies.running.rows import StudyRows
from pushpoint.studies.storing.store import FinishedIndex, StudyStore
from pushpoint.studies.study import WORDS, Study
from pushpoint.studies.study_files import study_from
from pushpoint.studies.varied import Varied
from pushpoint.whole_files import remove_file, write_atomically

LOST = "lost"
"""Status of a world whose worker died each time; the same command tries it again."""
OPEN_FILES = 64
"""Batches that are held in memory while the table is made [-]."""
PARQUET, CSV = "table.parquet", "table.csv"


def has_parquet() -> bool:
    """Whether tables are written as Parquet."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        return False
    return True


def stored_study(store: StudyStore) -> tuple[Study, StudyRows]:
    """The study that a store belongs to, and its rows, with the keys that the store's results have."""
    about = store.about()
    if not (isinstance(about.get("study"), dict) and isinstance(about.get("maker"), str)):
        raise BadFile(store.folder / store.about_file, f"does not describe a {store.kind}")
    study = study_from(about["study"])
    return study, StudyRows(study.plan(maker=about["maker"]))


def table_columns(study: Study) -> list[str]:
    """The columns of the table."""
    return ["world", *(each.field for each in study.varies), *WORDS, *study.measures]


class _Batches:
    """Columns of the batches that were read last."""

    def __init__(self, store: StudyStore, index: FinishedIndex) -> None:
        self._index = index
        self.read = lru_cache(OPEN_FILES)(lambda number: store.batch(index.files[number]))

    def gather(self, names: Iterable[str], files: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Columns of some rows by name, shape (n,) each. Every file is read once."""
        order = np.argsort(files, kind="stable")
        numbers, first = np.unique(files[order], return_index=True)
        chosen = np.split(rows[order], first[1:])
        parts = [
            {name: held[name][own] for name in names}
            for held, own in zip(map(self.read, numbers.tolist()), chosen, strict=True)
        ]
        back = np.argsort(order)
        return {name: np.concatenate([part[name] for part in parts])[back] for name in names}


def table_blocks(
    store: StudyStore, study: Study, rows: StudyRows, lost: Mapping[bytes, str] | None = None
) -> Iterator[dict[str, np.ndarray]]:
    """The table in blocks of rows: columns by name. Rows that are neither finished nor lost are left out."""
    index = FinishedIndex(store)
    batches, first = _Batches(store, index), 0
    for codes in study.design.blocks(study.varies):
        keys = rows.keys(codes)
        there, files, places = index.find(keys)
        gone = np.array([key in lost for key in keys.tolist()], dtype=bool) if lost else np.zeros(len(keys), dtype=bool)
        shown = there | gone
        if shown.any():
            columns = {"world": first + np.flatnonzero(shown)}
            columns |= {each.field: _column(each, codes[shown, k]) for k, each in enumerate(study.varies)}
            columns |= _found(batches, study, there[shown], files[shown], places[shown])
            columns["key"] = keys[shown].astype(str)
            if gone.any():
                columns["status"] = np.where(there[shown], columns["status"], LOST)
                said = [(lost or {}).get(key, "") for key in keys[shown].tolist()]
                columns["message"] = np.where(there[shown], columns["message"], said)
            yield {name: columns[name] for name in table_columns(study)}
        first += len(codes)


def _found(
    batches: _Batches, study: Study, there: np.ndarray, files: np.ndarray, places: np.ndarray
) -> dict[str, np.ndarray]:
    """What was found, of those rows that are finished."""
    columns: dict[str, np.ndarray] = {}
    names = {"status": "status", "message": "message"} | {each: f"measure:{each}" for each in study.measures}
    gathered = batches.gather(names.values(), files[there], places[there]) if there.any() else {}
    for name, held in names.items():
        empty: Any = "" if name in WORDS else np.nan
        values = gathered.get(held, np.full(0, empty))
        columns[name] = np.full(len(there), empty, dtype=values.dtype)
        columns[name][there] = values
    return columns


def _column(varied: Varied, codes: np.ndarray) -> np.ndarray:
    """A column of the table: whole numbers, numbers or names."""
    if varied.levels is None:
        return codes
    every = _level_column(varied) if varied.levels <= 10_000 else None
    return np.array([varied.told(code) for code in codes.tolist()]) if every is None else every[codes.astype(int)]


def _level_column(varied: Varied) -> np.ndarray:
    values = [varied.told(float(k)) for k in range(varied.levels or 0)]
    if any(isinstance(each, str) for each in values):
        values = [str(each) for each in values]
    return np.array(values)


def write_table(
    store: StudyStore, study: Study, rows: StudyRows, lost: Mapping[bytes, str] | None = None, path: Path | None = None
) -> Path:
    """Writes the table, whole or not at all: as Parquet if pyarrow is there, otherwise as CSV.

    A `path` of its own decides by its ending.
    """
    place = path or store.folder / (PARQUET if has_parquet() else CSV)
    blocks = table_blocks(store, study, rows, lost)
    write = _write_parquet if place.suffix == ".parquet" else _write_csv
    write_atomically(place, lambda temporary: write(temporary, study, blocks))
    if path is None:
        remove_file(store.folder / (CSV if place.name == PARQUET else PARQUET))
    return place


def units_of(study: Study) -> dict[str, str]:
    """The units of the measures, by name."""
    return {each.name: each.unit for each in measures_named(study.measures)}


def _write_parquet(path: Path, study: Study, blocks: Iterator[dict[str, np.ndarray]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    units = units_of(study)

    def typed(name: str, values: np.ndarray) -> Any:
        kind = {"f": pa.float64(), "i": pa.int64(), "b": pa.bool_()}.get(values.dtype.kind, pa.string())
        return pa.field(name, kind, metadata={"units": units[name]} if name in units else None)

    writer = None
    try:
        for block in blocks:
            if writer is None:
                schema = pa.schema([typed(name, values) for name, values in block.items()])
                writer = pq.ParquetWriter(path, schema)
            writer.write_table(
                pa.table(
                    {
                        name: pa.array(list(map(_python, v))) if v.dtype.kind in "US" else pa.array(v)
                        for name, v in block.items()
                    },
                    schema=writer.schema,
                )
            )
        if writer is None:
            pq.write_table(pa.table({name: pa.array([], pa.string()) for name in table_columns(study)}), path)
    finally:
        if writer is not None:
            writer.close()


def _python(value: Any) -> str:
    return str(value)


def _write_csv(path: Path, study: Study, blocks: Iterator[dict[str, np.ndarray]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table_columns(study))
        for block in blocks:
            writer.writerows(zip(*(values.tolist() for values in block.values()), strict=True))


@checked_arguments
def load_table(store: str | Path) -> xr.Dataset:
    """The table of a study's store, as far as it has come: a Dataset with the dimension `world`.

    Columns are named like the fields that vary and the measures; `status`, `message` and `key` are beside them.

        table = pp.studies.load_table("out/study")

    Args:
        store: The folder of the store.
    """
    found = StudyStore(store)
    study, rows = stored_study(found)
    blocks = list(table_blocks(found, study, rows))
    if not blocks:
        raise BadFile(found.folder, "holds no finished world yet")
    units, columns = units_of(study), _joined(blocks)
    numbers = columns.pop("world")
    variables = {
        name: ("world", values, {"units": units[name]} if name in units else {}) for name, values in columns.items()
    }
    return xr.Dataset(variables, coords={"world": numbers}, attrs={"study": json.dumps(study.name)})


def _joined(blocks: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
