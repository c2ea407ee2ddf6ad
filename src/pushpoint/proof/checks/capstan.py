"""The law of the capstan (docs/theory/planar.md, 17): thin chains by Euler and Eytelwein, thick ones and polygons.

A chain of half-thickness r lies around a peg of radius R and is drawn toward its head. Its joints run at the radius rho
= R + r, friction acts at the radius R; a = r/rho, and k is the growth of ln T per radian.

In the planar engine, the chain lies around the peg as a polygon whose links touch it in their middles; behind and ahead
are straight strands. Its joints are free. A constant force holds the tail back. The last link is ten thousand tons
heavy and moves on at a constant, low speed, whatever the chain pulls with: the tension ahead of the peg is then what
the chain itself asks for, and it is read off the joint in front of the last strand.

What inertia adds is small: of the tail's tension T the centripetal force is (m/L) v^2/T, 1.5e-4 at the 5 cm/s of the
thin chains and 1.5e-6 at 5 mm/s. The heavy link slows the chain down by T_2/M, which makes m_chain T_2/(M T) < 1e-4.

The chain in MuJoCo is the same. The peg is a sphere whose middle lies in the plane of the chain, for which MuJoCo has
exact contacts with capsules. The chain is a tree that begins at the heavy head; what the head loses of its speed is the
tension ahead of the peg.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions, rigid_velocities
from pushpoint.engine.signals import Command
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.proof.checks.bodies import Mujoco, Steady, moving, stepped
from pushpoint.proof.verification import Curve, Measured, MujocoCase, Plot, checks_of, relative
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
    quarter_turns: int = 4
    """How far the chain is wrapped around the peg [-]."""
    speed: float = SLOW
    """Speed at which the chain is drawn [m/s]."""

    @property
    def n_touching(self) -> int:
        """Links that touch the peg [-]."""
        return self.quarter_turns * self.per_half_turn // 2

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


SETTLE, LOOK = 0.3, 0.7
"""Time to sink into the peg, and time over which the mean is taken [s]."""
NOTE = f"48 links per half turn, mean over {LOOK} s; {Mujoco.NOTE}"


def tension_ratio(mujoco: Any, chain: CapstanChain, mu: float) -> float:
    """Tension ahead of the peg over that behind it in MuJoCo [-]."""
    scene, pose = Mujoco(mujoco, _mjcf(chain, mu)), chain.world(mu).pose()
    data = scene.data
    data.qpos[:2] = link_positions(chain.robot, pose["center"], pose["theta"])[-1]
    data.qvel[:2] = pose["v"][-1]
    for target, along in ((data.qpos, pose["theta"]), (data.qvel, pose["omega"])):
        target[2:] = np.concatenate((along[-1:], -np.diff(along)[::-1]))
    data.xfrc_applied[scene.model.body("link0").id, 1] = -HOLD
    before, after = (scene.go(duration)[-1, :2] for duration in (SETTLE, LOOK))
    return float(np.linalg.norm(after - before) / LOOK * HEAD_MASS / HOLD)


def _mjcf(chain: CapstanChain, mu: float) -> str:
    """The chain as a tree from the head to the tail, each joint at the rear end of the link ahead."""
    half, rough = chain.link_length / 2, f'friction="{mu} 0 0"'
    text = (
        f'<mujoco>{Mujoco.OPTION} gravity="0 0 0"/><worldbody>'
        f'<geom type="sphere" size="{PEG_RADIUS}" contype="1" conaffinity="0" {rough}/>'
    )
    place, joint, slides = 0.0, 0.0, '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
    for k, link in reversed(list(enumerate(chain.robot.links))):
        text += (
            f'<body name="link{k}" pos="{place} 0 0">{slides}<joint type="hinge" axis="0 0 1" pos="{joint} 0 0"/>'
            f'<inertial pos="0 0 0" mass="{link.mass}" diaginertia="{" ".join([str(link.inertia)] * 3)}"/>'
            f'<geom type="capsule" size="{link.radius}" fromto="{-half} 0 0 {half} 0 0" contype="0" conaffinity="1" '
            f"{rough}/>"
        )
        place, joint, slides = -chain.link_length, half, ""
    return text + "</body>" * chain.robot.n_links + "</worldbody></mujoco>"


check = checks_of("capstan")

FRICTIONS = (0.1, 0.2, 0.3, 0.5, 0.8)
THIN = 2.5e-4
PER_HALF_TURN = 96
QUARTER_TURNS = (1, 2, 4)
FAST = 0.05
"""Speed at which thin chains are drawn [m/s]."""
DRAWN = 3.0
"""How far a thin chain is drawn, in links [-]; the mean is taken over the last two of them."""
THICK = (0.05, 0.25, 0.5, 1.0)
THICK_FRICTIONS = (0.2, 0.5, 0.8)
thick_chain = partial(CapstanChain, per_half_turn=24, speed=0.02)
"""A chain all the way around the peg; its vibrations, some mm/s, must not turn the slip around."""


def thin_chain(quarter_turns: int, speed: float, per_half_turn: int = PER_HALF_TURN) -> CapstanChain:
    """A chain a 4000th as thick as the peg, drawn at this speed [m/s]."""
    return CapstanChain(radius=THIN, per_half_turn=per_half_turn, quarter_turns=quarter_turns, speed=speed)


def thin(quarter_turns: int) -> Measured:
    """Draws a thin chain around the peg at five frictions and compares the tensions with exp(mu phi)."""
    chain = thin_chain(quarter_turns, FAST)
    pitch = chain.link_length / chain.speed
    tensions = draw(chain, FRICTIONS, DRAWN * pitch, 2e-4)
    late = tensions[:, -round(2 * pitch * 100) :]
    ahead = late[:, :, -1]
    found, expected = (ahead / late[:, :, 0]).mean(axis=1), np.exp(np.array(FRICTIONS) * chain.wrap)
    shares = zip(FRICTIONS, found / expected, strict=True)
    values = {f"ratio_over_expected_at_friction_{mu:g}_1": share for mu, share in shares}
    values["ripple_1"] = (ahead.std(axis=1) / ahead.mean(axis=1)).max()
    fine = np.linspace(0.0, FRICTIONS[-1])
    line = Curve("exp(μ φ)", fine, np.exp(fine * chain.wrap), expected=True)
    title = f"Thin chain, wrapped by {round(math.degrees(chain.wrap))}°"
    plot = Plot(title, ("friction μ [-]", "T₂/T₁ [-]"), (line, Curve("pushpoint", FRICTIONS, found)), logarithmic="y")
    return Measured(relative(found, expected), values, plot)


def _mujoco_thin(mujoco: Any) -> float:
    """The error of half a turn, with half as many links: MuJoCo's cost grows faster than their number."""
    chain = thin_chain(2, FAST, 48)
    found = [tension_ratio(mujoco, chain, mu) for mu in FRICTIONS]
    return relative(found, np.exp(np.array(FRICTIONS) * chain.wrap))


