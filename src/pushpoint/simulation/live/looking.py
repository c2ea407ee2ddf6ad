"""Makes looks: of a rollout as it is now, with means since the look before, and of samples that were taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pushpoint.engine.settings import Status
from pushpoint.simulation.live.look import Look, lying, poses_in_space
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.world import World

MEANS = {
    "ground_force": "ground",
    "obstacle_force": "obstacle",
    "contact_normal_force": "side",
    "joint_torque": "motor",
    "joint_power": "motor_work",
}
"""Means of a look, and the running totals that they are the changes of."""


class Looking:
    """Looks at a rollout of one world."""

    def __init__(self, rollout: Rollout) -> None:
        self._rollout, self._stepper = rollout, rollout.stepper
        self._since: dict[str, tuple[float, np.ndarray]] = {}
        self._means: dict[str, np.ndarray] = {}
        self.begin()

    def begin(self) -> None:
        """Begins the means anew: the next look has those since now."""
        self._since = {name: (self._step, total) for name, total in self._totals().items()}
        self._means = {name: np.zeros_like(total) for name, (_, total) in self._since.items()}

    def begin_loads(self) -> None:
        """Begins the means of the obstacles anew, which may have other numbers now."""
        total = self._totals()["obstacle_load"]
        self._since["obstacle_load"], self._means["obstacle_load"] = (self._step, total), np.zeros_like(total)

    @property
    def _step(self) -> float:
        return float(self._stepper.since_start("step")[0])

    def _totals(self) -> dict[str, np.ndarray]:
        found = {name: self._stepper.totals(total)[0] for name, total in MEANS.items()}
        return found | {"obstacle_load": self._stepper.loads()}

    def now(self) -> Look:
        """What it looks like now; the means are those since the last look, or again the same if there was no step."""
        step, dt = self._step, self._rollout.settings.dt
        for name, total in self._totals().items():
            begin, before = self._since[name]
            if step > begin:
                self._means[name] = (total - before) / ((step - begin) * dt)
                self._since[name] = (step, total)
        state: Any = self._stepper.state()
        world = self._rollout.worlds[0]
        spatial, mass = world.spatial, world.robot.column("mass")
        place, turn = poses_in_space(world.robot, state)
        moving = self._rollout.moving
        told = moving.references()
        return Look(
            step=int(step),
            time=step * dt,
            status=self._stepper.statuses()[0],
            mode=_mode(world, moving.modes_at([int(step)])[0][0]),
            link_position=place,
            link_orientation=turn,
            link_velocity=state.v[0],
            center_of_mass=state.center[0],
            velocity=mass @ state.v[0] / mass.sum(),
            joint_angle=state.angle[0] if spatial else np.diff(state.theta[0]),
            joint_rate=state.rate[0] if spatial else np.diff(state.omega[0]),
            joint_reference=np.full(world.robot.n_joints, np.nan) if told is None else told[0],
            pushes=_pushes(moving.pushes, world),
            solver_iterations=int(self._stepper.totals("iterations")[0]),
            solver_residual=float(self._stepper.totals("residual")[0]),
            penetration=float(self._stepper.totals("penetration")[0]),
            unconverged=int(self._stepper.totals("unconverged")[0]),
            **self._means,
        )


def look_at_sample(variables: Mapping[str, np.ndarray], world: World, step: int, dt: float) -> Look:
    """What it looked like at a sample, from its variables by name; what was not recorded is NaN."""
    robot, size = world.robot, 3 if world.spatial else 2
    links, joints = robot.n_links, robot.n_joints

    def of(name: str, *shape: int) -> np.ndarray:
        return variables.get(name, np.full(shape, np.nan))

    place, velocity = of("link_position", links, size), of("link_velocity", links, size)
    if world.spatial:
        turn = of("link_orientation", links, 4)
    else:
        place, turn = lying(robot, place, of("link_angle", links))
    mass, mode = robot.column("mass"), float(variables.get("controller_mode", np.nan))
    return Look(
        step=step,
        time=step * dt,
        status=Status.RUNNING,
        mode=_mode(world, mode),
        link_position=place,
        link_orientation=turn,
        link_velocity=velocity,
        center_of_mass=of("center_of_mass", size),
        velocity=mass @ velocity / mass.sum(),
        pushes=np.zeros((links, size)),
        ground_force=of("ground_force", links, size),
        obstacle_force=of("obstacle_force", links, size),
        contact_normal_force=of("contact_normal_force", links),
        obstacle_load=of("obstacle_load", len(world.environment.obstacles))[: len(world.environment.obstacles)],
        solver_iterations=int(np.nan_to_num(variables.get("solver_iterations", 0))),
        solver_residual=float(variables.get("solver_residual", np.nan)),
        penetration=float(variables.get("penetration", np.nan)),
        unconverged=int(np.nan_to_num(variables.get("unconverged", 0))),
        **{
            name: of(name, joints)
            for name in ("joint_angle", "joint_rate", "joint_reference", "joint_torque", "joint_power")
        },
    )


def _mode(world: World, number: float) -> str:
    """The name of a mode of the world's controller; empty if it has none."""
    names = () if world.controller is None else world.controller.modes
    return names[int(number)] if names and np.isfinite(number) else ""


def _pushes(loads: Mapping[int, np.ndarray], world: World) -> np.ndarray:
    size = 3 if world.spatial else 2
    found = np.zeros((world.robot.n_links, size))
    for link, load in loads.items():
        found[link] = load[:size]
    return found
