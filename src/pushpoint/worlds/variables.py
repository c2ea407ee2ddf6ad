"""The table of everything that a run's Dataset may hold: names, dimensions, units, symbols and meanings.

The Dataset takes its attributes from here, `Record` the names that it knows, and the documents their reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["recorded", "constant", "coordinate"]
Engine = Literal["both", "plane", "space"]
_ENGINES = {"both": "always", "plane": "in the plane", "space": "in space"}

MOST_LOADED_OBSTACLES = 1000
"""With more obstacles than this, obstacle_load is not recorded by default: it would dwarf the rest."""


@dataclass(frozen=True)
class Variable:
    """Layout and description of one variable. Batched runs put the dimension `world` first."""

    name: str
    """Its name in the Dataset. Numbered variables are described under the first name."""
    dims: tuple[str, ...]
    """Dimensions in the plane, or in both engines."""
    units: str
    """SI unit; "1" without a unit."""
    symbol: str
    """Letter in the documents and figures."""
    long_name: str
    """A few words that fit the axis of a figure."""
    description: str
    """Whole sentences."""
    engine: Engine = "both"
    """Which engine's runs have it."""
    condition: str = ""
    """What else must hold for it to be there, in words; empty if nothing."""
    kind: Kind = "recorded"
    """Whether it is recorded over time, a constant of the world, or a coordinate."""
    in_space: tuple[str, ...] = ()
    """Dimensions in space, if they differ."""

    @property
    def dims_in_space(self) -> tuple[str, ...]:
        """Dimensions in space."""
        return self.in_space or self.dims

    @property
    def when(self) -> str:
        """When a run has it, in words."""
        if self.condition and self.engine == "both":
            return self.condition
        return _ENGINES[self.engine] + (f", {self.condition}" if self.condition else "")

    @property
    def attrs(self) -> dict[str, str]:
        """Attributes of the variable in the Dataset."""
        names = ("units", "long_name", "symbol", "description")
        return {name: getattr(self, name) for name in names}

    def row(self) -> dict[str, Any]:
        """The entry in JSON types, for tables in documents."""
        texts = {name: getattr(self, name) for name in ("units", "symbol", "long_name", "description", "when")}
        dims = {"dims": list(self.dims), "dims_in_space": list(self.dims_in_space)}
        return {"name": self.name, "kind": self.kind, **dims, **texts}


_TIME, _LINK, _JOINT, _LINK_AXIS = ("time",), ("time", "link"), ("time", "joint"), ("time", "link", "axis")
_MEAN = "Mean since the last sample."
_SINCE = "since the last sample."

