"""Seals of result files: a digest as the last line, so that damage is noticed before a library reads the file.

The library behind NetCDF does not survive every damaged file: some end the process, others keep it busy forever. It
ignores bytes after the end of its own data, so other programs can read a sealed file like any other.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from pushpoint.errors import BadFile
from pushpoint.user_files import open_regular

MARK = b"\npushpoint sha256 "
LENGTH = len(MARK) + 64 + 1
PIECE = 1 << 20


def seal(file: Any) -> None:
    """Appends the digest of an open file's bytes to it."""
    size = file.seek(0, os.SEEK_END)
    digest = _digest(file, size)
    file.seek(size)
    file.write(MARK + digest + b"\n")


def check_seal(path: str | Path) -> None:
    """Raises BadFile if a file has no seal or if its bytes differ from those that were sealed."""
    with open_regular(path) as file:
        size = file.seek(0, os.SEEK_END) - LENGTH
        file.seek(max(size, 0))
        found = file.read()
        if size < 0 or not found.startswith(MARK):
            how = "xarray.open_dataset reads such files, and pp.save seals them"
            raise BadFile(path, f"has no seal at its end: it is cut short, or another program wrote it ({how})")
        if _digest(file, size) != found[len(MARK) : -1]:
            raise BadFile(path, "is damaged, or was changed since it was written: its bytes do not fit its seal")


def _digest(file: Any, size: int) -> bytes:
    """The digest of a file's first bytes."""
    digest = hashlib.sha256()
    file.seek(0)
    while size > 0 and (piece := file.read(min(PIECE, size))):
        digest.update(piece)
        size -= len(piece)
    return digest.hexdigest().encode()
