"""Samples of one source in the order in which they came: sorted by their stamps, with what was lost counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.brief import brief

GAP = 1.5
"""Times the usual interval from which samples are missing in between [-]."""
NANOSECONDS = 1e9


@dataclass(frozen=True, kw_only=True)
class Losses:
    """What became of the samples of one source."""

    __repr__ = brief

    source: str
    """The topic, or the file."""
    received: int
    """Samples that were in the recording [-]."""
    kept: int
    """Samples that remain [-]."""
    period: float
    """Usual interval between samples, the median [s]; NaN with fewer than two."""
    dropped: int
    """Samples that are missing in gaps, as far as the usual interval tells [-]."""
    longest_gap: float
    """Longest time between two samples [s]."""
    out_of_order: int
    """Samples that came after newer ones; they were put in their places [-]."""
    late: int
    """Samples that came more than an interval later than usual; only logs with stamps in their messages tell [-]."""
    repeated: int
    """Samples with the stamp of another one, left out [-]."""
    empty: int
    """Single numbers that are missing or not finite; they stay gaps [-]."""
    unreadable: int
    """Samples that are damaged, left out [-]."""

    def sentence(self) -> str:
        """What to know of it, in one sentence."""
        words = {
            "dropped": f"{self.dropped} missing in gaps of up to {self.longest_gap:.3g} s",
            "out_of_order": f"{self.out_of_order} out of order, put in place",
            "late": f"{self.late} late",
            "repeated": f"{self.repeated} with the stamp of another, left out",
            "empty": f"{self.empty} numbers missing",
            "unreadable": f"{self.unreadable} damaged, left out",
        }
        found = [said for name, said in words.items() if getattr(self, name)]
        every = f", one every {self.period:.3g} s" if np.isfinite(self.period) else ""
        return f"{self.source}: {self.kept} of {self.received} samples{every}; {', '.join(found) or 'nothing is lost'}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """Samples of one source, in order."""

    stamps: np.ndarray
    """Times [ns], increasing, shape (n,)."""
    values: np.ndarray
    """Numbers, NaN where one is missing, shape (n, n_columns)."""
    losses: Losses
    """What was lost on the way."""


def series_of(
    source: str, stamps: np.ndarray, values: np.ndarray, *, arrived: np.ndarray | None = None, unreadable: int = 0
) -> Series:
    """Puts samples in order.

    Args:
        source: The topic or file, for what is said.
        stamps: Times of the samples [ns], as they came, shape (n,).
        values: Their numbers, shape (n, n_columns).
        arrived: When they were written down [ns], of a clock with a constant offset; None if that is the stamp.
        unreadable: Samples that could not be read at all.
    """
    behind = np.zeros(0, dtype=bool) if not len(stamps) else stamps < np.maximum.accumulate(stamps)
    order = np.argsort(stamps, kind="stable")
    sorted_stamps = stamps[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = np.diff(sorted_stamps) > 0
    kept = order[first]
    times, numbers = stamps[kept], np.where(np.isfinite(values[kept]), values[kept], np.nan)
    steps = np.diff(times) / NANOSECONDS
    period = float(np.median(steps)) if len(steps) else np.nan
    wide = steps[steps > GAP * period]
    late = 0
    if arrived is not None and len(steps):
        delay = (arrived - stamps) / NANOSECONDS
        late = int((delay > np.median(delay) + period).sum())
    losses = Losses(
        source=source,
        received=len(stamps) + unreadable,
        kept=len(kept),
        period=period,
        dropped=int(np.sum(np.rint(wide / period) - 1.0)) if len(wide) else 0,
        longest_gap=float(steps.max()) if len(steps) else 0.0,
        out_of_order=int(behind.sum()),
        late=late,
        repeated=len(order) - len(kept),
        empty=int(np.isnan(numbers).sum()),
        unreadable=unreadable,
    )
    return Series(stamps=times, values=numbers, losses=losses)
