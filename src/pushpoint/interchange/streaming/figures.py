"""What a stream came to: lines sent, received, lost and late, and how well its times were kept."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.brief import brief

MOST_KEPT = 1_000_000
"""Times of so many lines are kept for the figures [-]."""


@dataclass(frozen=True, kw_only=True)
class StreamReport:
    """How a stream went."""

    __repr__ = brief

    ended: str
    """Why it ended, in a sentence."""
    finished: bool
    """Whether it ended because its time was over."""
    rate: float
    """Lines per second [Hz]."""
    sent: int
    """Lines of references sent [-]."""
    received: int
    """Lines of states received, good ones [-]."""
    malformed: int
    """Lines that were not states [-]."""
    out_of_order: int
    """States older than one that was there already; not used [-]."""
    dropped: int
    """States that never came, as the robot numbers them [-]."""
    without_news: int
    """Periods in which no new state came, so that the last one was used again [-]."""
    skipped: int
    """Periods that were over before their line could be sent [-]."""
    jitter: tuple[float, float]
    """How late lines were sent: of 95 % of them and at most [s]; NaN if none was."""
    thinking: tuple[float, float]
    """How long the controller took for a line: median, and at most [s]; NaN if there was none."""
    latency: tuple[float, float, float]
    """From a line of references to the first state that knows of it: median, of 95 %, at most [s]; NaN if none is."""

    def sentences(self) -> list[str]:
        """What happened."""
        counts = {
            "malformed": self.malformed,
            "out of order": self.out_of_order,
            "dropped": self.dropped,
            "periods without a new state": self.without_news,
            "periods skipped": self.skipped,
        }
        wrong = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        said = [self.ended, f"{self.sent} lines sent, {self.received} received{f'; {wrong}' if wrong else ''}"]
        if np.isfinite(self.jitter[1]):
            said.append(
                f"lines were late by {1e3 * self.jitter[0]:.3g} ms (95 %), at most {1e3 * self.jitter[1]:.3g} ms"
            )
        if self.thinking[0] * self.rate > 1.0:
            took, period = (f"{1e3 * each:.3g} ms" for each in (self.thinking[0], 1.0 / self.rate))
            why = f"it is too slow for {self.rate:g} lines per second"
            said.append(f"the controller took {took} (median) of a period of {period}: {why}")
        if np.isfinite(self.latency[2]):
            middle, most, worst = (f"{1e3 * each:.3g} ms" for each in self.latency)
            said.append(f"a state answers a line after {middle} (median), {most} (95 %), at most {worst}")
        return said


class Tally:
    """Counts while a stream runs."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(
            ("sent", "received", "malformed", "out_of_order", "dropped", "without_news", "skipped"), 0
        )
        self._late, self._answers, self._thought = array("d"), array("d"), array("d")

    def add(self, what: str, count: int = 1) -> None:
        """Counts something."""
        self.counts[what] += count

    def keep(self, *, late: float | None = None, answer: float | None = None, thought: float | None = None) -> None:
        """Keeps how late a line was sent, how long its answer took, or how long it took to make [s]."""
        for kept, value in ((self._late, late), (self._answers, answer), (self._thought, thought)):
            if value is not None and len(kept) < MOST_KEPT:
                kept.append(value)

    def report(self, ended: str, *, finished: bool, rate: float) -> StreamReport:
        """The figures."""
        late, answers, thought = (np.array(each) for each in (self._late, self._answers, self._thought))
        jitter = (_share(late, 95), _share(late, 100))
        latency = (_share(answers, 50), _share(answers, 95), _share(answers, 100))
        counts: dict[str, Any] = self.counts | {"thinking": (_share(thought, 50), _share(thought, 100))}
        return StreamReport(ended=ended, finished=finished, rate=rate, jitter=jitter, latency=latency, **counts)


def _share(values: np.ndarray, percent: float) -> float:
    return float(np.percentile(values, percent)) if len(values) else float("nan")
