"""Compiles variants of the kernels before they are needed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pushpoint.engine.settings import Settings
from pushpoint.engine.stepper import Stepper
from pushpoint.engine.variants import VARIANTS
from pushpoint.model import catalogue
from pushpoint.model.environment import Environment

USUAL = {"planar": ("plain", "rich"), "spatial": ("level", "rough", "general")}
"""Variants that most runs use."""


class Warmed(NamedTuple):
    """A variant that is ready."""

    engine: str
    variant: str
    seconds: float
    """Time it took to compile or load [s]."""


def variants_to_warm(engines: Sequence[str], *, everything: bool) -> list[tuple[str, str]]:
    """Engines and variants, in the order in which they are compiled."""
    return [(engine, name) for engine in engines for name in (VARIANTS[engine] if everything else USUAL[engine])]


def warm(chosen: Sequence[tuple[str, str]], settings: Settings) -> Iterator[Warmed]:
    """Compiles variants for a device and a precision, or loads them from the cache, one after the other."""
    for engine, variant in chosen:
        robot = catalogue.aiko_planar() if engine == "planar" else catalogue.aiko()
        begin = time.perf_counter()
        Stepper([robot], [Environment()], settings, variant=variant).advance(0)
        yield Warmed(engine, variant, time.perf_counter() - begin)