thin_90, thin_180, thin_360 = (
    check(
        f"capstan-thin-{90 * turns}",
        f"A thin chain (r/R = {THIN:g}, {PER_HALF_TURN} links per half turn) is pulled around a peg, wrapped "
        f"by {90 * turns}°, friction 0.1, 0.2, 0.3, 0.5 and 0.8.",
        expected_from="T₂/T₁ = e^(μ φ) (Euler, Eytelwein)",
        error_is="largest relative error of T₂/T₁, mean while two links pass",
        tolerance=0.01,
        reason="what the polygon and the thickness make of it is at most 0.4 %; the rest is for the ripple of passing "
        "links and for inertia",
        peer=MujocoCase(_mujoco_thin, NOTE) if turns == 2 else None,
    )(partial(thin, turns))
    for turns in QUARTER_TURNS
)


@check(
    expected_from="balance of the polygon, link by link (docs/theory/planar.md, section 17)",
    error_is="largest relative error of T₂/T₁",
    tolerance=1e-4,
    reason="centripetal force and inertia, some 1e-5 of the tail's tension each; the polygon itself is 20 times as "
    "far from e^(μ φ)",
)
def capstan_polygon() -> Measured:
    """The thin chain around half of the peg, its links touching in their middles."""
    chain = thin_chain(2, SLOW)
    ratio, expected = _posture_ratios(chain, FRICTIONS)
    smooth = np.exp(FRICTIONS[-1] * chain.wrap)
    over_smooth = {"polygon_over_smooth_at_friction_0.8_1": expected[-1], "measured_over_smooth_1": ratio[-1]}
    return Measured(relative(ratio, expected), {name: value / smooth for name, value in over_smooth.items()})


