"""Published robots, each with its source: planar models (PlanarRobot) and spatial ones (SpatialRobot).

Some robots bend sideways (yaw) and up and down (pitch) at alternating joints. On flat ground such a robot is a planar
robot with its yaw joints alone: the modules between two of them form one rigid link. What a paper leaves open is our
choice and is named in `source`; inertias are then those of a uniform body. Friction belongs to the ground, not to the
robot, except for that of wheels.

    robot = pp.catalogue.aiko_planar()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi, radians
from typing import Any

from pushpoint.model import inertia
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.joints import Cardan, Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support
from pushpoint.model.quantities import Extent
from pushpoint.model.spatial_robot import AnyRobot, SpatialLink, SpatialRobot
from pushpoint.model.wheels import Wheels


def aiko_planar() -> PlanarRobot:
    """Aiko, the 11-link robot of NTNU/SINTEF, as modelled in the plane by Transeth2008a."""
    link = PlanarLink(length=0.122, mass=7.5 / 11, inertia=1.32e-3, radius=0.0525, side_length=2 * 0.0393)
    motor = Motor(stiffness=800.0, damping=2.0)
    return PlanarRobot.uniform(11, link, motor, name="aiko-planar", source="Transeth2008a, VIII-A")


def aiko_2008b() -> PlanarRobot:
    """Aiko in the plane with the parameters of Transeth2008b: softer servos, less inertia, two support points per link.

    The printed inertia is that of a uniform cylinder with half the printed radius. We keep it.
    """
    length, reach = 0.122, 0.0393
    supports = (Support(offset=-reach, share=0.5), Support(offset=reach, share=0.5))
    link = PlanarLink(
        length=length, mass=7.5 / 11, inertia=9.63e-4, radius=0.0525, side_length=2 * reach, supports=supports
    )
    motor = Motor(stiffness=40.0, damping=0.2)
    source = "Transeth2008b, VIII-A: Theta_1, K_hp, K_hd; the ground carries each link at the two contact spheres"
    return PlanarRobot.uniform(11, link, motor, name="aiko-2008b", source=source)


@checked_arguments
def aiko(axis_distance: Extent = 0.0) -> SpatialRobot:
    """Aiko in space, as modelled by Transeth2008b: 11 links, 10 cardan joints.

    On the real robot the yaw and pitch axes are 22 mm apart (VIII-F 4). The links are shortened by `axis_distance` [m],
    so that the joints stay 0.122 m apart. The printed inertias are those of a uniform cylinder with half the printed
    radius. We keep them.
    """
    link = SpatialLink(
        length=0.122 - axis_distance,
        mass=7.5 / 11,
        inertia=(2.35e-4, 9.63e-4, 9.63e-4),
        radius=0.0525,
        side_length=2 * 0.0393,
    )
    joint = Cardan(
        yaw=Motor(stiffness=40.0, damping=0.2), pitch=Motor(stiffness=800.0, damping=0.2), axis_distance=axis_distance
    )
    return SpatialRobot.uniform(11, link, joint, name="aiko", source="Transeth2008b, VIII-A")


def liljeback2011() -> PlanarRobot:
    """The robot of Liljeback2011 with its yaw joints: ten round modules with touch sensors, as a smooth tube."""
    length, mass = 0.14, 0.96
    link = PlanarLink(length=length, mass=mass, inertia=mass * (length / 2) ** 2 / 3, radius=0.07)
    motor = Motor(stiffness=20.0, damping=1.0, torque_limit=4.0, lower=-radians(45), upper=radians(45))
    source = "Liljeback2011, II and IV-A, IV-B; the gains of (11) are not printed: 20 N m/rad and 1 N m s/rad are ours"
    return PlanarRobot.uniform(10, link, motor, name="liljeback2011", source=source)


def liljeback2011_balls() -> PlanarRobot:
    """The robot of Liljeback2011 as a chain of balls.

    The paper describes "two hemispherical shells" around each module: 140 mm wide, 140 mm apart.
    """
    return _with_body("balls", "the shells of IV-A as balls", side_length=0.0)


def liljeback2011_centre() -> PlanarRobot:
    """The robot of Liljeback2011 with the contact forces of its paper's model.

    Whatever touches a link pushes at the link's centre of mass, across the link.
    """
    return _with_body("centre", "the contact force of II", contact_force="centre")


def _with_body(name: str, what: str, **body: Any) -> PlanarRobot:
    tube = liljeback2011()
    links = tuple(replace(link, **body) for link in tube.links)
    return replace(tube, links=links, name=f"{tube.name}-{name}", source=f"{tube.source}; {what}")


LILJEBACK2014 = (
    "Liljeback2014, IV-A: N = 16 joints, 0.08 m apart, section 0.07 m square; masses and servos are not in "
    "the text: uniform boxes of 1000 kg/m^3, 100 N m/rad and 2 N m s/rad are ours, as is yaw for joint 1"
)
_MODULE, _WIDTH, _DENSITY = 0.08, 0.07, 1000.0
_STIFF = Motor(stiffness=100.0, damping=2.0)


def liljeback2014_planar() -> PlanarRobot:
    """The 16-joint robot of Liljeback2014 in the plane: a head of one module and eight links of two modules.

    Its 17 modules are joined by alternating yaw and pitch joints, 0.08 m apart. We take the joint behind the head as
    yaw.
    """

    def box(length: float) -> PlanarLink:
        mass = _DENSITY * length * _WIDTH**2
        return PlanarLink(length=length, mass=mass, inertia=inertia.box(mass, length, _WIDTH).z, radius=_WIDTH / 2)

    links = (box(2 * _MODULE),) * 8 + (box(_MODULE),)
    return PlanarRobot(links=links, motors=_STIFF, name="liljeback2014-planar", source=LILJEBACK2014)


def liljeback2014() -> SpatialRobot:
    """The robot of Liljeback2014 in space: 17 square modules, alternating yaw and pitch joints, yaw behind the head."""
    mass = _DENSITY * _MODULE * _WIDTH**2
    link = SpatialLink(
        length=_MODULE,
        mass=mass,
        inertia=inertia.box(mass, _MODULE, _WIDTH),
        radius=_WIDTH / 2,
        side_length=_MODULE - _WIDTH / 10,
        shape="square",
    )
    return SpatialRobot.uniform(17, link, (Pitch(_STIFF), Yaw(_STIFF)), name="liljeback2014", source=LILJEBACK2014)


def holden2014() -> PlanarRobot:
    """The 20-link robot of Holden2014: centres of mass near the front joints, a heavier head."""

    def link(mass: float, inertia: float, to_tail: float, to_head: float) -> PlanarLink:
        """A link whose centre of mass is to_tail in front of its rear joint and to_head behind its front joint [m]."""
        offset = (to_tail - to_head) / 2
        return PlanarLink(length=to_tail + to_head, mass=mass, inertia=inertia, radius=0.035, mass_offset=offset)

    return PlanarRobot(
        links=(link(1.0, 0.001, 0.0617, 0.0233),) * 19 + (link(2.0, 0.0015, 0.0628, 0.0117),),
        motors=Motor(stiffness=20.0, damping=1.0, torque_limit=4.5),
        name="holden2014",
        source="Holden2014, Table I; its contacts are points on the axis and its torques come from the optimisation: "
        "radius 0.035 m and the gains 20 N m/rad and 1 N m s/rad are ours",
    )


ACM_III = (
    "after the ACM III, S. Hirose, Biologically Inspired Robots, 1993: 20 links, 2 m, 28 kg, passive wheels under all "
    "links as usually quoted, not checked against the book; radius 0.05 m, the wheels' size, resistance 0.02 and side "
    "limit 0.6, 100 N m/rad and 2 N m s/rad are ours, inertia of a uniform cylinder"
)
_ACM_LENGTH, _ACM_MASS, _ACM_RADIUS = 2.0 / 20, 28.0 / 20, 0.05
_ACM_WHEELS = Wheels(rolling_resistance=0.02, side_limit=0.6)


def acm_iii_planar() -> PlanarRobot:
    """The ACM III of Hirose in the plane: 20 links on passive wheels, 2 m long, 28 kg."""
    moments = inertia.cylinder(_ACM_MASS, _ACM_LENGTH, _ACM_RADIUS)
    link = PlanarLink(length=_ACM_LENGTH, mass=_ACM_MASS, inertia=moments.z, radius=_ACM_RADIUS, wheels=(_ACM_WHEELS,))
    return PlanarRobot.uniform(20, link, _STIFF, name="acm-iii-planar", source=ACM_III)


def acm_iii() -> SpatialRobot:
    """The ACM III of Hirose in space. It stands on its wheels and bends sideways alone."""
    moments = inertia.cylinder(_ACM_MASS, _ACM_LENGTH, _ACM_RADIUS)
    link = SpatialLink(length=_ACM_LENGTH, mass=_ACM_MASS, inertia=moments, radius=_ACM_RADIUS, wheels=(_ACM_WHEELS,))
    return SpatialRobot.uniform(20, link, Yaw(_STIFF), name="acm-iii", source=ACM_III)


SEA_SNAKE = (
    "after the SEA Snake of D. Rollinson et al., IROS 2014; figures from its maker's data sheet, not checked against "
    "the paper, no-load speed read as 33 rpm; 50 N m/rad and 1 N m s/rad are ours, inertia of uniform cylinders"
)
_SEA_LENGTH, _SEA_MASS, _SEA_RADIUS = 1.174, 3.657, 0.051 / 2
_SEA_MODULE, _SEA_MODULE_MASS = 0.064, 0.205
_SEA_MOTOR = Motor(
    stiffness=50.0,
    damping=1.0,
    torque_limit=7.0,
    speed_limit=33 * 2 * pi / 60,
    lower=-radians(90),
    upper=radians(90),
)


def yaw_pitch_16() -> SpatialRobot:
    """The 16-module SEA Snake of Carnegie Mellon: 16 alternating pitch and yaw joints, yaw behind the head."""

    def cylinder(length: float, mass: float) -> SpatialLink:
        moments = inertia.cylinder(mass, length, _SEA_RADIUS)
        return SpatialLink(length=length, mass=mass, inertia=moments, radius=_SEA_RADIUS)

    end = cylinder((_SEA_LENGTH - 15 * _SEA_MODULE) / 2, (_SEA_MASS - 15 * _SEA_MODULE_MASS) / 2)
    links = (end, *(cylinder(_SEA_MODULE, _SEA_MODULE_MASS),) * 15, end)
    joints = (Pitch(_SEA_MOTOR), Yaw(_SEA_MOTOR)) * 8
    return SpatialRobot(links=links, joints=joints, name="yaw-pitch-16", source=SEA_SNAKE)


def yaw_pitch_16_planar() -> PlanarRobot:
    """The 16-module SEA Snake of Carnegie Mellon in the plane: 9 links, 8 yaw joints.

    Its modules have alternating yaw and pitch joints. Seven links of two modules lie between the yaw joints; head and
    tail share the remaining length and mass.
    """

    def cylinder(length: float, mass: float) -> PlanarLink:
        moment = inertia.cylinder(mass, length, _SEA_RADIUS).z
        return PlanarLink(length=length, mass=mass, inertia=moment, radius=_SEA_RADIUS)

    end = cylinder((_SEA_LENGTH - 14 * _SEA_MODULE) / 2, (_SEA_MASS - 14 * _SEA_MODULE_MASS) / 2)
    links = (end, *(cylinder(2 * _SEA_MODULE, 2 * _SEA_MODULE_MASS),) * 7, end)
    return PlanarRobot(links=links, motors=_SEA_MOTOR, name="yaw-pitch-16-planar", source=SEA_SNAKE)


ROBOTS: dict[str, Callable[[], AnyRobot]] = {
    "aiko-planar": aiko_planar,
    "aiko-2008b": aiko_2008b,
    "aiko": aiko,
    "liljeback2011": liljeback2011,
    "liljeback2011-balls": liljeback2011_balls,
    "liljeback2011-centre": liljeback2011_centre,
    "liljeback2014-planar": liljeback2014_planar,
    "liljeback2014": liljeback2014,
    "holden2014": holden2014,
    "acm-iii-planar": acm_iii_planar,
    "acm-iii": acm_iii,
    "yaw-pitch-16": yaw_pitch_16,
    "yaw-pitch-16-planar": yaw_pitch_16_planar,
}
