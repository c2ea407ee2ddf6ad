"""Results on disk, never half a file under the final name: runs as NetCDF, results of long work line by line."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import xarray as xr

from pushpoint.errors import BadFile
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.provenance import PACKAGES, version_of
from pushpoint.simulation.run_checks import fault_of_run, fault_of_size
from pushpoint.simulation.seals import check_seal, seal
from pushpoint.user_files import parse_json, read_text

MOST_LOG_BYTES = 1_000_000_000
COMPRESSION = {"zlib": True, "complevel": 4, "shuffle": True}


def write_atomically(path: str | Path, write: Callable[[Path], object]) -> Path:
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


@checked_arguments
def save(run: xr.Dataset, path: str | Path) -> Path:
    """Writes a run as NetCDF (HDF5, gzip)."""
    encoding = {name: COMPRESSION for name, variable in run.data_vars.items() if variable.ndim > 0}

    def write(place: Path) -> None:
        run.to_netcdf(place, engine="h5netcdf", encoding=encoding)
        with place.open("r+b") as file:
            seal(file)

    return write_atomically(path, write)


@checked_arguments
def load(path: str | Path) -> xr.Dataset:
    """Reads a run back into memory; a file that is damaged, or holds something else, is refused."""
    check_seal(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a run does not hold
            with xr.open_dataset(path, engine="h5netcdf") as stored:
                fault = fault_of_size(stored, Path(path).stat().st_size)
                run = stored if fault else stored.load()
    except (OSError, ValueError, LookupError, RuntimeError, TypeError, AttributeError, MemoryError) as error:
        # Libraries that meet what they do not expect.
        said = " ".join(str(error).split())[:120]
        raise BadFile(path, f"cannot be read as a result, it may be cut short or of another kind ({said})") from None
    if fault := fault or fault_of_run(run):
        raise BadFile(path, fault)
    return run


PACKAGE = Path(__file__).resolve().parents[1]


@cache
def source_digest() -> str:
    """Digest of all Python and TOML files of the package, by place and content, and of the libraries' versions."""
    digest = hashlib.sha256(repr([version_of(name) for name in PACKAGES]).encode())
    for file in sorted((*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"))):
        digest.update(str(file.relative_to(PACKAGE)).encode())
        digest.update(b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


class ResultLog:
    """Results by a key, in a file of JSON lines: {"key", "source", "result"}."""

    def __init__(self, path: str | os.PathLike[str], source: str | None = None) -> None:
        """Opens the log; without `source` it is for the package's sources as they are."""
        self.path = Path(path)
        self.source = source_digest() if source is None else source
        self._found = self._read()

    def _read(self) -> dict[str, Any]:
        if not self.path.exists():
            return {}
        lines = read_text(self.path, MOST_LOG_BYTES).splitlines()
        found = {}
        for line in lines:
            try:
                entry = parse_json(line)
                if entry["source"] == self.source:
                    found[entry["key"]] = entry["result"]
            except (ValueError, KeyError, TypeError):
                continue  # the last line of work that was killed may be cut short
        return found

    def __contains__(self, key: str) -> bool:
        return key in self._found

    def get(self, key: str) -> Any:
        """The result under a key, or None."""
        return self._found.get(key)

    def add(self, key: str, result: Any) -> None:
        """Writes a result, in JSON types, at once."""
        line = json.dumps({"key": key, "source": self.source, "result": result}, allow_nan=False)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "a+b") as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    line = line if file.read(1) == b"\n" else "\n" + line  # the one before was cut short
                file.write(f"{line}\n".encode())
        except OSError as error:
            raise BadFile(self.path, f"cannot be written ({error.strerror})") from None
        self._found[key] = result
