"""Message types: those of ROS 2 that the library rosbags knows, and those of Foxglove that draw a scene."""

from __future__ import annotations

from functools import cache
from typing import Any

from pushpoint.errors import MissingExtra

FOXGLOVE = {
    "Color": "float64 r\nfloat64 g\nfloat64 b\nfloat64 a\n",
    "KeyValuePair": "string key\nstring value\n",
    "ArrowPrimitive": "geometry_msgs/Pose pose\nfloat64 shaft_length\nfloat64 shaft_diameter\nfloat64 head_length\n"
    "float64 head_diameter\nfoxglove_msgs/Color color\n",
    "CubePrimitive": "geometry_msgs/Pose pose\ngeometry_msgs/Vector3 size\nfoxglove_msgs/Color color\n",
    "SpherePrimitive": "geometry_msgs/Pose pose\ngeometry_msgs/Vector3 size\nfoxglove_msgs/Color color\n",
    "CylinderPrimitive": "geometry_msgs/Pose pose\ngeometry_msgs/Vector3 size\nfloat64 bottom_scale\nfloat64 top_scale\n"
    "foxglove_msgs/Color color\n",
    "LinePrimitive": "uint8 LINE_STRIP=0\nuint8 LINE_LOOP=1\nuint8 LINE_LIST=2\nuint8 type\ngeometry_msgs/Pose pose\n"
    "float64 thickness\nbool scale_invariant\ngeometry_msgs/Point[] points\nfoxglove_msgs/Color color\n"
    "foxglove_msgs/Color[] colors\nuint32[] indices\n",
    "TriangleListPrimitive": "geometry_msgs/Pose pose\ngeometry_msgs/Point[] points\nfoxglove_msgs/Color color\n"
    "foxglove_msgs/Color[] colors\nuint32[] indices\n",
    "TextPrimitive": "geometry_msgs/Pose pose\nbool billboard\nfloat64 font_size\nbool scale_invariant\n"
    "foxglove_msgs/Color color\nstring text\n",
    "ModelPrimitive": "geometry_msgs/Pose pose\ngeometry_msgs/Vector3 scale\nfoxglove_msgs/Color color\n"
    "bool override_color\nstring url\nstring media_type\nuint8[] data\n",
    "SceneEntityDeletion": "uint8 MATCHING_ID=0\nuint8 ALL=1\nbuiltin_interfaces/Time timestamp\nuint8 type\nstring id\n",
    "SceneEntity": "builtin_interfaces/Time timestamp\nstring frame_id\nstring id\nbuiltin_interfaces/Duration lifetime\n"
    "bool frame_locked\nfoxglove_msgs/KeyValuePair[] metadata\nfoxglove_msgs/ArrowPrimitive[] arrows\n"
    "foxglove_msgs/CubePrimitive[] cubes\nfoxglove_msgs/SpherePrimitive[] spheres\n"
    "foxglove_msgs/CylinderPrimitive[] cylinders\nfoxglove_msgs/LinePrimitive[] lines\n"
    "foxglove_msgs/TriangleListPrimitive[] triangles\nfoxglove_msgs/TextPrimitive[] texts\n"
    "foxglove_msgs/ModelPrimitive[] models\n",
    "SceneUpdate": "foxglove_msgs/SceneEntityDeletion[] deletions\nfoxglove_msgs/SceneEntity[] entities\n",
}
"""Fields of the messages that draw a scene, as the ROS 2 package foxglove_msgs has them, without their comments."""


@cache
def typestore() -> Any:
    """The message types that are written: a rosbags Typestore."""
    try:
        from rosbags.typesys import Stores, get_types_from_msg, get_typestore
    except ModuleNotFoundError:
        raise MissingExtra("a log of messages", "interchange") from None
    store = get_typestore(Stores.ROS2_HUMBLE)
    found: dict[str, Any] = {}
    for name, fields in FOXGLOVE.items():
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
