"""A simulation without an end that is changed on its way."""

from __future__ import annotations

import math
import pickle
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import xarray as xr

from pushpoint.brief import brief
from pushpoint.engine.controller import Controller
from pushpoint.engine.settings import Settings, Status
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import What, Whole, check_fields, instance, whole
from pushpoint.model.environment import Environment
from pushpoint.model.quantities import Count, Duration, Line, Natural
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.simulation.health import Health, warnings_about
from pushpoint.simulation.live.changes import edits_between
from pushpoint.simulation.live.look import Look
from pushpoint.simulation.live.looking import Looking, look_at_sample
from pushpoint.simulation.live.track import Log, SampleTrack
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.edits import OVER, ChangeController, ChangeMotors, ChangeObstacles, Edit, Push, after_edit
from pushpoint.worlds.record import Record
from pushpoint.worlds.stages import Stages
from pushpoint.worlds.world import Experiment, World

BETWEEN_FRAMES = 1.0
"""Simulated time between states to which it can go back at once [s]."""
MOST_STEPS = 2**31 - 2
"""Time steps that the kernels can count [-]."""
FILE_LIMIT = 2_000_000_000
"""Largest temporary file unless told otherwise [bytes]."""
UNCHANGED: Any = object()
"""Stands for what is not given, where None means something."""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A state of a live simulation: `Live.restore` goes back there, bit for bit. It is the edits that lead to it."""

    __repr__ = brief

    step: Natural
    """Time steps done [-]."""
    edits: Annotated[Sequence[Edit], What("an Edit")] = ()
    """All edits up to then."""

    def __post_init__(self) -> None:
        check_fields(self, "moment")


class Live:
    """A simulation of one world that goes on as long as you like, and is changed while it runs.

        live = pp.Live(world)
        live.advance(500)
        live.change(controller=pp.gaits.Hold(), over=0.5)
        live.push(3, (0.0, 2.0), duration=0.2)
        live.advance(500)
        print(live.look().speed, live.status)
        run = live.dataset()

    Without edits it is what `simulate` does, bit for bit, in portions of any size. What is changed is kept as `edits`,
    and a scenario with these edits repeats the run bit for bit. All samples go to a temporary file, so that it can go
    back to any time; `close` deletes the file, and so does the end of Python. A context manager closes it.

    Args:
        world: The world as it begins.
        settings: Numerical settings. A failure is always recorded: it shows in `status`.
        record: How often and which variables are recorded.
        memory: How much simulated time of samples stays in memory [s].
        file_limit: Largest size of the temporary file [bytes]. `advance` raises TooLarge before it is passed.
        name: A short name, which recordings have.
    """

    @checked_arguments
    def __init__(
        self,
        world: World,
        *,
        settings: Settings = Settings(),
        record: Record = Record(),
        memory: Duration = 60.0,
        file_limit: Count = FILE_LIMIT,
        name: Line = "live",
    ) -> None:
        """Prepares the world; raises TooLarge if it does not fit into memory."""
        self.settings = replace(settings, on_failure="record")
        self.record = record
        self._memory, self._track, self._frames = memory, SampleTrack(0, file_limit), Log()
        self._experiment = Experiment((world,), MOST_STEPS * settings.dt, self.settings, record, name=name)
        self._frame_steps = max(1, round(BETWEEN_FRAMES / settings.dt))
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        """Puts the world at its start."""
        limit = self._track.limit
        for old in (self._track, self._frames):
            old.close()
        self._track = SampleTrack(math.ceil(self._memory * self.record.rate), limit)
        self._frames = Log()
        self._rollout = Rollout(self._experiment, batched=False, keeper=self._track)
        self._past = Stages(self._experiment.worlds[0])
        self._looking = Looking(self._rollout)

    def __repr__(self) -> str:
        links = self.world.robot.n_links
        return f"<Live, {links} links at {self.time:.6g} s, {len(self._past.edits)} edits, {self.status.value}>"

    def __enter__(self) -> Live:
        """Itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Closes it."""
        self.close()

    @property
    def world(self) -> World:
        """The world as it is now, with the controller, robot and environment of the last edits."""
        return self._past.now

    @property
    def step(self) -> int:
        """Time steps done [-]."""
        return int(self._rollout.stepper.since_start("step")[0])

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.step * self.settings.dt

    @property
    def status(self) -> Status:
        """How the world is doing. One that has failed stands still until it goes back."""
        return self._rollout.stepper.statuses()[0]

    @property
    def health(self) -> Health:
        """What its time steps came to so far."""
        return self._rollout.health()[0]

    @property
    def warnings(self) -> list[str]:
        """One sentence for every limit that the steps so far have exceeded."""
        return warnings_about([self.health], [self.world], self.settings)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What was changed so far, each with its time step. The same edits of the same world repeat the run."""
        return tuple(self._past.edits)

    @property
    def file_size(self) -> int:
        """Size of the temporary files [bytes]."""
        return self._track.size + self._frames.size

    @property
    def file_limit(self) -> int:
        """Largest size of the temporary file of samples [bytes]; it can be set."""
        return self._track.limit

    @file_limit.setter
    def file_limit(self, limit: int) -> None:
        self._track.limit = whole("live.file_limit", limit, Whole(1, None, "a whole number of bytes >= 1"))

    @checked_arguments
    def advance(self, steps: Natural = 1) -> int:
        """Runs so many time steps; returns how many were done, which are fewer if the world fails on the way."""
        self._refuse_closed()
        begin = self.step
        self._run_to(begin + steps)
        return self.step - begin

    def _run_to(self, end: int) -> None:
        """Runs to a step and keeps a state in every second; edits that are waiting are made on the way."""
        while self.step < end and self.status is Status.RUNNING:
            step = self.step
            self._rollout.advance(min(end, step + self._frame_steps - step % self._frame_steps) - step)
            if self.step % self._frame_steps == 0 and self.step not in self._frames.keys[-1:]:
                self._keep_frame()

    def _keep_frame(self) -> None:
        """Keeps the state of now, if Python can: a controller's memory may be anything."""
        try:
            self._frames.append(self.step, self._rollout.memory())
        except (pickle.PicklingError, TypeError, AttributeError):
            return

    @checked_arguments
    def change(
        self,
        *,
        environment: Environment | None = None,
        controller: Controller[Any] | None = UNCHANGED,
        robot: AnyRobot | None = None,
        over: Duration = OVER,
    ) -> None:
        """Changes the world from the next time step on.

            live.change(environment=replace(live.world.environment, obstacles=moved))
            live.change(controller=replace(gait, angular_frequency=2.0), over=1.0)

        Args:
            environment: Other ground or obstacles, at once. Impulses of contacts with obstacles that stay are kept.
            controller: Another gait or controller; None switches the motors off. A gait of the same kind goes on in
                phase, also with another frequency, and controllers adopt the memory of others that they understand.
            robot: The same robot with other motors, at once.
            over: Time in which the controller's references depart from those before [s]: angles and rates begin with
                them. With 0 they apply as they are.

        Raises:
            EditOverlap: Something that is new or has moved would overlap a link. Nothing is changed.
            InvalidModel: Something does not fit the world. Nothing is changed.
        """
        step, made, now = self._step_of_edit(), list[Edit](), self.world
        if controller is not UNCHANGED:
            made.append(ChangeController(step=step, controller=controller, over=over))
        if environment is not None:
            made += edits_between(now.environment, environment, step)
        if robot is not None:
            made.append(ChangeMotors(step=step, robot=robot))
        self._edit_all(made)

    @checked_arguments
    def push(self, link: Natural, force: Sequence[float], *, duration: Duration | None = None) -> None:
        """Pushes a link at its centre of mass, from the next time step on, beside what its controller commands.

            live.push(0, (0.0, 3.0))  # until it is told otherwise
            live.push(0, (0.0, 0.0))  # no more

        Args:
            link: Number of the link, from 0 at the tail.
            force: Force along the axes of the world [N], two numbers in the plane, three in space. It replaces the one
                on this link before, and zero ends it.
            duration: How long it lasts [s], to whole time steps; default: until the next push of this link.
        """
        self._edit_all([Push(step=self._step_of_edit(), link=link, force=force, duration=duration)])

    def _step_of_edit(self) -> int:
        """The step before which an edit is made; raises InvalidModel if it does not run."""
        self._refuse_closed()
        if self.status is not Status.RUNNING:
            raise InvalidModel("live: status", self.status.value, "running: go back to an earlier time, or reset")
        return self.step

    def _edit_all(self, edits: Sequence[Edit]) -> None:
        """Makes edits, all or none."""
        world = self.world
        for edit in edits:
            world = after_edit(world, edit)
        self._rollout.moving.refuse_overlap(world, edits)
        for edit in edits:
            self._rollout.edit(edit)
            self._past.append(edit, self._rollout.worlds[0])
            if isinstance(edit, ChangeObstacles):
                self._looking.begin_loads()

    def look(self) -> Look:
        """What it looks like now. Forces, torques and powers are means since the look before."""
        self._refuse_closed()
        return self._looking.now()

    @checked_arguments
    def look_back(self, time: Duration) -> Look:
        """What it looked like at a time that is over [s]: at the last sample up to then, with the means recorded there.

        Nothing is simulated or changed, so this is for moving through the past; `go_to` goes on from there.
        """
        self._refuse_closed()
        self._check_over(time)
        with self._track.with_room():
            self._rollout.flush()
        number = min(int(time / self.settings.dt + 1e-6) // self._rollout.every, self._track.count - 1)
        step = number * self._rollout.every
        found = {name: values[0] for name, values in self._track.samples(number, number + 1).items()}
        return look_at_sample(found, self.world_at(step), step, self.settings.dt)

    def world_at(self, step: int) -> World:
        """The world as it was when a time step had been done, before the edits that were made then."""
        return self._past.before_step(step)

    @checked_arguments
    def history(self, seconds: Duration = 60.0) -> dict[str, np.ndarray]:
        """The recorded variables of the last seconds, by name with `time` [s], samples first: for plots.

        Those of the last `memory` seconds are in memory; earlier ones are read from the file.
        """
        self._refuse_closed()
        with self._track.with_room():
            self._rollout.flush()
        every, dt = self._rollout.every, self.settings.dt
        last = self._track.count
        first = max(0, last - 1 - int(seconds / (every * dt)))
        return {"time": np.arange(first, last) * (every * dt), **self._track.samples(first, last)}

    def dataset(self) -> xr.Dataset:
        """The run so far as a Dataset of the usual schema, as if it had been simulated with these edits."""
        self._refuse_closed()
        self._track.most_obstacles = self._past.most_obstacles
        with self._track.with_room():
            return self._rollout.ended_now(self._past)

    @property
    def state(self) -> Moment:
        """The state of now, to which `restore` goes back."""
        return Moment(step=self.step, edits=self.edits)

    def restore(self, state: Moment) -> None:
        """Goes to a state, bit for bit: from the nearest one that is kept, or from where its edits begin to differ.

        What came after it is dropped, edits and samples.
        """
        self._refuse_closed()
        instance("state", state, Moment, "a state of this simulation, as its `state` gave it")
        self._go(state.step, state.edits)

    @checked_arguments
    def go_to(self, time: Duration) -> None:
        """Goes back to a time [s], to the nearest step. What came after it is dropped: edits and samples."""
        self._refuse_closed()
        self._check_over(time)
        step = round(time / self.settings.dt)
        if step < self.step:
            self._go(step, tuple(edit for edit in self._past.edits if edit.step < step))

    def reset(self) -> None:
        """Goes back to the start, and drops all edits."""
        self._refuse_closed()
        self._begin()

    def _check_over(self, time: float) -> None:
        if time > self.time + self.settings.dt / 2:
            raise InvalidModel("time", time, f"at most {self.time:.6g}, the time that is simulated [s]")

    def _go(self, step: int, edits: Sequence[Edit]) -> None:
        """Goes to a step with these edits on the way."""
        past, alike = self._past.with_edits(edits), self._past.alike(edits)
        apart = [each[alike].step for each in (edits, self._past.edits) if alike < len(each)]
        last = min([step, self.step, *apart])
        number = bisect_right(self._frames.keys, last) - 1
        if number < 0:
            self._begin()
            self._rollout.plan(edits)
        else:
            memory = self._frames.read(number)
            self._frames.drop_from(self._frames.keys[number] + 1)
            self._rollout.recall(memory, past)
            self._track.drop_from(self._rollout.handed_over)
        self._past = past
        try:
            self._run_to(max(step - self._rollout.every, self.step))
            self._looking.begin()
            begun = self.step
            self._run_to(step)
            self._rollout.make_edits()
        finally:  # what was refused on the way, or not reached, has not happened
            self._past = past.with_edits(past.edits[: self._rollout.applied])
            self._rollout.plan(self._past.edits)
        if any(isinstance(edit, ChangeObstacles) and edit.step >= begun for edit in edits):
            self._looking.begin_loads()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise InvalidModel("live", "closed", "open: its file is deleted")

    def close(self) -> None:
        """Deletes the temporary files. It cannot be used any more."""
        self._closed = True
        self._track.close()
        self._frames.close()
