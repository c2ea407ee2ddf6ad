"""The lasting child process of a worker: it runs batches of a study, so that a crash in compiled code ends it alone.

A request and its answer are pickles, each with its length in front, over the standard streams.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

LENGTH = struct.Struct("<Q")
LOOK = 1.0
"""How often a waiting worker looks whether its child lives [s]."""


class ChildDied(Exception):
    """The process that ran a batch ended before it answered."""


class BatchProcess:
    """A child process that answers requests one after another. It is started again only after it died."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._child: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()

    def ask(self, what: str, *rest: Any, patience: float) -> Any:
        """The answer to a request; raises ChildDied if the process ends, or does not answer in time [s]."""
        with self._turn:
            child = self._living()
            assert child.stdin is not None and child.stdout is not None
            try:
                _send(child.stdin, (what, rest))
                answer = _receive(child.stdout, time.monotonic() + patience, child)
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                self.end()
                raise ChildDied(str(error) or type(error).__name__) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _living(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            # Not by multiprocessing: workers of Dask are daemons, which may not have children there.
            self._child = subprocess.Popen(
                [sys.executable, "-m", "pushpoint.studies.running.process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | {"PUSHPOINT_THREADS": str(self._threads)},
            )
        return self._child

    def end(self) -> None:
        """Ends the process."""
        if self._child is not None:
            child, self._child = self._child, None
            child.kill()
            child.wait()
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):  # what was not read yet is lost with the child
                        stream.close()


def _send(stream: BinaryIO | Any, thing: Any) -> None:
    content = pickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def _receive(stream: Any, until: float, child: subprocess.Popen[bytes]) -> Any:
    """The next thing from a child, if it comes in time."""
    while not select.select([stream], [], [], LOOK)[0]:
        if child.poll() is not None:
            raise EOFError(f"the process ended with status {child.returncode}")
        if time.monotonic() > until:
            raise EOFError("the process did not answer in time")
    return _read(stream)


def _read(stream: Any) -> Any:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError("the process ended before it answered")
    (size,) = LENGTH.unpack(head)
    content = stream.read(size)
    if len(content) < size:
        raise EOFError("the process ended in the middle of its answer")
    return pickle.loads(content)


def serve() -> None:
    """Answers requests until the worker is gone."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the answers
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    runners: dict[bytes, Any] = {}
    while True:
        try:
            what, rest = _read(requests)
        except EOFError:
            return
        try:
            answer = _ANSWERS[what](runners, *rest)
        except Exception as error:
            answer = RuntimeError(f"{type(error).__name__}: {error}")
        _send(answers, answer)


def _end_with(parent: int) -> None:
    """Ends this process with its parent, also in the middle of a batch."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


def _identity(_runners: dict[bytes, Any], device: str) -> str:
    from pushpoint.studies.study import maker_of

    return maker_of(device)


def _runner(runners: dict[bytes, Any], plan: bytes) -> Any:
    """The runner of a study; only that of the last one is kept."""
    from pushpoint.studies.running.batches import BatchRunner

    if plan not in runners:
        runners.clear()
        runners[plan] = BatchRunner(pickle.loads(plan))
    return runners[plan]


def _warm(runners: dict[bytes, Any], plan: bytes, batch: Any) -> str:
    _runner(runners, plan).warm(batch)
    return "warm"


def _run(runners: dict[bytes, Any], plan: bytes, batch: Any) -> Any:
    return _runner(runners, plan).run(batch)


_ANSWERS: dict[str, Callable[..., Any]] = {"identity": _identity, "warm": _warm, "run": _run}


def maker_in_words(maker: str) -> str:
    """A maker in words: version and processor family."""
    version, sources, target = json.loads(maker)
    return f"pushpoint {version} (sources {sources}) for {target['device']} {target['target']}"


if __name__ == "__main__":
    serve()
