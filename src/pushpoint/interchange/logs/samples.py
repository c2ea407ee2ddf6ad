"""What one sample of a run becomes: frames, poses, joint states, wrenches and numbers to plot, as messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.interchange.logs.definitions import message
from pushpoint.interchange.logs.drawing import WORLD, pose, vector
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.scenery.wheels import drawn_wheels

FORCES = ("ground_force", "obstacle_force", "self_force")
"""Forces on links that have a topic per link."""
WRITTEN = (
    *FORCES,
    *("link_position", "link_angle", "link_orientation", "joint_angle", "joint_rate", "joint_torque"),
    *("joint_reference", "center_of_mass", "obstacle_load", "obstacle_reaction"),
)
"""Variables of a run with a topic of their own, besides single numbers, which are all under /plots."""
NANOSECONDS = 1_000_000_000
Said = tuple[str, str, Any]
"""Topic, type and content of a message."""


class RobotFacts(NamedTuple):
    """What does not change of the robot."""

    mass: np.ndarray
    """Masses of the links [kg], shape (n_links,)."""
    height: np.ndarray
    """How high links of a planar robot lie [m], shape (n_links,)."""
    joints: list[str]
    """Names of the joints."""


def robot_facts(robot: AnyRobot) -> RobotFacts:
    """What messages need of a robot."""
    joints = [f"joint_{j}_{axis.name}" for j, axis in enumerate(robot.axes)]
    return RobotFacts(robot.column("mass"), robot.column("radius") + drawn_wheels(robot).lift, joints)


def stamp_of(time: float) -> int:
    """A time [s] in nanoseconds."""
    return round(time * NANOSECONDS)


def _stamp(time: int) -> Any:
    return message("builtin_interfaces/Time", sec=time // NANOSECONDS, nanosec=time % NANOSECONDS)


def header(time: int, frame: str) -> Any:
    """A std_msgs/Header at a time [ns]."""
    return message("std_msgs/Header", stamp=_stamp(time), frame_id=frame)


class Samples:
    """A stretch of a run as arrays, and the messages of each of its samples."""

    def __init__(self, part: xr.Dataset, body: RobotFacts) -> None:
        """`part`: samples of one world."""
        self._body = body
        self._values = {
            str(name): np.asarray(values.transpose("time", ...).values, dtype=float)
            for name, values in part.data_vars.items()
            if "time" in values.dims
        }
        self.times = [stamp_of(time) for time in part["time"].values.tolist()]
        self._place = _in_space(self._values["link_position"], body.height)
        self._turn = self._quaternions()
        self._matrix = rotation_of(self._turn[..., [3, 0, 1, 2]])

    def _quaternions(self) -> np.ndarray:
        """Orientations of the links as x, y, z, w, shape (n_times, n_links, 4)."""
        if "link_orientation" in self._values:
            turn = self._values["link_orientation"][..., [1, 2, 3, 0]]
            return np.asarray(turn / np.linalg.norm(turn, axis=-1, keepdims=True))
        half = self._values["link_angle"] / 2.0
        zero = np.zeros_like(half)
        return np.stack([zero, zero, np.sin(half), np.cos(half)], axis=-1)

    def messages(self, k: int) -> Iterator[Said]:
        """The messages of sample k. A posture that is not finite, of a run that diverged, is left out."""
        time = self.times[k]
        if np.isfinite(self._place[k]).all() and np.isfinite(self._turn[k]).all():
            yield "/tf", "tf2_msgs/TFMessage", message("tf2_msgs/TFMessage", transforms=list(self._frames(k)))
            poses = [pose(place, turn) for place, turn in zip(self._place[k], self._turn[k], strict=True)]
            whole = message("geometry_msgs/PoseArray", header=header(time, WORLD), poses=poses)
            yield "/link_poses", "geometry_msgs/PoseArray", whole
            yield from self._wrenches(k)
        yield from self._joints(k)
        yield from self._center(k)
        yield from self._plots(k)

    def _frames(self, k: int) -> Iterator[Any]:
        for number, (place, turn) in enumerate(zip(self._place[k], self._turn[k], strict=True)):
            at = pose(place, turn)
            yield message(
                "geometry_msgs/TransformStamped",
                header=header(self.times[k], WORLD),
                child_frame_id=f"link_{number}",
                transform=message("geometry_msgs/Transform", translation=vector(place), rotation=at.orientation),
            )

    def _joints(self, k: int) -> Iterator[Said]:
        kind, empty = "sensor_msgs/JointState", np.zeros(0)

        def rows(*names: str) -> list[np.ndarray]:
            return [self._values[name][k] if name in self._values else empty for name in names]

        for topic, names in (
            ("/joint_states", ("joint_angle", "joint_rate", "joint_torque")),
            ("/joint_references", ("joint_reference",)),
        ):
            found = rows(*names)
            if any(len(row) for row in found):
                parts = dict(zip(("position", "velocity", "effort"), [*found, empty, empty], strict=False))
                yield topic, kind, message(kind, header=header(self.times[k], ""), name=self._body.joints, **parts)

    def _wrenches(self, k: int) -> Iterator[Said]:
        """Forces on links in the frames of the links, forces on obstacles in the world's."""
        for name in FORCES:
            if name not in self._values:
                continue
            force = _in_space(self._values[name][k], 0.0)
            own = np.einsum("lji,lj->li", self._matrix[k], force)
            for number, each in enumerate(own):
                yield self._wrench(f"/links/{number}/{name}", f"link_{number}", k, each)
        if "obstacle_reaction" in self._values:
            for number, each in enumerate(_in_space(self._values["obstacle_reaction"][k], 0.0)):
                yield self._wrench(f"/obstacles/{number}/force", f"obstacle_{number}", k, each)

    def _wrench(self, topic: str, frame: str, k: int, force: np.ndarray) -> Said:
        kind, still = "geometry_msgs/WrenchStamped", vector((0.0, 0.0, 0.0))
        wrench = message("geometry_msgs/Wrench", force=vector(force), torque=still)
        return topic, kind, message(kind, header=header(self.times[k], frame), wrench=wrench)

    def _center(self, k: int) -> Iterator[Said]:
        if "center_of_mass" in self._values:
            level = float(self._body.mass @ self._body.height / self._body.mass.sum())
            place = _in_space(self._values["center_of_mass"][k], level)
            kind = "geometry_msgs/PointStamped"
            yield (
                "/center_of_mass",
                kind,
                message(kind, header=header(self.times[k], WORLD), point=pose(place).position),
            )

    def _plots(self, k: int) -> Iterator[Said]:
        """Whatever is one number, with the robot's speed and the power of its motors."""
        numbers = {name: float(values[k]) for name, values in self._values.items() if values.ndim == 1}
        if "link_velocity" in self._values:
            mean = self._body.mass @ self._values["link_velocity"][k] / self._body.mass.sum()
            numbers["speed"] = float(np.linalg.norm(mean))
        if "joint_power" in self._values:
            numbers["motor_power"] = float(self._values["joint_power"][k].sum())
        for name, number in numbers.items():
            yield f"/plots/{name}", "std_msgs/Float64", message("std_msgs/Float64", data=number)
        if self._values.get("obstacle_load", np.zeros((1, 0))).shape[1]:
            layout = message("std_msgs/MultiArrayLayout", dim=[], data_offset=0)
            loads = message("std_msgs/Float64MultiArray", layout=layout, data=self._values["obstacle_load"][k])
            yield "/obstacle_loads", "std_msgs/Float64MultiArray", loads


def _in_space(values: np.ndarray, level: Any) -> np.ndarray:
    """Vectors with a third part, which those in the plane lack; shape (..., 3)."""
    if values.shape[-1] == 3:
        return values
    return np.concatenate([values, np.broadcast_to(level, values.shape[:-1])[..., None]], axis=-1)
