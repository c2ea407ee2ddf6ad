"""Worlds on their way from start to end: steps and samples in portions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import xarray as xr

from pushpoint.engine.samples import PER_OBSTACLE
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.simulation.driving import ClosedLoopDriving, drive
from pushpoint.simulation.estimate import estimate_of, kept_variables, refuse_too_large
from pushpoint.simulation.health import Health, look_at
from pushpoint.simulation.keeping import InMemory, Keeper
from pushpoint.simulation.results import assembled, variables_of
from pushpoint.simulation.sampled import wanted_samples
from pushpoint.simulation.streaming import InFile
from pushpoint.worlds.world import Experiment, World, checked, poses_of

NEGLIGIBLE = 1e-6
"""Part of a time step that counts as round-off [-]."""
LARGEST = ("residual", "penetration")
"""Samples of which the largest value is kept."""
UNNUMBERED = ("reference", *PER_OBSTACLE)
"""Samples that may be NaN: a torque has no reference, and loads on obstacles also appear as forces on links."""


def prepared(worlds: Sequence[World], settings: Settings) -> tuple[Stepper, State | SpatialState]:
    """Returns a stepper for worlds, and their start state."""
    stepper = Stepper([world.robot for world in worlds], [world.environment for world in worlds], settings)
    return stepper, stepper.initial(poses_of(worlds))


def failure_sentence(world: int, status: Status, step: int, dt: float) -> str:
    """What became of a world that failed, and when."""
    return f"world {world} {status.value} at step {step} (t = {step * dt:.6g} s)"


class Rollout:
    """Worlds on their way from start to end. The Dataset is valid at any time in between.

    Samples are taken out of the kernels' arrays in portions and kept in memory or in a file.
    """

    def __init__(
        self, experiment: Experiment, *, batched: bool = True, file: str | Path | None = None, whole: bool = False
    ) -> None:
        """Prepares everything that the run needs; raises TooLarge first if it does not fit.

        Args:
            experiment: What is run.
            batched: Whether the Dataset has a `world` dimension.
            file: Where results are written as they come; default: they are kept in memory.
            whole: Whether the kernels' arrays hold all samples to the end, for callers who read them.
        """
        self.experiment = experiment._replace(worlds=checked(experiment.worlds))
        self.worlds, self.settings, self.record = self.experiment.worlds, experiment.settings, experiment.record
        found, self.batched = estimate_of(self.experiment), batched
        refuse_too_large(self.experiment, found, to_file=file is not None)
        self.steps, self.every = found.steps, found.every
        self.remarks = rounded(experiment.duration, self.record.rate, self.steps, self.every, self.settings.dt)
        """What was rounded to fit the time step: one sentence each."""
        self.stepper, initial = prepared(self.worlds, self.settings)
        self.stepper.load(initial)
        self._driving = drive(self.worlds, self.stepper, experiment.until)
        self._portion = found.samples if whole else found.portion
        self._rows = min(found.samples, self._portion + 1 + self._driving.least // self.every)
        wanted = wanted_samples(kept_variables(self.worlds, self.record), spatial=self.worlds[0].spatial)
        self.stepper.new_samples(self._rows, self.every, wanted=wanted)
        self._keeper: Keeper = InMemory(found.samples) if file is None else InFile(file, self._portion)
        self._done = self._kept = 0
        self._modes: list[np.ndarray] = []
        self._largest = {name: np.zeros((len(self.worlds), 1)) for name in LARGEST}

    def advance(self) -> None:
        """Runs one portion of simulated time."""
        left = self.steps - self._done
        if self._room() < min(self._driving.least, left):
            self._take_away()
        self._done += self._driving.advance(min(left, self._room()))
        if isinstance(self._driving, ClosedLoopDriving) and self.mode_names:
            known = self._kept + len(self._modes)
            steps = range(known * self.every, self._done + 1, self.every)
            self._modes += self._driving.modes_at(steps)

    def _room(self) -> int:
        """Steps until the kernels' samples are full."""
        return (self._first + self._rows) * self.every - 1 - self._done

    @property
    def _first(self) -> int:
        """Number of the first sample that the kernels hold: the last one already taken, for differences."""
        return max(self._kept - 1, 0)

    def _take_away(self) -> None:
        """Hands portions of samples to the keeper and makes room for new ones."""
        self._end_numberless()
        while int(self._counts().max()) - self._kept >= self._portion:
            first, before = self._kept, self._first
            self._hand_over(self._portion, self.statuses())
            self._kept = first + self._portion
            del self._modes[: self._portion]
            self.stepper.drop_samples(self._first - before)

    def _hand_over(self, count: int, statuses: Sequence[Status]) -> None:
        """Hands `count` samples to the keeper. The kernels still hold them."""
        first, lead = self._kept, self._kept - self._first
        samples = self._samples(lead + count)
        for name in LARGEST:
            self._largest[name] = np.maximum(self._largest[name], samples[name].max(axis=1, keepdims=True))
        modes = np.array(self._modes[:count]) if self._modes else None
        variables = variables_of(self, samples, first, self._counts(), modes)
        self._keeper.put(first, variables, partial(assembled, self, statuses))

    def _samples(self, count: int) -> dict[str, np.ndarray]:
        """The first samples that the kernels hold."""
        found = self.stepper.samples()
        return {name: each[:count] if name in PER_OBSTACLE else each[:, :count] for name, each in found.items()}

    def _end_numberless(self) -> None:
        """Ends worlds whose motion or samples contain NaN as diverged, where the kernels did not notice."""
        samples = self._samples(int(self._counts().max()) - self._first)
        numbers = [values for name, values in samples.items() if name not in UNNUMBERED]
        sound = [np.isfinite(values).all(axis=tuple(range(1, values.ndim))) for values in numbers]
        self.stepper.end(~np.all([*sound, self.stepper.moves_by_numbers()], axis=0), Status.DIVERGED)

    def _counts(self) -> np.ndarray:
        """Samples of each world so far, shape (n_worlds,)."""
        return self.stepper.since_start("step") // self.every + 1

    @property
    def finished(self) -> bool:
        """Whether the duration is reached or no world is running any more."""
        return self._done >= self.steps or not self.stepper.running().any()

    @property
    def time(self) -> float:
        """Simulated time so far [s]."""
        return self._done * self.settings.dt

    @property
    def duration(self) -> float:
        """Simulated time at the end [s]."""
        return self.steps * self.settings.dt

    def statuses(self) -> list[Status]:
        """The current status of each world."""
        done = Status.FINISHED if self._done >= self.steps else Status.RUNNING
        return [done if status is Status.RUNNING else status for status in self.stepper.statuses()]

    def failure(self) -> str | None:
        """One sentence about the first world that failed; None if none did."""
        for w, status in enumerate(self.statuses()):
            if status.failed:
                return failure_sentence(w, status, int(self.stepper.state().step[w]), self.settings.dt)
        return None

    def health(self) -> list[Health]:
        """The health of each world so far."""
        samples = self.stepper.samples()
        return look_at(self.stepper, {name: np.hstack((self._largest[name], samples[name])) for name in LARGEST})

    def dataset(self, *, interrupted: bool = False) -> xr.Dataset:
        """Everything recorded so far. If it goes to a file, the file is completed and the run cannot continue."""
        self._take_away()
        statuses = self.statuses()
        if interrupted:
            statuses = [Status.INTERRUPTED if status is Status.RUNNING else status for status in statuses]
        length = int(self._counts().max())
        if length > self._kept:
            self._hand_over(length - self._kept, statuses)
        return self._keeper.dataset(length, partial(assembled, self, statuses))

    def close(self) -> None:
        """Closes the file, if there is one, with what was written so far."""
        self._keeper.close()

    @property
    def mode_names(self) -> set[tuple[str, ...]]:
        """Names of the modes of the controllers that have modes."""
        return {world.controller.modes for world in self.worlds if world.controller and world.controller.modes}


def rounded(duration: float, rate: float, steps: int, every: int, dt: float) -> tuple[str, ...]:
    """Says how a duration [s] and a recording rate [Hz] were rounded to whole numbers of time steps."""
    sentences = []
    if abs(steps * dt - duration) > NEGLIGIBLE * dt:
        sentences.append(
            f"duration = {duration:.6g} s is not a whole number of time steps of {dt:.6g} s: "
            f"rounded to {steps * dt:.6g} s"
        )
    if abs(every * dt - 1.0 / rate) > NEGLIGIBLE * dt:
        taken = f"{1.0 / (every * dt):.6g} Hz, a sample every {every} time steps of {dt:.6g} s"
        sentences.append(f"record.rate = {rate:.6g} Hz does not fit the time step: rounded to {taken}")
    if steps % every:
        last = f"{steps // every * every * dt:.6g} s"
        sentences.append(f"the last sample is at {last}, before the end of the run at {steps * dt:.6g} s")
    return tuple(sentences)
