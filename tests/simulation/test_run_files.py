"""Run files as user input: damage is told before a library reads them, and what they say of themselves is checked."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.errors import BadFile, PushpointError
from pushpoint.simulation.health import health_of
from pushpoint.simulation.run_checks import fault_of_run
from pushpoint.simulation.seals import LENGTH, seal


@pytest.fixture(scope="module")
def run() -> xr.Dataset:
    return pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=0.02).run()


def complaint(path: Path) -> str:
    with pytest.raises(BadFile) as caught:
        pp.load(path)
    sentence = str(caught.value)
    assert "\n" not in sentence and len(sentence) < 400
    return sentence.removeprefix(f"{path}: ")


def test_a_seal_is_invisible_to_others(run: xr.Dataset, tmp_path: Path) -> None:
    path = pp.save(run, tmp_path / "run.nc")
    assert path.read_bytes()[-LENGTH:].startswith(b"\npushpoint sha256 ")
    with xr.open_dataset(path) as found:  # without the name of an engine: it is told by the first bytes
        np.testing.assert_array_equal(found.link_position, run.link_position)
    with h5py.File(path) as file:
        assert "link_position" in file


def test_damage_is_told(run: xr.Dataset, tmp_path: Path) -> None:
    """Files like these can keep HDF5 busy for ever."""
    path = pp.save(run, tmp_path / "run.nc")
    whole = path.read_bytes()
    for seed in range(100):
        random = np.random.default_rng(seed)
        data = bytearray(whole)
        place, length = int(random.integers(len(data) - LENGTH)), int(random.integers(1, 200))
        part = data[place : place + length]
        data[place : place + length] = bytes(each ^ (1 << int(random.integers(8))) for each in part)
        path.write_bytes(bytes(data))
        assert complaint(path).startswith(("is damaged, or was changed since", "has no seal at its end"))


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.nc")
    assert complaint(tmp_path / "run.nc") == "cannot be read (it is a pipe, no regular file)"


def changed_description(run: xr.Dataset, **changes: Any) -> xr.Dataset:
    return run.assign_attrs(description=json.dumps(json.loads(run.attrs["description"]) | changes))


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"description": "none"}, "is not a result: run.attrs['description'] = 'none', must be a description"),
        ({"description": DEEP}, "is not a result: run.attrs['description'] = '[[["),
        ({"description": 3}, "is not a result: run.attrs['description'] = "),
        ({"description": [1, 2]}, "is not a result: run.attrs['description'] = "),
        ({"world_status": "{}"}, "is not a result: run.attrs['world_status'] = '{}', must be"),
        ({"world_status": DEEP}, "is not a result: run.attrs['world_status'] = '[[["),
        ({"world_status": '["odd"]'}, "is not a result: it has the status 'odd'"),
        ({"world_health": "[{}]"}, "is not a result: unknown number of a run's health"),
        ({"world_health": '[{"steps": "many"}]'}, "is not a result: run.attrs['world_health'] = "),
        ({"status_code": 7}, "is not a result: it has the status '7'"),
    ],
)
def test_attributes_are_held_to_what_a_simulation_writes(
    run: xr.Dataset, attributes: dict[str, Any], sentence: str
) -> None:
    assert fault_of_run(run) == ""
    assert fault_of_run(run.assign_attrs(attributes)).startswith(sentence)


def test_a_file_of_a_stranger(run: xr.Dataset, tmp_path: Path) -> None:
    file = pp.save(run.assign_attrs(description=DEEP), tmp_path / "run.nc")
    assert complaint(file).startswith("is not a result: run.attrs['description'] = '[[[")


@pytest.mark.parametrize(
    "changes",
    [
        {"n_worlds": 10**12},
        {"n_worlds": "1"},
        {"n_worlds": 0},
        {"worlds": []},
        {"worlds": {"-1": {}}},
        {"worlds": {"1": {}}},
        {"worlds": {"0": 1}},
    ],
)
def test_worlds_of_a_description_are_counted(run: xr.Dataset, changes: dict[str, Any]) -> None:
    assert fault_of_run(changed_description(run, **changes)).startswith("is not a result: run.attrs['description'] = ")


@pytest.mark.parametrize(
    "changes", [{"controller": 3}, {"robot": None}, {"duration": "x"}, {"worlds": {"0": {"ground": 1}}}]
)
def test_what_a_description_holds_is_refused_where_it_is_used(run: xr.Dataset, changes: dict[str, Any]) -> None:
    for use in (pp.world_of, pp.scenario_of):
        with pytest.raises(PushpointError) as caught:
            use(changed_description(run, **changes))
        assert "\n" not in str(caught.value)


def test_a_run_that_promises_more_than_its_file_holds(run: xr.Dataset, tmp_path: Path) -> None:
    path = pp.save(run, tmp_path / "run.nc")
    with h5py.File(path, "r+") as file:
        shape = (10**7, 11, 2)
        del file["link_position"]
        file.create_dataset("link_position", shape, dtype="f8", chunks=(1000, 11, 2))
    with path.open("r+b") as sealed:
        seal(sealed)
    assert "which a file of" in complaint(path)


@pytest.mark.parametrize("name", ["link_position", "time"])
def test_variables_hold_numbers(run: xr.Dataset, name: str) -> None:
    texts = run.assign({name: (run[name].dims, np.full(run[name].shape, "x"))})
    assert fault_of_run(texts).startswith(f"is not a result: its variable {name} holds values")


@pytest.mark.parametrize(
    "part", [{"link": 3}, {"time": slice(0, 0)}, {"joint": slice(0, 0)}, {"axis": slice(None, None, -1)}]
)
def test_parts_of_runs_are_told_from_runs(run: xr.Dataset, part: dict[str, Any]) -> None:
    assert fault_of_run(run.isel(part)).startswith("is not a complete result: it")
    assert fault_of_run(run.isel(time=slice(None, None, 2))) == ""


def test_a_sound_run_comes_back(run: xr.Dataset, tmp_path: Path) -> None:
    found = pp.load(pp.save(run, tmp_path / "run.nc"))
    assert health_of(found) == health_of(run) and pp.world_of(found) == pp.world_of(run)
