"""Writes files completely or not at all: each is written beside its target, then moved there in one step.

Links are followed, so that the file they point to is replaced. A target that exists and is not a regular file is an
error. Temporary files left by killed writers are removed by the next writer in the folder; a living writer holds a
lock.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pushpoint.errors import BadFile

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
TEMPORARY = re.compile(r"\.pushpoint-[0-9a-f]{16}(\.[^.]*)?")
"""Names of temporary files."""
LONGEST_ENDING = 16
"""Bytes of a file's suffix that a temporary file keeps, because some writers depend on it [-]."""


def write_atomically(path: str | os.PathLike[str], write: Callable[[Path], object]) -> Path:
    """Lets `write` fill a temporary file in the same folder, then moves it into place."""
    with _replacing(Path(path)) as temporary:
        write(temporary)
    return Path(path)


def write_bytes(path: str | os.PathLike[str], content: bytes, *, before: Callable[[], object] | None = None) -> Path:
    """Writes a file completely or not at all.

    `before` is called when everything is on the disk, just before the file is moved into place.
    """
    with _replacing(Path(path), before) as temporary:
        temporary.write_bytes(content)
    return Path(path)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], *, before: Callable[[], object] | None = None) -> Iterator[GuardedFile]:
    """A file for HDF5 to write into, moved into place at the end of the block.

    Wrap calls of HDF5 in `uninterrupted`. `before` is called when everything is on the disk, just before the move.
    """
    with _replacing(Path(path), before) as temporary, GuardedFile(temporary) as file:
        try:
            yield file
        finally:
            if file.lost and file.failure is not None:
                raise file.failure


