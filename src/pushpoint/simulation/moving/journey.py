"""Worlds in motion: a stepper, what drives it, and the edits that change a single world on its way.

Rollouts and live simulations share this, so that the same edits give the same motion, to the last bit.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pushpoint.engine.changing import ChangingStepper
from pushpoint.engine.controller import Gait, checked_references
from pushpoint.engine.signals import Fade
from pushpoint.engine.tables.renumbering import GONE
from pushpoint.gaits.handover import MOST_STAGES, Takeover, ahead, gait_of, phase_going_on, still_felt
from pushpoint.simulation.driving import ClosedLoopDriving, Driving, References, Watch, drive
from pushpoint.simulation.moving.clearance import refuse_overlap
from pushpoint.worlds.edits import ChangeController, ChangeGround, ChangeMotors, ChangeObstacles, Edit, Push, after_edit
from pushpoint.worlds.goals import Until
from pushpoint.worlds.world import World


class Journey:
    """Worlds in motion. A batch moves to its end; a single world also takes edits."""

    def __init__(self, worlds: Sequence[World], stepper: ChangingStepper, until: Until | None = None) -> None:
        self.worlds = tuple(worlds)
        """The worlds as they are now."""
        self.step = 0
        """Time steps done [-]."""
        self.stepper = stepper
        self._watch = None if until is None else Watch(until, stepper)
        self._driving: Driving = drive(worlds, stepper, self._watch)
        self._controllers = [self.worlds[0].controller]  # before the first edit, and after each
        self._stages = [Takeover(0, 0.0, 0.0, 0.0, None)]  # of the gaits that are not over yet
        self._pushes: dict[int, tuple[np.ndarray, int | None]] = {}  # by link: the load, and the step of its end

    @property
    def least(self) -> int:
        """Steps that should remain each time, unless the run ends before [-]."""
        return self._driving.least

    @property
    def pushes(self) -> dict[int, np.ndarray]:
        """Loads on links besides those of controllers, by link: force [N], and torque [N m], which is zero."""
        return {link: load for link, (load, _) in self._pushes.items()}

    def references(self) -> References | None:
        """Angles [rad] and rates [rad/s] that the only world's joints are told now; None without."""
        return self._driving.references()

    def modes_at(self, steps: Sequence[int]) -> list[np.ndarray]:
        """The modes of the controllers that acted up to these steps, shape (n_worlds,) each; NaN without modes."""
        return self._driving.modes_at(steps)

    def advance(self, steps_left: int) -> int:
        """Runs at most so many steps, to the end of a push or of a portion of the driving; returns the steps done."""
        ends = [end for _, end in self._pushes.values() if end is not None]
        done = self._driving.advance(min([steps_left, *(end - self.step for end in ends)]))
        self.step += done
        if self.step in ends:
            self._pushes = {link: push for link, push in self._pushes.items() if push[1] != self.step}
            self._write_pushes()
        return done

    def apply(self, edit: Edit) -> None:
        """Changes the only world; raises InvalidModel or EditOverlap, and changes nothing, if the edit does not fit."""
        world = after_edit(self.worlds[0], edit)
        if isinstance(edit, ChangeController):
            self._hand_over(edit, world)
        elif isinstance(edit, ChangeObstacles | ChangeGround):
            self._replace_environment(edit, world)
        elif isinstance(edit, ChangeMotors):
            self._move_to(world, list(range(len(world.environment.obstacles))))
        elif isinstance(edit, Push):
            self._push(edit)
        self.worlds = (world,)
        self._controllers.append(world.controller)

    def refuse_overlap(self, world: World, edits: Sequence[Edit]) -> None:
        """Raises EditOverlap if these edits, which lead to a world, would put something where a link is."""
        before = self.worlds[0].environment
        if world.environment is not before:
            kept = list(range(len(before.obstacles)))
            for edit in edits:
                if isinstance(edit, ChangeObstacles):
                    kept = [GONE if old == GONE else kept[old] for old in edit.kept(len(kept))]
            refuse_overlap(world, before, kept, self.stepper.state())

    def _replace_environment(self, edit: ChangeObstacles | ChangeGround, world: World) -> None:
        before = self.worlds[0].environment
        count = len(before.obstacles)
        kept = edit.kept(count) if isinstance(edit, ChangeObstacles) else list(range(count))
        self.refuse_overlap(world, [edit])
        self._move_to(world, kept)

    def _move_to(self, world: World, kept: Sequence[int]) -> None:
        """Goes on in a world whose robot or environment has changed. A controller that refuses it does so first."""
        self._driving.moved_to(world)
        try:
            self.stepper.change(world.robot, world.environment, kept)
        except Exception:
            self._driving.moved_to(self.worlds[0])
            raise

    def _push(self, push: Push) -> None:
        dt, load = self.stepper.settings.dt, np.zeros(self.stepper.load_size)
        load[: len(push.force)] = push.force
        lasts = None if push.duration is None else max(1, round(push.duration / dt))
        self._pushes.pop(push.link, None)
        if load.any():
            self._pushes[push.link] = (load, None if lasts is None else self.step + lasts)
        self._write_pushes()

    def _write_pushes(self) -> None:
        load = np.zeros((1, self.stepper.n_links, self.stepper.load_size))
        for link, (force, _) in self._pushes.items():
            load[0, link] = force
        self.stepper.push(load)

    def _hand_over(self, edit: ChangeController, world: World) -> None:
        """Lets another controller take over, smoothly if the edit gives it time."""
        old, stages = self._driving, self._stages_with(edit.controller, edit.over)
        try:
            if isinstance(old, ClosedLoopDriving) and old.takes(world):
                old.moved_to(world)
                driving: Driving = old
            else:
                driving = self._driving_of(world, stages, [*self._controllers, world.controller])
            if isinstance(driving, ClosedLoopDriving) and edit.over:
                driving.hand_over(edit.over, old.references())
        except Exception:
            drive(self.worlds, self.stepper)  # what the motors are told is that of the driving before
            old.recall(old.memory())
            raise
        self._driving, self._stages = driving, stages

    def _stages_with(self, gait: Any, lasts: float) -> list[Takeover]:
        """The stages of the gaits when another controller takes over within some time [s]."""
        number, time = len(self._controllers), self.step * self.stepper.settings.dt
        if not isinstance(gait, Gait) or not lasts:
            return [Takeover(number, 0.0, time, 0.0, None)]
        kept = still_felt(self._stages, time)
        last = [*self._stages, *kept][-1]
        before = self._controllers[last.number]
        phase = last.phase + phase_going_on(before, gait, time) if type(before) is type(gait) else 0.0
        going_on = isinstance(before, Gait) and (before.prescribed or not gait.prescribed)
        if going_on and 0 < len(kept) < MOST_STAGES:
            return [*kept, Takeover(number, phase, time, lasts, None)]
        return [Takeover(number, phase, time, lasts, self._fade_to(ahead(gait, phase), lasts))]

    def _fade_to(self, gait: Gait, lasts: float) -> Fade:
        """The difference between the references before, or the joints as they are, and those of a gait."""
        time = self.step * self.stepper.settings.dt
        references = None if gait.prescribed else self._driving.references()
        angle, rate = self._joints() if references is None else references
        own_angle, own_rate = checked_references(gait, np.array([time]), self.worlds[0].robot)
        return Fade(begin=time, lasts=lasts, angle=angle - own_angle[0], rate=rate - own_rate[0])

    def _joints(self) -> References:
        """Angles [rad] and rates [rad/s] of the joints as they are."""
        state: Any = self.stepper.state()
        if self.worlds[0].spatial:
            return state.angle[0], state.rate[0]
        return np.diff(state.theta[0]), np.diff(state.omega[0])

    def _driving_of(self, world: World, stages: Sequence[Takeover], controllers: Sequence[Any]) -> Driving:
        """What drives a world now, after these stages of its controllers. What they commanded before has ended."""
        self.stepper.drop_commands()
        gait = gait_of(stages, controllers)
        told = world if gait is world.controller else replace(world, controller=gait)
        return drive([told], self.stepper, self._watch, self.step)

    def memory(self) -> dict[str, Any]:
        """What it needs besides its world to go on later, bit for bit."""
        own = {name: vars(self)[name] for name in ("step", "_stages", "_pushes")}
        return copy.deepcopy({"own": own, "driving": self._driving.memory(), "stepper": self.stepper.snapshot()})

    def recall(self, world: World, controllers: Sequence[Any], memory: Mapping[str, Any]) -> None:
        """Goes back to where it was, in the world of then; `controllers` are the first, and that after each edit."""
        kept = copy.deepcopy({name: memory[name] for name in ("own", "driving")})
        now, self._controllers = self.worlds[0], list(controllers)
        if world.environment is not now.environment or world.robot is not now.robot:
            self.stepper.change(world.robot, world.environment, [GONE] * len(world.environment.obstacles))
        self.worlds = (world,)
        vars(self).update(kept["own"])
        self.stepper.recall(memory["stepper"])
        self._driving = self._driving_of(world, self._stages, self._controllers)
        self._driving.recall(kept["driving"])
        self._write_pushes()
