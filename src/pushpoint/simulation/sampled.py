"""Which of the kernels' samples each variable of a run is made from: no others are taken."""

from __future__ import annotations

from collections.abc import Collection

ON_OBSTACLES = {"obstacle_load": "load_on", "obstacle_reaction": "push_on", "obstacle_friction": "rub_on"}
"""Variables per obstacle."""
ON_LINKS = {
    "ground_friction_power": "ground_rub",
    "obstacle_friction_power": "obstacle_rub",
    "self_friction_power": "own_rub",
    "normal_power": "normal_loss",
    "stop_power": "stop_loss",
    "load_power": "load_gain",
    "contact_count": "touched",
    "sphere_force": "on_sphere",
    "joint_moment": "moment",
}
"""Variables on request per link or gap."""
MEANS = {
    "ground_force": "ground",
    "obstacle_force": "obstacle",
    "contact_normal_force": "side",
    "joint_torque": "motor",
    "joint_power": "motor_work",
}
"""Means over the recording interval, and the running totals that they are the changes of."""
FROM_STATES = ("kinetic_energy", "potential_energy", "angular_momentum")
"""Variables that are made of positions and velocities."""
FROM_POSES = ("link_position", "link_orientation", *FROM_STATES)
"""Variables that take the poses of all links."""

_EVERYWHERE: dict[str, tuple[str, ...]] = {
    "link_velocity": ("v",),
    "joint_reference": ("reference",),
    "joint_force": ("v", "ground", "obstacle", "load", "own"),
    "self_force": ("own",),
} | {name: (sample,) for name, sample in (ON_OBSTACLES | ON_LINKS | MEANS).items()}
_IN_THE_PLANE = (
    {"link_angle": ("theta",), "link_angular_velocity": ("omega",)}
    | {"joint_angle": ("theta",), "joint_rate": ("omega",)}
    | {name: ("theta", "omega", "v") for name in FROM_POSES}
)
_IN_SPACE = (
    {"link_angular_velocity": ("tail", "angle", "omega")}
    | {"joint_angle": ("angle",), "joint_rate": ("rate",)}
    | {name: ("tail", "angle", "omega", "v") for name in FROM_POSES}
)


def wanted_samples(variables: Collection[str], *, spatial: bool) -> list[str]:
    """The kernels' samples that a run with these variables needs besides those that are always taken."""
    sources = _EVERYWHERE | (_IN_SPACE if spatial else _IN_THE_PLANE)
    return sorted({sample for name in variables for sample in sources.get(name, ())})
