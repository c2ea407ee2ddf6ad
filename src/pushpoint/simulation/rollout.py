"""A run in portions: simulate, the command line and anything with a progress bar drive this."""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import instance, positive
from pushpoint.simulation.driving import ClosedLoopDriving, drive
from pushpoint.simulation.results import build_dataset
from pushpoint.worlds.experiment import Experiment
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import checked


class Rollout:
    """Worlds on their way from start to duration; the Dataset is valid at any time in between."""

    def __init__(self, experiment: Experiment, *, batched: bool = True) -> None:
        """`batched`: whether the Dataset has a `world` dimension."""
        self.experiment = experiment._replace(worlds=checked(experiment.worlds))
        self.worlds, self.settings, self.record = self.experiment.worlds, experiment.settings, experiment.record
        instance("settings", self.settings, Settings, "Settings")
        instance("record", self.record, Record, "a Record")
        self.batched = batched
        settings, record, duration = self.settings, self.record, experiment.duration
        self.steps = round(positive("duration", duration, "s") / settings.dt)
        if self.steps < 1:
            raise InvalidModel("duration", duration, f"at least one time step of {settings.dt} s")
        self.stepper = Stepper([w.robot for w in self.worlds], [w.environment for w in self.worlds], settings)
        self._every = record.steps(settings.dt)
        most = max(len(world.environment.obstacles) for world in self.worlds)
        self.stepper.load(self.stepper.initial([world.pose(k) for k, world in enumerate(self.worlds)]))
        self.stepper.new_samples(
            self.steps // self._every + 1, self._every, with_obstacles=record.wants("obstacle_load", most)
        )
        self._driving = drive(self.worlds, self.stepper, experiment.until)
        self._done = 0

    def advance(self) -> None:
        """Runs one portion of simulated time."""
        self._done += self._driving.advance(self.steps - self._done)

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
        """How each world stands now."""
        done = Status.FINISHED if self._done >= self.steps else Status.RUNNING
        return [done if status is Status.RUNNING else status for status in self.stepper.statuses()]

    def failure(self) -> str | None:
        """One sentence about the first world that failed; None if all are well."""
        for w, status in enumerate(self.statuses()):
            if status.failed:
                step = int(self.stepper.state().step[w])
                return f"world {w} {status.value} at step {step} (t = {step * self.settings.dt:.6g} s)"
        return None

    def dataset(self, *, interrupted: bool = False) -> xr.Dataset:
        """Everything recorded so far."""
        statuses = self.statuses()
        if interrupted:
            statuses = [Status.INTERRUPTED if status is Status.RUNNING else status for status in statuses]
        counts = self.stepper.state().step // self._every + 1
        return build_dataset(self, self.stepper.samples(), counts, statuses)

    @property
    def modes(self) -> tuple[np.ndarray, int] | None:
        """Modes that controllers were in, shape (n_commands, n_worlds), and time steps per command; None without."""
        if not isinstance(self._driving, ClosedLoopDriving):
            return None
        if not self.mode_names:
            return None
        return np.array(self._driving.modes).reshape(-1, len(self.worlds)), self._driving.period

    @property
    def mode_names(self) -> set[tuple[str, ...]]:
        """Names of the modes of the controllers that have some."""
        return {world.controller.modes for world in self.worlds if world.controller and world.controller.modes}

    @property
    def every(self) -> int:
        """Time steps from sample to sample [-]."""
        return self._every
