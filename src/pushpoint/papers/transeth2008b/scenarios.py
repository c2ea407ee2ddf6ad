"""Transeth2008b: A. A. Transeth, R. I. Leine, C. Glocker, K. Y. Pettersen, "3D Snake Robot Motion: Non-smooth Modeling,
Simulations, and Experiments", IEEE Transactions on Robotics 24 (2), 2008.

Translation. The paper's link 1 is the head, and its body axis e_z points to the tail: x = -e_z, y = -e_x, z = e_y of a
link. yaw[j] = -alpha_h,n-1-j and pitch[j] = +alpha_v,n-1-j, so (70) is our LateralUndulation with phase pi, and (70)
with (71) our Sidewinding; its link 6 is our link 5. The robot heads for +x. The coefficient of rolling friction mu_V
is not printed (docs/deviations.md).
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, radians

from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits.lateral_undulation import LateralUndulation
from pushpoint.gaits.sidewinding import Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.papers.transeth2008b import claims as claims
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World

FRICTION = 0.2
ORTHOTROPIC = Elliptic(along=0.1, across=0.5)
ROLLING = 0.02
"""mu_V, our choice: the gaits cannot tell 0.01 from 0.1."""
ANGULAR_FREQUENCY_DEG, PHASE_SHIFT_DEG = 80.0, -50.0
RELEASE_DEG = 3.0
DURATION = 15.0
FOUR_PERIODS = 4 * 360.0 / ANGULAR_FREQUENCY_DEG


def undulation(amplitude_deg: float) -> LateralUndulation:
    """The motion pattern (70) alone, omega_h = 80 deg/s, delta_h = -50 deg."""
    return LateralUndulation(
        amplitude=radians(amplitude_deg),
        angular_frequency=radians(ANGULAR_FREQUENCY_DEG),
        phase_shift=radians(PHASE_SHIFT_DEG),
        phase=pi,
    )


def sidewinder() -> Sidewinding:
    """The motion patterns (70) and (71) of VIII-E: A_h = 30 deg, A_v = 10 deg, delta_0 = 90 deg, and its soft start."""
    return Sidewinding(
        yaw_amplitude=radians(30),
        pitch_amplitude=radians(10),
        angular_frequency=radians(ANGULAR_FREQUENCY_DEG),
        phase_shift=radians(PHASE_SHIFT_DEG),
        phase_offset=radians(90),
        release=radians(RELEASE_DEG),
    )


def floor(friction: FrictionLaw) -> Environment:
    """Flat ground without obstacles."""
    return Environment(ground=Ground(friction=friction, rolling=ROLLING))


def straight(robot: SpatialRobot) -> SpatialStart:
    """A straight body along x, at rest."""
    return SpatialStart(joint_angles=(0.0,) * robot.n_joints)


def titled(build: Callable[[], Scenario]) -> str:
    """The title of an experiment: the first line of its builder's docstring."""
    return (build.__doc__ or "").partition("\n")[0]


def lateral_undulation_orthotropic() -> Scenario:
    """Lateral undulation, friction 0.1 along and 0.5 across the links: steadily forward (VIII-B, Fig. 6)."""
    return Scenario(
        name="transeth2008b/lateral-undulation-orthotropic",
        title=titled(lateral_undulation_orthotropic),
        source="Transeth2008b",
        worlds=World(aiko(), floor(ORTHOTROPIC), undulation(30.0)),
        duration=DURATION,
        claims=(claims.TB1,),
    )


def lateral_undulation_isotropic() -> Scenario:
    """Lateral undulation, the same friction in every direction: slowly backward (VIII-D, Fig. 7)."""
    return Scenario(
        name="transeth2008b/lateral-undulation-isotropic",
        title=titled(lateral_undulation_isotropic),
        source="Transeth2008b",
        worlds=World(aiko(), floor(Isotropic(FRICTION)), undulation(40.0)),
        duration=FOUR_PERIODS,
        claims=(claims.TB2, claims.TB9),
    )


def sidewinding() -> Scenario:
    """Sidewinding from a straight posture with a soft start: to the left, along y (VIII-E, Figs 8-11)."""
    robot = aiko()
    return Scenario(
        name="transeth2008b/sidewinding",
        title=titled(sidewinding),
        source="Transeth2008b",
        worlds=World(robot, floor(Isotropic(FRICTION)), sidewinder(), straight(robot)),
        duration=DURATION,
        claims=(claims.TB4, claims.TB5, claims.TB6, claims.TB7),
    )


SCENARIOS: dict[str, Callable[[], Scenario]] = {
    "transeth2008b/lateral-undulation-orthotropic": lateral_undulation_orthotropic,
    "transeth2008b/lateral-undulation-isotropic": lateral_undulation_isotropic,
    "transeth2008b/sidewinding": sidewinding,
}
