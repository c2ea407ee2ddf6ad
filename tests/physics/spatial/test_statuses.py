"""How spatial worlds end before their time, and that a step which misses the tolerance does no harm."""

from __future__ import annotations

import json

import numpy as np
import pytest

from oracles.controllers import Always
from oracles.spatial.states import mixed_robot, single_link
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel, SimulationFailed
from pushpoint.gaits import Sidewinding
from pushpoint.model.catalogue import aiko, yaw_pitch_16
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import Box
from pushpoint.papers.registry import scenario
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.stepping.simulator import Simulator
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

GROUND = Environment(ground=Ground(friction=Isotropic(0.2)))
LINK = single_link()


def load(value: float) -> Always:
    """A load on the tail of the mixed robot."""
    loads = np.zeros((1, 5, 6))
    loads[0, 0, 2] = value
    return Always(Command(link_load=loads))


class TestDivergence:
    def test_load_that_is_no_number(self) -> None:
        sentence = r"^command\.link_load of Always at t = 0 s, link \d, world 0 = nan, must be finite$"
        with pytest.raises(InvalidModel, match=sentence):
            simulate(mixed_robot(), GROUND, load(np.nan), duration=0.1)
        kept = simulate(mixed_robot(), GROUND, load(np.nan), duration=0.1, settings=Settings(on_failure="record"))
        assert kept.attrs["status_code"] == "diverged"
        assert "velocities became too large for the time step at step 1 (t = 0.001 s)" in kept.attrs["status"]

    def test_turns_by_more_than_a_radian_per_step(self) -> None:
        start = SpatialStart(position=(0.0, 0.0, 3.0), angular_velocity=(1100.0, 0.0, 0.0))
        with pytest.raises(SimulationFailed, match=r"diverged: .* at step 1 "):
            simulate(LINK, GROUND, Always(Command()), start=start, duration=0.1)
        slower = SpatialStart(position=(0.0, 0.0, 3.0), angular_velocity=(900.0, 0.0, 0.0))
        assert simulate(LINK, GROUND, Always(Command()), start=slower, duration=0.1).attrs["status"] == "finished"

    def test_recorded_beside_worlds_that_go_on(self) -> None:
        loads = np.zeros((1, 5, 6))
        worlds = [
            World(mixed_robot(), GROUND, Always(Command(link_load=loads))),
            World(mixed_robot(), GROUND, load(1e9)),
        ]
        run = simulate(worlds, duration=0.2, settings=Settings(on_failure="record"))
        assert json.loads(run.attrs["world_status"]) == ["finished", "diverged"]
        assert np.isfinite(run.link_position.isel(world=0)).all()
        assert np.isnan(run.link_orientation.isel(world=1, time=-1)).all()

    def test_simulator_stops_that_world_until_it_is_reset(self) -> None:
        simulator = Simulator([World(mixed_robot(), GROUND)] * 2)
        torque = np.zeros((2, 6))
        torque[1] = 1e7
        for _ in range(3):
            simulator.step(Command(joint_torque=torque))
        assert simulator.statuses == [Status.RUNNING, Status.DIVERGED]
        stopped = simulator.state.step[1]
        simulator.step(Command(joint_torque=torque))
        assert simulator.state.step[1] == stopped and simulator.state.step[0] == 40
        simulator.reset(np.array([False, True]))
        simulator.step(Command(joint_torque=0 * torque))
        assert simulator.statuses == [Status.RUNNING, Status.RUNNING]


class TestObstacles:
    def test_too_many_obstacles_around_a_link(self) -> None:
        pegs = [Peg(x=-0.05 + 0.003 * k, y=-0.06, radius=5e-4) for k in range(40)]
        with pytest.raises(SimulationFailed, match="more obstacles around it than the engine holds at step 1 "):
            simulate(LINK, Environment(obstacles=pegs), Always(Command()), duration=0.1)

    def test_too_many_contacts_of_a_link(self) -> None:
        # Nineteen pegs along the side of a long link, within the 24 obstacles that it may have around it.
        long = SpatialLink(length=0.4, mass=0.5, inertia=(2e-4, 7e-3, 7e-3), radius=0.03, side_length=0.38)
        pegs = [Peg(x=-0.18 + 0.02 * k, y=-0.04 - 1e-9, radius=0.01) for k in range(19)]
        robot = SpatialRobot(links=(long,), joints=())
        with pytest.raises(SimulationFailed, match="links touch more at once than the engine holds at step 1 "):
            simulate(robot, Environment(obstacles=pegs), Always(Command()), duration=0.1)

    def test_sinking_into_a_box(self) -> None:
        # 100 m/s, midpoints at -0.05, -0.15, -0.25, -0.35 m: there it is a radius deep, more than half of the box.
        box = Box(center=(0.0, -0.4, 0.2), size=(1.0, 0.1, 0.4))
        start = SpatialStart(position=(0.0, 0.0, 0.1), velocity=(0.0, -100.0, 0.0))
        with pytest.raises(SimulationFailed, match=r"stopped: a link sank into an obstacle .* at step 4 "):
            simulate(LINK, Environment(obstacles=[box]), Always(Command()), start=start, duration=0.1)


class TestUnconverged:
    """A step that misses the tolerance is counted, and what it gives is admissible."""

    def test_cut_iterations_are_counted_and_do_no_harm(self) -> None:
        scene = scenario("transeth2008b/sidewinding")
        cut, whole = (
            simulate(
                scene.world, 1.0,
                settings=Settings(max_iterations=iterations, tolerance=tolerance), record=Record(rate=1000.0),
            )
            for iterations, tolerance in ((2, 1e-9), (None, 1e-3))  # 200 iterations of the splitting do not get there
        )  # fmt: skip
        assert float(cut.unconverged.sum()) > 50 and float(whole.unconverged.sum()) == 0
        fastest = float(np.abs(whole.link_velocity).max())
        assert float(np.abs(cut.link_velocity).max()) < 2 * fastest
        assert np.abs(cut.center_of_mass.values - whole.center_of_mass.values).max() < 0.02  # m, in 1 s

    @pytest.mark.parametrize("friction", [0.4, 0.5, 0.7, 0.8])
    @pytest.mark.parametrize("name", ["aiko", "yaw-pitch-16"])
    def test_no_step_throws_the_robot(self, name: str, friction: float) -> None:
        # Sidewinding from rest, joints turning at up to w A = 0.7 rad/s. Some steps of this kind miss the tolerance.
        robot = {"aiko": aiko, "yaw-pitch-16": yaw_pitch_16}[name]()
        gait = Sidewinding(
            yaw_amplitude=0.5, pitch_amplitude=0.17, angular_frequency=1.4, phase_shift=-0.9, release=0.05
        )
        place = Environment(ground=Ground(friction=Isotropic(friction), rolling=0.02))
        start = SpatialStart(joint_angles=(0.0,) * robot.n_joints, position=(0.0, 0.0, robot.links[0].radius))
        for dt in (1e-3, 2.5e-4):
            run = simulate(
                robot, place, gait, start=start, duration=1.0, settings=Settings(dt=dt), record=Record(rate=1 / dt)
            )
            # Released axes step by 0.05 rad at once; servos of 800 N m/rad answer with some 1 m/s, not more.
            assert float(np.abs(run.link_velocity).max()) < 2.0  # m/s
            assert float(run.unconverged.sum()) <= 0.002 / dt  # required: below 0.2 % of the steps
