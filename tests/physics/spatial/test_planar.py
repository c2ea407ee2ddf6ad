"""In the plane the spatial engine is the planar one: free and frictionless motion, friction at slim links, pegs.

Friction acts under a link, one radius below its axis, and so presses one end of the link down harder than the other.
The planar model knows nothing of that. With friction the two therefore agree in the limit of slim links, in first order
in the radius; Aiko's own 52.5 mm shift its gaits by 1.5 % (orthotropic) and 9 % (isotropic, ten times slower).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, radians

import numpy as np
import pytest
import xarray as xr

from oracles.engine import stepper_in_poses
from oracles.spatial.engine import TIGHT, stepper_in
from pushpoint.engine.planar.kinematics import link_positions, rigid_velocities
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import LateralUndulation
from pushpoint.model.catalogue import aiko, aiko_2008b
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic
from pushpoint.model.joints import Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

MOTOR = Motor(stiffness=20.0, damping=0.2)
EVERY_STEP = Record(rate=1e4)


def uneven(motor: Motor = MOTOR) -> tuple[PlanarRobot, SpatialRobot]:
    """Four links that differ in everything, in the plane and in space."""
    figures = ((0.10, 0.4, 5e-4, 0.010), (0.15, 0.9, 2e-3, -0.020), (0.08, 0.3, 3e-4, 0.0), (0.12, 0.7, 1e-3, 0.015))
    planar, spatial = [], []
    for length, mass, inertia, offset in figures:
        shared = {"length": length, "mass": mass, "radius": 0.02, "side_length": 0.9 * length, "mass_offset": offset}
        planar.append(PlanarLink(inertia=inertia, **shared))
        spatial.append(SpatialLink(inertia=(2e-4, inertia, inertia), **shared))
    return PlanarRobot(links=tuple(planar), motors=motor), SpatialRobot(links=tuple(spatial), joints=Yaw(motor))


def both(
    planar: PlanarRobot,
    spatial: SpatialRobot,
    environment: Environment,
    gait: LateralUndulation,
    *,
    duration: float,
    settings: Settings,
    motion: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> tuple[xr.Dataset, xr.Dataset]:
    """The same run in the plane and in space; motion is the velocity of the centre of mass [m/s] and the spin [rad/s].

    The tail begins in the direction of the x axis.
    """
    first = gait.references(np.zeros(1), planar)[0][0]
    theta = np.concatenate([[0.0], np.cumsum(first)])
    angles = np.zeros(spatial.n_joints)
    angles[[axis.name == "yaw" for axis in spatial.axes]] = first
    u, v, spin = motion
    lying = SpatialStart(
        joint_angles=angles, heading=float(theta.mean()), velocity=(u, v, 0.0), angular_velocity=(0.0, 0.0, spin)
    )
    run = {"duration": duration, "settings": settings, "record": EVERY_STEP}
    return (
        simulate(planar, environment, gait, start=Start(link_angles=theta, velocity=(u, v), spin=spin), **run),
        simulate(spatial, environment, gait, start=lying, **run),
    )


def heading(run: xr.Dataset) -> np.ndarray:
    """Yaw of the links [rad], modulo a turn, as a complex number."""
    w, x, y, z = np.moveaxis(run.link_orientation.values, -1, 0)
    return np.asarray((1 - 2 * (y * y + z * z)) + 1j * 2 * (x * y + w * z))


def check_same_motion(flat: xr.Dataset, space: xr.Dataset, tolerance: float) -> None:
    """Places [m], headings [rad] and velocities [m/s] agree (the latter two to ten times that); the robot lies flat."""
    assert np.abs(space.link_position.values[..., :2] - flat.link_position.values).max() < tolerance
    assert np.abs(heading(space) - np.exp(1j * flat.link_angle.values)).max() < 10 * tolerance
    assert np.abs(space.link_velocity.values[..., :2] - flat.link_velocity.values).max() < 10 * tolerance
    assert np.ptp(space.link_position.values[..., 2]) < 1e-6  # m: the gap at which contacts close


class TestFrictionless:
    gait = LateralUndulation(amplitude=0.6, angular_frequency=6.0, phase_shift=-1.1, offset=0.2)

    def test_gait(self) -> None:
        flat, space = both(*uneven(), Environment(), self.gait, duration=1.0, settings=TIGHT, motion=(0.4, -0.3, 1.5))
        assert np.ptp(flat.link_angle.values) > 2.0  # rad
        # Required is 1e-6. Contacts may creep by 1e-8 g dt = 1e-10 m/s and turn slim links by 60 /m of that: over
        # 1 s, a turn of 6e-9 rad.
        check_same_motion(flat, space, 1e-9)
        np.testing.assert_allclose(space.joint_torque[1:], flat.joint_torque[1:], atol=2e-7)  # 20 N m/rad times that
        weight = uneven()[1].mass * 9.81
        carried = space.ground_force.sum("link").values[1:, 2].mean()
        assert carried == pytest.approx(weight, rel=1e-8)  # the mean over 1 s: m v_z of 1e-7 m/s at most is left
        np.testing.assert_array_equal(space.ground_force.values[1:, :, :2], 0.0)

    def test_coarse_tolerance_does_not_leave_the_plane(self) -> None:
        flat, space = both(
            *uneven(), Environment(), self.gait, duration=1.0, settings=Settings(), motion=(0.4, -0.3, 1.5)
        )
        check_same_motion(flat, space, 1e-6)  # required


class TestFriction:
    """Aiko's gaits of Transeth2008b with links of another radius, over two periods."""

    def miss(self, law: FrictionLaw, amplitude_deg: float, radius: float) -> float:
        """How far the centre of mass ends from that of the planar run, over the way of the latter [-]."""
        gait = LateralUndulation(
            amplitude=radians(amplitude_deg), angular_frequency=radians(80), phase_shift=radians(-50), phase=pi
        )
        whole = aiko()
        slim = replace(whole, links=tuple(replace(link, radius=radius) for link in whole.links))
        flat, space = (
            run.center_of_mass.isel(time=-1).values - run.center_of_mass.isel(time=0).values
            for run in both(
                aiko_2008b(), slim, Environment(ground=Ground(friction=law)), gait,
                duration=2 * 4.5, settings=Settings(),
            )
        )  # fmt: skip
        assert abs(space[2]) < 1e-6
        return float(np.linalg.norm(space[:2] - flat) / np.linalg.norm(flat))

    @pytest.mark.parametrize(("law", "amplitude"), [(Elliptic(along=0.1, across=0.5), 30.0), (Isotropic(0.2), 40.0)])
    def test_slim_links_move_as_in_the_plane(self, law: FrictionLaw, amplitude: float) -> None:
        misses = [self.miss(law, amplitude, radius) for radius in (8e-3, 4e-3, 2e-3)]
        assert misses[1] < 0.01  # required: 1 % over two periods
        np.testing.assert_allclose(np.array(misses[:-1]) / misses[1:], 2.0, atol=0.1)  # nothing but the radius is left


