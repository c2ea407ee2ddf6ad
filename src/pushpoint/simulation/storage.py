"""Runs on disk, as NetCDF. A file is complete or not there at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import h5netcdf
import xarray as xr
from xarray.backends import H5NetCDFStore

from pushpoint.engine.memory import allowed_memory
from pushpoint.errors import BadFile, TooLarge
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.provenance import PACKAGES, version_of
from pushpoint.simulation.run_checks import fault_of_run, fault_of_size
from pushpoint.simulation.seals import check_seal, seal
from pushpoint.simulation.streaming import PARTIAL, open_run
from pushpoint.whole_files import GuardedFile, uninterrupted, whole_file

COMPRESSION = {"zlib": True, "complevel": 4, "shuffle": True}


# HDF5 and a full disk, tried with h5py 3.16 on a file system of 1 MB: once writes fail, the process ends with a
# segmentation fault: at once, when the file is closed, or when Python ends. It makes no difference whether HDF5 has
# the path or a Python file whose `write` raises, whether each portion is flushed, or whether an OSError, a
# MemoryError or a KeyboardInterrupt is raised. The safe way: inside `uninterrupted`, HDF5 writes into a
# `GuardedFile`, whose `write` never raises (`whole_file` provides one and reports the failure when HDF5 is done).
# Nothing is kept in memory until a write fails. Long recordings reserve space first: streaming.py.


@checked_arguments
def save(run: xr.Dataset, path: str | Path, *, before: Callable[[], object] | None = None) -> Path:
    """Writes a run as NetCDF (HDF5, gzip), completely or not at all.

        pp.save(run, "run.nc")

    Args:
        run: A run as `simulate` returns it.
        path: The file. An existing one is replaced.
        before: Called when everything is on the disk, just before the file is moved into place.

    Returns:
        The path of the file.
    """
    try:
        with uninterrupted(), whole_file(path, before=before) as file:
            write_netcdf(run, file)
    except UnicodeEncodeError:
        raise BadFile(path, "cannot be written (a text of the run holds an invalid character)") from None
    return Path(path)


def write_netcdf(run: xr.Dataset, file: GuardedFile) -> None:
    """Writes a run into an open file and seals it."""
    encoding = {name: COMPRESSION for name, variable in run.data_vars.items() if variable.ndim > 0}
    with h5netcdf.File(file, "w") as store:
        run.dump_to_store(H5NetCDFStore(store), encoding=encoding)
    seal(file)


@checked_arguments
def load(path: str | Path, *, lazy: bool = False) -> xr.Dataset:
    """Reads a run from a file.

        run = pp.load("run.nc")

    Args:
        path: A file that `save` or `simulate(..., file=...)` wrote.
        lazy: Whether to leave the data in the file and read it on demand. Call `close()` of the Dataset to release the
            file. FILE.partial of a run that was killed can be read too; it has no seal yet.

    Raises:
        BadFile: The file is damaged or holds something else.
        TooLarge: The run does not fit into memory; use `lazy=True`.
    """
    try:
        if Path(path).suffix != PARTIAL:
            check_seal(path)
        run = open_run(path)
        fault = fault_of_size(run, Path(path).stat().st_size)
        if not (lazy or fault):
            _check_fits(path, run)
            run.load().close()
    except (OSError, ValueError, LookupError, RuntimeError, TypeError, AttributeError, MemoryError) as error:
        # Raised by libraries that meet something unexpected.
        said = " ".join(str(error).split())[:120]
        raise BadFile(path, f"cannot be read as a result, it may be cut short or of another kind ({said})") from None
    if fault := fault or fault_of_run(run):
        raise BadFile(path, fault)
    return run


def _check_fits(path: str | Path, run: xr.Dataset) -> None:
    allowed = allowed_memory()
    if run.nbytes > allowed:
        raise TooLarge(
            f"{path} holds {run.sizes.get('time', 0)} samples", run.nbytes, allowed, "use load(..., lazy=True)"
        )


PACKAGE = Path(__file__).resolve().parents[1]


@cache
def source_digest() -> str:
    """Digest of all Python and TOML files of the package, by path and content, and of the libraries' versions."""
    digest = hashlib.sha256(repr([version_of(name) for name in PACKAGES]).encode())
    for file in sorted((*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"))):
        digest.update(str(file.relative_to(PACKAGE)).encode())
        digest.update(b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
