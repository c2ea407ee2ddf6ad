"""Energies, powers and angular momentum against closed forms, and the balance that they must close.

motors + loads = change of kinetic and potential energy + friction + impacts + end stops, in every run.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from oracles.controllers import Always, straight
from pushpoint.simulation.simulate import simulate

LOSSES = (
    "ground_friction_power",
    "obstacle_friction_power",
    "self_friction_power",
    "normal_power",
    "stop_power",
)
STATES = ("kinetic_energy", "potential_energy", "angular_momentum")
ALL = pp.Record(rate=100.0, also=(*LOSSES, *STATES, "load_power"))
G = 9.81


def total(run: xr.Dataset, name: str) -> np.ndarray:
    """Energy that a power came to [J], per world of a batch."""
    if name not in run:
        return np.zeros(run.sizes.get("world", ()))
    power, step = run[name].isel(time=slice(1, None)), float(run.time[1] - run.time[0])
    return np.asarray(power.sum([dim for dim in power.dims if dim != "world"])) * step


def lacking(run: xr.Dataset) -> np.ndarray:
    """What the balance lacks [J], per world of a batch."""
    stored = sum(run[name] for name in STATES[:2] if name in run)
    change = np.asarray(stored.isel(time=-1) - stored.isel(time=0))
    return total(run, "joint_power") + total(run, "load_power") - change - sum(total(run, name) for name in LOSSES)


LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
ROBOT = pp.PlanarRobot.uniform(5, LINK, pp.Motor(stiffness=100.0, damping=1.0, torque_limit=4.0))
PEGS = [pp.Peg(x=-0.15, y=0.12, radius=0.05, friction=0.3), pp.Peg(x=0.0, y=-0.12, radius=0.05, friction=0.2)]
GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=5.0, phase_shift=-0.8)
GROUNDS = [
    pp.Ground(friction=pp.Isotropic(0.3), spin=0.01),
    pp.Ground(friction=pp.Elliptic(along=0.1, across=0.7)),
    pp.Ground(friction=pp.Viscous(along=1.0, across=5.0)),
]


class TestBalance:
    def test_each_world_closes_its_own(self) -> None:
        """Pegs with friction, and ground of three kinds, in one batch."""
        worlds = [pp.World(ROBOT, pp.Environment(ground=ground, obstacles=PEGS), GAIT) for ground in GROUNDS]
        run = simulate(worlds, 1.0, settings=pp.Settings(tolerance=1e-8), record=ALL)
        assert (total(run, "ground_friction_power") > 0.01).all() and (
            total(run, "obstacle_friction_power") > 1e-4
        ).all()
        assert (np.abs(lacking(run)) < 1e-5 * total(run, "joint_power")).all()  # second order in dt; 5e-6 seen

    @pytest.mark.parametrize("spatial", [False, True], ids=["plane", "space"])
    def test_with_links_that_touch_each_other(self, spatial: bool) -> None:
        """A body that curls up until its ends meet and rub; without friction of the ground."""
        servo = pp.Motor(stiffness=5.0, damping=0.1)
        if spatial:
            link = pp.SpatialLink(length=0.1, mass=0.3, inertia=(2e-4, 3e-4, 3e-4), radius=0.03)
            made = pp.SpatialRobot.uniform(8, link, pp.Yaw(motor=servo))
        else:
            made = pp.PlanarRobot.uniform(8, LINK, servo)
        robot = replace(made, self_contact=True, self_friction=0.3)
        curl = pp.gaits.FunctionOfTime(function=lambda t: np.linspace(0.7, 1.5, 7) * np.sin(3.0 * t))
        place = pp.Environment(ground=pp.Ground(friction=pp.Frictionless()))
        record = replace(ALL, also=(*ALL.also, "contact_count"))
        run = simulate(robot, place, curl, duration=1.0, settings=pp.Settings(dt=5e-4), record=record)
        rubbed, pushed = total(run, "self_friction_power"), float(np.abs(run.self_force).max())
        assert pushed > 0.1 and rubbed > 1e-4
        assert abs(lacking(run)) < 1e-3 * total(run, "joint_power")
        counted = run.contact_count - (2.0 if spatial else 0.0)  # in space, two spheres on the ground
        touching = np.abs(run.self_force).max("axis") > 1e-9
        assert (counted.where(touching, 1.0) > 0.0).mean() > 0.99

    @pytest.mark.parametrize("spatial", [False, True], ids=["plane", "space"])
    def test_with_wheels(self, spatial: bool) -> None:
        """Rolling resistance and side slip are friction of the ground; a wheel that holds takes nothing."""
        axles, servo = (pp.Wheels(rolling_resistance=0.02, side_limit=0.6),), pp.Motor(stiffness=50.0, damping=1.0)
        if spatial:
            link = pp.SpatialLink(length=0.1, mass=0.3, inertia=(2e-4, 3e-4, 3e-4), radius=0.03, wheels=axles)
            robot = pp.SpatialRobot.uniform(5, link, pp.Yaw(motor=servo))
        else:
            robot = pp.PlanarRobot.uniform(5, replace(LINK, wheels=axles), servo)
        record = replace(ALL, also=(*ALL.also, "sphere_force"))
        soft = replace(GAIT, soft_start=0.3)
        run = simulate(robot, pp.Environment(ground=GROUNDS[0]), soft, duration=1.0, record=record)
        assert total(run, "ground_friction_power") > 0.01
        assert abs(lacking(run)) < 1e-3 * total(run, "joint_power")
        if spatial:
            normal = run.sphere_force[-1].sum("sphere", skipna=True)
            np.testing.assert_allclose(normal, run.ground_force[-1, :, 2], rtol=0, atol=1e-8)

    def test_what_it_lacks_is_of_second_order_in_the_time_step(self) -> None:
        """Without impacts: a sixteenth of it is left with a quarter of the time step."""
        fast = replace(GAIT, angular_frequency=15.0, soft_start=0.2)
        found = []
        for dt in (1e-3, 2.5e-4):
            place = pp.Environment(ground=GROUNDS[2])
            run = simulate(ROBOT, place, fast, duration=1.0, settings=pp.Settings(dt=dt, tolerance=1e-10), record=ALL)
            found.append(abs(lacking(run)))
        assert found[0] > 1e-7 and found[1] == pytest.approx(found[0] / 16, rel=0.2)

    def test_in_space_it_closes(self) -> None:
        """A gait that lifts links: weight, impacts of the ground, friction and rolling."""
        sidewinding = pp.scenario("transeth2008b/sidewinding").world
        rolling = replace(sidewinding.environment, ground=replace(sidewinding.environment.ground, rolling=0.05))
        worlds = [sidewinding, replace(sidewinding, environment=rolling)]
        found = []
        for dt in (1e-3, 2.5e-4):
            run = simulate(worlds, 0.5, settings=pp.Settings(dt=dt, tolerance=1e-6), record=ALL)
            found.append(np.abs(lacking(run) / total(run, "joint_power")))
        assert (found[0] < 2e-3).all() and (found[1] < found[0] / 8).all()

    def test_an_impact_takes_what_restitution_says(self) -> None:
        """A stiff robot meets a peg with its middle at 0.5 m/s: the normal force takes (1 - e^2) m v^2 / 2."""
        robot = pp.PlanarRobot.uniform(3, LINK, pp.Motor())
        for e in (0.0, 0.4, 1.0):
            place = pp.Environment(
                ground=pp.Ground(friction=pp.Frictionless()),
                obstacles=[pp.Peg(x=0.0, y=0.2, radius=0.05, restitution=e)],
            )
            start = pp.Start(velocity=(0.0, 0.5))
            run = simulate(robot, place, straight(), start=start, duration=0.5, record=ALL)
            expected = (1.0 - e**2) * robot.mass * 0.5**2 / 2
            lost = float(run.kinetic_energy[0] - run.kinetic_energy[-1])
            assert total(run, "normal_power") == pytest.approx(lost, abs=1e-9)
            assert lost == pytest.approx(
                expected, abs=2e-5
            )  # J: afterwards it is led out of its penetration, at 5 mm/s
            assert float(run.kinetic_energy[0]) == pytest.approx(robot.mass * 0.5**2 / 2, rel=1e-12)

    def test_end_stops_and_loads(self) -> None:
        """Loads bend joints against their stops: what the loads give, links and stops have."""
        motor = pp.Motor(stiffness=0.0, damping=0.0, lower=-0.3, upper=0.3)
        robot = pp.PlanarRobot.uniform(3, LINK, motor)
        load = np.zeros((3, 3))
        load[0, 1], load[2, 1], load[1, 2] = 0.2, 0.2, 0.01
        run = simulate(
            robot,
            pp.Environment(ground=pp.Ground(friction=pp.Frictionless())),
            Always(pp.Command(joint_torque=np.zeros((1, 2)), link_load=load[None])),
            duration=1.0,
            settings=pp.Settings(dt=2.5e-4),
            record=ALL,
        )
        assert total(run, "load_power") > 0.05 and total(run, "stop_power") > 1e-3
        assert abs(lacking(run)) < 1e-4 * total(run, "load_power")
        np.testing.assert_allclose(
            run.load_power.isel(time=slice(1, None)).sum(),
            100.0 * (load[:, 1] * (run.link_position[-1, :, 1] - run.link_position[0, :, 1])).sum()
            + 100.0 * 0.01 * (run.link_angle[-1, 1] - run.link_angle[0, 1]),
            rtol=1e-6,
        )


class TestFrictionPower:
    @pytest.mark.parametrize("spatial", [False, True], ids=["plane", "space"])
    def test_sliding_takes_mu_m_g_v(self, spatial: bool) -> None:
        """A straight robot slides to a stop: the friction power is mu m g times the mean speed of each interval."""
        mu, speed = 0.2, 0.6
        ground = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(mu)))
        if spatial:
            link = pp.SpatialLink(length=0.1, mass=0.3, inertia=(2e-4, 3e-4, 3e-4), radius=0.03)
            robot, start = pp.SpatialRobot.uniform(2, link, pp.Yaw()), pp.SpatialStart(velocity=(speed, 0.0, 0.0))
        else:
            robot, start = pp.PlanarRobot.uniform(2, LINK, pp.Motor()), pp.Start(velocity=(speed, 0.0))
        record = replace(ALL, also=("ground_friction_power", "kinetic_energy"))
        run = simulate(robot, ground, straight(), start=start, duration=0.4, record=record)
        v = np.maximum(speed - mu * G * run.time.values, 0.0)
        expected = mu * 0.6 * G * (v[1:] + v[:-1]) / 2
        sliding = v[1:] > 0.0
        np.testing.assert_allclose(run.ground_friction_power[1:].sum("link")[sliding], expected[sliding], rtol=1e-4)
        np.testing.assert_allclose(total(run, "ground_friction_power"), 0.6 * speed**2 / 2, rtol=1e-6)
        assert float(np.abs(run.ground_friction_power[-3:]).max()) < 1e-9  # W, at rest

    def test_it_is_never_a_gain_over_a_period(self) -> None:
        run = simulate(ROBOT, pp.Environment(ground=GROUNDS[0]), GAIT, duration=1.0, record=ALL)
        assert (run.ground_friction_power.values >= -1e-9).all()  # W; every interval of 10 steps


class TestStates:
    def test_a_free_chain_keeps_its_angular_momentum(self) -> None:
        """Motors turn the links, but nothing from outside does."""
        link = pp.SpatialLink(length=0.1, mass=0.3, inertia=(2e-4, 3e-4, 3e-4), radius=0.03)
        motor = pp.Motor(stiffness=5.0, damping=0.05)
        robot = pp.SpatialRobot.uniform(4, link, pp.Cardan(yaw=motor, pitch=motor))
        start = pp.SpatialStart(position=(0.0, 0.0, 3.0), angular_velocity=(0.3, 1.0, -0.5))
        run = simulate(
            robot, pp.Environment(ground=pp.Ground(gravity=0.0)), GAIT, start=start, duration=0.5, record=ALL
        )
        L = run.angular_momentum.values
        assert np.linalg.norm(L[0]) > 1e-3
        assert np.abs(L - L[0]).max() < 1e-4 * np.linalg.norm(L[0])  # second order in dt
        assert abs(lacking(run)) < 1e-4 * np.ptp(run.kinetic_energy.values)

    def test_a_thrown_rigid_robot(self) -> None:
        """Energies and angular momentum of a straight robot that turns about its centre while it falls."""
        link = pp.SpatialLink(length=0.1, mass=0.3, inertia=(2e-4, 3e-4, 3e-4), radius=0.03)
        robot = pp.SpatialRobot.uniform(3, link, pp.Yaw(motor=pp.Motor(stiffness=50.0)))
        start = pp.SpatialStart(position=(0.0, 0.0, 2.0), velocity=(0.2, 0.0, 1.0), angular_velocity=(0.0, 0.0, 2.0))
        run = simulate(robot, pp.Environment(), straight(), start=start, duration=0.2, record=ALL)
        about_z = 3 * 3e-4 + 2 * 0.3 * 0.1**2
        t = run.time.values
        np.testing.assert_allclose(
            run.angular_momentum, np.outer(np.ones(t.size), [0.0, 0.0, 2.0 * about_z]), atol=1e-9
        )
        z, vz = 2.0 + t - G * t**2 / 2, 1.0 - G * t
        kinetic = 0.45 * (0.2**2 + vz**2) + about_z * 2.0**2 / 2
        np.testing.assert_allclose(run.kinetic_energy, kinetic, rtol=1e-6)
        np.testing.assert_allclose(run.potential_energy, 0.9 * G * z, rtol=1e-6)

    def test_in_the_plane(self) -> None:
        run = simulate(
            ROBOT, pp.Environment(ground=pp.Ground(friction=pp.Frictionless())), GAIT, duration=0.5, record=ALL
        )
        assert "potential_energy" not in run
        assert np.abs(run.angular_momentum).max() < 1e-5 * float(np.sqrt(run.kinetic_energy.max()))
        assert abs(lacking(run)) < 1e-4 * float(run.kinetic_energy.max())
