"""Which run a file belongs to: results, summaries, figures, films and pages carry the id of their run."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import xarray as xr

from pushpoint.errors import BadFile
from pushpoint.simulation.storage import load
from pushpoint.user_files import open_regular
from pushpoint.whole_files import remove_file

RUN_ID = "run_id"
"""The attribute, and the word before the id in other files."""
# In a picture the id is a chunk of its own, of 23 bytes, and the first byte of its checksum may look like a digit.
IN_BYTES = re.compile(rb"\x17tEXtrun_id\x00([0-9a-f]{16})|run_id\W{1,4}([0-9a-f]{16})(?![0-9a-f])")
LOOKED_AT = 1_000_000
"""Bytes at the start of a file in which its id is found."""
PORTION = 10_000
"""Samples that are read at once."""


def identified(run: xr.Dataset) -> xr.Dataset:
    """Returns a run with its id as an attribute: a digest of its content, so equal runs have equal ids."""
    digest = hashlib.sha256()
    for name in sorted(set(run.attrs) - {RUN_ID}):
        digest.update(f"{name} = {run.attrs[name]!r}\n".encode())
    for name in sorted(map(str, run.variables)):
        variable = run[name].variable
        digest.update(f"{name} {variable.dims} {variable.shape} {variable.dtype}\n".encode())
        portions = range(0, variable.shape[0], PORTION) if variable.ndim else ()
        for values in (variable[start : start + PORTION] for start in portions) if portions else (variable,):
            array = np.ascontiguousarray(values.values)
            digest.update(array.data if array.dtype.kind in "biuf" else repr(array.tolist()).encode())
    return run.assign_attrs({RUN_ID: digest.hexdigest()[:16]})


def run_id_of(path: str | Path) -> str | None:
    """Returns the id of the run that a file belongs to, or None."""
    try:
        if str(path).endswith(".nc"):
            return load(path).attrs.get(RUN_ID)
        with open_regular(path) as file:
            found = IN_BYTES.search(file.read(LOOKED_AT))
    except BadFile:
        return None
    return (found[1] or found[2]).decode() if found else None


def remove_others(folder: Path, names: Iterable[str], run_id: str | None) -> None:
    """Removes the named files in a folder that belong to another run, and folders that this leaves empty."""
    for path in (folder / name for name in names):
        if run_id_of(path) != run_id:
            remove_file(path)
            if path.parent != folder:
                with contextlib.suppress(OSError):  # it holds files of the user
                    path.parent.rmdir()
