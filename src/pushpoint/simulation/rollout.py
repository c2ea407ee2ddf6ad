"""Worlds on their way from start to end: steps and samples in portions."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.engine.changing import ChangingStepper
from pushpoint.engine.samples import PER_OBSTACLE
from pushpoint.engine.settings import Settings, Status
from pushpoint.errors import EditOverlap
from pushpoint.simulation.estimate import estimate_of, kept_variables, refuse_too_large
from pushpoint.simulation.health import Health, look_at
from pushpoint.simulation.keeping import InMemory, Keeper
from pushpoint.simulation.moving.journey import Journey
from pushpoint.simulation.results import assembled, variables_of
from pushpoint.simulation.sampled import wanted_samples
from pushpoint.simulation.streaming import InFile
from pushpoint.worlds.edits import Edit, stages
from pushpoint.worlds.stages import Stages
from pushpoint.worlds.world import Experiment, World, checked, stacked_poses

NEGLIGIBLE = 1e-6
"""Part of a time step that counts as round-off [-]."""
LARGEST = ("residual", "penetration")
"""Samples of which the largest value is kept."""
HELD = ("_kept", "_applied", "_modes", "_largest")
"""What it holds of its own while it goes on."""
UNNUMBERED = ("reference", *PER_OBSTACLE)
"""Samples that may be NaN: a torque has no reference, and loads on obstacles also appear as forces on links."""


def prepared(worlds: Sequence[World], settings: Settings) -> ChangingStepper:
    """Returns a stepper for worlds, at their start."""
    robots, environments = [world.robot for world in worlds], [world.environment for world in worlds]
    stepper = ChangingStepper(robots, environments, settings)
    stepper.start(stacked_poses(worlds))
    return stepper


def failure_sentence(world: int, status: Status, step: int, dt: float) -> str:
    """What became of a world that failed, and when."""
    return f"world {world} {status.value} at step {step} (t = {step * dt:.6g} s)"


class Rollout:
    """Worlds on their way from start to end. The Dataset is valid at any time in between.

    Samples are taken out of the kernels' arrays in portions and kept in memory or in a file.
    """

    def __init__(
        self,
        experiment: Experiment,
        *,
        batched: bool = True,
        file: str | Path | None = None,
        whole: bool = False,
        described: bool = True,
        keeper: Keeper | None = None,
    ) -> None:
        """Prepares everything that the run needs; raises TooLarge first if it does not fit.

        Args:
            experiment: What is run.
            batched: Whether the Dataset has a `world` dimension.
            file: Where results are written as they come; default: they are kept in memory.
            whole: Whether the kernels' arrays hold all samples to the end, for callers who read them.
            described: Whether the Dataset holds the description of the worlds as text; otherwise it holds the
                experiment itself, for callers who measure the run and drop it: writing and reading the text of
                thousands of worlds takes longer than simulating them.
            keeper: Keeps the samples of a run whose end and edits are not known yet.
        """
        self.experiment = experiment._replace(worlds=checked(experiment.worlds))
        self.settings, self.record = experiment.settings, experiment.record
        self._open = keeper is not None
        self._edits = list(experiment.edits)
        self._note_stages(stages(self.experiment.worlds, experiment.edits))
        found, self.batched, self.described = estimate_of(self.experiment), batched, described
        refuse_too_large(self.experiment, found, to_file=file is not None or self._open)
        self.steps, self.every = found.steps, found.every
        self.remarks = rounded(experiment.duration, self.record.rate, self.steps, self.every, self.settings.dt)
        """What was rounded to fit the time step: one sentence each."""
        self.stepper = prepared(self.experiment.worlds, self.settings)
        self.moving = Journey(self.experiment.worlds, self.stepper, experiment.until)
        """The worlds in motion."""
        self._portion = found.samples if whole else found.portion
        self._rows = min(found.samples, self._portion + 1 + self.moving.least // self.every)
        wanted = wanted_samples(kept_variables(self.experiment.worlds, self.record), spatial=self.worlds[0].spatial)
        self.stepper.new_samples(self._rows, self.every, wanted=wanted)
        usual = InMemory(1 if self._open else found.samples) if file is None else InFile(file, self._portion)
        self._keeper: Keeper = usual if keeper is None else keeper
        self._kept = self._applied = 0
        self._modes: list[np.ndarray] = []
        self._largest = {name: np.zeros((len(self.worlds), 1)) for name in LARGEST}

    def _note_stages(self, worlds: Sequence[World]) -> None:
        """Notes what the Dataset must have room for: the most obstacles of a world, and the modes of controllers."""
        every = [*self.experiment.worlds, *worlds]
        self.most_obstacles = max(len(world.environment.obstacles) for world in every)
        """The most obstacles that a world has at any time [-]."""
        self.mode_names = {world.controller.modes for world in every if world.controller and world.controller.modes}
        """Names of the modes of the controllers that have modes."""

    @property
    def worlds(self) -> tuple[World, ...]:
        """The worlds as they are now."""
        return self.moving.worlds

    @property
    def _done(self) -> int:
        return self.moving.step

    def advance(self, most: int | None = None) -> None:
        """Runs one portion of simulated time, of at most `most` steps; edits happen on the way."""
        left = self._until_edit()
        left = left if most is None else min(left, most)
        if self._room() < min(self.moving.least, left):
            self._take_away()
        self.moving.advance(min(left, self._room()))
        if self._open or self.mode_names:
            known = self._kept + len(self._modes)
            steps = range(known * self.every, self._done + 1, self.every)
            self._modes += self.moving.modes_at(steps)
        self._until_edit()

    def _until_edit(self) -> int:
        """Steps until the end or the next edit; those of now are applied first."""
        while self._applied < len(self._edits) and self._edits[self._applied].step <= self._done:
            self._apply(self._edits[self._applied], self._applied)
            self._applied += 1
        ahead = [edit.step for edit in self._edits[self._applied : self._applied + 1]]
        return min([self.steps, *ahead]) - self._done

    def edit(self, edit: Edit) -> None:
        """Changes the only world now; raises InvalidModel or EditOverlap, and changes nothing, if it does not fit."""
        self._apply(edit)
        self._edits.append(edit)
        self._applied += 1

    def plan(self, edits: Sequence[Edit]) -> None:
        """Makes these edits on the way."""
        self._edits = list(edits)

    def make_edits(self) -> None:
        """Makes the edits of now, which otherwise wait for the next step."""
        self._until_edit()

    def _apply(self, edit: Edit, number: int | None = None) -> None:
        """Applies an edit; samples before it belong to the world before it."""
        self._settle()
        try:
            self.moving.apply(edit)
        except EditOverlap as overlap:
            raise EditOverlap(overlap.link, overlap.obstacle, overlap.depth, number=number) from None
        if self._open:
            self._note_stages(self.worlds)

    def _settle(self) -> None:
        """Hands over all samples so far. The first waits for the second, with which it shares its means."""
        self._take_away()
        count, before = int(self._counts().max()) - self._kept, self._first
        if count and self._kept + count > 1:
            self._hand_over(count, self.statuses())
            self._kept += count
            del self._modes[:count]
            self.stepper.drop_samples(self._first - before)

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
        modes = None
        if self._open or self.mode_names:
            unknown = [np.full(len(self.worlds), np.nan)] * (count - len(self._modes))  # before the first step
            modes = np.array([*self._modes, *unknown][:count])
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
                return failure_sentence(w, status, int(self.stepper.since_start("step")[w]), self.settings.dt)
        return None

    def health(self) -> list[Health]:
        """The health of each world so far."""
        samples = self.stepper.samples(LARGEST)
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

    @property
    def applied(self) -> int:
        """Edits that were made [-]."""
        return self._applied

    @property
    def handed_over(self) -> int:
        """Samples that the keeper has for good [-]."""
        return self._kept

    def ended_now(self, past: Stages) -> xr.Dataset:
        """Everything recorded so far, as the run of an experiment that ends now with the edits so far."""
        self.most_obstacles, self.mode_names = past.most_obstacles, past.mode_names
        steps, experiment = self.steps, self.experiment
        self.steps = max(self._done, 1)
        lasts = self.steps * self.settings.dt
        self.experiment = experiment._replace(duration=lasts, edits=tuple(self._edits))
        self.remarks = rounded(lasts, self.record.rate, self.steps, self.every, self.settings.dt)
        try:
            return self.dataset(interrupted=self._done == 0)
        finally:
            self.steps, self.experiment = steps, experiment

    def flush(self) -> None:
        """Hands over all samples so far, for those who read them now."""
        self._take_away()
        count = int(self._counts().max()) - self._kept
        if count:
            self._hand_over(count, self.statuses())

    def memory(self) -> dict[str, Any]:
        """What it needs to go on later, bit for bit. Samples so far are handed over."""
        self._settle()
        held = {name: copy.deepcopy(vars(self)[name]) for name in HELD}
        return {"own": held, "moving": self.moving.memory()}

    def recall(self, memory: Mapping[str, Any], past: Stages) -> None:
        """Goes back to where it was; the edits since are made on the way."""
        vars(self).update(copy.deepcopy(memory["own"]))
        self._edits = list(past.edits)
        self.moving.recall(past.after(self._applied), past.controllers(self._applied), memory["moving"])
        self._note_stages(self.worlds)

    def close(self) -> None:
        """Closes the file, if there is one, with what was written so far."""
        self._keeper.close()


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
