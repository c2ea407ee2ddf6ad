"""The constants and coordinates that a run's Dataset has."""

from __future__ import annotations

from pushpoint.worlds.variables.variable import Engine, Variable

CONSTANT = (
    Variable(
        "obstacle_count",
        (),
        "1",
        "n_O",
        "Number of obstacles",
        "How many obstacles the world has.",
        condition="if there are obstacles",
        kind="constant",
    ),
    Variable(
        "terrain_height",
        ("terrain_x", "terrain_y"),
        "m",
        "h",
        "Ground height",
        "Height of uneven ground at its grid points. Further fields of a batch are numbered: terrain_height_1 ...",
        engine="space",
        condition="on a height field",
        kind="constant",
    ),
)
"""What a run has once, in the order of the table."""


def _coordinate(
    name: str,
    units: str,
    symbol: str,
    long_name: str,
    description: str,
    *,
    along: str = "",
    engine: Engine = "both",
    condition: str = "",
) -> Variable:
    """A coordinate along its own dimension, or along another."""
    return Variable(name, (along or name,), units, symbol, long_name, description, engine, condition, "coordinate")


_UNEVEN = "on a height field"
COORDINATES = (
    _coordinate("time", "s", "t", "Time", "Simulated time since the start."),
    _coordinate("link", "1", "i", "Link", "Number of the link, from 0 at the tail to the head."),
    _coordinate(
        "joint", "1", "j", "Joint", "Number of the joint axis, from the tail; a cardan joint has two, see joint_axis."
    ),
    _coordinate("link_gap", "1", "g", "Gap between links", "Number of the gap, that of the link behind it."),
    _coordinate("axis", "1", "a", "Axis", "Axis of the world's frame: x, y, and in space z, which points up."),
    _coordinate("quaternion", "1", "a_p", "Quaternion component", "The scalar part w comes first.", engine="space"),
    _coordinate(
        "sphere",
        "1",
        "s",
        "Contact sphere",
        "Number of the sphere on its link, as in `SpatialLink.spheres`; those of wheels follow.",
        engine="space",
        condition="if sphere_force is recorded",
    ),
    _coordinate("obstacle", "1", "o", "Obstacle", "Number of the obstacle, in the order of the environment."),
    _coordinate("world", "1", "w", "World", "Number of the world in the batch.", condition="in a batch"),
    _coordinate(
        "description_key",
        "1",
        "k_w",
        "Key of the description",
        "Number of the description that the world belongs to; equal for all, unless `xarray.concat` joined runs.",
        along="world",
        condition="in a batch",
    ),
    _coordinate("link_behind", "1", "i_j", "Link behind the joint", "The link on the tail's side.", along="joint"),
    _coordinate(
        "joint_axis",
        "1",
        "a_j",
        "Joint axis",
        "What the joint turns about: yaw (left and right) or pitch (up and down).",
        along="joint",
    ),
    _coordinate("terrain_x", "m", "x_h", "Grid in x", "Grid of uneven ground.", engine="space", condition=_UNEVEN),
    _coordinate("terrain_y", "m", "y_h", "Grid in y", "Grid of uneven ground.", engine="space", condition=_UNEVEN),
    _coordinate(
        "parameter",
        "1",
        "p_w",
        "Parameter",
        "What differs from world to world; its long_name and units are those of the sweep.",
        along="world",
        condition="in a sweep",
    ),
    _coordinate(
        "label", "1", "l_w", "Label", "Name of the world.", along="world", condition="in a sweep of named worlds"
    ),
)
"""In the order of the table."""
