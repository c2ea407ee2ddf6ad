"""A live simulation as it is drawn: each look is a run of a single sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.scenery.aims import Aim, aim_in
from pushpoint.scenery.drawn_run import ARROW_SHARE, DrawnRun, ForceScale, carries, space_of
from pushpoint.scenery.surroundings import Scenery
from pushpoint.scenery.wheels import DrawnWheels, drawn_wheels
from pushpoint.simulation.live.look import Look, lying
from pushpoint.worlds.world import World

LARGE_FORCE = 0.25
"""A contact force of this share of the robot's weight is a large one [-]."""
NO_WEIGHT = 1.0
"""A large force where nothing has weight [N]."""


@dataclass(frozen=True, kw_only=True)
class LiveStage:
    """What stays the same from look to look: a robot and what stands around it."""

    world: World
    """The world."""
    name: str = ""
    """Name of the scenario."""
    title: str = ""
    """What happens in one line."""

    @cached_property
    def scenery(self) -> Scenery:
        """What stands around."""
        return Scenery(self.world.environment)

    @cached_property
    def wheels(self) -> DrawnWheels:
        """What it rolls on."""
        return drawn_wheels(self.world.robot)

    @cached_property
    def aim(self) -> Aim:
        """The path it is to take, if its controller has one."""
        return aim_in(self.world)

    @cached_property
    def force_scale(self) -> ForceScale:
        """A scale that does not change while it runs: a large force is an arrow of a seventh of the body."""
        weight = self.world.robot.mass * self.world.environment.ground.gravity
        length = float(self.world.robot.column("length").sum())
        return ForceScale.of(LARGE_FORCE * weight or NO_WEIGHT, ARROW_SHARE * length)

    def reference(self, look: Look) -> tuple[np.ndarray, np.ndarray] | None:
        """The body as its controller wants it: middles of the links [m] and their orientations; None without angles.

        Its centre of mass is that of the robot, and it is turned as the robot is: in space as its tail.
        """
        robot = self.world.robot
        if not np.isfinite(look.joint_reference).all() or robot.n_joints == 0:
            return None
        tail = look.link_orientation[0]
        if isinstance(robot, SpatialRobot):
            place, turn = link_poses(robot, look.center_of_mass, tail, look.joint_reference)
            along = rotation_of(turn)[..., 0]
        else:
            first = 2.0 * np.arctan2(tail[3], tail[0])
            angle = first + np.concatenate([[0.0], np.cumsum(look.joint_reference)])
            # As the heading of the whole body, which a wave keeps, and not as that of the tail.
            found = 2.0 * np.arctan2(look.link_orientation[:, 3], look.link_orientation[:, 0])
            angle = angle + np.angle(np.mean(np.exp(1j * (found - angle))))
            place, turn = lying(robot, link_positions(robot, look.center_of_mass, angle), angle)
            along = np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
        return place - robot.column("mass_offset")[:, None] * along, turn

    def drawn(self, look: Look, force: np.ndarray | None = None) -> DrawnRun:
        """A look as a run of one sample; arrows show the contact forces, or other forces of the same shape [N]."""
        robot, axes = self.world.robot, look.center_of_mass.shape[-1]
        if isinstance(robot, SpatialRobot):
            up = np.nan_to_num(look.ground_force + look.obstacle_force)[None, :, 2]
            space = space_of(robot, look.link_orientation[None], carries(self.world, up))
            along = space.turn[..., 0]
        else:
            angle = 2.0 * np.arctan2(look.link_orientation[:, 3], look.link_orientation[:, 0])
            along, space = np.stack([np.cos(angle), np.sin(angle)], axis=-1)[None], None
        return DrawnRun(
            name=self.name,
            title=self.title,
            status="",
            remarks=(),
            radius=robot.column("radius"),
            half_side=robot.column("side_length") / 2.0,
            scenery=self.scenery,
            time=np.array([look.time]),
            middle=look.link_position[None, :, :axes] - robot.column("mass_offset")[:, None] * along,
            along=along,
            center=look.center_of_mass[None],
            force=np.nan_to_num(look.obstacle_force if force is None else force)[None],
            travel=look.heading,
            aim=self.aim,
            wheels=self.wheels,
            space=space,
        )
