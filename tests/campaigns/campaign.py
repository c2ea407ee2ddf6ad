"""Campaigns: thousands of seeded trials of one kind, none of which may end in a traceback, a crash or a hang.

A kind is one module of campaigns/kinds with one function of a seed:

    @kind("scenario files", full=100_000, short=200, limit=20.0)
    def trial(seed: int) -> str: ...

It returns one word for its outcome. Errors of pushpoint that leave it count as "refused", after their sentence was
judged; all other exceptions are defects.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from pushpoint.errors import PushpointError

LONGEST_SENTENCE = 400
"""Characters that an error may have, its file's path included."""
NUMBERS = re.compile(r"\b\d+\.\d+\b, ")
MODELS = re.compile(r"\b(PlanarLink|SpatialLink|Motor|Peg|Wall|Cardan)\(")
MOST_NUMBERS = 12
"""Numbers in a row that a sentence may show [-]; and of a model's parts it names one."""
OBJECTS = re.compile(r" object at 0x|array\(\[|<function |<class ")
"""What shows that a value was printed as Python holds it."""
MOST_MEMORY = 8 * 2**30
"""Address space of a child [bytes]."""
KINDS = Path(__file__).parent / "kinds"


@dataclass(frozen=True)
class Outcome:
    """What became of one trial."""

    outcome: str
    """One word."""
    seconds: float
    """How long it took, on the wall."""
    said: str = ""
    """The sentence of a refusal."""
    defect: str = ""
    """What must not be; empty if all is well."""


@dataclass(frozen=True)
class Kind:
    """One kind of trial."""

    name: str
    """What is tried, in the plural."""
    trial: Callable[[int], str]
    """One trial by its seed; returns its outcome in a word."""
    full: int
    """Trials of the whole campaign."""
    short: int
    """Trials of the form that `make test` runs; 0 for none."""
    limit: float
    """Wall time after which a trial counts as a hang [s]."""

    def attempt(self, seed: int) -> Outcome:
        """One trial, judged."""
        begun, said, defect = time.perf_counter(), "", ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                word = self.trial(seed)
        except PushpointError as error:
            word, said = "refused", str(error)
            defect = fault_of_sentence(said)
        except AssertionError as error:
            word, defect = "wrong", str(error) or _last_lines()
        except Exception:
            word, defect = "traceback", _last_lines()
        return Outcome(word, time.perf_counter() - begun, said, defect)


def fault_of_sentence(said: str) -> str:
    """What is wrong with an error's sentence; empty if nothing is."""
    if not said.strip():
        return "says nothing"
    if "\n" in said or not said.isprintable():
        return f"not one printable line: {said[:LONGEST_SENTENCE]!r}"
    if len(said) > LONGEST_SENTENCE:
        return f"{len(said)} characters: {said[:LONGEST_SENTENCE]}"
    if len(NUMBERS.findall(said)) > MOST_NUMBERS or len(MODELS.findall(said)) > 1:
        return f"shows a whole array or model: {said}"
    return f"shows an object: {said}" if OBJECTS.search(said) else ""


def _last_lines() -> str:
    return "".join(traceback.format_exc()[-1500:])


_KINDS: dict[str, Kind] = {}


def kind(name: str, *, full: int, short: int, limit: float) -> Callable[[Callable[[int], str]], Callable[[int], str]]:
    """Makes a function of a seed a kind of trial; see Kind."""

    def known(trial: Callable[[int], str]) -> Callable[[int], str]:
        _KINDS[name] = Kind(name, trial, full, short, limit)
        return trial

    return known


def kinds() -> dict[str, Kind]:
    """All kinds by their names."""
    for module in pkgutil.iter_modules([str(KINDS)]):
        importlib.import_module(f"campaigns.kinds.{module.name}")
    return dict(sorted(_KINDS.items()))


def work(chosen: Kind, pipe: Connection, errors: str) -> None:
    """Of a child process: seeds in, what became of them out; all that is printed goes to a file."""
    for number in (signal.SIGINT, signal.SIGHUP):  # ignored by what runs in the background, and by all that it starts
        signal.signal(number, signal.SIG_DFL)
    # Many children share a machine, and each would take most of it to be its own.
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    words = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(words, 1)
    os.dup2(words, 2)
    while seeds := pipe.recv():
        for seed in seeds:
            pipe.send((seed, None, 0))
            outcome = chosen.attempt(seed)
            pipe.send((seed, outcome, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024))
