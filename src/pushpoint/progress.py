"""Progress of long work: simulations and films report it in the same way."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from pushpoint.errors import InvalidModel

Report = Callable[[float], object]
"""A function that is called with the share of the work that is done, from 0 to 1."""
Progress = bool | Report
"""What a user wants: nothing, per cent on standard error, or calls of a function."""


@contextlib.contextmanager
def reporting(progress: Progress, what: str) -> Iterator[Report | None]:
    """Yields the function to which the work reports its share; None if nobody wants it.

    True writes per cent to standard error: on a terminal one line that is rewritten, elsewhere a line for every tenth.
    """
    if progress is False:
        yield None
    elif progress is True:
        shown = _PerCent(what)
        try:
            yield shown
        finally:
            shown.end()
    elif callable(progress) and not isinstance(progress, type):
        yield progress
    else:
        raise InvalidModel("progress", progress, "True, False or a function of the share done")


class _PerCent:
    """Writes a share as whole per cent. A closed stream does not end the work."""

    def __init__(self, what: str) -> None:
        self._what, self._stream, self._last = what, sys.stderr, -1
        self._terminal = _is_terminal(self._stream)

    def __call__(self, share: float) -> None:
        now = min(int(100.0 * share), 100)
        if now // self._step > self._last // self._step:
            self._last = now
            text = f"{self._what}: {now // self._step * self._step} %"
            self._write(f"\r{text}" if self._terminal else f"{text}\n")

    @property
    def _step(self) -> int:
        """Per cent between reports [-]."""
        return 1 if self._terminal else 10

    def end(self) -> None:
        """Ends the line."""
        if self._terminal and self._last >= 0:
            self._write("\n")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            self._stream.write(text)
            self._stream.flush()


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False
