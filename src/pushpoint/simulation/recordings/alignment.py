"""Laying one path over another: a time offset by search; for each, a rotation and a translation in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize_scalar

FEWEST_SAMPLES = 3
# Few common samples are easily fitted, so an offset must leave this share of the shorter path in common.
LEAST_OVERLAP = 0.5
MOST_OFFSETS = 2000
MOST_VALLEYS = 20
# Errors below this share of the path's extent are round-off and interpolation, not a difference.
NEGLIGIBLE = 1e-6
# Offsets that fit equally well over more than this share of the common time are not determined by the path.
WIDE = 0.1

Path = tuple[np.ndarray, np.ndarray]
"""Times [s], shape (n,), increasing, and points [m], shape (n, 2)."""


@dataclass(frozen=True, kw_only=True)
class PathFit:
    """Where a recorded path lies on a simulated one."""

    time_offset: float
    """What is added to a recorded time to give the simulated one [s]."""
    time_offset_range: tuple[float, float]
    """Smallest and largest offset tried that fits as well, within the scatter of the samples [s]."""
    rotation: float
    """How far the recorded frame is turned to give the simulated one [rad]."""
    translation: tuple[float, float]
    """How far it is then moved [m]."""
    time: np.ndarray
    """Simulated times of the recorded samples within the run [s], shape (n,)."""
    recorded: np.ndarray
    """These samples in the simulated frame [m], shape (n, 2)."""
    simulated: np.ndarray
    """Simulated points at these times [m], shape (n, 2)."""

    @property
    def error(self) -> np.ndarray:
        """Distance between recording and run [m], shape (n,)."""
        return np.asarray(np.linalg.norm(self.recorded - self.simulated, axis=1))


def fit_frame_motion(points: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
    """The rotation [rad] and translation [m] that bring points nearest to their targets in the mean square.

    Kabsch's problem in the plane: with centred points as complex numbers a and targets b, the angle is that of
    sum(conj(a) b). Points that coincide tell no angle; it is then zero.
    """
    middle, target_middle = points.mean(axis=0), target.mean(axis=0)
    a, b = points - middle, target - target_middle
    cosine, sine = float(np.sum(a * b)), float(np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))
    size = math.sqrt(float(np.sum(a**2)) * float(np.sum(b**2)))
    round_off = 1e-12 * max(1.0, float(np.abs(points).max()), float(np.abs(target).max())) ** 2
    angle = math.atan2(sine, cosine) if size > round_off else 0.0
    return angle, target_middle - turned_in_plane(middle, angle)


def turned_in_plane(points: np.ndarray, angle: float) -> np.ndarray:
    """Points turned about the origin."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.asarray(points @ np.array([[cosine, sine], [-sine, cosine]]))


