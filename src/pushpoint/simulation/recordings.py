"""Compares a recorded path with a run: reads it from a CSV file, aligns it in time and in the plane, and measures it.

Recorded times and places rarely match those of the simulation. A recorded sample (t, p) corresponds to the run's time t
+ time_offset and to the run's point R(rotation) p + translation. Lengths are never scaled. The offset is found by
search; for each offset, rotation and translation follow in closed form.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import xarray as xr
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize_scalar

from pushpoint.brief import brief
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import between
from pushpoint.model.plain import path as checked_path
from pushpoint.model.quantities import Natural
from pushpoint.simulation.provenance import require
from pushpoint.user_files import read_text
from pushpoint.worlds.recorded import Recorded

FEWEST_SAMPLES = 3
# A few common samples are easy to fit, so the paths must overlap by at least this share of the shorter one.
LEAST_OVERLAP = 0.5
MOST_OFFSETS = 2000
LATEST, FARTHEST = 1e12, 1e9
"""Times [s] and places [m] of a recording must be within these; beyond them, samples can no longer be told apart."""
MOST_VALLEYS = 20
# Errors below this share of the path's size are round-off and interpolation, not a real difference.
NEGLIGIBLE = 1e-6
# If offsets fit equally well over more than this share of the common time, the path does not determine the offset.
WIDE = 0.1

TimedPath = tuple[np.ndarray, np.ndarray]
"""Times [s], shape (n,), increasing, and points [m], shape (n, 2)."""


CENTER_OF_MASS = "center_of_mass"
ALIGNABLE = ("time", "frame")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A recorded path aligned with a run."""

    __repr__ = brief

    recording: str
    """The file of the recording."""
    link: int | str
    """What was compared: the index of a link (its centre of mass), or "center_of_mass" of the robot."""
    time_offset: float
    """Simulated time minus recorded time [s]."""
    time_offset_range: tuple[float, float]
    """Smallest and largest offset that fit equally well, within the scatter of the samples [s]."""
    rotation: float
    """Rotation from the recorded to the simulated frame [rad]."""
    translation: tuple[float, float]
    """Translation after the rotation [m]."""
    time: np.ndarray
    """Simulated times of the recorded samples that lie within the run [s], shape (n,)."""
    recorded: np.ndarray
    """The recorded samples in the simulated frame [m], shape (n, 2)."""
    simulated: np.ndarray
    """The simulated points at these times [m], shape (n, 2)."""

    @property
    def error(self) -> np.ndarray:
        """Distances between recording and run [m], shape (n,)."""
        return np.asarray(np.linalg.norm(self.recorded - self.simulated, axis=1))

    @property
    def rms_error(self) -> float:
        """Root mean square distance between recording and run [m]."""
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
        """Whether the path determines the time offset. On a straight line, for example, it does not."""
        low, high = self.time_offset_range
        return high - low <= WIDE * float(self.time[-1] - self.time[0])

    def summary(self) -> dict[str, object]:
        """Everything except the arrays, in JSON types; lengths [m], times [s], angles [rad]."""
        pairs = {"time_offset_range": list(self.time_offset_range), "translation": list(self.translation)}
        names = ("rms_error", "max_error", "end_error", "time_offset", "time_is_sure", "rotation")
        overlap = float(self.time[-1] - self.time[0])
        about = {"recording": self.recording, "link": self.link, "samples": len(self.time), "overlap": overlap}
        return about | {name: getattr(self, name) for name in names} | pairs


def fit_frame_motion(points: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
    """The rotation [rad] and translation [m] that bring points closest to their targets in the mean square.

    Kabsch's problem in the plane: with centred points as complex numbers a and targets b, the angle is that of
    sum(conj(a) b). Points that coincide do not determine an angle; it is then zero.
    """
    middle, target_middle = points.mean(axis=0), target.mean(axis=0)
    a, b = points - middle, target - target_middle
    cosine, sine = float(np.sum(a * b)), float(np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))
    size = math.sqrt(float(np.sum(a**2)) * float(np.sum(b**2)))
    round_off = 1e-12 * max(1.0, float(np.abs(points).max()), float(np.abs(target).max())) ** 2
    angle = math.atan2(sine, cosine) if size > round_off else 0.0
    return angle, target_middle - turned_in_plane(middle, angle)


