"""Standard output and standard error as they come: closed, full, cut off or unable to write a letter.

Work is never ended by what it prints: a stream that fails drops the rest, and the command says so at its end.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import Any

BROKEN_PIPE = 141
"""Exit status of a command whose reader has gone, as shells tell it: 128 and the number of SIGPIPE."""


class Lasting(io.RawIOBase):
    """A raw stream whose writing never fails: what cannot be written is dropped, and the first reason kept."""

    def __init__(self, raw: Any) -> None:
        """`raw`: the stream behind it; None if there is none."""
        super().__init__()
        self._raw = raw
        self.failure: OSError | None = None
        """Why something was lost."""

    def write(self, data: Any) -> int:
        """Writes, or drops; either way all is done."""
        size = memoryview(data).nbytes
        if self.failure is None:
            try:
                if self._raw is None:
                    raise OSError(errno.EBADF, "it is closed")
                written = self._raw.write(data)
                return size if written is None else int(written)
            except OSError as error:
                self.failure = error
        return size

    def writable(self) -> bool:
        """Always."""
        return True

    def isatty(self) -> bool:
        """Whether it ends on a terminal."""
        return self._raw is not None and bool(self._raw.isatty())

    def fileno(self) -> int:
        """The descriptor behind it."""
        if self._raw is None:
            raise io.UnsupportedOperation("fileno")
        return int(self._raw.fileno())


def _lasting(stream: Any) -> tuple[Any, Lasting | None]:
    """A text stream with a Lasting one below, in place of a standard stream; what is no such stream stays itself.

    Letters that its encoding lacks are written as escapes.
    """
    if stream is None:
        raw = Lasting(None)
        return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", errors="backslashreplace"), raw
    below = getattr(stream, "buffer", None)
    lowest = getattr(below, "raw", below)
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(lowest, io.RawIOBase):
        return stream, None
    raw = Lasting(lowest)
    with contextlib.suppress(OSError):
        stream.flush()
    buffer: Any = io.BufferedWriter(raw) if below is not lowest else raw  # python -u has no buffer
    made = io.TextIOWrapper(
        buffer,
        stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    return made, raw


def _occupy_descriptors() -> None:
    """Opens what is closed of the first three: else the next file would be the one that libraries print into."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest that is free


@contextlib.contextmanager
def lasting_streams() -> Iterator[Lasting | None]:
    """Puts streams that never fail in place of standard output and error; yields what is below the output."""
    _occupy_descriptors()
    before = sys.stdout, sys.stderr
    (sys.stdout, out), (sys.stderr, _) = _lasting(sys.stdout), _lasting(sys.stderr)
    try:
        yield out
    finally:
        for stream, old in zip((sys.stdout, sys.stderr), before, strict=True):
            stream.flush()
            if stream is not old:
                _let_go(stream)
        sys.stdout, sys.stderr = before


def _let_go(stream: Any) -> None:
    """Parts a text stream from the descriptor, which its end would close otherwise."""
    buffer = stream.detach()
    if isinstance(buffer, io.BufferedWriter):
        buffer.detach()