class GuardedFile(io.RawIOBase):
    """A file whose writes never fail. HDF5 would sooner or later end the process after a failed write.

    Whatever the disk does not accept is kept in memory, so that it can be read back until HDF5 has closed its file.
    """

    failure: BaseException | None = None
    """Why the disk rejected the first write that failed."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR)
        self._at, self._size = 0, os.fstat(self._handle).st_size
        self._held: list[tuple[int, bytes]] = []

    @property
    def lost(self) -> bool:
        """Whether something exists in memory only."""
        return bool(self._held)

    def write(self, data: Any) -> int:
        """Writes at the current position."""
        rest, at = memoryview(data).cast("B"), self._at
        self._at += len(rest)
        self._size = max(self._size, self._at)
        try:
            while rest and not self._held:
                written = os.pwrite(self._handle, rest, at)
                rest, at = rest[written:], at + written
        except BaseException as error:
            self.failure = self.failure or error
        if rest:
            self._hold(at, rest)
        return len(data)

    def _hold(self, at: int, data: memoryview) -> None:
        try:
            self._held.append((at, bytes(data)))
        except MemoryError:
            self._held.append((at, b""))

    def readinto(self, buffer: Any) -> int:
        """Reads from the current position, including what is kept in memory."""
        into, at = memoryview(buffer).cast("B"), self._at
        into[:] = self._get(len(into), at).ljust(len(into), b"\0")
        for start, data in self._held:
            first, last = max(start, at), min(start + len(data), at + len(into))
            if first < last:
                into[first - at : last - at] = data[first - start : last - start]
        count = min(len(into), max(self._size - at, 0))
        self._at += count
        return count

    def _get(self, count: int, at: int) -> bytes:
        try:
            return os.pread(self._handle, count, at)
        except OSError as error:
            self._note(error)
            return b""

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Moves to a position."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def truncate(self, size: int | None = None) -> int:
        """Cuts or extends the file."""
        self._size = self._at if size is None else size
        try:
            os.ftruncate(self._handle, self._size)
        except OSError as error:
            self._note(error)
        return self._size

    def _note(self, error: OSError) -> None:
        """Remembers that the file is not complete."""
        self.failure = self.failure or error
        self._held.append((0, b""))

    def close(self) -> None:
        """Closes the file and discards what is kept in memory."""
        if not self.closed:
            os.close(self._handle)
        super().close()

    def readable(self) -> bool:
        """Always true."""
        return True

    writable = seekable = readable


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Delays signals until the block is done: an exception raised inside a call from HDF5 would crash it."""
    waiting: list[int] = []
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # no other thread is interrupted
        found = {number: signal.getsignal(number) for number in signal.valid_signals()}
        before = {number: handler for number, handler in found.items() if callable(handler)}
    for number in before:
        signal.signal(number, lambda number, _frame: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(waiting):
            signal.raise_signal(number)


def regular_target(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Returns the file behind a name, or None; raises BadFile if it is not a regular, writable file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        raise BadFile(path, f"cannot be written ({_reason(error)})") from None
    if not stat.S_ISREG(found.st_mode):
        kind = KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise BadFile(path, f"cannot be written (it is {kind}, must be a regular file)")
    if any(os.path.samestat(found, open_one) for open_one in _standard_streams()):
        raise BadFile(path, "cannot be written (what the command prints goes there)")
    if not os.access(path, os.W_OK):
        raise BadFile(path, "cannot be written (Permission denied)")
    return found


def remove_file(path: str | os.PathLike[str]) -> None:
    """Removes a regular file if it exists; behind a link, the file and not the link."""
    with contextlib.suppress(OSError, BadFile):  # an obstacle is reported when a file is written there
        if regular_target(path) is not None:
            os.unlink(os.path.realpath(path))


def _standard_streams() -> Iterator[os.stat_result]:
    for number in (1, 2):
        with contextlib.suppress(OSError):  # closed
            yield os.fstat(number)


@contextlib.contextmanager
def _replacing(path: Path, before: Callable[[], object] | None = None) -> Iterator[Path]:
    """A temporary file that replaces another at the end of the block, or is deleted after a failure."""
    older = regular_target(path)
    mode = None if older is None else stat.S_IMODE(older.st_mode)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        place = Path(os.path.realpath(path))
        _remove_abandoned(place.parent)
        with _temporary(place, mode) as temporary:
            yield temporary
            with open(temporary, "rb") as file:
                os.fsync(file.fileno())
            if before is not None:
                before()
            temporary.replace(place)
    except OSError as error:
        kept = "" if older is None else "; the file that was there is kept"
        raise BadFile(path, f"cannot be written ({_reason(error)}){kept}") from None


def _reason(error: Exception) -> str:
    """Why something failed, on one line."""
    return " ".join((getattr(error, "strerror", None) or str(error)).split())


@contextlib.contextmanager
def _temporary(place: Path, mode: int | None) -> Iterator[Path]:
    """A new file beside the target, locked while this process lives; deleted at the end unless it was moved."""
    ending = place.suffix if len(os.fsencode(place.suffix)) <= LONGEST_ENDING else ""
    while True:
        temporary = place.with_name(f".pushpoint-{secrets.token_hex(8)}{ending}")
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
        try:
            _lock(handle)
            if not os.fstat(handle).st_nlink:  # taken for abandoned before it was locked
                continue
            if mode is not None:
                os.fchmod(handle, mode)
            yield temporary
            return
        finally:
            try:
                temporary.unlink(missing_ok=True)
            finally:
                os.close(handle)


def _lock(handle: int) -> bool:
    """Tries to lock an open file and returns whether it succeeded. The system unlocks it when the process ends."""
    with contextlib.suppress(ImportError, OSError):  # another system, or no file locks: never counts as abandoned
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _remove_abandoned(folder: Path) -> None:
    """Removes temporary files of processes that have ended."""
    names: list[str] = []
    with contextlib.suppress(OSError):  # a folder that can be written but not read
        names = os.listdir(folder)
    for name in filter(TEMPORARY.fullmatch, names):
        with contextlib.suppress(OSError):  # another user's, or already gone
            handle = os.open(folder / name, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _lock(handle):
                    os.unlink(folder / name)
            finally:
                os.close(handle)
