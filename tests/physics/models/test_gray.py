"""Gray's three links between three smooth pegs, at rest and at the instant of release: oracles.gray."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from oracles.controllers import Always
from oracles.gray import GrayScene
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

DT = 1e-3
PEG_RADIUS = 0.04
TOLERANCE = 1e-7  # relative: the solver stops at 1e-9 g dt
EVEN = PlanarRobot.uniform(3, PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03))
UNEVEN = PlanarRobot(
    links=(
        PlanarLink(length=0.25, mass=0.8, inertia=4e-3, radius=0.03, mass_offset=0.02),
        PlanarLink(length=0.20, mass=0.5, inertia=2e-3, radius=0.03, mass_offset=-0.01),
        PlanarLink(length=0.16, mass=0.3, inertia=1e-3, radius=0.03, mass_offset=0.01),
    )
)
SCENES = {
    "head bent more": GrayScene(robot=EVEN, alpha=0.9, beta=0.4, front_torque=0.5, rear_torque=0.5),
    "tail bent more": GrayScene(robot=EVEN, alpha=0.3, beta=0.8, front_torque=0.5, rear_torque=0.5),
    "equal bends": GrayScene(robot=EVEN, alpha=0.6, beta=0.6, front_torque=0.5, rear_torque=0.5),
    "uneven": GrayScene(robot=UNEVEN, alpha=0.7, beta=0.5, front_torque=0.3, rear_torque=0.6),
}


def place(scene: GrayScene, load: np.ndarray, steps: int, dt: float = DT) -> xr.Dataset:
    """The scene in the engine, from rest, with torques commanded and a load at the middle link's middle."""
    # Pulled back by a nanometre: within what counts as touching, and the start is not refused for round-off.
    centres = scene.peg_centres(PEG_RADIUS) - 1e-9 * scene.peg_normals()
    loads = np.zeros((1, 3, 3))
    loads[0, 1] = load
    loads[0, 1, 2] -= scene.robot.links[1].mass_offset * load[1]  # loads act at the centre of mass
    middle = scene.link_middles()[1] + scene.robot.links[1].mass_offset * np.array([1.0, 0.0])
    return simulate(
        scene.robot,
        Environment(obstacles=[Peg(x=x, y=y, radius=PEG_RADIUS) for x, y in centres]),
        Always(Command(joint_torque=np.array([[scene.rear_torque, scene.front_torque]]), link_load=loads)),
        start=Start(link_angles=scene.link_angle, link=1, position=middle),
        duration=steps * dt,
        settings=Settings(dt=dt, tolerance=1e-9),
        record=Record(rate=1 / dt),
    )


@pytest.mark.parametrize("name", SCENES)
def test_held_robot_rests(name: str) -> None:
    scene = SCENES[name]
    run = place(scene, scene.holding_load(), 5).isel(time=-1)  # few steps: this rest is like a ball's on a hill
    np.testing.assert_allclose(run.obstacle_load, scene.peg_load(), rtol=TOLERANCE)
    assert float(abs(run.link_velocity).max()) < 1e-9  # m/s: the load, cut to doubles, cannot start it in 5 steps
    force = run.obstacle_force.sum("link")
    np.testing.assert_allclose(force, [scene.propulsion(), 0.0], atol=TOLERANCE * scene.peg_load().max())


@pytest.mark.parametrize("name", SCENES)
def test_released_robot_starts_as_computed(name: str) -> None:
    scene = SCENES[name]
    load, acceleration, centre = scene.release()
    assert load.min() > 0.0  # the reference keeps all pegs in touch; it may
    dt = DT / 50  # by the end of the step arms have turned by dt^2/2 times their acceleration: some 1e-7 of this
    run, miss = place(scene, np.zeros(3), 1, dt).isel(time=1), TOLERANCE * (1.0 + abs(acceleration).max())
    np.testing.assert_allclose(run.obstacle_load, load, rtol=TOLERANCE)
    np.testing.assert_allclose(run.link_velocity / dt, acceleration[:, :2], atol=miss)
    np.testing.assert_allclose(run.link_angular_velocity / dt, acceleration[:, 2], atol=miss)
    moved = run.link_velocity.values.T @ scene.robot.column("mass") / scene.robot.mass / dt
    np.testing.assert_allclose(moved, centre, atol=miss)


@pytest.mark.parametrize(("name", "direction"), [("head bent more", 1), ("tail bent more", -1)])
def test_robot_glides_toward_the_deeper_bend(name: str, direction: int) -> None:
    run = place(SCENES[name], np.zeros(3), 100)  # Transeth2008a VII-B: forward if and only if alpha > beta
    moved = float(run.center_of_mass.isel(time=-1).sel(axis="x") - run.center_of_mass.isel(time=0).sel(axis="x"))
    assert moved * direction > 1e-3  # m
