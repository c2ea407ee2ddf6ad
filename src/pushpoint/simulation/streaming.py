"""Writes the samples of a long run to a NetCDF file as they come: memory stays constant and little can be lost.

The file grows under another name, `day.nc.partial`, and gets its own when it is complete. Each portion is one chunk of
every variable. In HDF5's single-writer mode, whatever a portion refers to is in the file before the portion is. The
times are written last, so every sample with a time is complete, whenever the process is killed. HDF5 does not survive a
full disk, so space for a portion is reserved before HDF5 writes it.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import xarray as xr
from xarray.backends import H5NetCDFStore

from pushpoint.errors import BadFile
from pushpoint.model.plain import path as checked_path
from pushpoint.simulation.keeping import Assemble, Variables
from pushpoint.simulation.seals import seal
from pushpoint.whole_files import regular_target, uninterrupted

COMPRESSION = {"zlib": True, "complevel": 1, "shuffle": True}
"""Fast rather than small: higher levels save a few percent and take several times as long."""
FORMAT = ("v110", "v110")
"""Versions of HDF5's file format: the oldest with the single-writer mode."""
BEING_WRITTEN = ("already open for write", "unable to lock file")
"""What HDF5 says about a file whose run is still going, or was killed."""
PARTIAL = ".partial"
"""Suffix of a file that is still growing."""
HEADROOM = 1_000_000
"""What HDF5 may need besides the numbers of a portion, for indices and attributes [bytes]."""


