"""Reads files that users supply, within limits: regular files of bounded size, text, JSON, arrays.

Nothing blocks on a pipe, and nothing in a file is executed.
"""

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
"""Largest file of numbers, such as heights or a recorded path."""
MOST_MATRIX_BYTES = 200_000_000
"""Largest file that holds a matrix, such as a contact problem."""
MOST_UNPACKED_BYTES = 1_000_000_000
"""Largest size of such a file when unpacked."""


def read_bytes(path: str | os.PathLike[str], most: int = MOST_TABLE_BYTES) -> bytes:
    """Reads a regular file of at most `most` bytes; raises BadFile for a larger one or anything else."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            data = b"" if size > most else file.read(most + 1)  # it may grow meanwhile
        except OSError as error:  # a disk that fails, a file that is none
            raise BadFile(path, f"cannot be read ({error.strerror})") from None
    if max(size, len(data)) > most:
        raise BadFile(path, f"has {max(size, len(data)):,} bytes, must have at most {most:,}")
    return data


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Opens a regular file for reading."""
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
    """Reads a UTF-8 text file, with or without a byte order mark."""
    data = read_bytes(path, most)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadFile(f"{path}:{line}", "is not a text file (UTF-8)") from None


def parse_json(text: Any) -> Any:
    """Parses a JSON text; raises ValueError if it is not JSON or is nested too deeply."""
    try:
        return json.loads(text)
    except (RecursionError, TypeError) as error:
        raise ValueError("nested too deeply" if isinstance(error, RecursionError) else "no text") from None


def is_inside(folder: Path, path: Path) -> bool:
    """Whether a path, after following links, lies in a folder or below it."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle, a zero in the name
        return False


def read_npy(file: BinaryIO, size: int) -> np.ndarray:
    """Reads the array of an .npy stream of `size` bytes; raises ValueError if it is damaged or incomplete."""
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
    """Reads the array of an .npy file's bytes; raises ValueError if it is damaged."""
    return read_npy(io.BytesIO(data), len(data))


def read_npz(path: str | os.PathLike[str], most: int = MOST_MATRIX_BYTES) -> dict[str, np.ndarray]:
    """Reads the arrays of an .npz file by name; raises BadFile if it is too large or damaged."""
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
