"""The variables that a run records only if `Record` names them: they cost time or memory."""

from __future__ import annotations

from typing import Any

from pushpoint.worlds.variables.variable import LINK, TIME, Engine, Variable

_OBSTACLE_AXIS, _GAP, _GAP_AXIS = ("time", "obstacle", "axis"), ("time", "link_gap"), ("time", "link_gap", "axis")


def _power(name: str, symbol: str, long_name: str, description: str, **more: Any) -> Variable:
    return Variable(
        name, more.pop("dims", LINK), "W", symbol, long_name, description, mean=True, on_request=True, **more
    )


def _state(
    name: str, units: str, symbol: str, long_name: str, description: str, engine: Engine = "both", **more: Any
) -> Variable:
    return Variable(name, TIME, units, symbol, long_name, description, engine, on_request=True, **more)


REQUESTED = (
    _state(
        "kinetic_energy", "J", "T", "Kinetic energy", "Of all links: of their centres of mass, and of their turning."
    ),
    _state(
        "potential_energy",
        "J",
        "V",
        "Potential energy",
        "Of the weight, zero at z = 0. Springs and servos are not counted.",
        "space",
    ),
    _state(
        "angular_momentum",
        "kg m2 s-1",
        "L",
        "Angular momentum",
        "About the robot's centre of mass: about z in the plane, a vector in the world's frame in space.",
        in_space=("time", "axis"),
    ),
    _power(
        "ground_friction_power",
        "P_T",
        "Power lost to ground friction",
        "Power that friction of the ground takes from the link, with that against spinning and rolling.",
    ),
    _power(
        "obstacle_friction_power",
        "P_H",
        "Power lost to obstacle friction",
        "Power that friction of obstacles takes from the link.",
    ),
    _power(
        "self_friction_power",
        "P_S",
        "Power lost to friction of links",
        "Power that friction of other links takes from the link; its sum over the links is what they lose.",
    ),
    _power(
        "normal_power",
        "P_N",
        "Power lost in impacts",
        "Power that normal forces of ground, obstacles and other links take from the link: in impacts, and negative "
        "while they push it out of a penetration.",
    ),
    _power(
        "stop_power",
        "P_E",
        "Power lost in end stops",
        "Power that the end stops of the joint in this gap take from the robot.",
        dims=_GAP,
    ),
    _power("load_power", "P_L", "Power of loads", "Power that a controller's loads on the link give it."),
    Variable(
        "contact_count",
        LINK,
        "1",
        "n_C",
        "Contacts",
        "Number of contacts that push the link: with obstacles and other links, in space also with the ground. A "
        "contact that pushes half of the time counts half.",
        mean=True,
        on_request=True,
    ),
    Variable(
        "sphere_force",
        (*LINK, "sphere"),
        "N",
        "F_B",
        "Normal force on a contact sphere",
        "Normal force of the ground on each contact sphere of the link. What uneven ground does between the spheres is "
        "part of ground_force alone. NaN beyond a link's own spheres.",
        "space",
        mean=True,
        on_request=True,
    ),
    Variable(
        "joint_moment",
        _GAP_AXIS,
        "N m",
        "M_J",
        "Joint moment",
        "Moment of the rear link on the front link at the rear joint of the front link. Along an axis of the joint it "
        "is what motor and end stop do; across it, what the bearing carries.",
        "space",
        mean=True,
        on_request=True,
    ),
    Variable(
        "obstacle_reaction",
        _OBSTACLE_AXIS,
        "N",
        "F_R",
        "Force on the obstacle",
        "Force of the robot on the obstacle, with friction. In a batch, NaN beyond a world's own obstacles.",
        mean=True,
        on_request=True,
    ),
    Variable(
        "obstacle_friction",
        _OBSTACLE_AXIS,
        "N",
        "F_F",
        "Friction on the obstacle",
        "The part of obstacle_reaction that is friction.",
        mean=True,
        on_request=True,
    ),
)
"""In the order of the table."""
BALANCE = ("kinetic_energy", "ground_friction_power", "obstacle_friction_power", "normal_power")
"""What an energy balance needs; the other powers and energies count as zero where they were not recorded."""