@dataclass(frozen=True)
class Collision:
    """A random planar state of four links with pegs pressed against some of them."""

    pegs: list[Peg]
    theta: np.ndarray
    omega: np.ndarray
    v: np.ndarray

    @staticmethod
    def random(seed: int, friction: float, restitution: float) -> Collision:
        """Pressed in by up to 40 um: beyond that the engines differ in how fast they lead a link out."""
        random = np.random.default_rng(seed)
        while True:
            found = Collision.draw(random, friction, restitution)
            if link_obstacle_distance(uneven()[0], found.pegs, np.zeros(2), found.theta).min() > -4e-5:
                return found

    @staticmethod
    def draw(random: np.random.Generator, friction: float, restitution: float) -> Collision:
        """One to three pegs beside links; one that is beside its own link may lie deep in another."""
        robot = uneven()[0]
        theta = random.uniform(-pi, pi) + np.concatenate(([0.0], np.cumsum(random.uniform(-1.0, 1.0, 3))))
        omega = 10.0 ** random.uniform(-3, 0) * random.normal(size=4)
        v = rigid_velocities(robot, theta, omega, 10.0 ** random.uniform(-3, 0) * random.normal(size=2))
        places, pegs = link_positions(robot, np.zeros(2), theta), []
        for i in random.choice(4, random.integers(1, 4), replace=False):
            link, radius = robot.links[i], random.uniform(0.01, 0.06)
            forward, left = (
                np.array([np.cos(theta[i]), np.sin(theta[i])]),
                np.array([-np.sin(theta[i]), np.cos(theta[i])]),
            )
            along = random.uniform(-0.4, 0.4) * link.length - link.mass_offset
            out = (0.02 + radius - random.uniform(0.0, 4e-5)) * random.choice([-1.0, 1.0])
            x, y = places[i] + along * forward + out * left
            pegs.append(Peg(x=x, y=y, radius=radius, friction=friction, restitution=restitution))
        return Collision(pegs, theta, omega, v)

    @property
    def flat(self) -> dict[str, np.ndarray]:
        """In the words of `Start.pose`."""
        return {"center": np.zeros(2), "theta": self.theta, "v": self.v, "omega": self.omega}

    @property
    def lying(self) -> dict[str, np.ndarray]:
        """In the words of `SpatialStart.pose`."""
        zero = np.zeros((4, 1))
        return {
            "center": np.array([0.0, 0.0, 0.02]),
            "tail": np.array([np.cos(self.theta[0] / 2), 0.0, 0.0, np.sin(self.theta[0] / 2)]),
            "angle": np.diff(self.theta),
            "rate": np.diff(self.omega),
            "v": np.hstack([self.v, zero]),
            "omega": np.hstack([zero, zero, self.omega[:, None]]),
        }


