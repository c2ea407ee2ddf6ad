"""A chain drawn around a fixed peg, in the planar engine.

The chain lies around the peg as a polygon whose links touch it in their middles; behind and ahead are straight strands.
Its joints are free. A constant force holds the tail back. The last link is ten thousand tons heavy and moves on at a
constant, low speed, whatever the chain pulls with: the tension ahead of the peg is then what the chain itself asks for,
and it is read off the joint in front of the last strand.

What inertia adds is small: of the tail's tension T the centripetal force is (m/L) v^2/T, 1.5e-4 at the 5 cm/s of the
thin chains and 1.5e-6 at 5 mm/s. The heavy link slows the chain down by T_2/M, which makes m_chain T_2/(M T) < 1e-4.

A thick link has a moment of inertia m r^2 besides that of a rod. It has no part in the balance, but with the lever r of
friction a rod's own m L^2/12 would make contacts of a sliding link inconsistent (Painleve).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray as xr

from pushpoint.engine.planar.kinematics import rigid_velocities
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.proof.checks.bodies import Steady
from pushpoint.proof.checks.capstan.theory import PolygonForces, polygon_forces
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

PEG_RADIUS = 1.0
HOLD = 10.0
"""Force that holds the tail back [N]."""
LINK_MASS, HEAD_MASS = 0.02, 1e7
SLOW = 5e-3
"""Speed at which the forces of a posture are read [m/s]."""
STRAND = 4
"""Links behind and ahead of the peg [-]."""
CLEARANCE = 2e-9
"""Gap at the start [m]: it counts as touching."""


@dataclass(frozen=True, kw_only=True)
class CapstanChain:
    """One chain, around one peg."""

    radius: float
    """Half the thickness of the chain, r [m]; the peg's radius is 1 m."""
    per_half_turn: int
    """Links that would go around half of the peg [-]."""
    n_touching: int
    """Links that touch it [-]."""
    speed: float
    """Speed at which the chain is drawn [m/s]."""

    @property
    def half_angle(self) -> float:
        """Half the angle that a link spans [rad]."""
        return float(np.pi / (2 * self.per_half_turn))

    @property
    def joint_circle(self) -> float:
        """Radius of the circle that the links' axes touch, rho [m]."""
        return PEG_RADIUS + self.radius + CLEARANCE

    @property
    def thickness(self) -> float:
        """a = r/rho [-]."""
        return self.radius / self.joint_circle

    @property
    def wrap(self) -> float:
        """Angle by which the chain is wrapped around the peg [rad]."""
        return 2 * self.half_angle * self.n_touching

    @property
    def link_length(self) -> float:
        """L [m]."""
        return float(2 * self.joint_circle * np.tan(self.half_angle))

    @cached_property
    def robot(self) -> PlanarRobot:
        """The chain, with the heavy link at its head."""
        length, inertia = self.link_length, LINK_MASS * (self.link_length**2 / 12 + self.radius**2)
        link = PlanarLink(length=length, mass=LINK_MASS, inertia=inertia, radius=self.radius)
        heavy = PlanarLink(length=length, mass=HEAD_MASS, inertia=HEAD_MASS * length**2 / 12, radius=self.radius)
        return PlanarRobot(links=(link,) * (self.n_touching + 2 * STRAND - 1) + (heavy,))

    def forces(self, mu: float) -> PolygonForces:
        """What the balance of the links says."""
        return polygon_forces(mu, self.thickness, self.half_angle, self.n_touching)

    def world(self, mu: float) -> World:
        """The chain around a peg of this friction, already moving."""
        first, n = np.pi / 2, self.n_touching
        last = first + self.wrap - self.forces(mu).kink
        around = first + 2 * self.half_angle * (np.arange(n) + 0.5)
        theta = np.concatenate((np.full(STRAND, first), around, np.full(STRAND, last)))
        turning = self.speed * np.cos(self.half_angle) / self.joint_circle
        omega = np.concatenate((np.zeros(STRAND), np.full(n, turning), np.zeros(STRAND)))
        velocity = np.array([0.0, self.speed]) - rigid_velocities(self.robot, theta, omega, np.zeros(2))[0]
        joint = self.joint_circle / np.cos(self.half_angle)
        start = Start(
            link_angles=tuple(theta),
            link=0,
            position=(joint, -(STRAND - 0.5) * self.link_length),
            velocity=tuple(velocity),
            joint_rates=tuple(np.diff(omega)),
        )
        load = np.zeros((self.robot.n_links, 3))
        load[0, 1] = -HOLD
        order = Command(joint_torque=np.zeros(self.robot.n_joints), link_load=load)
        return World(self.robot, Environment(obstacles=[_peg(mu)]), Steady(order), start)


def _peg(mu: float) -> Peg:
    return Peg(x=0.0, y=0.0, radius=PEG_RADIUS, friction=mu)


def draw(chains: CapstanChain, frictions: tuple[float, ...], duration: float, dt: float) -> np.ndarray:
    """Tensions in all joints over the hold-back force [-], shape (n_frictions, n_times, n_joints); 100 per second."""
    run: xr.Dataset = simulate(
        [chains.world(mu) for mu in frictions], duration=duration, settings=Settings(dt=dt),
        record=Record(rate=100.0, variables=["joint_force"]),
    )  # fmt: skip
    return np.linalg.norm(run.joint_force.values[:, 1:], axis=-1) / HOLD


def posture(chain: CapstanChain, frictions: tuple[float, ...]) -> np.ndarray:
    """Tensions over the hold-back force while the links touch in their middles, shape (n_frictions, n_joints).

    The mean from 10 to 20 ms: the chain has hardly left its place. Longer one cannot wait for thick chains, whose
    friction pushes beside the joints and makes them flutter, at any time step.
    """
    return draw(chain, frictions, 0.02, 1e-4)[:, 1]


def fitted_exponent(chain: CapstanChain, tensions: np.ndarray) -> float:
    """Growth of ln T per radian over the front half of the touching links [-].

    The layer at the tail's end has died out there by exp(-wrap/(2 mu a)) or more.
    """
    n = chain.n_touching
    joints = np.arange(STRAND - 1 + n // 2, STRAND + n)
    angle = 2 * chain.half_angle * np.arange(len(joints))
    return float(np.polyfit(angle, np.log(tensions[joints]), 1)[0])
