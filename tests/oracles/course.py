"""The published course of Transeth2008a VIII, in our numbering: seven pegs of 0.125 m, gait, start."""

from __future__ import annotations

import numpy as np

from pushpoint.engine.planar.start import Start
from pushpoint.gaits import LateralUndulation
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.worlds.world import World

CENTRES = (
    (0.0507, 0.1761), (0.4215, 0.0029), (0.8037, 0.1851), (1.1532, 0.0031), (1.5298, 0.1783), (1.8877, 0.0020),
    (2.2588, 0.1745),
)  # fmt: skip
RADIUS = 0.125
COEFFICIENT = 0.2


def gait() -> LateralUndulation:
    """Amplitude 40 deg, 80 deg/s, phase shift -50 deg."""
    amplitude, frequency, shift = np.radians([40.0, 80.0, -50.0])
    return LateralUndulation(amplitude=amplitude, angular_frequency=frequency, phase_shift=shift, phase=np.pi)


def course(*, obstacles: bool, friction: float = 0.0) -> World:
    """The flat floor or the obstacle course; friction is that of the pegs [-], zero in the paper."""
    pegs = [Peg(x=x, y=y, radius=RADIUS, friction=friction) for x, y in CENTRES] if obstacles else []
    robot = aiko_planar()
    return World(
        robot,
        Environment(ground=Ground(friction=Isotropic(COEFFICIENT)), obstacles=pegs),
        gait(),
        Start(link_angles=gait().link_angles(robot), link=5, position=(0.52, 0.16)),
    )
