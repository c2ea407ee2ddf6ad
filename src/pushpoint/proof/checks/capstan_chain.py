"""The law of the capstan for chains of rigid links (docs/theory.md, section 17), and such a chain in the engine.

A chain of half-thickness r lies around a peg of radius R and is drawn toward its head. Its joints run at the radius rho
= R + r, friction acts at the radius R; a = r/rho, and k is the growth of ln T per radian.

In the planar engine, the chain lies around the peg as a polygon whose links touch it in their middles; behind and ahead
are straight strands. Its joints are free. A constant force holds the tail back. The last link is ten thousand tons
heavy and moves on at a constant, low speed, whatever the chain pulls with: the tension ahead of the peg is then what
the chain itself asks for, and it is read off the joint in front of the last strand.

What inertia adds is small: of the tail's tension T the centripetal force is (m/L) v^2/T, 1.5e-4 at the 5 cm/s of the
thin chains and 1.5e-6 at 5 mm/s. The heavy link slows the chain down by T_2/M, which makes m_chain T_2/(M T) < 1e-4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pushpoint.engine.planar.kinematics import rigid_velocities
from pushpoint.engine.signals import Command
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.proof.checks.bodies import Steady, moving, stepped
from pushpoint.worlds.world import World


def exponent(mu: float, thickness: float) -> float:
    """The root k of mu a k^2 + k - mu (1 - a) = 0 [-], of a smooth chain; `thickness` is a."""
    if mu == 0.0 or thickness == 0.0:
        return mu
    return 2.0 * mu * (1.0 - thickness) / (1.0 + math.sqrt(1.0 + 4.0 * mu**2 * thickness * (1.0 - thickness)))


def polygon_exponent(mu: float, thickness: float, half_angle: float) -> float:
    """The same for links that span twice `half_angle` each [rad], w = tan(half_angle).

    tau = tanh(k half_angle) obeys (w^2 + a) tau^2 + (w (1 + w^2)/mu) tau - (1 - a) w^2 = 0.
    """
    w = math.tan(half_angle)
    square, linear, constant = w**2 + thickness, w * (1.0 + w**2) / mu, (1.0 - thickness) * w**2
    tau = 2.0 * constant / (linear + math.sqrt(linear**2 + 4.0 * square * constant))
    return math.atanh(tau) / half_angle


@dataclass(frozen=True, kw_only=True)
class PolygonForces:
    """Forces in the joints of a chain whose links touch the peg in their middles, from the free tail on."""

    tangential: np.ndarray
    """Along the circle, over the tension of the free tail [-], shape (n_links + 1,)."""
    radial: np.ndarray
    """Outward, on what lies behind the joint, over the same [-], same shape."""
    normal: np.ndarray
    """Normal force on each link, over the same [-], shape (n_links,)."""

    @property
    def ratio(self) -> float:
        """Tension at the head over that at the tail [-]."""
        return math.hypot(self.tangential[-1], self.radial[-1])

    @property
    def kink(self) -> float:
        """Angle by which the head's strand leaves the peg earlier than along the tangent [rad]."""
        return math.atan2(self.radial[-1], self.tangential[-1])


def polygon_forces(mu: float, thickness: float, half_angle: float, n_links: int) -> PolygonForces:
    """Balances the links one after the other; the tail's strand pulls along the tangent.

    Per link: moment about the peg's centre, force along the link, force along the normal.
    """
    c, s = math.cos(half_angle), math.sin(half_angle)
    arm = (1.0 - thickness) * c  # peg radius over that of the joints
    matrix = np.array([[1.0, 0.0, -mu * arm], [c, s, -mu], [-s, c, 1.0]])
    T, Q, N = np.zeros(n_links + 1), np.zeros(n_links + 1), np.zeros(n_links)
    T[0] = 1.0
    for i in range(n_links):
        T[i + 1], Q[i + 1], N[i] = np.linalg.solve(matrix, [T[i], c * T[i] - s * Q[i], s * T[i] + c * Q[i]])
    return PolygonForces(tangential=T, radial=Q, normal=N)


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
        # The inertia of a rod alone would make contacts of a thick, sliding link inconsistent (Painleve).
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
        position = (joint, -(STRAND - 0.5) * self.link_length)
        start = moving(theta, omega, velocity, link=0, position=position)
        load = np.zeros((self.robot.n_links, 3))
        load[0, 1] = -HOLD
        order = Command(joint_torque=np.zeros(self.robot.n_joints), link_load=load)
        peg = Peg(x=0.0, y=0.0, radius=PEG_RADIUS, friction=mu)
        return World(self.robot, Environment(obstacles=[peg]), Steady(order), start)


def draw(chain: CapstanChain, frictions: tuple[float, ...], duration: float, dt: float) -> np.ndarray:
    """Tensions in all joints over the hold-back force [-], shape (n_frictions, n_times, n_joints); 100 per second."""
    run = stepped([chain.world(mu) for mu in frictions], duration, dt=dt, variables=["joint_force"])
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
