"""Trials of a search: what was tried and what came out, and the file that keeps them."""

from __future__ import annotations

import fcntl
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pushpoint.brief import brief
from pushpoint.errors import BadFile
from pushpoint.user_files import parse_json, read_text
from pushpoint.whole_files import regular_target

MOST_BYTES = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One candidate and how it did."""

    __repr__ = brief

    number: int
    """Its place in the search, from 0 [-]."""
    parameters: Mapping[str, float]
    """Values of the parameters by name, each in its unit."""
    figures: Mapping[str, Sequence[float | None]]
    """Figures of merit under each condition, each in its unit; None where a world failed."""
    values: Mapping[str, float | None]
    """The goals over all conditions, each in its unit; None where a world failed."""
    violation: float | None
    """By how much limits are exceeded, as shares of them, added up [-]; None where it is not known."""
    scores: Sequence[float]
    """What the search made smaller: one number per goal, with a penalty for exceeded limits."""
    status: str
    """How its worlds ended: "finished", or the first that failed."""

    @property
    def feasible(self) -> bool:
        """Whether all limits hold and all goals are known."""
        return self.violation == 0.0 and all(value is not None for value in self.values.values())


def finite_or_none(value: float) -> float | None:
    """A number as JSON can hold it."""
    return float(value) if math.isfinite(value) else None


class TrialLog:
    """A file of JSON lines: the search in the first, then one trial per line, each written and flushed at once.

    The file is locked while it is open, so that two searches do not write into one.
    """

    def __init__(self, path: str | os.PathLike[str] | None, about: Mapping[str, Any]) -> None:
        """Opens the log of a search, which `about` describes in JSON types; without a path nothing is kept."""
        self.path = None if path is None else Path(path)
        self._about = json.loads(json.dumps(about))
        self._file: Any = None
        self.found: dict[int, Trial] = {}
        """Trials that were kept before, by number."""

    def __enter__(self) -> Self:
        if self.path is None:
            return self
        regular_target(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path, "a+b", buffering=0)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise BadFile(self.path, "is in use by another search, must be one of its own") from None
        except OSError as error:
            raise BadFile(self.path, f"cannot be written ({error.strerror})") from None
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    def _read(self) -> None:
        """Takes over the trials that are there; a last line that was cut short is taken off."""
        assert self.path is not None
        text = read_text(self.path, MOST_BYTES) if self.path.stat().st_size else ""
        whole = text[: text.rfind("\n") + 1]
        if len(whole) < len(text):
            self._file.truncate(len(whole.encode()))
        lines = whole.splitlines()
        if not lines:
            self._append([{"search": self._about}])
            return
        try:
            head = parse_json(lines[0])["search"]
            trials = [Trial(**parse_json(line)) for line in lines[1:]]
        except (ValueError, KeyError, TypeError):
            raise BadFile(self.path, "is not a store of trials, must be one or a new file") from None
        for name in (*self._about, *head):
            if head.get(name) != self._about.get(name):
                raise BadFile(self.path, f"holds the trials of another search: its {name} differs; use another file")
        self.found = {trial.number: trial for trial in trials}

    def add(self, trials: Sequence[Trial]) -> None:
        """Keeps trials; they are on their way to the disk when this returns."""
        if self._file is not None:
            self._append([asdict(trial) for trial in trials])

    def _append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        data = "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows).encode()
        end = self._file.seek(0, os.SEEK_END)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._file.truncate(end)
            raise BadFile(self.path, f"cannot be written ({error.strerror}); the trials before are kept") from None