def turned_in_plane(points: np.ndarray, angle: float) -> np.ndarray:
    """Points rotated about the origin."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.asarray(points @ np.array([[cosine, sine], [-sine, cosine]]))


class _Search:
    """How well a recorded path fits a simulated one, for any time offset."""

    def __init__(self, recorded: TimedPath, simulated: TimedPath, *, fit_frame: bool) -> None:
        self.time, self.points = recorded
        self.first, self.last = float(simulated[0][0]), float(simulated[0][-1])
        # Recorded times may be clock times: a spline over such large numbers would lose digits.
        self.spline = CubicSpline(simulated[0] - self.first, simulated[1])
        # Rounding of the times: that of a clock that counts from 1970 is a quarter of a microsecond.
        self.slack = 1e-9 * max(1.0, self.last - self.first) + 4.0 * float(np.spacing(np.abs(self.time).max()))
        self.interval = min(float(np.median(np.diff(time))) for time in (recorded[0], simulated[0]))
        self.fit_frame = fit_frame

    def common(self, offset: float) -> np.ndarray:
        """Which recorded samples fall within the run."""
        time = self.time + offset
        return (time >= self.first - self.slack) & (time <= self.last + self.slack)

    def at(self, offset: float, chosen: np.ndarray) -> dict[str, Any]:
        """The best frame for the chosen samples at this offset, and where they lie in it; see Comparison."""
        time = self.time[chosen] + offset
        simulated = self.spline(np.clip(time, self.first, self.last) - self.first)
        recorded, rotation, moved = self.points[chosen], 0.0, np.zeros(2)
        if self.fit_frame:
            rotation, moved = fit_frame_motion(recorded, simulated)
            recorded = turned_in_plane(recorded, rotation) + moved
        translation = (float(moved[0]), float(moved[1]))
        return dict(rotation=rotation, translation=translation, time=time, recorded=recorded, simulated=simulated)

    def misfit(self, offset: float, chosen: np.ndarray | None = None) -> float:
        """Root mean square distance at this offset [m]; infinite if too few samples are common."""
        if chosen is None:
            chosen = self.common(offset)
        if chosen.sum() < FEWEST_SAMPLES:
            return math.inf
        fit = self.at(offset, chosen)
        return float(np.sqrt(np.mean(np.sum((fit["recorded"] - fit["simulated"]) ** 2, axis=1))))

    def offsets(self) -> np.ndarray:
        """Offsets to try [s], about a sample apart: all for which enough of the shorter path overlaps."""
        start, end = float(self.time[0]), float(self.time[-1])
        least = LEAST_OVERLAP * min(end - start, self.last - self.first)
        low, high = self.first + least - end, self.last - least - start
        spacing = max(self.interval, (high - low) / MOST_OFFSETS)
        grid = np.linspace(low, high, 1 + max(2, math.ceil((high - low) / spacing)))
        # Zero itself is tried, so that a path that does not determine the offset is not shifted.
        return np.unique(np.append(grid, 0.0)) if low <= 0.0 <= high else grid


def align_paths(
    recorded: TimedPath, simulated: TimedPath, *, fit_time: bool, fit_frame: bool
) -> tuple[float, np.ndarray, dict[str, Any]] | None:
    """The time offset, all others that fit equally well, and the rest of the fit; None with too few common samples."""
    search = _Search(recorded, simulated, fit_frame=fit_frame)
    offsets = search.offsets() if fit_time else np.zeros(1)
    misfits = np.array([search.misfit(offset) for offset in offsets])
    if not np.isfinite(misfits).any():
        return None
    best, equal = _choose(search, offsets, misfits) if fit_time else (0.0, offsets)
    return best, equal, search.at(best, search.common(best))


def _choose(search: _Search, offsets: np.ndarray, misfits: np.ndarray) -> tuple[float, np.ndarray]:
    """The offset to use, and all that fit equally well.

    Offsets that fit as well as the best form basins. Each basin counts by its lowest point, or if it is wide by the
    point nearest to zero. Of several basins, such as those of a steady gait, one period apart, the one nearest to zero
    is used.
    """
    padded = np.concatenate(([math.inf], misfits, [math.inf]))
    valleys = np.flatnonzero((misfits <= padded[:-2]) & (misfits <= padded[2:]) & np.isfinite(misfits))
    valleys = valleys[np.argsort(misfits[valleys])][:MOST_VALLEYS]
    refined = {int(k): _refine(search, offsets, int(k)) for k in valleys}
    lowest, least = min(refined.values(), key=lambda each: each[1])
    common = search.common(lowest)
    extent = float(np.linalg.norm(np.ptp(search.points, axis=0)))
    # The rms of n scattered points is itself uncertain by 1 / (2 sqrt(n)); twice that is not a difference.
    limit = least * (1.0 + 1.0 / math.sqrt(common.sum())) + NEGLIGIBLE * extent
    good = misfits <= limit
    good[[k for k, (_, misfit) in refined.items() if misfit <= limit]] = True
    ends = np.flatnonzero(np.diff(np.concatenate(([False], good, [False])))).reshape(-1, 2)
    chosen = []
    for first, last in ends:
        low, high = float(offsets[first]), float(offsets[last - 1])
        inside = [refined[k] for k in range(first, last) if k in refined]
        if high - low > WIDE * float(np.ptp(search.time[common])):
            chosen.append(min(max(0.0, low), high))
        elif inside:
            chosen.append(min(inside, key=lambda each: each[1])[0])
    best = min(chosen, key=abs)
    return best, np.append(offsets[good], best)


def _refine(search: _Search, offsets: np.ndarray, k: int) -> tuple[float, float]:
    """The minimum near a grid point, as offset and misfit."""
    low, middle, high = offsets[max(k - 1, 0)], float(offsets[k]), offsets[min(k + 1, len(offsets) - 1)]
    # Always the same samples: one that leaves the run would make a jump, and minima gather at jumps.
    chosen = search.common(low) & search.common(high)
    if chosen.sum() < FEWEST_SAMPLES:
        return middle, search.misfit(middle)
    # Relative to the middle: the tolerance is relative, and offsets of clock times are huge.
    found = minimize_scalar(
        lambda shift: search.misfit(middle + shift, chosen),
        bounds=(low - middle, high - middle),
        method="bounded",
        options={"xatol": 1e-9 * max(1.0, high - low)},
    )
    candidates = [(middle + float(found.x), float(found.fun)), (middle, search.misfit(middle, chosen))]
    return min(candidates, key=lambda each: each[1])


@checked_arguments
def compare_recording(
    run: xr.Dataset,
    recording: Any,
    *,
    link: int | str = CENTER_OF_MASS,
    columns: Sequence[str] = ("t", "x", "y"),
    align: Sequence[str] = ALIGNABLE,
    time_offset: Annotated[float, between(-LATEST, LATEST, "s")] = 0.0,
    world: Natural = 0,
) -> Comparison:
    """Aligns a recorded path with the path of a run and measures the distance between them.

        comparison = pp.compare_recording(run, "recorded.csv", link=10)
        print(comparison.rms_error)  # [m]

    Args:
        run: A run as `simulate` returns it.
        recording: A CSV file that begins with a line of column names. Times [s] must increase; places are in metres.
            Or a Recorded with the path of this link, as `interchange.import_recording` makes it.
        link: Whose path was recorded: the index of a link (its centre of mass), or "center_of_mass" of the robot.
        columns: Names of the columns of time, x and y.
        align: What to fit: "time" (an offset) and "frame" (a rotation and a translation); both, one or none.
        time_offset: Offset added to the recorded times first [s]: a first guess if the time is fitted, else the offset
            itself.
        world: Which world of a batched run.

    Returns:
        The alignment with the smallest rms error. Of time offsets that fit equally well, the one nearest to the guess
        is used. The paths overlap by at least half of the shorter one.
    """
    if not set(align) <= set(ALIGNABLE):
        raise InvalidModel("compare_recording: align", align, 'some of ("time", "frame"), or ()')
    simulated = run_path(run, link=link, world=world)
    if isinstance(recording, Recorded):
        path, (time, position) = Path("recording"), path_in(recording, link)
    else:
        path = Path(checked_path("recording", recording))
        time, position = read_recorded_path(path, columns=columns)
    fit = align_paths((time + time_offset, position), simulated, fit_time="time" in align, fit_frame="frame" in align)
    if fit is None:
        covered, run_covers = (f"{each[0]:g} to {each[-1]:g} s" for each in (time + time_offset, simulated[0]))
        spans = f"the recording covers {covered}, the run {run_covers}"
        raise BadFile(path, f"has fewer than {FEWEST_SAMPLES} samples within the run ({spans})")
    offset, equal, rest = fit
    span = (time_offset + float(equal.min()), time_offset + float(equal.max()))
    return Comparison(recording=str(path), link=link, time_offset=time_offset + offset, time_offset_range=span, **rest)


def run_path(run: xr.Dataset, *, link: int | str = CENTER_OF_MASS, world: int = 0) -> TimedPath:
    """Times [s] and points [m] of the centre of mass of a link or of the robot, seen from above, where finite."""
    if "world" in run.dims:
        if world >= run.sizes["world"]:
            raise InvalidModel("compare_recording: world", world, f"0 to {run.sizes['world'] - 1}")
        run = run.isel(world=world)
    name = CENTER_OF_MASS if link == CENTER_OF_MASS else "link_position"
    require(run, "a comparison with a recording", name)
    path = run[name]
    if name == "link_position":
        if isinstance(link, bool) or link not in range(run.sizes["link"]):
            raise InvalidModel("compare_recording: link", link, f'0 to {run.sizes["link"] - 1} or "{CENTER_OF_MASS}"')
        path = path.isel(link=int(link))
    time, points = np.asarray(run["time"], dtype=float), np.asarray(path.transpose("time", "axis"), dtype=float)[:, :2]
    known = np.isfinite(points).all(axis=1)
    if known.sum() < FEWEST_SAMPLES:
        raise InvalidModel("run: samples with finite positions", int(known.sum()), f"at least {FEWEST_SAMPLES}")
    return time[known], points[known]


def path_in(recording: Recorded, link: int | str) -> TimedPath:
    """Times [s] and points [m] of a link or of the centre of mass in a recording of many channels."""
    names = [f"{CENTER_OF_MASS if link == CENTER_OF_MASS else f'link_position[{link}]'}.{axis}" for axis in "xy"]
    for name in names:
        if name not in recording.channels:
            there = ", ".join(list(recording.channels)[:8])
            raise InvalidModel("recording: channels", there, f"a list with {name}, which the comparison needs")
    points = np.column_stack([recording.channels[name] for name in names])
    known = np.isfinite(points).all(axis=1)
    if known.sum() < FEWEST_SAMPLES:
        raise InvalidModel(f"recording: samples of {names[0]}", int(known.sum()), f"at least {FEWEST_SAMPLES}")
    return recording.time[known], points[known]


def read_recorded_path(path: Path, *, columns: Sequence[str]) -> TimedPath:
    """Reads the recorded times [s] and points [m] of a file; raises BadFile with the line if it is wrong."""
    if len(columns) != 3:
        raise InvalidModel("compare_recording: columns", columns, "three names, of time, x and y")
    try:
        reader = csv.reader(io.StringIO(read_text(path), newline=""))
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise BadFile(path, f"cannot be read as CSV text ({error})") from None
    if not rows:
        raise BadFile(path, "is empty, must begin with a line of column names")
    line, header = rows[0][0], [name.strip() for name in rows[0][1]]
    for column in columns:
        if header.count(column) != 1:
            found = "no column" if column not in header else "more than one column"
            raise BadFile(path, f"line {line}: {found} '{column}', the columns are {', '.join(header)}")
    places = [(column, header.index(column), column == columns[0]) for column in columns]
    values = [[_number(path, line, row, *each) for each in places] for line, row in rows[1:]]
    if len(values) < FEWEST_SAMPLES:
        raise BadFile(path, f"has {len(values)} samples, must have at least {FEWEST_SAMPLES}")
    for (line, _), before, now in zip(rows[2:], values[:-1], values[1:], strict=True):
        if now[0] <= before[0]:
            what = "twice in a row" if now[0] == before[0] else f"after {before[0]:.10g}"
            raise BadFile(path, f"line {line}: {columns[0]} = {now[0]:.10g} comes {what}, times must increase")
    table = np.array(values)
    return table[:, 0], table[:, 1:]


def _number(path: Path, line: int, row: list[str], column: str, place: int, time: bool) -> float:
    if place >= len(row):
        raise BadFile(path, f"line {line}: ends before column '{column}'")
    try:
        number = float(row[place])
    except ValueError:
        raise BadFile(path, f"line {line}: {column} = '{row[place].strip()}', must be a number") from None
    most = LATEST if time else FARTHEST
    if not math.isfinite(number):
        raise BadFile(path, f"line {line}: {column} = {number}, must be finite")
    if abs(number) > most:
        raise BadFile(path, f"line {line}: {column} = {number}, must be between {-most:g} and {most:g}")
    return number
