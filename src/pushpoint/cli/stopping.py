"""Signals that ask a command to end: what is done is kept and said, and the exit status names the signal."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import typer

ASKING = tuple(
    signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if name in signal.Signals.__members__
)
"""The signals that ask a process to end, as far as the system has them."""
INTERRUPTED = "error: interrupted before all results were written"


class Stopped(BaseException):
    """A signal asks the command to end; no error, so that nothing on the way takes it for one."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.number = number
        self.exit_status = 128 + number
        """As shells tell of a process that a signal ended."""


@contextlib.contextmanager
def on_stop(react: Callable[[int], None]) -> Iterator[None]:
    """Calls `react` with the number of each signal that asks to end; one that was ignored, as by nohup, stays so."""
    if threading.current_thread() is not threading.main_thread():  # only that one gets signals
        yield
        return

    def handle(number: int, _frame: FrameType | None) -> None:
        react(number)

    before: dict[signal.Signals, Any] = {}
    try:
        for each in ASKING:
            if signal.getsignal(each) is not signal.SIG_IGN:
                before[each] = signal.signal(each, handle)
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler or signal.SIG_DFL)


@contextlib.contextmanager
def raising_stopped() -> Iterator[None]:
    """What a command does with signals unless it can do better: the first is raised, a second one ends the process."""
    asked = 0

    def react(number: int) -> None:
        nonlocal asked
        if asked:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        asked = number
        raise Stopped(number)

    def raise_again(lost: Any) -> None:
        """Where Python lets what is raised go, as in callbacks of its own, the signal comes once more."""
        nonlocal asked
        if isinstance(lost.exc_value, Stopped):
            asked = 0
            # In a moment, when Python is out of here: what is raised here is let go as well.
            threading.Timer(0.01, os.kill, (os.getpid(), lost.exc_value.number)).start()
        else:
            before(lost)

    before, sys.unraisablehook = sys.unraisablehook, raise_again
    try:
        with on_stop(react):
            yield
    except Exception:
        if asked:  # a library that was loading makes another error of it
            raise Stopped(asked) from None
        raise
    finally:
        sys.unraisablehook = before


@contextlib.contextmanager
def noting_stop() -> Iterator[list[int]]:
    """A list that gets the number of the first signal, so that no portion of a run is cut in the middle.

    The next one is raised, wherever the run is then.
    """
    noted: list[int] = []

    def react(number: int) -> None:
        if noted:
            raise Stopped(number)
        noted.append(number)

    with on_stop(react):
        yield noted


@contextlib.contextmanager
def saying_what_is_kept(say: Callable[[], str]) -> Iterator[None]:
    """Ends a stopped command in a sentence of its own."""
    try:
        yield
    except (Stopped, KeyboardInterrupt) as stop:
        typer.echo(say(), err=True)
        raise typer.Exit(stop.exit_status if isinstance(stop, Stopped) else 128 + signal.SIGINT) from None
