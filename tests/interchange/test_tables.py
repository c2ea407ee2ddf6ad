"""A run as a table: every number of every sample, with its unit, in CSV and in Parquet."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.errors import BadFile, InvalidModel, MissingExtra
from pushpoint.interchange import tables


def exported(run: xr.Dataset, path: Path) -> Path:
    report = pp.export(run, path)
    assert report.files[0] == path
    return path


@pytest.fixture(scope="module")
def run() -> xr.Dataset:
    return pp.scenario("liljeback2014/sidewinding").with_changes(duration=0.2).run()


def numbers(path: Path) -> tuple[list[str], np.ndarray]:
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    return header, np.array([[float(cell) if cell else np.nan for cell in row] for row in rows])


def expected(run: xr.Dataset) -> dict[str, np.ndarray]:
    """Columns of a run, from the variables one by one."""
    found = {"t [s]": run.time.values}
    for name, values in run.data_vars.items():
        unit = values.attrs["units"]
        ending = f" [{unit}]" if unit != "1" else ""
        letters = {"axis": "xyz", "quaternion": "wxyz"}
        for place in np.ndindex(*values.shape[1:]):
            parts = zip(values.dims[1:], place, strict=True)
            words = "".join(f".{letters[dim][k]}" if dim in letters else f"[{k}]" for dim, k in parts)
            found[f"{name}{words}{ending}"] = values.values[(slice(None), *place)]
    return found


def test_a_csv_file_has_every_number_exactly(run: xr.Dataset, tmp_path: Path) -> None:
    header, table = numbers(exported(run, tmp_path / "run.csv"))
    columns = expected(run)
    assert header == list(columns)
    np.testing.assert_array_equal(table.T, list(columns.values()))  # as many digits as tell numbers apart


def test_parts_of_a_long_run_join(run: xr.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = exported(run, tmp_path / "whole.csv").read_bytes()
    monkeypatch.setattr(tables, "VALUES_AT_ONCE", 7 * sum(len(block.names) for block in tables.blocks_of(run)))
    assert exported(run, tmp_path / "parts.csv").read_bytes() == whole
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pq.read_table(exported(run, tmp_path / "run.parquet"))
    assert pq.ParquetFile(tmp_path / "run.parquet").num_row_groups == -(-run.sizes["time"] // 7)
    columns = expected(run)
    for name, field in zip(columns, table.schema, strict=True):
        unit = name.partition(" [")[2].rstrip("]") or "1"
        assert name.partition(" [")[0] == field.name and field.metadata[b"units"].decode() == unit
        np.testing.assert_array_equal(table[field.name].to_numpy(), columns[name])
    about = table.schema.metadata
    assert json.loads(about[b"columns"])["joint_angle[3]"] == {"units": "rad", "long_name": "Joint angle"}
    assert about[b"description"].decode() == run.attrs["description"]


def test_a_batch_has_its_worlds_below_one_another(tmp_path: Path) -> None:
    gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
    worlds = [
        pp.World(pp.catalogue.aiko_planar(), pp.Environment(ground=pp.Ground(friction=pp.Isotropic(mu))), gait)
        for mu in (0.1, 0.3)
    ]
    run = pp.simulate(worlds, 0.1)
    run = run.assign_coords(label=("world", ["smooth, wet", 'rough "dry"']))
    path = exported(run, tmp_path / "run.csv")
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:3] == ["world", "label", "t [s]"]
    count = run.sizes["time"]
    assert [row[:2] for row in rows] == [["0", "smooth, wet"]] * count + [["1", 'rough "dry"']] * count
    column = header.index("link_position[4].y [m]")
    np.testing.assert_array_equal([float(row[column]) for row in rows], run.link_position[:, :, 4, 1].values.ravel())


def test_missing_numbers_are_empty_cells(run: xr.Dataset, tmp_path: Path) -> None:
    holed = run.copy(deep=True)
    holed["joint_reference"][3] = np.nan
    header, table = numbers(exported(holed, tmp_path / "run.csv"))
    columns = [k for k, name in enumerate(header) if name.startswith("joint_reference")]
    assert np.isnan(table[3, columns]).all() and np.isfinite(table[2, columns]).all()
    assert ",," in (tmp_path / "run.csv").read_text().splitlines()[4]


def test_bad_targets_are_a_sentence(run: xr.Dataset, tmp_path: Path) -> None:
    folder = tmp_path / "run.csv"
    folder.mkdir()
    with pytest.raises(BadFile, match="must be a regular file"):
        exported(run, folder)
    with pytest.raises(InvalidModel, match="at least 1, which a table needs"):
        exported(run.isel(time=slice(0)), tmp_path / "none.csv")


@pytest.mark.parametrize(("missing", "ending"), [("mcap.writer", "mcap"), ("pyarrow", "parquet")])
def test_a_missing_extra_is_a_sentence(
    run: xr.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, ending: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=r"needs the extra 'interchange': pip install 'pushpoint\[interchange\]'"):
        pp.export(run, tmp_path / f"run.{ending}")
    assert not list(tmp_path.iterdir())
