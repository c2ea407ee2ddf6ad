"""Message types: those of ROS 2 that the library rosbags knows, and those of Foxglove that draw a scene."""

from __future__ import annotations

from functools import cache
from typing import Any

from pushpoint.errors import MissingExtra

FOXGLOVE = """
MSG Color
float64 r
float64 g
float64 b
float64 a
MSG KeyValuePair
string key
string value
MSG ArrowPrimitive
geometry_msgs/Pose pose
float64 shaft_length
float64 shaft_diameter
float64 head_length
float64 head_diameter
foxglove_msgs/Color color
MSG CubePrimitive
geometry_msgs/Pose pose
geometry_msgs/Vector3 size
foxglove_msgs/Color color
MSG SpherePrimitive
geometry_msgs/Pose pose
geometry_msgs/Vector3 size
foxglove_msgs/Color color
MSG CylinderPrimitive
geometry_msgs/Pose pose
geometry_msgs/Vector3 size
float64 bottom_scale
float64 top_scale
foxglove_msgs/Color color
MSG LinePrimitive
uint8 LINE_STRIP=0
uint8 LINE_LOOP=1
uint8 LINE_LIST=2
uint8 type
geometry_msgs/Pose pose
float64 thickness
bool scale_invariant
geometry_msgs/Point[] points
foxglove_msgs/Color color
foxglove_msgs/Color[] colors
uint32[] indices
MSG TriangleListPrimitive
geometry_msgs/Pose pose
geometry_msgs/Point[] points
foxglove_msgs/Color color
foxglove_msgs/Color[] colors
uint32[] indices
MSG TextPrimitive
geometry_msgs/Pose pose
bool billboard
float64 font_size
bool scale_invariant
foxglove_msgs/Color color
string text
MSG ModelPrimitive
geometry_msgs/Pose pose
geometry_msgs/Vector3 scale
foxglove_msgs/Color color
bool override_color
string url
string media_type
uint8[] data
MSG SceneEntityDeletion
uint8 MATCHING_ID=0
uint8 ALL=1
builtin_interfaces/Time timestamp
uint8 type
string id
MSG SceneEntity
builtin_interfaces/Time timestamp
string frame_id
string id
builtin_interfaces/Duration lifetime
bool frame_locked
foxglove_msgs/KeyValuePair[] metadata
foxglove_msgs/ArrowPrimitive[] arrows
foxglove_msgs/CubePrimitive[] cubes
foxglove_msgs/SpherePrimitive[] spheres
foxglove_msgs/CylinderPrimitive[] cylinders
foxglove_msgs/LinePrimitive[] lines
foxglove_msgs/TriangleListPrimitive[] triangles
foxglove_msgs/TextPrimitive[] texts
foxglove_msgs/ModelPrimitive[] models
MSG SceneUpdate
foxglove_msgs/SceneEntityDeletion[] deletions
foxglove_msgs/SceneEntity[] entities
"""
"""Messages that draw a scene and their fields, as the ROS 2 package foxglove_msgs has them, without their comments."""


@cache
def typestore() -> Any:
    """The message types that are written: a rosbags Typestore."""
    try:
        from rosbags.typesys import Stores, get_types_from_msg, get_typestore
    except ModuleNotFoundError:
        raise MissingExtra("a log of messages", "interchange") from None
    store = get_typestore(Stores.ROS2_HUMBLE)
    found: dict[str, Any] = {}
    for each in FOXGLOVE.split("MSG ")[1:]:
        name, _, fields = each.partition("\n")
        found |= get_types_from_msg(fields, f"foxglove_msgs/msg/{name}")
    store.register(found)
    return store


def message(kind: str, /, **fields: Any) -> Any:
    """A message such as sensor_msgs/JointState; the name without the part /msg/."""
    return typestore().types[full_name(kind)](**fields)


def full_name(name: str) -> str:
    """The name of a type as ROS 2 writes it: sensor_msgs/msg/JointState."""
    package, _, kind = name.partition("/")
    return f"{package}/msg/{kind}"