class _Search:
    """How well a recorded path fits a simulated one, for any time offset."""

    def __init__(self, recorded: Path, simulated: Path, *, fit_frame: bool) -> None:
        self.time, self.points = recorded
        self.first, self.last = float(simulated[0][0]), float(simulated[0][-1])
        # Recorded times may be those of a clock: without its own start, a spline of them would lose digits.
        self.spline = CubicSpline(simulated[0] - self.first, simulated[1])
        self.slack = 1e-9 * max(1.0, self.last - self.first, abs(float(self.time[0])))
        self.interval = min(float(np.median(np.diff(time))) for time in (recorded[0], simulated[0]))
        self.fit_frame = fit_frame

    def common(self, offset: float) -> np.ndarray:
        """Which recorded samples fall within the run."""
        time = self.time + offset
        return (time >= self.first - self.slack) & (time <= self.last + self.slack)

    def at(self, offset: float, chosen: np.ndarray) -> PathFit:
        """The best frame at this offset, for the chosen samples."""
        time = self.time[chosen] + offset
        simulated = self.spline(np.clip(time, self.first, self.last) - self.first)
        points, rotation, translation = self.points[chosen], 0.0, np.zeros(2)
        if self.fit_frame:
            rotation, translation = fit_frame_motion(points, simulated)
            points = turned_in_plane(points, rotation) + translation
        return PathFit(
            time_offset=offset,
            time_offset_range=(offset, offset),
            rotation=rotation,
            translation=(float(translation[0]), float(translation[1])),
            time=time,
            recorded=points,
            simulated=simulated,
        )

    def misfit(self, offset: float, chosen: np.ndarray | None = None) -> float:
        """Root of the mean squared distance at this offset [m]; infinite if too few samples are common."""
        if chosen is None:
            chosen = self.common(offset)
        if chosen.sum() < FEWEST_SAMPLES:
            return math.inf
        fit = self.at(offset, chosen)
        return float(np.sqrt(np.mean(np.sum((fit.recorded - fit.simulated) ** 2, axis=1))))

    def offsets(self) -> np.ndarray:
        """Offsets to try: all that leave enough of the shorter path in common, about a sample apart [s]."""
        start, end = float(self.time[0]), float(self.time[-1])
        least = LEAST_OVERLAP * min(end - start, self.last - self.first)
        low, high = self.first + least - end, self.last - least - start
        spacing = max(self.interval, (high - low) / MOST_OFFSETS)
        grid = np.linspace(low, high, 1 + max(2, math.ceil((high - low) / spacing)))
        # Zero is tried itself, so that a path that does not tell the offset is left where it is.
        return np.unique(np.append(grid, 0.0)) if low <= 0.0 <= high else grid


def align_paths(recorded: Path, simulated: Path, *, fit_time: bool, fit_frame: bool) -> PathFit | None:
    """Fits what is to be fitted; None if the paths have too few samples in common."""
    search = _Search(recorded, simulated, fit_frame=fit_frame)
    if not fit_time:
        chosen = search.common(0.0)
        return search.at(0.0, chosen) if chosen.sum() >= FEWEST_SAMPLES else None
    offsets = search.offsets()
    misfits = np.array([search.misfit(offset) for offset in offsets])
    if not np.isfinite(misfits).any():
        return None
    best, equal = _choose(search, offsets, misfits)
    fit = search.at(best, search.common(best))
    return replace(fit, time_offset_range=(float(equal.min()), float(equal.max())))


def _choose(search: _Search, offsets: np.ndarray, misfits: np.ndarray) -> tuple[float, np.ndarray]:
    """The offset to take, and all that fit as well.

    Offsets that fit as well as the best form basins. Of each basin the lowest point counts, or if it is wide the point
    nearest to zero; of several basins, as a steady gait has them one period apart, the one nearest to zero.
    """
    padded = np.concatenate(([math.inf], misfits, [math.inf]))
    valleys = np.flatnonzero((misfits <= padded[:-2]) & (misfits <= padded[2:]) & np.isfinite(misfits))
    valleys = valleys[np.argsort(misfits[valleys])][:MOST_VALLEYS]
    refined = {int(k): _refine(search, offsets, int(k)) for k in valleys}
    lowest, least = min(refined.values(), key=lambda each: each[1])
    common = search.common(lowest)
    extent = float(np.linalg.norm(np.ptp(search.points, axis=0)))
    # The rms of n scattered points is itself uncertain by 1 / (2 sqrt(n)); twice that is no difference.
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
    """The minimum beside a grid point, as offset and misfit."""
    low, middle, high = offsets[max(k - 1, 0)], float(offsets[k]), offsets[min(k + 1, len(offsets) - 1)]
    # The same samples all the way: one that leaves the run makes a step, and minima gather at steps.
    chosen = search.common(low) & search.common(high)
    if chosen.sum() < FEWEST_SAMPLES:
        return middle, search.misfit(middle)
    # Counted from the middle: the tolerance is relative, and offsets of clock times are huge.
    found = minimize_scalar(
        lambda shift: search.misfit(middle + shift, chosen),
        bounds=(low - middle, high - middle),
        method="bounded",
        options={"xatol": 1e-9 * max(1.0, high - low)},
    )
    candidates = [(middle + float(found.x), float(found.fun)), (middle, search.misfit(middle, chosen))]
    return min(candidates, key=lambda each: each[1])
