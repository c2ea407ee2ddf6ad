"""What a run writes down: how often, which variables, and their dimensions, units and symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.checks import check_fields, store
from pushpoint.model.quantities import Frequency


@dataclass(frozen=True)
class Variable:
    """Layout and description of one variable. Batched runs put the dimension `world` first."""

    dims: tuple[str, ...]
    units: str
    long_name: str
    symbol: str

    @property
    def attrs(self) -> dict[str, str]:
        """Attributes of the variable in the Dataset."""
        return {"units": self.units, "long_name": self.long_name, "symbol": self.symbol}


SPATIAL_DIMS = {"link_angular_velocity": ("time", "link", "axis")}
"""Variables whose dimensions differ between plane and space."""

_TIME, _LINK, _JOINT, _LINK_AXIS = ("time",), ("time", "link"), ("time", "joint"), ("time", "link", "axis")
_MEAN = "mean since the last sample"

VARIABLES: dict[str, Variable] = {
    "link_position": Variable(_LINK_AXIS, "m", "position of the link's centre of mass", "r"),
    "link_orientation": Variable(
        (*_LINK, "quaternion"), "1", "orientation of the link, unit quaternion w, x, y, z", "p"
    ),
    "link_angle": Variable(_LINK, "rad", "link angle from the x axis", "theta"),
    "link_velocity": Variable(_LINK_AXIS, "m s-1", "velocity of the link's centre of mass", "v"),
    "link_angular_velocity": Variable(_LINK, "rad s-1", "angular velocity of the link", "omega"),
    "joint_angle": Variable(_JOINT, "rad", "joint angle, front link minus rear link", "phi"),
    "joint_rate": Variable(_JOINT, "rad s-1", "rate of the joint angle", "phi_dot"),
    "joint_reference": Variable(_JOINT, "rad", "reference of the joint angle", "phi_ref"),
    "joint_torque": Variable(_JOINT, "N m", f"motor torque on the front link, {_MEAN}", "tau"),
    "joint_power": Variable(_JOINT, "W", f"motor power, {_MEAN}", "P"),
    "joint_force": Variable(("time", "link_gap", "axis"), "N", f"force of the rear on the front link, {_MEAN}", "F_J"),
    "obstacle_force": Variable(_LINK_AXIS, "N", f"force of obstacles on the link, {_MEAN}", "F_H"),
    "self_force": Variable(_LINK_AXIS, "N", f"force of other links on the link where they touch, {_MEAN}", "F_S"),
    "contact_normal_force": Variable(_LINK, "N", f"obstacle force toward the link's left, {_MEAN}", "F_N"),
    "obstacle_load": Variable(("time", "obstacle"), "N", f"normal force on the obstacle, {_MEAN}", "F_O"),
    "ground_force": Variable(
        _LINK_AXIS, "N", f"force of the ground on the link, in the plane its friction, {_MEAN}", "F_T"
    ),
    "center_of_mass": Variable(("time", "axis"), "m", "centre of mass of the robot", "r_CM"),
    "solver_iterations": Variable(_TIME, "1", "most solver iterations in a step since the last sample", "k"),
    "solver_residual": Variable(
        _TIME, "m s-1", "largest violation of a force law in a step since the last sample", "epsilon"
    ),
    "unconverged": Variable(_TIME, "1", "unconverged steps since the last sample", "n_u"),
    "penetration": Variable(
        _TIME, "m", "deepest overlap of a link with an obstacle or uneven ground since the last sample", "-g"
    ),
    "controller_mode": Variable(_TIME, "1", "mode of the controller that acted until the sample", "m"),
}

PLANAR_ONLY = ("link_angle",)
SPATIAL_ONLY = ("link_orientation", "self_force")


def dims_of(name: str, spatial: bool) -> tuple[str, ...]:
    """Dimensions of a variable after that of worlds, in the plane or in space."""
    return SPATIAL_DIMS.get(name, VARIABLES[name].dims) if spatial else VARIABLES[name].dims


MOST_LOADED_OBSTACLES = 1000
"""With more obstacles than this, obstacle_load is not recorded by default: it would dwarf the rest."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """What a run records: how often, and which variables.

    For example:

        pp.simulate(world, 10.0, record=pp.Record(rate=50.0, variables=["center_of_mass", "joint_torque"]))
    """

    rate: Frequency = 100.0
    """Samples per second [Hz]. It is rounded to a whole number of time steps; a warning says so if it differs."""
    variables: Sequence[str] | None = None
    """Names of the variables to keep; default: all."""

    def __post_init__(self) -> None:
        check_fields(self, "record")
        if self.variables is not None:
            if isinstance(self.variables, str):
                raise InvalidModel("record.variables", self.variables, "a list of names")
            for name in self.variables:
                if name not in VARIABLES:
                    raise UnknownName("variable", str(name), VARIABLES)
            store(self, variables=tuple(self.variables))

    def steps(self, dt: float) -> int:
        """Number of time steps between samples [-]."""
        return max(1, round(1.0 / (self.rate * dt)))

    def wants(self, name: str, n_obstacles: int = 0) -> bool:
        """Whether a variable is recorded in a run with this many obstacles."""
        if self.variables is None:
            return name != "obstacle_load" or n_obstacles <= MOST_LOADED_OBSTACLES
        return name in self.variables