class TestPegs:
    @pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.0), (0.4, 0.0), (0.3, 0.6)])
    def test_one_step_at_random_contacts(self, friction: float, restitution: float) -> None:
        states = [Collision.random(seed, friction, restitution) for seed in range(60)]
        places = [Environment(obstacles=state.pegs) for state in states]
        planar, spatial = uneven()
        flat = stepper_in_poses([planar] * 60, places, [state.flat for state in states], TIGHT)
        space = stepper_in(spatial, places, [state.lying for state in states], TIGHT)
        for stepper in (flat, space):
            stepper.advance(1)
        solved = (flat.totals("unconverged") == 0) & (space.totals("unconverged") == 0)
        assert solved.mean() > 0.95
        a, b = flat.state(), space.state()
        assert np.median(np.abs(a.v[:, :, 0] - np.array([state.v[:, 0] for state in states])).max(axis=1)) > 1e-3  # m/s
        # The tolerance is 1e-10 m/s at a contact; a link of 0.3 kg and 3e-4 kg m^2 turns by 60 /m of that.
        np.testing.assert_allclose(b.v[solved][..., :2], a.v[solved], rtol=0, atol=5e-9)
        np.testing.assert_allclose(b.omega[solved][..., 2], a.omega[solved], rtol=0, atol=5e-8)
        impulses = [stepper.totals("obstacle")[solved][..., :2] for stepper in (flat, space)]
        assert np.abs(impulses[0]).max() > 0.1  # N s
        np.testing.assert_allclose(impulses[1], impulses[0], rtol=0, atol=5e-9)  # 1 kg times the velocities' tolerance

    def test_push_between_pegs(self) -> None:
        # Impacts fall on whole steps, so that runs differ by v dt and more with every impact: 0.3 m/s times 0.1 ms.
        planar, spatial = uneven()
        gait = TestFrictionless.gait
        theta = np.concatenate([[0.0], np.cumsum(gait.references(np.zeros(1), planar)[0][0])])
        places, pegs = link_positions(planar, np.zeros(2), theta), []
        for i, side, radius in ((0, 1.0, 0.04), (1, -1.0, 0.05), (3, 1.0, 0.03)):
            left = np.array([-np.sin(theta[i]), np.cos(theta[i])])
            x, y = places[i] + side * (0.02 + radius + 0.003) * left
            pegs.append(Peg(x=x, y=y, radius=radius, friction=0.4))
        flat, space = both(
            planar, spatial, Environment(obstacles=pegs), gait, duration=0.6, settings=Settings(dt=1e-4),
        )  # fmt: skip
        assert (np.abs(flat.obstacle_load) > 0).mean("time").min() > 0.3  # all three are pressed for long
        check = np.abs(space.link_position.values[..., :2] - flat.link_position.values).max()
        assert check < 3e-5  # m
        mean = [run.obstacle_load.mean("time").values for run in (flat, space)]
        np.testing.assert_allclose(mean[1], mean[0], rtol=0.01)
        assert np.ptp(space.link_position.values[..., 2]) < 1e-6  # m: no link climbs its peg
