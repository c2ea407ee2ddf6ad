"""What passes between controllers and robots: controllers written for one world serve a batch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from pushpoint.engine.controller import Bindable, Controller, per_world
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

ROBOT = PlanarRobot.uniform(
    5, PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02), Motor(stiffness=5.0, damping=0.1)
)
FREE = Environment()
ROUGH = Environment(ground=Ground(friction=Isotropic(0.3)))


@dataclass
class Reflex(Bindable[np.ndarray]):
    """Bends against its contact forces, with a memory; written for a batch."""

    rate: float = 100.0
    needs: frozenset[str] = frozenset({"pose"})
    n_joints: int = 0

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> Reflex:
        return replace(self, n_joints=robot.n_joints)

    def memory(self) -> np.ndarray:
        return np.zeros(self.n_joints)

    def command(self, measurement: Measurement, memory: np.ndarray) -> tuple[Command, np.ndarray]:
        assert measurement.center_of_mass is not None and measurement.link_angle is not None
        memory = 0.9 * memory + 0.01 * measurement.contact_normal_force[..., :-1] + 0.05 * measurement.joint_rate
        angle = 0.3 * np.sin(5.0 * np.asarray(measurement.time))[..., None] + 0.1 * measurement.joint_angle - memory
        angle = angle + 0.1 * measurement.center_of_mass[..., :1] + 0.1 * measurement.link_angle[..., 1:]
        load = np.zeros((*measurement.link_angle.shape, 3))
        load[..., 0] = 0.2
        return Command(joint_angle=angle, joint_rate=0.1 * measurement.joint_torque, link_load=load), memory


def test_equals_the_vectorised_controller() -> None:
    pegs = Environment(ground=ROUGH.ground, obstacles=[Peg(x=0.05, y=y, radius=0.05) for y in (0.071, -0.071)])
    environments = [FREE, pegs, ROUGH]
    runs = [
        simulate([World(ROBOT, environment, driver) for environment in environments], duration=0.5)
        for driver in (Reflex(), per_world(Reflex()))
    ]
    assert float(np.abs(runs[0].contact_normal_force[1]).max()) > 0.1
    for name in runs[0].data_vars:
        np.testing.assert_array_equal(runs[0][name], runs[1][name], err_msg=str(name))


@pytest.mark.parametrize("order", [(0.0, 1.0), (1.0, 0.0)], ids=["pushed last", "pushed first"])
def test_worlds_may_leave_parts_of_the_command_out(order: tuple[float, float]) -> None:
    class PushAhead(Controller[None]):
        rate = 100.0
        needs = frozenset({"pose"})

        def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
            assert measurement.center_of_mass is not None
            ahead = measurement.center_of_mass[0] > 0.5
            load = np.tile([0.3, 0.0, 0.0], (5, 1)) if ahead else None
            return Command(joint_angle=np.zeros(4), link_load=load), memory

    driver = per_world(PushAhead())
    worlds = [World(ROBOT, FREE, driver, Start(position=(x, 0.0))) for x in order]
    end = simulate(worlds, duration=0.5).center_of_mass.sel(axis="x").isel(time=-1)
    expected = [x + (0.5 * 1.0 * 0.5**2 if x > 0.5 else 0.0) for x in order]  # 0.3 N on 0.3 kg
    np.testing.assert_allclose(end, expected, atol=1e-3)


@dataclass
class Undecided(Controller[None]):
    """Commands torques in one world and motion in the other."""

    rate: float = 100.0
    needs = frozenset({"pose"})

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        assert measurement.center_of_mass is not None
        ahead = measurement.center_of_mass[0] > 0.5
        return Command(joint_torque=np.zeros(4)) if ahead else Command(joint_angle=np.zeros(4)), memory


@pytest.mark.parametrize("order", [(0.0, 1.0), (1.0, 0.0)], ids=["torque last", "torque first"])
def test_torques_and_motion_cannot_be_mixed(order: tuple[float, float]) -> None:
    driver = per_world(Undecided())
    worlds = [World(ROBOT, FREE, driver, Start(position=(x, 0.0))) for x in order]
    with pytest.raises(InvalidModel, match="all servo references, all torques or all prescribed motion"):
        simulate(worlds, duration=0.1)


def test_rate_and_needs_are_those_of_the_wrapped() -> None:
    assert (per_world(Reflex(rate=40.0)).rate, per_world(Reflex()).needs) == (40.0, {"pose"})
    assert not per_world(Reflex(needs=frozenset())).needs
