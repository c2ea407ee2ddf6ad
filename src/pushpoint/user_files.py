"""Files that users hand in, read within bounds: regular files of a size, text, JSON, arrays. Nothing waits or runs."""

from __future__ import annotations

import io
import json
import math
import os
import stat
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pushpoint.errors import BadFile

MOST_TABLE_BYTES = 64_000_000
"""Of a file of numbers: heights, a recorded path."""
MOST_MATRIX_BYTES = 200_000_000
"""Of a file that holds a matrix: a contact problem."""
MOST_UNPACKED_BYTES = 1_000_000_000
"""Of what such a file holds when it is unpacked."""


def read_bytes(path: str | os.PathLike[str], most: int = MOST_TABLE_BYTES) -> bytes:
    """The bytes of a regular file of at most `most` of them; whatever else has this name is refused, not waited for."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > most else file.read(most + 1)  # it may grow meanwhile
    if max(size, len(data)) > most:
        raise BadFile(path, f"has {max(size, len(data)):,} bytes, must have at most {most:,}")
    return data


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file, opened for reading."""
    try:
        # A pipe that nobody writes to would be waited for without O_NONBLOCK.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise BadFile(path, "no such file") from None
    except OSError as error:
        raise BadFile(path, f"cannot be read ({error.strerror})") from None
    except (ValueError, TypeError) as error:  # a zero in the name, or no name at all
        raise BadFile(path, f"cannot be read ({error})") from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe" if stat.S_ISFIFO(mode) else "a device"
        raise BadFile(path, f"cannot be read (it is {what}, no regular file)")
    return open(handle, "rb")


def read_text(path: str | os.PathLike[str], most: int = MOST_TABLE_BYTES) -> str:
    """The text of a file in UTF-8, with or without a mark in front."""
    data = read_bytes(path, most)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadFile(f"{path}:{line}", "is not a text file (UTF-8)") from None


def parse_json(text: Any) -> Any:
    """The value of a JSON text; ValueError if it is none, nested too deeply included."""
    try:
        return json.loads(text)
    except (RecursionError, TypeError) as error:
        raise ValueError("nested too deeply" if isinstance(error, RecursionError) else "no text") from None


def is_inside(folder: Path, path: Path) -> bool:
    """Whether a path, links followed, ends in or below a folder."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle, a zero in the name
        return False


def read_npy(file: BinaryIO, size: int) -> np.ndarray:
    """The array of an .npy stream of so many bytes; ValueError if it is none, or promises more than it holds."""
    start = file.tell()
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
    except (RecursionError, MemoryError, TypeError, AttributeError) as error:  # of the reader of its header
        raise ValueError(f"its header is wrong: {type(error).__name__}") from None
    if dtype.hasobject:
        raise ValueError("it holds objects of Python")
    bytes_held = size - (file.tell() - start)
    if any(each < 0 for each in shape) or math.prod(shape) * dtype.itemsize > bytes_held:
        raise ValueError(f"it promises an array of shape {str(shape)[:60]} and ends before")
    file.seek(start)
    array: np.ndarray = np.load(file, allow_pickle=False)
    return array


def npy_of(data: bytes) -> np.ndarray:
    """The array of an .npy file's bytes; ValueError if it is none."""
    return read_npy(io.BytesIO(data), len(data))


def read_npz(path: str | os.PathLike[str], most: int = MOST_MATRIX_BYTES) -> dict[str, np.ndarray]:
    """The arrays of an .npz file by their names; nothing is unpacked that is too much, or not what it says."""
    data = read_bytes(path, most)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(each.file_size for each in archive.infolist())
            if size > MOST_UNPACKED_BYTES:
                words = f"holds {size:,} bytes when it is unpacked, must hold at most {MOST_UNPACKED_BYTES:,}"
                raise BadFile(path, words)
            return {each.filename.removesuffix(".npy"): npy_of(archive.read(each)) for each in archive.infolist()}
    except (zipfile.BadZipFile, zlib.error, ValueError, LookupError, EOFError, RuntimeError, OSError, MemoryError):
        # An archive that is cut short, locked, packed in an unknown way, or holds something else.
        raise BadFile(path, "is not an .npz file of plain arrays") from None
