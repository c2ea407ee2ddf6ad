"""Reads a recording of another tool into channels on one clock, and says what was lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.interchange.received.columns import read_columns
from pushpoint.interchange.received.mapping import (
    Mapping,
    Source,
    Target,
    channel_target,
    factor_of,
    from_tail,
    read_mapping,
)
from pushpoint.interchange.received.series import Losses, Series
from pushpoint.interchange.received.topics import is_log, read_topics
from pushpoint.model.arguments import checked_arguments
from pushpoint.worlds.recorded import ALONG_AXES, NUMBERED, Recorded

NANOSECONDS = 1e9
MOST_CELLS = 50_000_000
"""Most numbers of a recording once all channels are on one clock [-]."""


@dataclass(frozen=True, kw_only=True)
class Imported:
    """A recording that was read, and what became of its samples."""

    __repr__ = brief

    recorded: Recorded
    """The channels over time, for a fit or a comparison."""
    losses: tuple[Losses, ...]
    """What was lost, source by source."""
    remarks: tuple[str, ...] = ()
    """What else to know: columns that were not used, a log that ends in the middle."""

    def sentences(self) -> list[str]:
        """What was read and what was lost."""
        return [*(each.sentence() for each in self.losses), *self.remarks]


@checked_arguments
def import_recording(path: str | Path, mapping: Any = None) -> Imported:
    """Reads a CSV file, an MCAP file or a bag of ROS 1 or 2 for `studies.fit` and `compare_recording`.

        run = pp.scenario("transeth2008a/flat").with_changes(duration=0.5).run()
        pp.export(run, "run.csv")
        reading = pp.interchange.import_recording("run.csv")
        print(reading.sentences())

    Without a mapping, columns must be named after channels, such as `joint_angle[3] [deg]`, beside a column `t`; of a
    log, the joint states on /joint_states are read. ROS needs not be installed.

    Args:
        path: The file; of a bag of ROS 2 its folder, or one of the files in it.
        mapping: A mapping file, or a Mapping: which columns or topics show which channels, and in which units.

    Raises:
        BadFile: The file cannot be read, is too large, or lacks what the mapping says.
    """
    place = Path(path)
    chosen = read_mapping(mapping) if isinstance(mapping, str | Path) else mapping
    if not (chosen is None or isinstance(chosen, Mapping)):
        raise InvalidModel("mapping", mapping, "a mapping file or a Mapping")
    if is_log(place):
        chosen, series, remarks = read_topics(place, chosen)
        start = "first" if chosen.start is None else chosen.start
    else:
        chosen, table, unused = read_columns(place, chosen)
        series = {
            name: Series(stamps=table.stamps, values=table.values[:, k : k + 1], losses=table.losses)
            for k, name in enumerate(chosen.channels)
        }
        remarks = [f"{len(unused)} columns are not used: {', '.join(unused[:6])}"] if unused else []
        start = 0.0 if chosen.start is None else chosen.start
    channels = dict(_channels(place, chosen, series))
    recorded = _on_one_clock(place, channels, start)
    return Imported(recorded=recorded, losses=_losses_of(series), remarks=tuple(remarks))


def _losses_of(series: dict[str, Series]) -> tuple[Losses, ...]:
    """What was lost, once for each source, or for each of its channels where they did not lose the same."""
    found: dict[Losses, list[str]] = {}
    for name, each in series.items():
        found.setdefault(each.losses, []).append(name)
    kinds = Counter(losses.source for losses in found)
    return tuple(
        replace(losses, source=f"{losses.source} ({', '.join(names)})") if kinds[losses.source] > 1 else losses
        for losses, names in found.items()
    )


Timed = tuple[np.ndarray, np.ndarray]
"""Times [ns], shape (n,), and values in SI, shape (n,)."""


def _channels(path: Path, mapping: Mapping, series: dict[str, Series]) -> Iterator[tuple[str, Timed]]:
    """Single channels in SI units, numbered from the tail."""
    seen = set()
    for name, source in mapping.channels.items():
        found = series[name]
        stamps = found.stamps - round(source.late * NANOSECONDS)
        try:
            for channel, values in _of_source(mapping, channel_target(name), source, found.values):
                if channel in seen:
                    raise InvalidModel("mapping.channels", name, f"different channels, but {channel} is there twice")
                seen.add(channel)
                yield channel, (stamps, values)
        except InvalidModel as error:
            raise BadFile(path, str(error)) from None


def _of_source(
    mapping: Mapping, target: Target, source: Source, values: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """The channels that one source shows."""
    factor = factor_of(target.variable, source.unit) * (-1.0 if source.sign == "-" else 1.0)
    numbers = factor * (values - source.zero)
    whole = target.variable in ALONG_AXES and target.axis is None
    size = 3 if whole else 1
    if values.shape[1] % size or (target.number is not None and values.shape[1] != size):
        words = f"{values.shape[1]} numbers per sample"
        raise InvalidModel(f"recording: {target.variable}", words, f"{size} for one {'place' if whole else 'number'}")
    counted = target.number is None and target.variable in NUMBERED
    count = values.shape[1] // size
    expected = mapping.count(NUMBERED[target.variable]) if counted else None
    if expected not in (None, count):
        dim = NUMBERED[target.variable]
        raise InvalidModel(f"recording: {target.variable}", f"{count} {dim}s", f"{expected}, as the mapping says")
    for k in range(count):
        number = k if counted else target.number
        label = "" if number is None else f"[{from_tail(mapping, target.variable, number)}]"
        if not whole:
            axis = f".{target.axis}" if target.axis else ""
            yield f"{target.variable}{label}{axis}", numbers[:, k]
            continue
        for letter, axis in zip("xyz", source.axes, strict=False):
            column = numbers[:, 3 * k + "xyz".index(axis[-1])]
            yield f"{target.variable}{label}.{letter}", -column if axis.startswith("-") else column


def _on_one_clock(path: Path, channels: dict[str, Timed], start: float | str) -> Recorded:
    """All channels at all times, NaN where one has no sample; times count from the start."""
    times = np.unique(np.concatenate([stamps for stamps, _ in channels.values()])) if channels else np.zeros(0, int)
    if not len(times):
        raise BadFile(path, "has no samples")
    if len(times) * len(channels) > MOST_CELLS:
        raise BadFile(path, f"has {len(times) * len(channels):,} numbers, must have at most {MOST_CELLS:,}")
    table = {}
    for name, (stamps, values) in channels.items():
        row = np.full(len(times), np.nan)
        row[np.searchsorted(times, stamps)] = values
        if np.isfinite(row).any():  # a channel without a single number is no channel
            table[name] = row
    # In whole nanoseconds, since a clock that counts from 1970 leaves few digits for them.
    zero = int(times[0]) if start == "first" else round(float(start) * NANOSECONDS)
    try:
        return Recorded(time=(times - zero) / NANOSECONDS, channels=table)
    except InvalidModel as error:
        raise BadFile(path, str(error)) from None
