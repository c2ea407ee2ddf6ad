"""What was recorded: columns of numbers over time, each named after the variable of a run that it shows."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from pushpoint.brief import brief
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.user_files import read_text

TIME = "t"
FEWEST_TIMES = 10
CHANNEL = re.compile(r"(?P<variable>[a-z_]+?)(\[(?P<number>\d+)\])?(\.(?P<axis>[xyz]))?")
NUMBERED = {"joint_angle": "joint", "joint_rate": "joint", "joint_torque": "joint", "link_position": "link"}
"""Variables that can be recorded, and what their numbers count."""
PLAIN = ("center_of_mass",)
ALONG_AXES = ("link_position", "center_of_mass")
NAMES = "joint_angle[3], joint_rate[3], joint_torque[3], link_position[10].x or center_of_mass.y"


class Column(NamedTuple):
    """One column."""

    variable: str
    """The variable of a run."""
    number: int | None
    """Which joint or link; None for the robot as a whole."""
    axis: str | None
    """Which axis of the world's frame; None for a joint."""

    def values(self, run: xr.Dataset) -> np.ndarray:
        """What a batch shows of it, shape (n_worlds, n_samples)."""
        found = run[self.variable]
        if self.number is not None:
            dim = NUMBERED[self.variable]
            if self.number >= run.sizes[dim]:
                raise InvalidModel("recording: channel", f"{self.variable}[{self.number}]", f"{dim}s of the robot")
            found = found.isel({dim: self.number})
        if self.axis is not None:
            if self.axis not in found["axis"].values:
                raise InvalidModel("recording: channel", f"{self.variable}.{self.axis}", "along x or y in the plane")
            found = found.sel(axis=self.axis)
        return found.transpose("world", "time").values


def channel_of(name: str) -> Column:
    """The channel that a name such as joint_angle[3] or link_position[10].x stands for."""
    parts = CHANNEL.fullmatch(name.strip())
    variable = parts["variable"] if parts else ""
    if parts is None or variable not in (*NUMBERED, *PLAIN):
        raise InvalidModel("recording: channel", name, f"such as {NAMES}")
    if (parts["number"] is None) == (variable in NUMBERED) or (parts["axis"] is None) == (variable in ALONG_AXES):
        raise InvalidModel("recording: channel", name, f"such as {NAMES}")
    return Column(variable, None if parts["number"] is None else int(parts["number"]), parts["axis"])


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Channels over time, as a robot or a camera recorded them.

    For example, what a run shows at other times, for a trial with known parameters:

        times = np.linspace(0.0, 1.0, 50)
        angles = run.joint_angle.interp(time=times).values
        recording = pp.studies.Recorded(time=times, channels={"joint_angle[0]": angles[:, 0]})
    """

    __repr__ = brief

    time: np.ndarray
    """When samples were taken [s], shape (n,), increasing; of a clock that starts with the run."""
    channels: Mapping[str, np.ndarray]
    """Values in SI units, shape (n,) each, by names such as joint_angle[3] or link_position[10].x; NaN in gaps."""

    def __post_init__(self) -> None:
        time = _row("recording.time", self.time)
        if time.ndim != 1 or len(time) < FEWEST_TIMES:
            raise InvalidModel("recording.time", np.shape(time), f"a row of {FEWEST_TIMES} times or more [s]")
        if not np.isfinite(time).all() or (np.diff(time) <= 0.0).any():
            raise InvalidModel("recording.time", "values that do not increase", "increasing times [s]")
        if not isinstance(self.channels, Mapping) or not self.channels:
            raise InvalidModel("recording.channels", self.channels, f"one channel or more, such as {NAMES}")
        kept = {}
        for name, given in self.channels.items():
            channel_of(str(name))
            values = _row(f"recording.channels: {name}", given)
            if values.shape != time.shape or np.isinf(values).any() or np.isnan(values).all():
                allowed = f"{len(time)} numbers, one per time, NaN where one is missing"
                raise InvalidModel(f"recording.channels: {name}", np.shape(values), allowed)
            kept[name] = values
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "channels", kept)

    @property
    def table(self) -> np.ndarray:
        """All values, shape (n_channels, n)."""
        return np.array(list(self.channels.values()))

    @property
    def variables(self) -> tuple[str, ...]:
        """The variable of each channel."""
        return tuple(channel_of(name).variable for name in self.channels)


def _row(field: str, given: Any) -> np.ndarray:
    """Numbers as an array."""
    try:
        found = np.asarray(given)
        if not np.iscomplexobj(found):
            return found.astype(float)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidModel(field, given, "a row of numbers")


def read_channels(path: str | Path) -> Recorded:
    """Reads a CSV file with a header: a column t [s], and columns named after channels; an empty cell is a gap."""
    path = Path(path)
    try:
        rows = [row for row in csv.reader(io.StringIO(read_text(path), newline="")) if any(map(str.strip, row))]
    except csv.Error as error:
        raise BadFile(path, f"cannot be read as CSV text ({error})") from None
    header = [name.strip() for name in rows[0]] if rows else []
    if TIME not in header or len(set(header)) < len(header):
        raise BadFile(path, f"must begin with a line of different column names, among them '{TIME}'")
    table = np.array([[_number(path, line, header, row, k) for k in range(len(header))] for line, row in _lines(rows)])
    columns = dict(zip(header, table.reshape(-1, len(header)).T, strict=True))
    try:
        return Recorded(time=columns.pop(TIME), channels=columns)
    except InvalidModel as error:
        raise BadFile(path, str(error)) from None


def _lines(rows: Sequence[list[str]]) -> list[tuple[int, list[str]]]:
    return [(line, row) for line, row in enumerate(rows[1:], start=2)]


def _number(path: Path, line: int, header: Sequence[str], row: Sequence[str], column: int) -> float:
    text = row[column].strip() if column < len(row) else ""
    if not text and header[column] != TIME:
        return math.nan
    try:
        return float(text)
    except ValueError:
        raise BadFile(path, f"line {line}: {header[column]} = '{text}', must be a number") from None


def write_channels(recording: Recorded, path: str | Path) -> Path:
    """Writes a recording as a file that `read_channels` reads."""
    from pushpoint.whole_files import write_bytes

    names = [TIME, *recording.channels]
    columns = np.column_stack([recording.time, recording.table.T])
    lines = [",".join(names), *(",".join("" if np.isnan(v) else f"{v:.9g}" for v in row) for row in columns)]
    return write_bytes(path, ("\n".join(lines) + "\n").encode())


def as_recorded(recording: Any) -> Recorded:
    """A recording, or that in a file."""
    if isinstance(recording, Recorded):
        return recording
    if isinstance(recording, str | Path):
        return read_channels(recording)
    raise InvalidModel("recording", recording, "a Recorded, or the path of a CSV file")
