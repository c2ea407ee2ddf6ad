"""Slither: a velocity on flat ground."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from pushpoint.control.neural.acting import ActionKind, WaveRanges
from pushpoint.engine.planar.start import Start
from pushpoint.envs.snake_task import Episode
from pushpoint.envs.velocity_task import AngleRange, SpeedRange, VelocityTask
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic
from pushpoint.model.quantities import Coefficient
from pushpoint.worlds.world import World


@dataclass(frozen=True, kw_only=True)
class Slither(VelocityTask):
    """`pushpoint/Slither-v0`: slither over flat ground with a speed and in a direction that are asked for.

    A planar robot of ten links lies on ground that resists more across the links than along them, as the belly of a
    snake does. It starts at rest, along x, in the shape of a wave of random phase.

    **Actions**: `Box(-1, 1)`. "wave" (default): 0 amplitude 0.2 to 0.8 rad, 1 frequency -0.2 to 1.4 Hz, 2 phase shift
    0.3 to 1.0 rad, 3 bend -0.3 to 0.3 rad. "joints": one reference per joint, of its range of 45 deg to either side.
    "bends": frequency, then a bend per joint. "torque": one torque per joint, of 4 N m.

    **Observations**: `Box`, single precision, SI. 0 and 1: the velocity asked for, ahead of the head and to its left
    [m/s]; joint angles [rad], joint rates [rad/s] and motor torques [N m], nine each, from tail to head; angular rate
    [rad/s] and acceleration [m/s^2] of the IMU on the head, one and two; the last joint references [rad], nine (not
    with torques); sine and cosine of the wave's phase (with "wave" and "bends"). `env.unwrapped.rows` lists them all.

    **Rewards**: `velocity`, exp(-|v - asked|^2 / width^2) with the velocity v of the centre of mass smoothed over one
    second; `energy`, minus `energy_weight` per joule of mechanical work. `info["reward_terms"]` has both,
    `info["velocity_error"]` |v - asked| [m/s].

    **Ends**: nothing terminates an episode except a simulation that fails (`info["failed"]`). It is truncated after 400
    steps, 20 s.

    **Version history**: v0, the first.
    """

    robot: str = "liljeback2011"
    """Name of a planar robot in the catalogue."""
    action: ActionKind = "wave"
    """What the numbers of an action are: "joints", "wave", "bends" or "torque"."""
    energy_weight: float = 0.002
    """What a joule of mechanical work costs [1/J]."""
    speed: SpeedRange = (0.05, 0.35)
    """Smallest and largest speed that is asked for [m/s]."""
    direction: AngleRange = (-0.6, 0.6)
    """Smallest and largest direction that is asked for, from where the body points at the start [rad]."""
    friction_along: Coefficient = 0.1
    """Coefficient of friction of the ground along the links [-]."""
    friction_across: Coefficient = 0.5
    """Coefficient of friction of the ground across the links [-]."""

    waves = WaveRanges(amplitude=(0.2, 0.8), frequency=(-0.2, 1.4), phase_shift=(0.3, 1.0), bend=(-0.3, 0.3))
    sensed = ("joint_angle", "joint_rate", "joint_torque", "imu_angular_rate", "imu_acceleration")

    def episode(self, random: np.random.Generator) -> Episode:
        """A start in the shape of a wave."""
        drawn, told = self.drawn(random)
        direction, speed, asked = self.asked(random)
        friction = Elliptic(along=drawn.friction * self.friction_along, across=drawn.friction * self.friction_across)
        start = Start(joint_angles=self.actions.posture(random.uniform(0.0, 2.0 * pi)).tolist())
        place = Environment(ground=Ground(friction=friction))
        world = World(drawn.robot(self.usual_robot), place, None, start, self.sensing(random))
        return Episode(world, direction, speed, asked | told)
