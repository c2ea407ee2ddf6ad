"""What is run: worlds, and what running them needs besides."""

from __future__ import annotations

from typing import NamedTuple

from pushpoint.engine.settings import Settings
from pushpoint.worlds.goals import Until
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World


class Experiment(NamedTuple):
    """Worlds, and what running them needs besides: what a file describes, and what a run remembers."""

    worlds: tuple[World, ...]
    """What is simulated, in one batch."""
    duration: float
    """For how long [s]."""
    settings: Settings = Settings()
    """Numerical choices."""
    record: Record = Record()
    """What is kept."""
    until: Until | None = None
    """What ends worlds early."""
    name: str = ""
    """Short name."""
    title: str = ""
    """One line that says what happens."""
    source: str = ""
    """Where it comes from."""
