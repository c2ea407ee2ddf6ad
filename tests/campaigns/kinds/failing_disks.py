"""Files on a disk that fails at any byte or call: whole or not there, the one before kept, nothing left over."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import xarray as xr

from campaigns.campaign import kind
from pushpoint.errors import BadFile
from pushpoint.simulation.storage import save
from pushpoint.whole_files import write_atomically, write_bytes

ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG, errno.EACCES, errno.EMFILE)
CALLS = ("pwrite", "pwrite", "pwrite", "pread", "ftruncate", "fsync", "replace", "open", "fchmod", "mkdir", "listdir")
"""Of the module os; each may fail, once or from then on."""


def random_run(random: np.random.Generator) -> xr.Dataset:
    """Some variables of some size, that pack well or not."""
    names = [f"x{k}" for k in range(random.integers(1, 6))]
    length = int(random.integers(1, 3000))
    values = {name: random.normal(size=length) * random.choice([0.0, 1.0]) for name in names}
    return xr.Dataset({name: ("time", value) for name, value in values.items()})


def whole(path: Path, run: xr.Dataset) -> bool:
    """Whether a file holds all of a run."""
    with contextlib.suppress(OSError, ValueError):
        with xr.open_dataset(path, engine="h5netcdf") as found:
            return bool(found.identical(run))
    return False


@contextlib.contextmanager
def failing(random: np.random.Generator) -> Iterator[None]:
    """Makes a call fail after some that did not, or a write after some bytes."""
    name, lives, lasting = random.choice(CALLS), int(random.geometric(0.5)) - 1, random.random() < 0.7
    error = int(random.choice(ERRORS))
    room = int(10 ** random.uniform(0, 5)) if name == "pwrite" else 0
    real: Callable[..., Any] = getattr(os, name)

    def act(*arguments: Any, **others: Any) -> Any:
        nonlocal lives, room
        if name == "pwrite" and room > 0:
            part = arguments[1][:room]
            room -= len(part)
            return real(arguments[0], part, *arguments[2:])
        lives -= 1
        if lives < 0 if lasting else lives == -1:
            raise OSError(error, os.strerror(error))
        return real(*arguments, **others)

    with mock.patch.object(os, name, act):
        yield


@kind("files on failing disks", full=20_000, short=40, limit=20.0)
def trial(seed: int) -> str:
    """One file, written where something fails; then once more where nothing does."""
    random = np.random.default_rng((seed, 16))
    run, text = random_run(random), random.bytes(int(random.integers(0, 5000)))
    writers: tuple[tuple[str, Callable[[Path], object], Callable[[Path], bool]], ...] = (
        ("run.nc", lambda path: save(run, path), lambda path: whole(path, run)),
        ("file.bin", lambda path: write_bytes(path, text), lambda path: path.read_bytes() == text),
        ("file.bin", lambda path: write_atomically(path, lambda place: place.write_bytes(text)),
         lambda path: path.read_bytes() == text),
    )  # fmt: skip
    name, write, done = writers[random.choice(len(writers), p=[0.7, 0.2, 0.1])]
    older = b'{"older": 1}\n' if random.random() < 0.5 else None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        if older is not None:
            path.write_bytes(older)
        said = None
        try:
            with failing(random):
                write(path)
        except BadFile as error:
            said = error
        left = os.listdir(folder)
        assert set(left) <= {name}, f"left over: {left}"
        if said is None:
            assert done(path), "said to be written, and is not"
        else:
            assert (path.read_bytes() if path.exists() else None) == older, "damaged"
        write(path)
        assert done(path), "cannot be written afterwards"
        if said is not None:
            raise said
    return "written"
