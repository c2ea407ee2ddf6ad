"""Worlds that are stepped from outside, one command at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.contact_problems import Problem
from pushpoint.contact_problems.export import problem_of_step
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.state import SpatialState, State
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import truths
from pushpoint.model.checks import members
from pushpoint.model.quantities import Frequency, Natural
from pushpoint.simulation.driving import check_command, whole_steps
from pushpoint.simulation.estimate import batch_of, refuse_too_many
from pushpoint.simulation.health import Health, look_at, warnings_about
from pushpoint.simulation.rollout import prepared
from pushpoint.simulation.sensing.senses import Senses
from pushpoint.worlds.world import World, checked, poses_of


class Simulator:
    """A batch of worlds that is stepped from outside, one command at a time.

    Measurements include the pose.

        world = pp.World(pp.catalogue.aiko_planar(), pp.Environment())
        simulator = pp.Simulator([world], rate=50.0)
        measurement = simulator.reset()
        for _ in range(10):
            measurement = simulator.step(pp.Command(joint_angle=np.full((1, world.robot.n_joints), 0.1)))

    Args:
        worlds: The worlds of the batch. Their controllers are not used.
        rate: Commands per simulated second [Hz]. The period must be a whole number of time steps.
        settings: Numerical settings.
        most_obstacles: The most obstacles of a world that `reset` may put in later; default: as many as one of `worlds`
            has.
    """

    @checked_arguments
    def __init__(
        self,
        worlds: Sequence[World],
        *,
        rate: Frequency = 100.0,
        settings: Settings = Settings(),
        most_obstacles: Natural | None = None,
    ) -> None:
        """Prepares the worlds."""
        self.worlds = checked(worlds)
        """The worlds that are there now."""
        self.settings = settings
        most = max(len(world.environment.obstacles) for world in self.worlds)
        if most_obstacles is not None and most_obstacles < most:
            raise InvalidModel("most_obstacles", most_obstacles, f"at least {most}, as many as one of the worlds has")
        self.most_obstacles = most if most_obstacles is None else most_obstacles
        """The most obstacles of a world [-]."""
        needed = batch_of(self.worlds, settings).kernels
        refuse_too_many(len(self.worlds), self.worlds[0].robot.n_links, settings, needed)
        self._period = whole_steps("rate", rate, settings.dt)
        self._stepper = prepared(self.worlds, settings)
        self._initial = self._stepper.state()
        self._first_step = self._initial.step.copy()
        self._all = np.ones(len(self.worlds), dtype=bool)
        self._senses = Senses(self.worlds, self._stepper, period=self._period, with_pose=True)
        self._rate = rate

    def __repr__(self) -> str:
        count = len(self.worlds)
        return f"<Simulator of {count} world{'s'[: count != 1]}, {self._stepper.n_links} links, {self._rate:g} Hz>"

    def reset(self, mask: np.ndarray | None = None, worlds: Sequence[World] | None = None) -> Measurement:
        """Puts worlds back to their start, or other worlds in their place, and returns a measurement of all worlds.

        The sensors of a reset world start again, and their delays begin with what is measured now. Their noise
        continues.

        New worlds may have other courses, starts, grounds, masses, motors and sensors. Their robots must have as many
        links and the same kinds of joints. They act as in a new Simulator, to the last bit, so their noise begins as
        their sensors' seed says: give every episode its own. Nothing is compiled or built again.

        Args:
            mask: Which worlds to reset, shape (n_worlds,); default: all. The other worlds repeat their last
                measurement.
            worlds: The worlds to put in, one for each True of the mask, in order; default: those that are there.
        """
        chosen = self._all if mask is None else truths("mask", mask, len(self.worlds))
        rows = np.flatnonzero(chosen)
        if worlds is not None:
            self._put(rows, worlds)
        self._stepper.put(rows, self._initial)
        self._stepper.forget(chosen)
        self._first_step[rows] = self._initial.step[rows]
        return self._senses.restart(chosen)

    def _put(self, rows: np.ndarray, worlds: Sequence[World]) -> None:
        """Replaces the worlds of `rows`; nothing is changed if one of the others does not fit."""
        new = members("worlds", worlds, World, "a World")
        if len(new) != len(rows):
            raise InvalidModel("worlds", len(new), f"{len(rows)}, one for each world that is reset")
        if not new:
            return
        for k, world in enumerate(new):
            if len(world.environment.obstacles) > self.most_obstacles:
                most = f"at most {self.most_obstacles}, the most_obstacles of this Simulator"
                raise InvalidModel(f"worlds[{k}]: obstacles", len(world.environment.obstacles), most)
        self._stepper.refuse([world.robot for world in new])
        self._senses.refuse(new)
        poses = poses_of(new, rows.tolist())
        self._stepper.replace(rows, [world.robot for world in new], [world.environment for world in new])
        start, every = self._stepper.initial(poses), list(self.worlds)
        for name in type(start).names():
            getattr(self._initial, name)[rows] = getattr(start, name)
        for row, world in zip(rows.tolist(), new, strict=True):
            every[row] = world
        self.worlds = tuple(every)
        self._senses.replace(rows, self.worlds)

    def step(self, command: Command, active: np.ndarray | None = None) -> Measurement:
        """Applies a command for one period and returns what is measured at its end.

        Args:
            command: The command for all worlds.
            active: Which worlds move, shape (n_worlds,); default: all. The others stand still, cost nothing and repeat
                their last measurement, as if this step had not been for them.
        """
        check_command(command, len(self.worlds), self._stepper)
        if active is not None:
            active = truths("active", active, len(self.worlds))
        if not self._senses.begun:  # delays and sampling count from the start, even if nobody called reset
            self._senses.read()
        self._stepper.use_command(command, self._period)
        self._stepper.advance(self._period, active)
        return self._senses.read(active)

    @property
    def state(self) -> State | SpatialState:
        """A copy of the current state. After `restore`, the simulation continues bit for bit the same."""
        return self._stepper.state()

    def restore(self, state: State | SpatialState) -> Measurement:
        """Goes back to a state and returns a measurement. Its forces are zero until the next step.

        A state belongs to the worlds that were there when it was taken. It holds nothing about the sensors: they start
        again, their delays begin now, and their noise continues.
        """
        self._stepper.load(state)
        self._stepper.forget(self._all)
        self._first_step = self._stepper.read("step").step
        return self._senses.restart(self._all)

    @property
    def statuses(self) -> list[Status]:
        """The status of each world. A failed world stands still until it is reset."""
        return self._stepper.statuses()

    @property
    def health(self) -> list[Health]:
        """The health of each world since its start, its last reset or the last restore."""
        return look_at(self._stepper, {}, self._first_step)

    @property
    def warnings(self) -> list[str]:
        """One sentence for every limit that the steps so far have exceeded."""
        return warnings_about(self.health, self.worlds, self.settings)

    @checked_arguments
    def contact_problem(self, world: Natural = 0) -> Problem:
        """The contacts of a world's last time step as a dense problem, with the engine's impulses."""
        return problem_of_step(self._stepper, world)
