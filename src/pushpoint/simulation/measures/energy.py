"""Where the energy comes from and goes: the balance of a run that recorded its powers and energies."""

from __future__ import annotations

import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.provenance import require
from pushpoint.worlds.variables import BALANCE

GIVEN = {"motors": "joint_power", "loads": "load_power"}
"""What gives energy to the robot, and the power that says how much."""
TAKEN = {
    "ground_friction": "ground_friction_power",
    "obstacle_friction": "obstacle_friction_power",
    "self_friction": "self_friction_power",
    "impacts": "normal_power",
    "end_stops": "stop_power",
}
"""What takes energy from it, likewise."""
STORED = {"kinetic": "kinetic_energy", "potential": "potential_energy"}
"""Where it stays."""


@checked_arguments
def energy_budget(run: xr.Dataset) -> xr.Dataset:
    """Energies up to each sample [J]: given, stored, taken, and the rest that the balance lacks. Batched or not.

    motors + loads = kinetic + potential + ground_friction + obstacle_friction + self_friction + impacts + end_stops +
    rest, each since the first sample. The run must have recorded what `Record(also=pp.measures.BALANCE)` asks for.
    `potential_energy`, `stop_power`, `load_power` and `self_friction_power` count as zero where they were not recorded.
    The rest is of second order in the time step.
    """
    require(run, "an energy balance", "joint_power", *BALANCE)
    step = float(run.time[1] - run.time[0]) if run.time.size > 1 else 0.0
    first = run.time == run.time[0]
    found: dict[str, xr.DataArray] = {}
    for name, variable in (GIVEN | TAKEN).items():
        if variable in run:
            power = run[variable].sum([dim for dim in run[variable].dims if dim not in ("world", "time")], skipna=False)
            found[name] = (step * power.where(~first, 0.0)).cumsum("time", skipna=False)
    for name, variable in STORED.items():
        if variable in run:
            found[name] = run[variable] - run[variable].isel(time=0, drop=True)
    rest = 0.0 * found["motors"]
    for name in (*GIVEN, *TAKEN, *STORED):
        if name in found:
            rest = rest + found[name] if name in GIVEN else rest - found[name]
    found["rest"] = rest
    for name, values in found.items():
        words = {"units": "J", "long_name": name.replace("_", " ").capitalize()}
        found[name] = values.assign_coords(time=run.time).assign_attrs(words)
    made = xr.Dataset(found)
    return made.transpose(*(dim for dim in ("world", "time") if dim in made.dims))
