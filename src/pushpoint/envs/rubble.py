"""Rubble: over boxes in space."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated

import numpy as np

from pushpoint.control.neural.acting import ActionKind, WaveRanges
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.envs.goal_task import GoalTask
from pushpoint.envs.snake_task import Episode
from pushpoint.model.checks import Whole
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.quantities import Coefficient, Length
from pushpoint.model.terrain import Box
from pushpoint.worlds.world import World

ROLLING = 0.01
"""Rolling friction of the ground [-]."""
CLEAR = 0.05
"""Distance between the head at its start and the nearest box [m]."""
DEPTH, WIDTH = 1.6, 1.6
"""Length of the field of boxes along x, and its width [m]."""
LEAST_EDGE, LARGEST_EDGE = 0.08, 0.2
"""Smallest and largest horizontal edge of a box [m]."""
DROP = 1e-4
"""Height above the ground from which the robot drops [m]."""
TILT = 0.09
"""Largest pitch and roll of a box [rad], 5 deg."""


@dataclass(frozen=True, kw_only=True)
class Rubble(GoalTask):
    """`pushpoint/Rubble-v0`: get on over boxes of random size that lie in the way, in space.

    The 17 links of the SEA Snake are joined by 8 pitch and 8 yaw joints in turn. It starts at rest on flat ground,
    straight, along x. In front of it lie boxes, tilted a little and half sunk in, over 1.6 m by 1.6 m. Every episode
    has boxes of its own.

    **Actions**: `Box(-1, 1)`. "bends" (default): 0 frequency of a travelling wave, 0 to 2 Hz; then a bend per joint, of
    its range of 90 deg to either side, that is added to the wave. "wave": 0 amplitude of the yaw joints 0 to 0.6 rad,
    1 frequency, 2 phase shift 0.2 to 0.7 rad, 3 bend -0.2 to 0.2 rad, 4 amplitude of the pitch joints 0 to 0.8 rad,
    5 lead of the pitch wave -pi to pi. "joints": one reference per joint. "torque": one torque per joint, of 7 N m.

    **Observations**: `Box`, single precision, SI. 0 and 1: direction of the goal, ahead of the head and to its left
    [-]; joint angles [rad], joint rates [rad/s] and motor torques [N m], sixteen each, from tail to head, pitch and yaw
    in turn; touch, the boxes' force toward each link's left [N], seventeen; angular rate [rad/s] and specific force
    [m/s^2] of the IMU on the head, three each; its pitch and roll [rad]; the last joint references [rad], sixteen (not
    with torques); sine and cosine of the wave's phase (with "wave" and "bends"). `env.unwrapped.rows` lists them all.

    **Rewards**: `progress`, 10 per metre that the centre of mass is further along x than ever before; `goal`, 5 on
    reaching the goal; `energy`, minus `energy_weight` per joule. `info["reward_terms"]` has all three, `info["way"]`
    the furthest way [m], `info["passed"]` whether the goal is reached.

    **Ends**: terminated when the centre of mass is 1.5 m further along x, or when the simulation fails
    (`info["failed"]`). Truncated after 15 s without progress, and after 800 steps, 40 s.

    **Version history**: v0, the first.
    """

    robot: str = "yaw-pitch-16"
    """Name of a spatial robot in the catalogue."""
    action: ActionKind = "bends"
    """What the numbers of an action are: "joints", "wave", "bends" or "torque"."""
    energy_weight: float = 0.001
    """What a joule of mechanical work costs [1/J]."""
    way: Length = 1.5
    """Distance to the goal [m]."""
    friction: Coefficient = 0.6
    """Coefficient of friction of ground and boxes [-]."""
    boxes: Annotated[int, Whole(0, 200)] = 40
    """Number of boxes [-]."""
    height: Length = 0.04
    """Height of the highest possible box [m]; the lowest is a quarter of it."""

    waves = WaveRanges(
        amplitude=(0.0, 0.6),
        frequency=(0.0, 2.0),
        phase_shift=(0.2, 0.7),
        bend=(-0.2, 0.2),
        pitch_amplitude=(0.0, 0.8),
        pitch_lead=(-pi, pi),
    )
    sensed = (
        "joint_angle",
        "joint_rate",
        "joint_torque",
        "contact_normal_force",
        "imu_angular_rate",
        "imu_acceleration",
        "imu_tilt",
    )

    @property
    def most_obstacles(self) -> int:  # type: ignore[override]
        """The number of boxes [-]."""
        return self.boxes

    def episode(self, random: np.random.Generator) -> Episode:
        """Boxes in front of a straight robot."""
        drawn, told = self.drawn(random)
        ground = Ground(friction=Isotropic(drawn.friction * self.friction), rolling=ROLLING)
        robot = drawn.robot(self.usual_robot)
        environment = Environment(ground=ground, obstacles=self._pieces(random, drawn.obstacle_friction, robot.length))
        thick = float(robot.column("radius").max())  # given its height, it need not be lowered onto what lies below
        start = SpatialStart(joint_angles=(0.0,) * robot.n_joints, position=(0.0, 0.0, thick + DROP))
        return Episode(World(robot, environment, None, start, self.sensing(random)), 0.0, 1.0, told)

    def _pieces(self, random: np.random.Generator, friction: float, length: float) -> list[Box]:
        """The boxes; none of them reaches the robot at its start."""
        aside = LARGEST_EDGE / 2**0.5  # half the diagonal of the largest
        first = length / 2 + CLEAR + aside
        low = (first, -WIDTH / 2, LEAST_EDGE, LEAST_EDGE, self.height / 2, 0.0, -TILT, -TILT)
        high = (first + DEPTH, WIDTH / 2, LARGEST_EDGE, LARGEST_EDGE, 2 * self.height, pi, TILT, TILT)
        return [
            Box(
                center=(x, y, 0.0),
                size=(long, wide, tall),
                yaw=yaw,
                pitch=pitch,
                roll=roll,
                friction=friction * self.friction,
            )
            for x, y, long, wide, tall, yaw, pitch, roll in random.uniform(low, high, (self.boxes, len(low))).tolist()
        ]