def _posture_ratios(chain: CapstanChain, frictions: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Tensions ahead of the peg over those behind it, as measured and as the balance of the links has them [-]."""
    tensions = posture(chain, frictions)
    return tensions[:, -1] / tensions[:, 0], np.array([chain.forces(mu).ratio for mu in frictions])


@check(
    expected_from="(w² + a) τ² + (w (1 + w²)/μ) τ − (1 − a) w² = 0, τ = tanh(k δ/2), a = r/(R + r), "
    "w = L/(2 (R + r)); for short links μ a k² + k − μ (1 − a) = 0",
    error_is="largest relative error of k",
    tolerance=1e-3,
    reason="the chain has moved by 0.2 % of a link from its symmetric place, and it vibrates by some 1e-4 of its "
    "forces; the polygon's k is 3e-3 off that of a smooth chain",
)
def capstan_thick_exponent() -> Measured:
    """Thick chains, r/R = 0.05 to 1, friction 0.2, 0.5 and 0.8: growth of the tension along the peg."""
    chains, mus = [thick_chain(radius=radius) for radius in THICK], np.array(THICK_FRICTIONS)[:, None]
    tensions = [posture(chain, THICK_FRICTIONS) for chain in chains]
    found, expected = np.zeros((2, len(THICK_FRICTIONS), len(THICK)))
    for (row, mu), (column, chain) in product(enumerate(THICK_FRICTIONS), enumerate(chains)):
        found[row, column] = fitted_exponent(chain, tensions[column][row])
        expected[row, column] = polygon_exponent(mu, chain.thickness, chain.half_angle)
    fine, curves, values = np.linspace(0.0, THICK[-1]), [], {}
    for mu, k in zip(THICK_FRICTIONS, found, strict=True):
        smooth = [exponent(mu, r / (1 + r)) / mu for r in fine]
        curves += [
            Curve(f"corrected, μ = {mu:g}", fine, smooth, expected=True),
            Curve(f"pushpoint, μ = {mu:g}", THICK, k / mu),
        ]
        values[f"k/μ_at_r_=_R_and_friction_{mu:g}_1"] = k[-1] / mu
    values["miss_of_the_uncorrected_law_1"] = relative(found, mus)
    labels = "half-thickness over peg radius, r/R [-]", "k/μ [-]"
    plot = Plot("Thick chains: growth of ln T per radian, over μ", labels, curves)
    return Measured(relative(found, expected), values, plot)


@check(
    expected_from="balance of the polygon, link by link, from the free tail on (docs/theory/planar.md, section 17)",
    error_is="largest relative error of T₂/T₁",
    tolerance=1e-3,
    reason="the way of 0.2 % of a link, vibrations of some 1e-4, and inertia",
)
def capstan_thick_ratio() -> Measured:
    """The same thick chains: tension ahead of the peg over that behind it."""
    worst, values = 0.0, {}
    for radius in THICK:
        ratio, expected = _posture_ratios(thick_chain(radius=radius), THICK_FRICTIONS)
        worst = max(worst, relative(ratio, expected))
        values[f"T₂/T₁_at_r/R_{radius:g}_and_friction_0.8_1"] = ratio[-1]
    return Measured(worst, values)
