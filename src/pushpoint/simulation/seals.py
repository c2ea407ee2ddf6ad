"""Seals of result files: a digest as their last line, so that damage is told before a library reads them.

The library behind NetCDF does not survive every damaged file: some end the process, others keep it busy for ever. It
passes over bytes behind the end of its own data, so that other programs read a sealed file as any other.
"""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import BinaryIO

from pushpoint.errors import BadFile
from pushpoint.user_files import open_regular

MARK = b"\npushpoint sha256 "
LENGTH = len(MARK) + 64 + 1
PIECE = 1 << 20


def seal(file: io.RawIOBase) -> None:
    """Writes the digest of an open file's bytes behind them."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    digest = _digest(file, size)
    file.seek(size)
    file.write(MARK + digest + b"\n")


def check_seal(path: str | Path) -> None:
    """Refuses a sealed file whose bytes are not those that were sealed; one without a seal passes."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(size - LENGTH, 0))
        last = file.read()
        if len(last) < LENGTH or not last.startswith(MARK):
            return
        file.seek(0)
        if _digest(file, size - LENGTH) != last[len(MARK) : -1]:
            raise BadFile(path, "is damaged, or was changed since it was written: its bytes do not fit its seal")


def _digest(file: BinaryIO | io.RawIOBase, size: int) -> bytes:
    digest = hashlib.sha256()
    while size > 0 and (piece := file.read(min(PIECE, size))):
        digest.update(piece)
        size -= len(piece)
    return digest.hexdigest().encode()
