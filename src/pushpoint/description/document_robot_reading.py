"""From the `robot` section of a document to the robot."""

from __future__ import annotations

import dataclasses
from typing import Any

from pushpoint.description.complaints import Keys, placed, unknown
from pushpoint.description.document_reading import Reading
from pushpoint.description.document_robot import is_listed, is_spatial
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.joints import Cardan, Joint, Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot

JOINTS: dict[str, type[Joint]] = {"cardan": Cardan, "yaw": Yaw, "pitch": Pitch}
MOTORS = ("motor", "yaw", "pitch")
"""Keys of a joint's motors."""


def robot_at(reading: Reading) -> PlanarRobot | SpatialRobot:
    """The robot of a document."""
    value = reading.at(("robot",))
    if isinstance(value, str):
        if value not in ROBOTS:
            raise placed(unknown(("robot",), "robot", value, sorted(ROBOTS)), ("robot",), reading.where)
        return ROBOTS[value]()
    about = {key: value[key] for key in ("name", "source") if key in value}
    return _spatial(reading, value, about) if is_spatial(value) else _planar(reading, value, about)


def _planar(reading: Reading, value: dict[str, Any], about: dict[str, Any]) -> PlanarRobot:
    def motor(keys: Keys) -> Motor:
        return reading.make(Motor, keys)

    if is_listed(value):
        links = reading.each(lambda keys: _link(reading, keys), ("robot", "links"))
        motors = reading.one_or_many(motor, ("robot", "motors")) if "motors" in value else Motor()
        with reading.speaking_of(("robot",)):
            return PlanarRobot(links=links, motors=motors, **about)
    link, same = _link(reading, ("robot", "link")), motor(("robot", "motor"))
    with reading.speaking_of(("robot",)):
        return PlanarRobot.uniform(value["n_links"], link, same, **about)


def _link(reading: Reading, keys: Keys) -> PlanarLink:
    if reading.at(keys).get("supports") is None:
        return reading.make(PlanarLink, keys)
    supports = reading.each(lambda each: reading.make(Support, each), (*keys, "supports"))
    return reading.make(PlanarLink, keys, supports=supports)


def _spatial(reading: Reading, value: dict[str, Any], about: dict[str, Any]) -> SpatialRobot:
    def link(keys: Keys) -> SpatialLink:
        return reading.make(SpatialLink, keys)

    def joint(keys: Keys) -> Joint:
        motors = {key: reading.make(Motor, (*keys, key)) for key in MOTORS if key in reading.at(keys)}
        return reading.make(JOINTS[reading.at(keys)["kind"]], keys, **motors)

    joints = reading.one_or_many(joint, ("robot", "joints")) if "joints" in value else Cardan()
    touching = {key: value[key] for key in ("self_contact", "self_friction") if key in value}
    if is_listed(value):
        links = reading.each(link, ("robot", "links"))
        with reading.speaking_of(("robot",)):
            return SpatialRobot(links=links, joints=joints, **touching, **about)
    same = link(("robot", "link"))
    with reading.speaking_of(("robot",)):
        return dataclasses.replace(SpatialRobot.uniform(value["n_links"], same, joints, **about), **touching)
