"""What a run writes down: how often, and which variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.checks import check_fields, store
from pushpoint.model.quantities import Frequency
from pushpoint.worlds.variables import MOST_LOADED_OBSTACLES, VARIABLES


@dataclass(frozen=True, kw_only=True)
class Record:
    """What a run records: how often, and which variables.

    For example:

        pp.simulate(world, 10.0, record=pp.Record(rate=50.0, variables=["center_of_mass", "joint_torque"]))
        pp.simulate(world, 10.0, record=pp.Record(also=["kinetic_energy", "ground_friction_power"]))
    """

    __repr__ = brief

    rate: Frequency = 100.0
    """Samples per second [Hz]. It is rounded to a whole number of time steps; a warning says so if it differs."""
    variables: Sequence[str] | None = None
    """Names of the variables to keep; default: the usual ones, all but those on request."""
    also: Sequence[str] = ()
    """Names of variables to keep besides: those on request, as a rule."""

    def __post_init__(self) -> None:
        check_fields(self, "record")
        store(self, also=_names("also", self.also))
        if self.variables is not None:
            store(self, variables=_names("variables", self.variables))

    def steps(self, dt: float) -> int:
        """Number of time steps between samples [-]."""
        return max(1, round(1.0 / (self.rate * dt)))

    def wants(self, name: str, n_obstacles: int = 0) -> bool:
        """Whether a variable is recorded in a run with this many obstacles."""
        if name in self.also:
            return True
        if self.variables is not None:
            return name in self.variables
        many = name == "obstacle_load" and n_obstacles > MOST_LOADED_OBSTACLES
        return not (many or VARIABLES[name].on_request)


def _names(field: str, names: Sequence[str]) -> tuple[str, ...]:
    """Names of variables, checked."""
    if isinstance(names, str):
        raise InvalidModel(f"record.{field}", names, "a list of names")
    for name in names:
        if name not in VARIABLES:
            raise UnknownName("variable", str(name), VARIABLES)
    return tuple(names)
