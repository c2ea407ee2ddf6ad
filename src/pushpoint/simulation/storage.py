"""Results on disk, never half a file under the final name: runs as NetCDF, results of long work line by line."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import xarray as xr

from pushpoint.description.experiments import FORMAT
from pushpoint.description.runs import format_of
from pushpoint.errors import BadFile
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.provenance import DESCRIPTION, PACKAGES, version_of

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
    return write_atomically(path, lambda place: run.to_netcdf(place, engine="h5netcdf", encoding=encoding))


@checked_arguments
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
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise BadFile(self.path, f"cannot be read ({error})") from None
        found = {}
        for line in lines:
            try:
                entry = json.loads(line)
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
