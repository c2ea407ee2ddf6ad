"""Stepping: one command in, one measurement out; for controllers under development and for learning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.contact_problems import Problem
from pushpoint.contact_problems.export import problem_of_step
from pushpoint.engine.batching import merge, pick
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.simulation.driving import check_command, whole_steps
from pushpoint.simulation.sensing.senses import Senses
from pushpoint.worlds.world import World, checked


class Simulator:
    """A batch of worlds that waits for commands; measurements include the pose."""

    def __init__(self, worlds: Sequence[World], *, rate: float = 100.0, settings: Settings = Settings()) -> None:
        """Commands come `rate` times per simulated second [Hz]."""
        self.worlds = checked(worlds)
        self.settings = settings
        self._period = whole_steps("rate", rate, settings.dt)
        self._stepper = Stepper([w.robot for w in self.worlds], [w.environment for w in self.worlds], settings)
        self._initial = self._stepper.initial([world.pose(k) for k, world in enumerate(self.worlds)])
        self._stepper.load(self._initial)
        self._senses = Senses(self.worlds, self._stepper, period=self._period, with_pose=True)

    def reset(self, mask: np.ndarray | None = None) -> Measurement:
        """Puts the worlds where mask is true (default: all) back to their start; the others repeat their measurement.

        Sensors of a reset world sample anew and their delays begin with what is measured now; their noise goes on.
        """
        chosen = np.ones(len(self.worlds), dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
        if chosen.shape != (len(self.worlds),):
            raise InvalidModel("mask", chosen.shape, f"of shape ({len(self.worlds)},)")
        return self._jump(merge(self._stepper.state(), chosen, pick(self._initial, chosen)), chosen)

    def step(self, command: Command) -> Measurement:
        """Holds a command for one period and returns what is measured at its end."""
        check_command(command, len(self.worlds), self._stepper)
        self._stepper.use_command(command, self._period)
        if not self._senses.begun:  # delays and sampling count from the start, whether it was looked at or not
            self._senses.read()
        self._stepper.advance(self._period)
        return self._senses.read()

    @property
    def state(self) -> State | SpatialState:
        """A copy of the present state; restore continues from it bit for bit."""
        return self._stepper.state()

    def restore(self, state: State | SpatialState) -> Measurement:
        """Goes back to a state; forces in the measurement are zero until the next step.

        A state holds nothing of the sensors: they sample anew, their delays begin now, and their noise goes on.
        """
        return self._jump(state, np.ones(len(self.worlds), dtype=bool))

    def _jump(self, state: State | SpatialState, chosen: np.ndarray) -> Measurement:
        self._stepper.load(state)
        return self._senses.restart(chosen)

    @property
    def statuses(self) -> list[Status]:
        """How each world stands; a failed one no longer moves until it is reset."""
        return self._stepper.statuses()

    def contact_problem(self, world: int = 0) -> Problem:
        """The contacts of a world's last time step as a dense problem, with the impulses that the engine found."""
        return problem_of_step(self._stepper, world)
