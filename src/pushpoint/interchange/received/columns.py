"""Columns of a CSV file as sources, also those of a table that `pp.export` wrote: names with units in brackets."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pushpoint.errors import BadFile, PushpointError, names_in_short
from pushpoint.interchange.received.mapping import TIMES, UNITS, Mapping, Source, channel_target
from pushpoint.interchange.received.series import Series, series_of
from pushpoint.user_files import open_regular
from pushpoint.worlds.recorded import CHANNEL, NUMBERED, PLAIN

WITH_UNIT = re.compile(r"(?P<name>.*?)(?<!\s)\s*(\[(?P<unit>[^\[\]\d][^\[\]]*)\])?")
"""A name, and its unit in brackets: joint_angle[3] [deg]. No space ends a name: spaces are looked at once."""
MOST_BYTES, MOST_LINE = 1_000_000_000, 1_000_000
"""Largest file [bytes] and longest line [characters]; a line is in memory at a time, and the numbers that are used."""
MOST_VALUES = 50_000_000
"""Most numbers that are read from a file [-]."""
LATEST = 9e9
"""Times of a recording must be within this [s]: about three hundred years, in nanoseconds."""
LARGEST = 1e12
"""Numbers of a recording must be within this, in their units."""
MOST_NAMED = 100
"""Characters of a header that a sentence shows: without a first line of names it is a row of numbers [-]."""


class Head(NamedTuple):
    """The first line."""

    names: list[str]
    """Names of the columns, without units."""
    units: list[str]
    """Their units; empty where there is none."""

    def place(self, path: Path, name: str) -> int:
        """Which column has a name, with or without its unit."""
        found = [k for k, each in enumerate(self.names) if each == name]
        if len(found) != 1:
            said = "no column" if not found else "more than one column"
            shown = ", ".join(self.names[:20]) + (" and more" if len(self.names) > 20 else "")
            raise BadFile(path, f"line 1: {said} '{name}', the columns are {shown}")
        return found[0]


def header_of(row: Sequence[str]) -> Head:
    """Names and units of the columns."""
    parts = [WITH_UNIT.fullmatch(cell.strip()) for cell in row]
    return Head(
        [part["name"] if part else cell.strip() for part, cell in zip(parts, row, strict=True)],
        [(part["unit"] or "") if part else "" for part in parts],
    )


def own_columns(head: Head) -> Mapping:
    """The mapping of a file whose columns have the names of channels."""
    names = [name for name in head.names if (m := CHANNEL.fullmatch(name)) and m["variable"] in (*NUMBERED, *PLAIN)]
    return Mapping(channels={name: Source(column=name) for name in names})


def read_columns(path: Path, mapping: Mapping | None) -> tuple[Mapping, Series, list[str]]:
    """The mapping, the columns of all its channels in one series, and the columns that are not used.

    The values are in the units of the file; `unit` of each source says which.
    """
    with open_regular(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        size = os.fstat(file.fileno()).st_size
        if size > MOST_BYTES:
            raise BadFile(path, f"has {size:,} bytes, must have at most {MOST_BYTES:,}")
        return _read(
            path, csv.reader(_lines(path, text), delimiter="," if mapping is None else mapping.delimiter), mapping
        )


def _lines(path: Path, text: io.TextIOWrapper) -> Iterator[str]:
    """The lines of a text, each of bounded length."""
    number = 1
    try:
        while line := text.readline(MOST_LINE + 1):
            if len(line) > MOST_LINE:
                raise BadFile(path, f"line {number}: is longer than {MOST_LINE:,} characters")
            yield line
            number += 1
    except UnicodeDecodeError:
        raise BadFile(path, f"line {number} or one soon after it: is not text (UTF-8)") from None


def _read(path: Path, rows: Any, mapping: Mapping | None) -> tuple[Mapping, Series, list[str]]:
    """What `read_columns` returns, from the rows of the file."""
    try:
        head = header_of(next(rows, []))
        if mapping is None and not set(head.names) - {"t", ""}:
            raise BadFile(path, "line 1: must be a line of column names, of time and channels")
        mapping = mapping or _checked_own(path, head)
        sources = _with_units(path, mapping, head)
        places = [head.place(path, mapping.time), *(head.place(path, each.column) for each in sources.values())]
        times, numbers = array("q"), array("d")
        scale = TIMES[head.units[places[0]] or mapping.time_unit] if head.units[places[0]] in (*TIMES, "") else None
        if scale is None:
            raise BadFile(path, f"line 1: unit '{head.units[places[0]]}' of times, must be {', '.join(TIMES)}")
        for row in rows:
            if any(cell.strip() for cell in row):
                if len(numbers) > MOST_VALUES:
                    raise BadFile(path, f"has more than {MOST_VALUES:,} numbers in the columns that are read")
                times.append(_time(path, rows.line_num, row, head, places[0], scale))
                numbers.extend(_number(path, rows.line_num, row, head, k) for k in places[1:])
    except csv.Error as error:
        raise BadFile(path, f"cannot be read as CSV text ({error})") from None
    values = np.frombuffer(numbers, dtype=float).reshape(len(times), len(sources)).copy()
    series = series_of(path.name, np.frombuffer(times, dtype=np.int64).copy(), values)
    used = {head.names[k] for k in places}
    mapping = Mapping(**{**vars(mapping), "channels": sources})
    return mapping, series, [name for name in head.names if name not in used]


def _checked_own(path: Path, head: Head) -> Mapping:
    try:
        return own_columns(head)
    except PushpointError:
        names = names_in_short(head.names, MOST_NAMED)
        raise BadFile(path, f"line 1: no column is named after a channel, so it needs a mapping: {names}") from None


def _with_units(path: Path, mapping: Mapping, head: Head) -> dict[str, Source]:
    """The sources, with the units of the columns where they have none of their own."""
    found = {}
    for name, source in mapping.channels.items():
        if not source.column:
            raise BadFile(path, f"is a CSV file, but the mapping takes {name} from the topic {source.topic}")
        unit = source.unit or head.units[head.place(path, source.column)]
        known = UNITS[channel_target(name).variable]
        if unit and unit not in known:
            raise BadFile(path, f"line 1: unit '{unit}' of {source.column}, must be one of {', '.join(known)}")
        found[name] = Source(**{**vars(source), "unit": unit})
    return found


def _time(path: Path, line: int, row: list[str], head: Head, place: int, scale: float) -> int:
    """The time in a row [ns]."""
    text = row[place].strip() if place < len(row) else ""
    time = _float(text)
    if not abs(time) <= LATEST * 1e9 / scale:
        shown = text[:40] if text else "nothing"
        allowed = f"must be a number between {-LATEST * 1e9 / scale:g} and {LATEST * 1e9 / scale:g}"
        raise BadFile(path, f"line {line}: {head.names[place]} = '{shown}', {allowed}")
    return round(time * scale)


def _number(path: Path, line: int, row: list[str], head: Head, place: int) -> float:
    """A number of a row; NaN for an empty cell."""
    text = row[place].strip() if place < len(row) else ""
    if not text:
        return math.nan
    number = _float(text)
    if number != number and text.lower() not in ("nan", "-nan", "+nan"):
        raise BadFile(path, f"line {line}: {head.names[place]} = '{text[:40]}', must be a number")
    if abs(number) > LARGEST:
        raise BadFile(
            path, f"line {line}: {head.names[place]} = {number:g}, must be between {-LARGEST:g} and {LARGEST:g}"
        )
    return number


def _float(text: str) -> float:
    """A number; NaN for what is none."""
    try:
        return float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan
