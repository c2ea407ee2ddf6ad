"""Sidewind: a velocity in space."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from pushpoint.control.neural.acting import ActionKind, WaveRanges
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.envs.snake_task import Episode
from pushpoint.envs.velocity_task import AngleRange, SpeedRange, VelocityTask
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.quantities import Coefficient
from pushpoint.worlds.world import World

ROLLING = 0.01
"""Rolling friction of the ground [-]."""


@dataclass(frozen=True, kw_only=True)
class Sidewind(VelocityTask):
    """`pushpoint/Sidewind-v0`: move over flat ground in space with a velocity that is asked for, mostly sideways.

    The 17 links of the SEA Snake are joined by 8 pitch and 8 yaw joints in turn. Ground friction is the same in all
    directions, so that the robot gets on by lifting parts of its body. It starts at rest, flat, along x, in the shape
    of a wave of random phase.

    **Actions**: `Box(-1, 1)`. "wave" (default): 0 amplitude of the yaw joints 0.1 to 0.9 rad, 1 frequency 0 to 1 Hz,
    2 phase shift 0.2 to 0.7 rad, 3 bend -0.2 to 0.2 rad, 4 amplitude of the pitch joints 0 to 0.5 rad, 5 lead of the
    pitch wave -pi to pi. "joints": one reference per joint, of its range of 90 deg to either side. "bends": frequency,
    then a bend per joint. "torque": one torque per joint, of 7 N m.

    **Observations**: `Box`, single precision, SI. 0 and 1: the velocity asked for, ahead of the head and to its left
    [m/s]; joint angles [rad], joint rates [rad/s] and motor torques [N m], sixteen each, from tail to head, pitch and
    yaw in turn; angular rate [rad/s] and specific force [m/s^2] of the IMU on the head, three each; its pitch and roll
    [rad]; the last joint references [rad], sixteen (not with torques); sine and cosine of the wave's phase (with "wave"
    and "bends"). `env.unwrapped.rows` lists them all.

    **Rewards**: `velocity`, exp(-|v - asked|^2 / width^2) with the horizontal velocity v of the centre of mass smoothed
    over one second; `energy`, minus `energy_weight` per joule of mechanical work. `info["reward_terms"]` has both,
    `info["velocity_error"]` |v - asked| [m/s].

    **Ends**: nothing terminates an episode except a simulation that fails (`info["failed"]`). It is truncated after 400
    steps, 20 s.

    **Version history**: v0, the first.
    """

    robot: str = "yaw-pitch-16"
    """Name of a spatial robot in the catalogue."""
    action: ActionKind = "wave"
    """What the numbers of an action are: "joints", "wave", "bends" or "torque"."""
    energy_weight: float = 0.001
    """What a joule of mechanical work costs [1/J]."""
    speed: SpeedRange = (0.05, 0.3)
    """Smallest and largest speed that is asked for [m/s]."""
    direction: AngleRange = (pi / 4, 3 * pi / 4)
    """Smallest and largest direction that is asked for, from where the body points at the start [rad]; pi/2 is left."""
    friction: Coefficient = 0.4
    """Coefficient of friction of the ground [-]."""

    waves = WaveRanges(
        amplitude=(0.1, 0.9),
        frequency=(0.0, 1.0),
        phase_shift=(0.2, 0.7),
        bend=(-0.2, 0.2),
        pitch_amplitude=(0.0, 0.5),
        pitch_lead=(-pi, pi),
    )
    sensed = ("joint_angle", "joint_rate", "joint_torque", "imu_angular_rate", "imu_acceleration", "imu_tilt")

    def episode(self, random: np.random.Generator) -> Episode:
        """A flat start in the shape of a wave."""
        drawn, told = self.drawn(random)
        direction, speed, asked = self.asked(random)
        ground = Ground(friction=Isotropic(drawn.friction * self.friction), rolling=ROLLING)
        start = SpatialStart(joint_angles=self.actions.posture(random.uniform(0.0, 2.0 * pi)).tolist())
        robot = drawn.robot(self.usual_robot)
        world = World(robot, Environment(ground=ground), None, start, self.sensing(random))
        return Episode(world, direction, speed, asked | told)