class InFile:
    """Keeps samples in a file that grows; see keeping.Keeper."""

    def __init__(self, path: str | Path, portion: int) -> None:
        """Every portion but the last has `portion` samples."""
        self.path, self._portion = Path(checked_path("file", path)), portion
        self.partial = partial_of(self.path)
        regular_target(self.path)
        regular_target(self.partial)
        self._file: Any = None
        self._claim: Any = None
        self._batched, self._whole = True, False

    def put(self, first: int, variables: Variables, assemble: Assemble) -> None:
        """Writes samples. If the disk is full, this raises BadFile, and earlier samples are kept."""
        count = next(iter(variables.values())).shape[1] if variables else 0
        if self._whole:
            return
        if self._file is None:
            self._begin(assemble(variables, first, count))
            return
        if count == 0:
            return
        with self._saying_failure():
            self._reserve(sum(values.nbytes for values in variables.values()))
            for name, values in variables.items():
                self._append(name, values if self._batched else values[0])
            self._file.flush()
            self._append("time", assemble({}, first, count)["time"].values)
            self._file.flush()

    def _append(self, name: str, values: Any) -> None:
        held, axis = self._file[name], int(self._batched and name != "time")
        old = held.shape[axis]
        held.resize(old + values.shape[axis], axis=axis)
        held[(slice(None),) * axis + (slice(old, None),)] = values

    def _begin(self, dataset: xr.Dataset) -> None:
        """Makes the file with its first portion: in memory first, so that the disk gets plain bytes."""
        self._batched = "world" in dataset.dims
        held, encoding = io.BytesIO(), {}
        for name, variable in dataset.variables.items():
            if "time" in variable.dims:
                chunk = [self._portion if dim == "time" else max(size, 1) for dim, size in variable.sizes.items()]
                encoding[name] = {"chunksizes": tuple(chunk), **(COMPRESSION if name != "time" else {})}
        with h5netcdf.File(held, "w", libver=FORMAT) as file:
            dataset.dump_to_store(H5NetCDFStore(file), encoding=encoding, unlimited_dims=["time"])
        with self._saying_failure():
            self.partial.parent.mkdir(parents=True, exist_ok=True)
            self._lock()
            self.partial.write_bytes(held.getbuffer())
            self._file = h5py.File(self.partial, "r+", libver=FORMAT, locking=False)
            self._file.swmr_mode = True

    def _lock(self) -> None:
        """Raises BadFile if another run is writing the file. The system releases the lock with the process."""
        self._claim = open(self.partial, "ab")
        with contextlib.suppress(ImportError):  # other systems: no lock
            import fcntl

            try:
                fcntl.flock(self._claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._claim.close()
                raise BadFile(self.path, f"another run is writing {self.partial.name}") from None

    def _reserve(self, numbers: int) -> None:
        """Reserves space in the file system. A full disk is noticed here, where nothing can break."""
        _reserve(self.partial, self._file.id.get_filesize(), numbers + numbers // 100 + HEADROOM)

    def dataset(self, length: int, assemble: Assemble) -> xr.Dataset:
        """Completes the file, gives it its final name and opens it. Its variables are read on demand."""
        if not self._whole:
            with self._saying_failure():
                self._close_file()
                _complete(self.partial, assemble({}, 0, length).attrs)
                self.partial.replace(os.path.realpath(self.path))
            self._whole = True
            self.close()
        return open_run(self.path)

    def close(self) -> None:
        """Closes the file with what was written so far."""
        self._close_file()
        if self._claim is not None:
            self._claim.close()

    def _close_file(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            end = file.id.get_filesize()
            file.close()
            os.truncate(self.partial, end)

    @contextlib.contextmanager
    def _saying_failure(self) -> Any:
        """Turns a failed write into an error that says where the samples so far are."""
        try:
            yield
        except OSError as error:
            kept = self._file is not None
            with contextlib.suppress(OSError):
                self.close()
            where = f"; the samples up to there are in {self.partial.name}" if kept else ""
            raise BadFile(self.path, f"cannot be written ({error.strerror or error}){where}") from None


def partial_of(path: Path) -> Path:
    """The name under which a file grows."""
    return path.with_name(f"{path.name}{PARTIAL}")


def _reserve(path: Path, start: int, size: int) -> None:
    if not hasattr(os, "posix_fallocate"):  # macOS and Windows: a full disk is not noticed in advance
        return
    with open(path, "r+b") as file:
        os.posix_fallocate(file.fileno(), start, size)


def _complete(path: Path, attributes: Mapping[Any, Any]) -> None:
    """Writes the attributes of a run into its file, seals it, and waits until it is on the disk."""
    end = path.stat().st_size
    _reserve(path, end, sum(len(str(value)) for value in attributes.values()) + HEADROOM)
    os.truncate(path, end)
    with uninterrupted(), h5netcdf.File(path, "r+", locking=False) as file:
        for name, value in attributes.items():
            file.attrs[name] = value
    with open(path, "r+b", buffering=0) as whole:
        seal(whole)
        os.fsync(whole.fileno())


def put_in_place(run: xr.Dataset, recorded: Path, place: Path, *, before: Callable[[], object]) -> xr.Dataset:
    """Moves the file that a run was written to into place, with the attributes that the run has gained since.

    Args:
        run: The run. Nobody may be reading its file.
        recorded: The file.
        place: Where it goes.
        before: Called when everything is on the disk, just before the file is moved into place.
    """
    regular_target(place)
    try:
        _complete(recorded, run.attrs)
        before()
        recorded.replace(os.path.realpath(place))
    except OSError as error:
        raise BadFile(place, f"cannot be written ({error.strerror or error}); the run is in {recorded.name}") from None
    return open_run(place)


def open_run(path: str | Path) -> xr.Dataset:
    """Opens a file of a run without reading it; of a killed run, what was written."""
    try:
        # Our dimensions all have names: what is wrong with such a file is reported after it is read.
        return xr.open_dataset(path, engine="h5netcdf", cache=False, phony_dims="sort")
    except OSError as error:
        if not any(words in str(error) for words in BEING_WRITTEN):
            raise
    held = h5netcdf.File(h5py.File(path, "r", libver="latest", swmr=True, locking=False), "r")
    run = xr.open_dataset(H5NetCDFStore(held), cache=False)
    times = run["time"].values
    whole = 1 + int((times[1:] > times[:-1]).cumprod().sum())
    return run.isel(time=slice(whole))