_RECORDED = (
    Variable("link_position", _LINK_AXIS, "m", "r", "Link position", "Position of the link's centre of mass."),
    Variable(
        "link_orientation",
        (*_LINK, "quaternion"),
        "1",
        "p",
        "Link orientation",
        "Unit quaternion (w, x, y, z) that turns the link's frame into the world's.",
        engine="space",
    ),
    Variable(
        "link_angle",
        _LINK,
        "rad",
        "theta",
        "Link angle",
        "Angle from the x axis to the link; it counts whole turns.",
        engine="plane",
    ),
    Variable("link_velocity", _LINK_AXIS, "m s-1", "v", "Link velocity", "Velocity of the link's centre of mass."),
    Variable(
        "link_angular_velocity",
        _LINK,
        "rad s-1",
        "omega",
        "Link angular velocity",
        "About z in the plane; a vector in the world's frame in space.",
        in_space=_LINK_AXIS,
    ),
    Variable(
        "joint_angle",
        _JOINT,
        "rad",
        "phi",
        "Joint angle",
        "Angle of the front link minus that of the rear link; in space, the angle about each axis of a joint.",
    ),
    Variable("joint_rate", _JOINT, "rad s-1", "phi_dot", "Joint rate", "How fast the joint angle grows."),
    Variable(
        "joint_reference",
        _JOINT,
        "rad",
        "phi_ref",
        "Joint reference",
        "Joint angle that the controller asks for; NaN where it asks for a torque instead.",
    ),
    Variable("joint_torque", _JOINT, "N m", "tau", "Motor torque", f"Torque of the motor on the front link. {_MEAN}"),
    Variable(
        "joint_power",
        _JOINT,
        "W",
        "P",
        "Motor power",
        f"Power of the motor, negative while the joint drives the motor. {_MEAN}",
    ),
    Variable(
        "joint_force",
        ("time", "link_gap", "axis"),
        "N",
        "F_J",
        "Joint force",
        f"Force of the rear link on the front link at their joint. {_MEAN}",
    ),
    Variable("obstacle_force", _LINK_AXIS, "N", "F_H", "Obstacle force", f"Force of obstacles on the link. {_MEAN}"),
    Variable(
        "self_force",
        _LINK_AXIS,
        "N",
        "F_S",
        "Force of other links",
        f"Force of links that touch this one beside the joints; zero unless the robot has self_contact. {_MEAN}",
        engine="space",
    ),
    Variable(
        "contact_normal_force",
        _LINK,
        "N",
        "F_N",
        "Sideways obstacle force",
        f"Normal forces of obstacles on the link, positive toward its left. {_MEAN}",
    ),
    Variable(
        "obstacle_load",
        ("time", "obstacle"),
        "N",
        "F_O",
        "Load on the obstacle",
        f"Sum of the normal forces on the obstacle. {_MEAN} In a batch, NaN beyond a world's own obstacles.",
        condition=f"up to {MOST_LOADED_OBSTACLES:,} obstacles, or if listed in `Record`",
    ),
    Variable(
        "ground_force",
        _LINK_AXIS,
        "N",
        "F_T",
        "Ground force",
        f"Force of the ground on the link: friction alone in the plane, normal force and friction in space. {_MEAN}",
    ),
    Variable(
        "center_of_mass", ("time", "axis"), "m", "r_CM", "Centre of mass", "Position of the robot's centre of mass."
    ),
    Variable("solver_iterations", _TIME, "1", "k", "Solver iterations", f"Most iterations that a step took {_SINCE}"),
    Variable(
        "solver_residual", _TIME, "m s-1", "epsilon", "Solver residual", f"Largest violation of a force law {_SINCE}"
    ),
    Variable(
        "unconverged",
        _TIME,
        "1",
        "n_u",
        "Unconverged steps",
        f"Number of steps whose residual stayed above the tolerance {_SINCE}",
    ),
    Variable(
        "penetration",
        _TIME,
        "m",
        "-g",
        "Deepest penetration",
        f"Deepest overlap of a link with an obstacle or uneven ground {_SINCE}",
    ),
    Variable(
        "controller_mode",
        _TIME,
        "1",
        "m",
        "Controller mode",
        "Number of the mode that acted until the sample; the attribute flag_meanings has the names.",
        condition="if the controller has modes",
    ),
)
_CONSTANT = (
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
_COORDINATES = (
    _coordinate("time", "s", "t", "Time", "Simulated time since the start."),
    _coordinate("link", "1", "i", "Link", "Number of the link, from 0 at the tail to the head."),
    _coordinate(
        "joint", "1", "j", "Joint", "Number of the joint axis, from the tail; a cardan joint has two, see joint_axis."
    ),
    _coordinate("link_gap", "1", "g", "Gap between links", "Number of the gap, that of the link behind it."),
    _coordinate("axis", "1", "a", "Axis", "Axis of the world's frame: x, y, and in space z, which points up."),
    _coordinate("quaternion", "1", "a_p", "Quaternion component", "The scalar part w comes first.", engine="space"),
    _coordinate("obstacle", "1", "o", "Obstacle", "Number of the obstacle, in the order of the environment."),
    _coordinate("world", "1", "w", "World", "Number of the world in the batch.", condition="in a batch"),
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

VARIABLES = {each.name: each for each in _RECORDED}
"""The variables recorded over time, by name: those that `Record` can choose from."""
_ENTRIES = {each.name: each for each in (*_RECORDED, *_CONSTANT, *_COORDINATES)}


def table() -> tuple[Variable, ...]:
    """Everything that a Dataset may hold: recorded variables, then constants, then coordinates."""
    return tuple(_ENTRIES.values())


def entry_of(name: str) -> Variable:
    """The entry of a variable or coordinate; numbered terrain has that of the first. Raises KeyError if unknown."""
    return _ENTRIES[re.sub(r"^(terrain_[a-z]+)_\d+$", r"\1", name)]


def dims_of(name: str, spatial: bool) -> tuple[str, ...]:
    """Dimensions of a recorded variable after that of worlds, in the plane or in space."""
    return VARIABLES[name].dims_in_space if spatial else VARIABLES[name].dims
