"""Unpacks compressed parts of a log into a bounded amount of memory, whatever they promise."""

from __future__ import annotations

import bz2
import io
from pathlib import Path

from pushpoint.errors import BadFile, MissingExtra

MOST_UNPACKED = 64_000_000
"""Largest part of a log, unpacked [bytes]; usual ones have one or a few megabytes."""
MOST_WINDOW = 2**27
"""Largest window that zstd may ask for [bytes]."""


def unpacked(path: Path, data: bytes, how: str) -> bytes:
    """The bytes behind compressed ones; raises BadFile if they are damaged or too many.

    `how`: "zstd", "lz4", "bz2", or "" or "none" for bytes as they are.
    """
    if how in ("", "none"):
        return data
    if how not in ("zstd", "lz4", "bz2"):
        raise BadFile(path, f"is packed with {how!r}, must be zstd, lz4, bz2 or not packed")
    try:
        found = _first_bytes(data, how, MOST_UNPACKED + 1)
    except ModuleNotFoundError:
        raise MissingExtra(f"a log packed with {how}", "interchange") from None
    except (OSError, ValueError, RuntimeError, EOFError, MemoryError) as error:
        raise BadFile(path, f"has a part that cannot be unpacked ({' '.join(str(error).split())[:80]})") from None
    if len(found) > MOST_UNPACKED:
        raise BadFile(path, f"has a part of more than {MOST_UNPACKED:,} bytes when it is unpacked")
    return found


def _first_bytes(data: bytes, how: str, most: int) -> bytes:
    """At most so many bytes."""
    if how == "bz2":
        return bz2.BZ2Decompressor().decompress(data, max_length=most)
    if how == "lz4":
        import lz4.frame

        found: bytes = lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=most)
        return found
    import zstandard

    try:
        with zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW).stream_reader(io.BytesIO(data)) as reader:
            return bytes(reader.read(most))
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
