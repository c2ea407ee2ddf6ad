"""A recorded path beside a run: read from a CSV file, laid over the run in time and in the plane, and measured.

Recorded times and places are rarely those of the simulation. A recorded sample (t, p) belongs to the run's time
t + time_offset and to the run's point R(rotation) p + translation; lengths are never scaled.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from pushpoint.errors import BadFile, InvalidModel
from pushpoint.model.checks import finite
from pushpoint.simulation.recordings.alignment import FEWEST_SAMPLES, WIDE, PathFit, align_paths

CENTER_OF_MASS = "center_of_mass"
ALIGNABLE = ("time", "frame")


@dataclass(frozen=True, kw_only=True)
class Comparison(PathFit):
    """A recorded path laid over a run."""

    recording: str
    """The file of the recording."""
    link: int | str
    """What was compared: a link's centre of mass, or "center_of_mass" of the robot."""

    @property
    def rms_error(self) -> float:
        """Root of the mean squared distance between recording and run [m]."""
        return float(np.sqrt(np.mean(self.error**2)))

    @property
    def max_error(self) -> float:
        """Largest distance [m]."""
        return float(self.error.max())

    @property
    def end_error(self) -> float:
        """Distance at the last common sample [m]."""
        return float(self.error[-1])

    @property
    def time_is_sure(self) -> bool:
        """Whether the path tells the time offset: not so if much different ones fit as well, as on a straight line."""
        low, high = self.time_offset_range
        return high - low <= WIDE * float(self.time[-1] - self.time[0])

    def summary(self) -> dict[str, object]:
        """All but the arrays, in JSON types; lengths [m], times [s], angles [rad]."""
        return {
            "recording": self.recording,
            "link": self.link,
            "samples": len(self.time),
            "overlap": float(self.time[-1] - self.time[0]),
            "rms_error": self.rms_error,
            "max_error": self.max_error,
            "end_error": self.end_error,
            "time_offset": self.time_offset,
            "time_offset_range": list(self.time_offset_range),
            "time_is_sure": self.time_is_sure,
            "rotation": self.rotation,
            "translation": list(self.translation),
        }


def compare_recording(
    run: xr.Dataset,
    recording: str | os.PathLike[str],
    *,
    link: int | str = CENTER_OF_MASS,
    columns: Sequence[str] = ("t", "x", "y"),
    align: Sequence[str] = ALIGNABLE,
    time_offset: float = 0.0,
    world: int = 0,
) -> Comparison:
    """Lays a recorded path over the path of a run and says how far they are apart.

    Args:
        run: A run as `simulate` returns it.
        recording: A CSV file with a line of column names; times [s] must increase, places are in metres.
        link: Whose path was recorded: a link (its centre of mass) or "center_of_mass" of the robot.
        columns: Names of the columns of time, x and y.
        align: What to fit: "time" (an offset) and "frame" (a rotation and a translation), both, one or none.
        time_offset: What is added to recorded times beforehand [s]: a guess if the time is fitted, else the offset.
        world: Which world, of a batched run.

    Returns:
        The alignment with the least rms error; of time offsets that fit equally well, the one nearest to the guess.
        At least half of the shorter path is laid over the other.
    """
    unknown = [each for each in align if each not in ALIGNABLE] if not isinstance(align, str) else [align]
    if unknown:
        raise InvalidModel("compare_recording: align", align, 'some of ("time", "frame"), or ()')
    path = Path(recording)
    simulated = run_path(run, link=link, world=world)
    time, position = read_recorded_path(path, columns=columns)
    guess = finite("compare_recording: time_offset", time_offset, "s")
    fit = align_paths((time + guess, position), simulated, fit_time="time" in align, fit_frame="frame" in align)
    if fit is None:
        spans = f"{_span(time + guess)} s, the run {_span(simulated[0])} s"
        raise BadFile(path, f"has fewer than {FEWEST_SAMPLES} samples within the run (the recording covers {spans})")
    low, high = fit.time_offset_range
    offset = {"time_offset": guess + fit.time_offset, "time_offset_range": (guess + low, guess + high)}
    return Comparison(**vars(fit) | offset, recording=str(path), link=link)


def _span(time: np.ndarray) -> str:
    return f"{time[0]:g} to {time[-1]:g}"


def run_path(run: xr.Dataset, *, link: int | str = CENTER_OF_MASS, world: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and points [m] of a link's centre of mass or of the robot's, where they are finite."""
    if "world" in run.dims:
        if world not in range(run.sizes["world"]):
            raise InvalidModel("compare_recording: world", world, f"0 to {run.sizes['world'] - 1}")
        run = run.isel(world=world)
    name = CENTER_OF_MASS if link == CENTER_OF_MASS else "link_position"
    if name not in run:
        raise InvalidModel("run: variables", list(run.data_vars), f"a list with {name}")
    path = run[name]
    if name == "link_position":
        if isinstance(link, bool) or link not in range(run.sizes["link"]):
            raise InvalidModel("compare_recording: link", link, f'0 to {run.sizes["link"] - 1} or "{CENTER_OF_MASS}"')
        path = path.isel(link=int(link))
    time, points = np.asarray(run["time"], dtype=float), np.asarray(path.transpose("time", "axis"), dtype=float)
    known = np.isfinite(points).all(axis=1)
    if known.sum() < FEWEST_SAMPLES:
        raise InvalidModel("run: samples with finite positions", int(known.sum()), f"at least {FEWEST_SAMPLES}")
    return time[known], points[known]


def read_recorded_path(path: Path, *, columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Recorded times [s] and points [m] of a file; a wrong one is refused in one sentence with the line."""
    if isinstance(columns, str) or len(columns) != 3:
        raise InvalidModel("compare_recording: columns", columns, "three names, of time, x and y")
    if not path.is_file():
        raise BadFile(path, "no such file")
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(path, f"cannot be read as CSV text ({error})") from None
    if not rows:
        raise BadFile(path, "is empty, must begin with a line of column names")
    places = _places(path, *rows[0], columns)
    values = [_numbers(path, line, row, columns, places) for line, row in rows[1:]]
    if len(values) < FEWEST_SAMPLES:
        raise BadFile(path, f"has {len(values)} samples, must have at least {FEWEST_SAMPLES}")
    for (line, _), before, now in zip(rows[2:], values[:-1], values[1:], strict=True):
        if now[0] <= before[0]:
            what = "twice in a row" if now[0] == before[0] else f"after {before[0]:.10g}"
            raise BadFile(path, f"line {line}: {columns[0]} = {now[0]:.10g} comes {what}, times must increase")
    table = np.array(values)
    return table[:, 0], table[:, 1:]


def _places(path: Path, line: int, header: list[str], columns: Sequence[str]) -> list[int]:
    names = [name.strip() for name in header]
    for column in columns:
        if names.count(column) != 1:
            found = "no column" if column not in names else "more than one column"
            raise BadFile(path, f"line {line}: {found} '{column}', the columns are {', '.join(names)}")
    return [names.index(column) for column in columns]


def _numbers(path: Path, line: int, row: list[str], columns: Sequence[str], places: list[int]) -> list[float]:
    numbers = []
    for column, place in zip(columns, places, strict=True):
        if place >= len(row):
            raise BadFile(path, f"line {line}: ends before column '{column}'")
        try:
            number = float(row[place])
        except ValueError:
            raise BadFile(path, f"line {line}: {column} = '{row[place].strip()}', must be a number") from None
        if not math.isfinite(number):
            raise BadFile(path, f"line {line}: {column} = {number}, must be finite")
        numbers.append(number)
    return numbers
