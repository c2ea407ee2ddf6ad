"""Files are whole or not there at all: on a full disk, behind links, where something else is, and after a kill."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
import pytest
import xarray as xr

from pushpoint import whole_files
from pushpoint.errors import BadFile
from pushpoint.whole_files import GuardedFile, remove_file, uninterrupted, whole_file, write_atomically, write_bytes

NOISE = np.random.default_rng(3).normal(size=(40, 1000))


class Disk:
    """Takes so many bytes and no more, also after some of them were given back."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int, error: BaseException | None = None) -> None:
        self.room, self.error = room, error or OSError(errno.ENOSPC, "No space left on device")
        self._pwrite = os.pwrite
        monkeypatch.setattr(os, "pwrite", self.pwrite)

    def pwrite(self, handle: int, data: Any, at: int) -> int:
        part = data[: max(self.room, 0)]
        if not len(part):
            raise self.error
        self.room -= len(part)
        return self._pwrite(handle, part, at)


def record(path: Path, portions: int) -> int:
    """Writes noise portion by portion until the disk is full; returns how many portions were written."""
    with uninterrupted(), whole_file(path) as file, h5netcdf.File(file, "w") as store:
        store.dimensions["time"] = None
        store.dimensions["column"] = 1000
        noise = store.create_variable("noise", ("time", "column"), float, chunks=(1, 1000))
        for k in range(portions):
            store.resize_dimension("time", k + 1)
            noise[k] = NOISE[k]
            store.flush()
            if file.failure is not None:
                return k
    return portions


