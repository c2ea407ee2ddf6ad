"""Every reader of users' files keeps the same bounds: regular files of a size; no promise is believed unseen."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pushpoint import user_files
from pushpoint.contact_problems.problem import load as load_problem
from pushpoint.errors import BadFile
from pushpoint.proof.documents import read_results
from pushpoint.simulation.recordings import read_recorded_path
from pushpoint.simulation.storage import load as load_run


def recorded(path: Path) -> Any:
    return read_recorded_path(path, columns=("time", "x", "y"))


READERS: dict[str, Callable[[Path], Any]] = {
    "path.csv": recorded,
    "problem.dat": load_problem,
    "problem.npz": load_problem,
    "run.nc": load_run,
}


def complaint(read: Callable[[Path], Any], path: Path) -> str:
    with pytest.raises(BadFile) as caught:
        read(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: ") or said.startswith(f"{path}:")
    assert said.isprintable() and len(said) < 400
    return said.removeprefix(f"{path}: ")


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_regular_file_is_not_waited_for(name: str, tmp_path: Path) -> None:
    read = READERS[name]
    (tmp_path / "zero").mkdir()
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / name)
    (tmp_path / "zero" / name).symlink_to("/dev/zero")
    (tmp_path / "folder" / name).mkdir()
    assert complaint(read, tmp_path / name) == "cannot be read (it is a pipe, no regular file)"
    assert complaint(read, tmp_path / "zero" / name) == "cannot be read (it is a device, no regular file)"
    assert complaint(read, tmp_path / "folder" / name) == "cannot be read (it is a folder, no regular file)"


@pytest.mark.parametrize("name", ["path.csv", "problem.dat", "problem.npz"])
def test_sizes_are_bounded(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(10 * user_files.MOST_TABLE_BYTES)  # a hole: it takes no room
    assert complaint(READERS[name], path).startswith("has 640,000,000 bytes, must have at most ")


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    before = os.fstat

    def small(handle: int) -> os.stat_result:
        return os.stat_result([*before(handle)[:6], 5, *before(handle)[7:]])

    monkeypatch.setattr(os, "fstat", small)
    assert (
        complaint(lambda path: user_files.read_bytes(path, 50), tmp_path / "a") == "has 51 bytes, must have at most 50"
    )


def test_values_of_tables_are_shown_short(tmp_path: Path) -> None:
    path = tmp_path / "path.csv"
    path.write_text("time,x,y\n0,0," + "9" * 5000 + "x\n")
    assert complaint(recorded, path).startswith("line 2: y = '9999")
    path.write_text(",".join(f"c{k}" for k in range(10_000)) + "\n1,2,3\n")
    assert complaint(recorded, path).startswith("line 1: no column 'time', the columns are c0, c1")
    path.write_bytes(b"time,x,y\n0,0,\xff\n")
    assert str(complaint(recorded, path)).endswith(":2: is not a text file (UTF-8)")
    path.write_text('time,x,y\n0,0,"' + "\n" * 10)
    complaint(recorded, path)


def npy(shape: str, data: bytes = b"") -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (1,)})
    header = stream.getvalue()
    return header.replace(b"(1,), }" + b" " * (len(shape) - 4), f"{shape}, }}".encode()) + data


def test_archives_promise_nothing_that_they_do_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "problem.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("W.npy", npy("(1000000, 1000000)"))
    assert complaint(load_problem, path).startswith("is not an .npz file of plain arrays")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("W.npy", bytes(100_001))
    monkeypatch.setattr(user_files, "MOST_UNPACKED_BYTES", 100_000)
    assert complaint(load_problem, path) == "holds 100,001 bytes when it is unpacked, must hold at most 100,000"


@pytest.mark.parametrize(
    "text", ["3 1e3 0 3 3", "3 20000000 1 60000000 60000000", "3 6000 1 18000 18000 1 1 1", "9" * 5000]
)
def test_contact_problems_in_text(text: str, tmp_path: Path) -> None:
    path = tmp_path / "problem.dat"
    path.write_text(text)
    complaint(load_problem, path)


def test_results_that_are_nested_too_deeply(tmp_path: Path) -> None:
    deep = "[" * 100_000
    (tmp_path / "reproduce.json").write_text(deep)
    with pytest.raises(BadFile, match="is not JSON"):
        read_results(tmp_path)


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "", "9" * 5000, None, 3])
def test_json_is_refused_as_a_value_error(text: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        user_files.parse_json(text)
