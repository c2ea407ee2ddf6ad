"""The variables that every run records unless told otherwise."""

from __future__ import annotations

from pushpoint.worlds.variables.variable import JOINT, LINK, LINK_AXIS, TIME, Variable

MOST_LOADED_OBSTACLES = 1000
"""With more obstacles than this, obstacle_load is not recorded by default: it would dwarf the rest."""
_SINCE = "since the last sample."

RECORDED = (
    Variable("link_position", LINK_AXIS, "m", "r", "Link position", "Position of the link's centre of mass."),
    Variable(
        "link_orientation",
        (*LINK, "quaternion"),
        "1",
        "p",
        "Link orientation",
        "Unit quaternion (w, x, y, z) that turns the link's frame into the world's.",
        engine="space",
    ),
    Variable(
        "link_angle",
        LINK,
        "rad",
        "theta",
        "Link angle",
        "Angle from the x axis to the link; it counts whole turns.",
        engine="plane",
    ),
    Variable("link_velocity", LINK_AXIS, "m s-1", "v", "Link velocity", "Velocity of the link's centre of mass."),
    Variable(
        "link_angular_velocity",
        LINK,
        "rad s-1",
        "omega",
        "Link angular velocity",
        "About z in the plane; a vector in the world's frame in space.",
        in_space=LINK_AXIS,
    ),
    Variable(
        "joint_angle",
        JOINT,
        "rad",
        "phi",
        "Joint angle",
        "Angle of the front link minus that of the rear link; in space, the angle about each axis of a joint.",
    ),
    Variable("joint_rate", JOINT, "rad s-1", "phi_dot", "Joint rate", "How fast the joint angle grows."),
    Variable(
        "joint_reference",
        JOINT,
        "rad",
        "phi_ref",
        "Joint reference",
        "Joint angle that the controller asks for; NaN where it asks for a torque instead. A controller that does not "
        "say where it begins has that of the second sample in the first.",
    ),
    Variable("joint_torque", JOINT, "N m", "tau", "Motor torque", "Torque of the motor on the front link.", mean=True),
    Variable(
        "joint_power",
        JOINT,
        "W",
        "P",
        "Motor power",
        "Power of the motor, negative while the joint drives the motor.",
        mean=True,
    ),
    Variable(
        "joint_force",
        ("time", "link_gap", "axis"),
        "N",
        "F_J",
        "Joint force",
        "Force of the rear link on the front link at their joint.",
        mean=True,
    ),
    Variable("obstacle_force", LINK_AXIS, "N", "F_H", "Obstacle force", "Force of obstacles on the link.", mean=True),
    Variable(
        "self_force",
        LINK_AXIS,
        "N",
        "F_S",
        "Force of other links",
        "Force of links that touch this one beside the joints; zero unless the robot has self_contact.",
        mean=True,
        condition="in space, and in the plane if a robot has self_contact",
    ),
    Variable(
        "contact_normal_force",
        LINK,
        "N",
        "F_N",
        "Sideways obstacle force",
        "Normal forces of obstacles on the link, positive toward its left.",
        mean=True,
    ),
    Variable(
        "obstacle_load",
        ("time", "obstacle"),
        "N",
        "F_O",
        "Load on the obstacle",
        "Sum of the normal forces on the obstacle. In a batch, NaN beyond a world's own obstacles.",
        mean=True,
        condition=f"up to {MOST_LOADED_OBSTACLES:,} obstacles, or if listed in `Record`",
    ),
    Variable(
        "ground_force",
        LINK_AXIS,
        "N",
        "F_T",
        "Ground force",
        "Force of the ground on the link: friction alone in the plane, normal force and friction in space.",
        mean=True,
    ),
    Variable(
        "center_of_mass", ("time", "axis"), "m", "r_CM", "Centre of mass", "Position of the robot's centre of mass."
    ),
    Variable("solver_iterations", TIME, "1", "k", "Solver iterations", f"Most iterations that a step took {_SINCE}"),
    Variable(
        "solver_residual", TIME, "m s-1", "epsilon", "Solver residual", f"Largest violation of a force law {_SINCE}"
    ),
    Variable(
        "unconverged",
        TIME,
        "1",
        "n_u",
        "Unconverged steps",
        f"Number of steps whose residual stayed above the tolerance {_SINCE}",
    ),
    Variable(
        "penetration",
        TIME,
        "m",
        "-g",
        "Deepest penetration",
        f"Deepest overlap of a link with an obstacle or uneven ground {_SINCE}",
    ),
    Variable(
        "controller_mode",
        TIME,
        "1",
        "m",
        "Controller mode",
        "Number of the mode that acted until the sample; the attribute flag_meanings has the names.",
        condition="if the controller has modes",
    ),
)
"""In the order of the table."""