class TestHdf5:
    @pytest.mark.parametrize("room", [0, 1, 100, 5000, 20_000, 150_000, 300_000])
    def test_a_full_disk_at_any_moment(self, room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        Disk(monkeypatch, room)
        with pytest.raises(BadFile, match=r"run\.nc: cannot be written \(No space left on device\)$"):
            record(tmp_path / "run.nc", 40)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("error", [MemoryError(), KeyboardInterrupt()], ids=repr)
    def test_other_failures_come_out_as_they_are(
        self, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Disk(monkeypatch, 50_000, error)
        with pytest.raises(type(error)):
            record(tmp_path / "run.nc", 40)
        assert list(tmp_path.iterdir()) == []

    def test_nothing_is_lost_where_there_is_room(self, tmp_path: Path) -> None:
        assert record(tmp_path / "run.nc", 40) == 40
        with xr.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as found:
            np.testing.assert_array_equal(found.noise.values, NOISE)

    def test_what_the_disk_did_not_take_can_be_read_back(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "file"
        path.write_bytes(b"")
        Disk(monkeypatch, 6)
        with GuardedFile(path) as file:
            file.write(b"0123456789")
            file.seek(2)
            file.write(b"ab")
            assert file.lost and file.seek(0, os.SEEK_END) == 10
            file.seek(1)
            assert file.read(8) == b"1ab45678"


class TestSignals:
    def test_wait_until_the_file_is_in_place(self, tmp_path: Path) -> None:
        path, seen = tmp_path / "run.nc", []
        with pytest.raises(KeyboardInterrupt), uninterrupted(), whole_file(path) as file:
            signal.raise_signal(signal.SIGINT)
            seen.append("not yet")
            file.write(b"all")
        assert seen == ["not yet"] and path.read_bytes() == b"all"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_other_threads_write_as_well(self, tmp_path: Path) -> None:
        thread = threading.Thread(target=record, args=(tmp_path / "run.nc", 2))
        thread.start()
        thread.join()
        assert (tmp_path / "run.nc").is_file()


@pytest.fixture
def no_file(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Something under a name that is no regular file."""
    path = tmp_path / "run.nc"
    with socket.socket(socket.AF_UNIX) as listener:
        if request.param == "socket":
            listener.bind(str(path))
        elif request.param == "pipe":
            os.mkfifo(path)
        elif request.param == "folder":
            path.mkdir()
        else:
            path.symlink_to(request.param)
        yield path


class TestPlaces:
    @pytest.mark.parametrize("no_file", ["pipe", "socket", "folder", "/dev/null", "/dev/full"], indirect=True)
    def test_what_is_no_regular_file_is_refused(self, no_file: Path) -> None:
        before = os.lstat(no_file)
        with pytest.raises(BadFile, match=r"run\.nc: cannot be written \(it is a \w+, must be a regular file\)$"):
            write_bytes(no_file, b"new")
        remove_file(no_file)
        assert os.lstat(no_file) == before and list(no_file.parent.iterdir()) == [no_file]

    def test_the_file_behind_links_is_written(self, tmp_path: Path) -> None:
        (tmp_path / "far").mkdir()
        (tmp_path / "near").mkdir()
        real, link, second = tmp_path / "far/run.nc", tmp_path / "near/run.nc", tmp_path / "near/again.nc"
        link.symlink_to("../far/run.nc")  # relative, and to nothing yet
        second.symlink_to(link)
        for content in (b"first", b"second"):
            assert write_bytes(second, content) == second
            assert real.read_bytes() == content and link.is_symlink() and second.is_symlink()
            assert os.listdir(real.parent) == ["run.nc"] and sorted(os.listdir(link.parent)) == ["again.nc", "run.nc"]
        remove_file(second)
        assert not real.exists() and link.is_symlink() and second.is_symlink()

    def test_links_in_a_circle_and_to_missing_folders(self, tmp_path: Path) -> None:
        one, other, astray = tmp_path / "one", tmp_path / "other", tmp_path / "astray"
        one.symlink_to(other)
        other.symlink_to(one)
        astray.symlink_to(tmp_path / "missing/run.nc")
        for path in (one, astray):
            with pytest.raises(BadFile, match=r"cannot be written \([\w ]+\)$"):
                write_bytes(path, b"new")
        assert sorted(os.listdir(tmp_path)) == ["astray", "one", "other"]

    def test_where_the_command_prints_is_no_place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "printed"
        path.write_text("said so far")
        monkeypatch.setattr(whole_files, "_standard_streams", lambda: [os.stat(path)])
        with pytest.raises(BadFile, match="what the command prints goes there"):
            write_bytes(path, b"new")
        assert path.read_text() == "said so far"

    @pytest.mark.parametrize("name", ["a\0b", "x" * 300, "x" * 300 + "/run.nc"], ids=["nul", "long", "long folder"])
    def test_names_that_no_file_can_have(self, name: str, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match=r"cannot be written \(.+\)$"):
            write_bytes(tmp_path / name, b"new")
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("name", ["x" * 255, "." + "y" * 254, "x." + "z" * 253, "a\nb", "ü" * 127])
    def test_names_that_a_file_can_just_have(self, name: str, tmp_path: Path) -> None:
        write_bytes(tmp_path / name, b"new")
        assert os.listdir(tmp_path) == [name]

    def test_permissions_of_the_older_file_are_kept(self, tmp_path: Path) -> None:
        path = tmp_path / "private"
        path.write_text("old")
        path.chmod(0o600)
        write_bytes(path, b"new")
        assert path.stat().st_mode & 0o777 == 0o600


KILLED = """
import os, signal, sys
from pushpoint.whole_files import write_atomically

def write(place):
    place.write_text("half a fi")
    os.kill(os.getpid(), signal.SIGKILL)

write_atomically(sys.argv[1], write)
"""


class TestAbandoned:
    def test_the_next_writer_clears_up_after_one_that_was_killed(self, tmp_path: Path) -> None:
        done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "run.nc"])
        assert done.returncode == -signal.SIGKILL and len(os.listdir(tmp_path)) == 1
        write_bytes(tmp_path / "summary.json", b"{}")
        assert os.listdir(tmp_path) == ["summary.json"]

    def test_a_living_writer_keeps_its_file(self, tmp_path: Path) -> None:
        def write(place: Path) -> None:
            place.write_text("outer")
            write_bytes(tmp_path / "run.nc", b"inner")
            assert place.read_text() == "outer"

        write_atomically(tmp_path / "run.nc", write)
        assert (tmp_path / "run.nc").read_text() == "outer" and os.listdir(tmp_path) == ["run.nc"]

    def test_files_of_the_user_are_left_alone(self, tmp_path: Path) -> None:
        names = [
            ".pushpoint-notes",
            ".pushpoint-0123456789abcdef.tar.gz",
            ".run.nc.abcd.nc",
            "pushpoint-0123456789abcdef",
        ]
        for name in names:
            (tmp_path / name).write_text("mine")
        write_bytes(tmp_path / "run.nc", b"new")
        assert sorted(os.listdir(tmp_path)) == sorted([*names, "run.nc"])

    def test_one_that_is_taken_for_abandoned_too_early_is_made_anew(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lock, seen = whole_files._lock, []

        def slow(handle: int) -> bool:
            if not seen:
                seen.extend(os.listdir(tmp_path))
                (tmp_path / seen[0]).unlink()  # another writer was faster
            return lock(handle)

        monkeypatch.setattr(whole_files, "_lock", slow)
        write_bytes(tmp_path / "run.nc", b"whole")
        assert seen and os.listdir(tmp_path) == ["run.nc"] and (tmp_path / "run.nc").read_bytes() == b"whole"


def test_nothing_is_in_place_before_all_is_on_the_disk(tmp_path: Path) -> None:
    path, seen = tmp_path / "run.nc", []
    path.write_bytes(b"old")
    write_bytes(path, b"new", before=lambda: seen.append(path.read_bytes()))
    assert seen == [b"old"] and path.read_bytes() == b"new"
