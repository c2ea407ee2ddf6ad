"""How worlds end before their time: a status and the step, and the samples up to there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import numpy as np
import pytest

from oracles.controllers import Always
from oracles.course import course
from oracles.robots import uneven_robot
from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import SimulationFailed
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.stepping.simulator import Simulator
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

GROUND = Environment(ground=Ground(friction=Isotropic(0.2)))


@dataclass(frozen=True)
class WrongSign(Controller[None]):
    """A torque controller that pushes joints further the way they already go, without limit."""

    rate: float = 100.0

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        return Command(joint_torque=0.3 + 0.3 * measurement.joint_rate), memory


class TestDivergence:
    def test_raises_with_status_step_and_samples(self) -> None:
        with pytest.raises(SimulationFailed, match=r"world 0 diverged: .* at step \d+ \(t = ") as caught:
            simulate(uneven_robot(), GROUND, WrongSign(), duration=2.0)
        run = caught.value.run
        assert run.attrs["status_code"] == "diverged" and run.attrs["status"] == str(caught.value)
        step = int(re.search(r"at step (\d+)", str(caught.value))[1])
        assert 30 < step < 2000
        assert run.time.size == step // 10 + 1  # every sample up to the end is there, and no other
        good = run.isel(time=slice(0, -1))
        for name in set(good.data_vars) - {"joint_reference"}:  # torques are commanded: there is no reference
            assert np.isfinite(good[name].isel(time=slice(1, None))).all(), name

    def test_recorded_beside_worlds_that_go_on(self) -> None:
        gait = Always(Command(joint_torque=np.zeros((1, 3))), rate=100.0)
        worlds = [World(uneven_robot(), GROUND, gait), World(uneven_robot(), GROUND, WrongSign())]
        run = simulate(worlds, duration=1.0, settings=Settings(on_failure="record"))
        assert json.loads(run.attrs["world_status"]) == ["finished", "diverged"]
        assert run.attrs["status_code"] == "diverged" and "world 1" in run.attrs["status"]
        assert run.time.size == 101 and np.isfinite(run.link_position.isel(world=0)).all()
        ended = np.isnan(run.link_position.isel(world=1)).any(("link", "axis")).values
        assert ended[-1] and not ended[:5].any() and (np.diff(ended.astype(int)) >= 0).all()  # NaN from its end on

    def test_simulator_stops_that_world_until_it_is_reset(self) -> None:
        simulator = Simulator([World(uneven_robot(), GROUND)] * 2, settings=Settings())
        torque = np.array([[0.0, 0.0, 0.0], [1e7, -1e7, 1e7]])
        for _ in range(5):
            simulator.step(Command(joint_torque=torque))
        assert simulator.statuses == [Status.RUNNING, Status.DIVERGED]
        stopped = simulator.state.step[1]
        simulator.step(Command(joint_torque=torque))
        assert simulator.state.step[1] == stopped and simulator.state.step[0] == 60
        simulator.reset(np.array([False, True]))
        simulator.step(Command(joint_torque=0 * torque))
        assert simulator.statuses == [Status.RUNNING, Status.RUNNING] and simulator.state.step[1] == 10


class TestObstacles:
    def test_too_many_pegs_around_a_link(self) -> None:
        # A fine gravel, clear of the robot but within a quarter of a link's length.
        pegs = [Peg(x=-0.1 + 0.002 * k, y=-0.03, radius=5e-4) for k in range(60)]
        with pytest.raises(SimulationFailed, match="more obstacles around it than the engine holds at step 1 "):
            simulate(uneven_robot(), Environment(obstacles=pegs), Always(Command()), duration=0.1)

    def test_too_many_contacts_of_a_link(self) -> None:
        link = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)
        pegs = [Peg(x=0.03 + 0.01 * k, y=-0.04 - 1e-9, radius=0.01) for k in range(14)]
        with pytest.raises(SimulationFailed, match="links touch more at once than the engine holds at step 1 "):
            simulate(PlanarRobot.uniform(2, link), Environment(obstacles=pegs), Always(Command()), duration=0.1)

    def test_sinking_into_a_peg(self) -> None:
        # So fast that a midpoint lies deep in the peg: 100 m/s, midpoints at -0.05, -0.15, -0.25 m, radii of 20 mm.
        peg = Peg(x=0.0, y=-0.26, radius=0.02)
        start = Start(joint_angles=np.zeros(3), velocity=(0.0, -100.0))
        world = (uneven_robot(), Environment(obstacles=[peg]), Always(Command(prescribed=True)))
        with pytest.raises(SimulationFailed, match="sank into an obstacle deeper than its radius at step 3 "):
            simulate(*world, start=start, duration=0.1)


def test_steps_that_miss_the_tolerance_are_counted() -> None:
    world = course(obstacles=True)
    cut, whole = (
        simulate(
            world.robot, world.environment, world.controller, start=world.start, duration=0.5,
            settings=Settings(max_iterations=iterations), record=Record(rate=1000.0),
        )
        for iterations in (1, None)
    )  # fmt: skip
    assert float(cut.unconverged.sum()) > 100 and float(whole.unconverged.sum()) == 0
    assert float(cut.solver_iterations.max()) <= 2  # the one that is allowed, and the last, admissible answer
    # It stays a run: in those steps friction is admissible, only not yet what fits the velocities.
    missed = cut.ground_force.values[cut.unconverged.values == 1]
    limit = 0.2 * 9.81 * world.robot.column("mass")
    assert (np.linalg.norm(missed, axis=-1) <= limit * (1 + 1e-9)).all()
    assert float(np.abs(cut.link_position - whole.link_position).max()) < 0.01  # m, in 0.5 s


def test_a_status_that_failed_says_so() -> None:
    for status in Status:
        assert status.failed == status.value.startswith(("diverged: ", "stopped: "))
