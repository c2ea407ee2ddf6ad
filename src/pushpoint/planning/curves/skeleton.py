"""A robot without its physics: link lengths and joints, which is all that an alignment along a curve needs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Whole, check_fields, instance, members, one_of, store, whole
from pushpoint.model.joints import Axis, Joint
from pushpoint.model.planar_robot import MOST_LINKS, check_count, one_per_joint
from pushpoint.model.quantities import Length
from pushpoint.model.spatial_robot import A_JOINT, FEWEST_SPATIAL_LINKS, FREE_CARDAN, SpatialRobot


@dataclass(frozen=True, kw_only=True)
class Skeleton:
    """Link lengths and joints alone, for shapes and joint angles. It has no mass and cannot be simulated.

    For example:

        snake = pp.planning.Skeleton(lengths=[0.08] * 17, joints=(pp.Yaw(), pp.Pitch()) * 8)
        curve = pp.planning.ShapeCurve(points=[(0, 0, 0), (0.5, 0.1, 0), (1.0, -0.1, 0), (1.5, 0, 0)])
        print(pp.planning.align(snake, curve, head=3.0).joint_angles)  # [rad]
    """

    __repr__ = brief

    lengths: Sequence[Length]
    """Lengths of the links, from joint to joint, from tail to head [m]; 1 to 5000."""
    joints: tuple[Joint, ...] | Joint = FREE_CARDAN
    """One joint per pair of neighbouring links from tail to head, or one joint for all; default: cardan joints."""

    def __post_init__(self) -> None:
        check_fields(self, "skeleton")
        check_count("lengths", self.n_links, FEWEST_SPATIAL_LINKS)
        joints = one_per_joint("joints", self.joints, Joint, A_JOINT, self.n_links)
        for k, (joint, length) in enumerate(zip(joints, self.lengths, strict=False)):
            if joint.axis_distance >= length:
                allowed = f"shorter than the link behind it, {length} [m]"
                raise InvalidModel(f"skeleton.joints[{k}].axis_distance", joint.axis_distance, allowed)
        store(self, joints=joints)

    @staticmethod
    def uniform(n_links: int, length: float, joints: Joint | Sequence[Joint] = FREE_CARDAN) -> Skeleton:
        """A skeleton of equal links with a repeated pattern of joints.

        Args:
            n_links: Number of links, 1 to 5000.
            length: Length of each link, from joint to joint [m].
            joints: One joint for all, or a sequence that repeats along the body: `(Yaw(), Pitch())` alternates.
        """
        whole("skeleton.n_links", n_links, Whole(FEWEST_SPATIAL_LINKS, MOST_LINKS))
        pattern = members("skeleton.joints", (joints,) if isinstance(joints, Joint) else joints, Joint, A_JOINT)
        if not pattern:
            raise InvalidModel("skeleton.joints", pattern, "at least one joint")
        chain = tuple(itertools.islice(itertools.cycle(pattern), n_links - 1))
        return Skeleton(lengths=(length,) * n_links, joints=chain)

    @staticmethod
    def of(robot: SpatialRobot) -> Skeleton:
        """The skeleton of a robot."""
        instance("robot", robot, SpatialRobot, "a SpatialRobot")
        return Skeleton(lengths=[link.length for link in robot.links], joints=robot.chain)

    @property
    def chain(self) -> tuple[Joint, ...]:
        """The joints between neighbouring links, from tail to head."""
        return self.joints  # type: ignore[return-value]

    @property
    def axes(self) -> tuple[Axis, ...]:
        """All axes, from tail to head."""
        return tuple(Axis(k, hinge.direction) for k, joint in enumerate(self.chain) for hinge in joint.hinges)

    @property
    def n_links(self) -> int:
        """Number of links [-]."""
        return len(self.lengths)

    @property
    def n_joints(self) -> int:
        """Number of axes [-]. A cardan joint counts twice."""
        return len(self.axes)

    @property
    def length(self) -> float:
        """Length of the straight body, from the tail's rear end to the head's front end [m]."""
        return float(sum(self.lengths)) + float(sum(joint.axis_distance for joint in self.chain))

    def column(self, field: str) -> np.ndarray:
        """The lengths of the links as an array [m], shape (n_links,); it has no other column."""
        one_of("field", field, ("length",))
        return np.array(self.lengths, dtype=float)


AnyBody = SpatialRobot | Skeleton
"""What can be laid along a curve."""
