"""Results on disk: NetCDF, compressed, never half a file under the final name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import xarray as xr

from pushpoint.description.experiments import FORMAT
from pushpoint.description.runs import format_of
from pushpoint.errors import BadFile
from pushpoint.simulation.reading import DESCRIPTION

COMPRESSION = {"zlib": True, "complevel": 4, "shuffle": True}


def write_atomically(path: str | Path, write: Callable[[Path], None]) -> Path:
    """Lets `write` fill a temporary file in the same folder, then puts it in place."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
        os.close(handle)
    except OSError as error:
        raise BadFile(path, f"cannot be written ({error.strerror})") from None
    temporary = Path(name)
    try:
        write(temporary)
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except OSError as error:
        raise BadFile(path, f"cannot be written ({error.strerror or error})") from None
    finally:
        temporary.unlink(missing_ok=True)
    return path


def save(run: xr.Dataset, path: str | Path) -> Path:
    """Writes a run as NetCDF (HDF5, gzip)."""
    encoding = {name: COMPRESSION for name, variable in run.data_vars.items() if variable.ndim > 0}
    return write_atomically(path, lambda place: run.to_netcdf(place, engine="h5netcdf", encoding=encoding))


def load(path: str | Path) -> xr.Dataset:
    """Reads a run back into memory."""
    if not Path(path).is_file():
        raise BadFile(path, "no such file")
    try:
        with xr.open_dataset(path, engine="h5netcdf") as stored:
            run = stored.load()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise BadFile(path, f"cannot be read as a result, it may be cut short or of another kind ({error})") from None
    if DESCRIPTION not in run.attrs:
        raise BadFile(path, f"is not a pushpoint result: it has no '{DESCRIPTION}' attribute")
    found = format_of(run.attrs[DESCRIPTION])
    if found != FORMAT:
        raise BadFile(path, f"has the format {found}, must be {FORMAT}: another version of pushpoint wrote it")
    return run
