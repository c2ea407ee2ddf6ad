"""The parts of a run's summary: measures with their meaning, and the time over which means are taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import xarray as xr


class Window(NamedTuple):
    """The part of a run over which means are taken."""

    start: float
    """Time of its first sample [s]."""
    end: float
    """Time of its last sample [s]."""
    period: float | None
    """Period of the gait [s]; None if there is none or the run is shorter."""
    whole: bool
    """Whether it is the whole run."""

    @property
    def periods(self) -> int | None:
        """Number of gait periods that it spans [-]."""
        return None if self.period is None else round((self.end - self.start) / self.period)

    def document(self) -> dict[str, float | None]:
        """The window in JSON types, with units in the names."""
        return {"start_s": self.start, "end_s": self.end, "period_s": self.period, "periods": self.periods}

    def __str__(self) -> str:
        count = "" if self.periods is None else f"{self.periods} gait period{'s'[: self.periods != 1]}"
        span = f"{self.start:.4g} to {self.end:.4g} s"
        if self.whole:
            return f"the whole run, {span}" + (f", {count}" if count else "")
        return f"the last {count.removeprefix('1 ')}, {span}"


@dataclass(frozen=True)
class Measure:
    """One number in the summary of a single-world run."""

    unit: str
    """Its unit; "-" or "1" without one."""
    meaning: str
    """What it is, in a few words."""
    find: Callable[[xr.Dataset], Any]
    """Computes it from a single-world run."""
    needs: tuple[str, ...]
    """Variables that it is computed from."""
    needs_in_space: tuple[str, ...] = ()
    """The same in space, if they differ."""

    def found_in(self, run: xr.Dataset) -> bool:
        """Whether the run has what it needs."""
        spatial = run.sizes.get("axis") == 3 and self.needs_in_space
        return all(name in run for name in (self.needs_in_space if spatial else self.needs))
