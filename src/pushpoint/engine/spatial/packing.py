"""From words to arrays for the spatial engine. Only such packing modules know both vocabularies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, sin
from typing import Any

import numpy as np

from pushpoint.engine.packing import pack_laws, pack_model, padded, stacked
from pushpoint.engine.planar.kinematics import to_mass
from pushpoint.engine.records import Records
from pushpoint.engine.sharing import Shared
from pushpoint.engine.spatial import obstacles as course
from pushpoint.engine.state import SpatialState
from pushpoint.engine.tables.stock import Stock
from pushpoint.errors import InvalidModel
from pushpoint.kernels.spatial import structs
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import FrictionLaw
from pushpoint.model.joints import LEFT, UP, Axis
from pushpoint.model.spatial_robot import ContactSphere, SpatialLink, SpatialRobot
from pushpoint.model.terrain import HeightField

NAME, STATE = "spatial", SpatialState
load_rows, obstacle_rows = course.load_rows, course.obstacle_rows
MOST_AXES = int(structs.MOST_AXES)
STARTS_WITH: tuple[str, ...] = ("center", "tail", "angle", "rate", "v", "omega")
HELD: dict[str, tuple[str, ...]] = {
    "worlds": ("step", "status", "center", "tail", "n_self"),
    "links": ("v", "omega", "v_change", "w_change", "n_contacts"),
    "joints": ("angle", "rate", "P_stop"),
    "contacts": ("P_contact", "Q_contact", "contact_key"),
    "selves": ("P_self", "self_key"),
}
LOADS: tuple[str, ...] = ("force", "torque")
CONTACT_STIFFNESS = 1000.0
FEATURES = int(structs.FEATURES)
FIRST_KEY = FEATURES
FLAT = int(structs.FLAT)
"""Row of a world that has no height field."""

AXIS_CODES = {UP: int(structs.YAW), LEFT: int(structs.PITCH)}
"""The kernels' codes of the directions that joints turn about."""


def pack_obstacles(records: Records, environments: Sequence[Environment], stock: Stock) -> Any:
    """Obstacles, which have friction laws as grounds do."""
    return course.pack_obstacles(records, environments, stock)


def pack_stock(records: Records, stock: Stock) -> dict[str, Any]:
    """Friction laws and height fields that have not been packed yet."""
    laws, fields = stock.laws.fresh(), [field_rows(field) for field in stock.fields.fresh()]
    around, heights = [_around(friction) for friction in laws], [heights for _numbers, heights in fields]
    n_around, n_heights = [len(part) for part in around], [len(part) for part in heights]
    names = ("first", "stride", "columns", "rows", "origin", "spacing", "highest")
    numbers = {name: np.array([row[name] for row, _heights in fields]) for name in names}
    numbers["origin"] = numbers["origin"].reshape(-1, 2)
    numbers["first"] = numbers["first"] + _first_rows(stock, "heights", n_heights)
    return {
        "laws": pack_laws(records, laws, first_around=_first_rows(stock, "around", n_around), n_around=n_around),
        "around": records.array(np.concatenate([np.zeros(0), *around]), records.real),
        "fields": records.make("FieldModel", len(fields), **numbers),
        "heights": records.array(np.concatenate([np.zeros(0), *heights]), records.real),
    }


def _first_rows(stock: Stock, table: str, counts: Sequence[int]) -> np.ndarray:
    """Where things with so many further rows of a table begin."""
    return stock.begin(table, sum(counts)) + np.cumsum([0, *counts], dtype=int)[:-1]


def _around(friction: FrictionLaw) -> tuple[float, ...]:
    """Multipliers around a link. Kernels skip a single one, the 1 of most laws: any other comes twice."""
    given = tuple(friction.around)
    return given * 2 if len(given) == 1 and given != (1.0,) else given


def bars_of(link: SpatialLink) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Straight edges of a link's surface that can meet edges of the world: start, end (from its middle), radius [m].

    A round link has one, its axis. A square one has its twelve edges, and the thickest round bar that fits inside, to
    catch whatever passes an edge within one step.
    """
    half = float(link.side_length or 0.0) / 2
    if link.shape == "round":
        return [(np.array([-half, 0.0, 0.0]), np.array([half, 0.0, 0.0]), link.radius)]
    corners = np.array([sphere.position for sphere in link.spheres])
    radius = float(link.corner_radius or 0.0)
    pairs = [(a, b) for a in range(8) for b in range(a) if np.count_nonzero(corners[a] - corners[b]) == 1]
    edges = [(corners[a], corners[b], radius) for a, b in pairs]
    inside = np.array([half + radius - link.radius, 0.0, 0.0])
    return [*edges, (-inside, inside, link.radius)] if inside[0] > 0.0 else edges


def pack_robots(
    records: Records, robots: Sequence[SpatialRobot], environments: Sequence[Environment], stock: Stock
) -> Any:
    """Links with their spheres, wheels and bars, and the grounds under them."""
    own = Shared(robots)
    different = {id(link): link for robot in own.parts for link in robot.links}

    def of_links(value: Any) -> list[list[Any]]:
        known = {key: value(link) for key, link in different.items()}
        return [[known[id(link)] for link in robot.links] for robot in own.parts]

    def parts(rows: Any, numbers: int) -> tuple[np.ndarray, np.ndarray]:
        table, count = padded(of_links(rows), numbers)
        return table[own.which], count[own.which]

    spheres, n_spheres = parts(_sphere_rows, 7)
    mobility = np.where(spheres[..., 4:] > 0.0, spheres[..., 4:], 1.0)  # rows without a sphere are zero
    wheels, n_wheels = parts(lambda link: _wheel_rows(link, stock), 4)
    bars, n_bars = parts(_bar_rows, 7)
    links = stacked(robots, "length", "mass", "inertia", "radius")
    grounds = [environment.ground for environment in environments]
    return pack_model(
        records,
        robots,
        grounds,
        stock,
        links={
            **links,
            **_derived(links, own.stack(to_mass)),
            "gap": own.stack(lambda robot: [*(joint.axis_distance for joint in robot.chain), 0.0]),
            "middle": links["length"] / 2,
            "reach": np.array(of_links(reach_of))[own.which],
            "core": np.array(of_links(core_of))[own.which],
            "rounding": np.array(of_links(lambda link: link.spheres[0].radius))[own.which],
            "n_spheres": n_spheres,
            "n_own": n_spheres - n_wheels,
            "n_resting": np.minimum(n_spheres - n_wheels, 4),
            "n_bars": n_bars,
            "n_axes": own.stack(lambda robot: [*(len(joint.hinges) for joint in robot.chain), 0]),
        },
        worlds={
            **{name: [getattr(ground, name) for ground in grounds] for name in ("rolling", "spin", "restitution")},
            "up": Shared(grounds).stack(ground_normal),
            "self_contact": own.stack(lambda robot: int(robot.self_contact)),
            "self_friction": own.stack(lambda robot: robot.self_friction),
            "field": [FLAT if ground.heights is None else stock.fields.row(ground.heights) for ground in grounds],
        },
        most_spheres=spheres.shape[2],
        most_wheels=wheels.shape[2],
        most_bars=bars.shape[2],
        spheres=records.make(
            "SphereModel",
            None,
            spheres.shape[2],
            center=spheres[..., :3],
            radius=spheres[..., 3],
            r=1.0 / mobility,
            inverse_r=mobility,
        ),
        wheels=records.make("WheelModel", None, wheels.shape[2], axle=wheels[..., :3], law=wheels[..., 3]),
        bars=records.make(
            "BarModel", None, bars.shape[2], start=bars[..., :3], end=bars[..., 3:6], radius=bars[..., 6]
        ),
        axes=records.joint_numbers(own.stack(lambda robot: [_axis_code(axis) for axis in robot.axes])),
    )


def _derived(links: dict[str, Any], ahead: np.ndarray) -> dict[str, Any]:
    """What steps need of masses and inertias; the centre of mass is so far ahead of the rear joint [m]."""
    mass, inertia = links["mass"], links["inertia"]
    return {
        "least_inertia": inertia.min(axis=-1),
        "inverse_mass": 1.0 / mass,
        "inverse_inertia": 1.0 / inertia,
        "lever": mass * ahead / links["length"],
    }


def _sphere_rows(link: SpatialLink) -> list[tuple[float, ...]]:
    """Contact spheres, those of wheels last: centre from the rear joint, radius [m], mobilities on flat ground."""
    middle = np.array([link.length / 2, 0.0, 0.0])
    return [
        (*(np.array(sphere.position) + middle), sphere.radius, *_mobility_below(link, sphere))
        for sphere in (*link.spheres, *link.wheel_spheres)
    ]


def _mobility_below(link: SpatialLink, sphere: ContactSphere) -> tuple[float, float, float]:
    """What unit impulses below a sphere do to a link that lies on flat ground, there and along themselves.

    Up and in the direction of friction where that is more [1/kg]; unit angular impulses, at most [1/(kg m^2)].
    """
    arm = np.array(sphere.position) - [link.mass_offset, 0.0, sphere.radius]
    turns = np.cross(arm, np.eye(3))  # of impulses along x, y and z
    along, across, up = 1.0 / link.mass + (turns**2 / np.array(link.inertia)).sum(axis=1)
    return up, max(along, across), 1.0 / min(link.inertia)


def _wheel_rows(link: SpatialLink, stock: Stock) -> list[tuple[float, ...]]:
    """Wheels: axle to the left, row of the law."""
    return [
        (-each.direction[1], each.direction[0], 0.0, stock.laws.row(each.law))
        for each in link.wheels
        for _ in each.places
    ]


def _bar_rows(link: SpatialLink) -> list[tuple[float, ...]]:
    """Straight edges: start and end from the rear joint, radius [m]."""
    middle = np.array([link.length / 2, 0.0, 0.0])
    return [(*(middle + start), *(middle + end), radius) for start, end, radius in bars_of(link)]


def _axis_code(axis: Axis) -> int:
    if axis.direction not in AXIS_CODES:
        raise InvalidModel("robot.joints: direction of an axis", axis.direction, "up (yaw) or to the left (pitch)")
    return AXIS_CODES[axis.direction]


def ground_normal(ground: Ground) -> np.ndarray:
    """Unit normal of a flat ground, tilted or not, shape (3,)."""
    down = sin(ground.slope)
    return np.array([-down * cos(ground.slope_direction), -down * sin(ground.slope_direction), cos(ground.slope)])


def reach_of(link: SpatialLink) -> float:
    """Radius of the sphere around the middle of a link that contains it [m]."""
    spheres = (*link.spheres, *link.wheel_spheres)
    return max(float(np.linalg.norm(sphere.position)) + sphere.radius for sphere in spheres)


def core_of(link: SpatialLink) -> np.ndarray:
    """Half the edges of the box inside a link's rounding [m]; that of a round link has no width."""
    return np.asarray(np.abs([sphere.position for sphere in link.spheres]).max(axis=0))


def field_rows(field: HeightField) -> tuple[dict[str, Any], np.ndarray]:
    """A height field for the kernels: its numbers, and its heights with a ring that repeats those at the rim."""
    columns, rows = field.heights.shape
    stride = rows + 2
    numbers = {"first": stride + 1, "stride": stride, "columns": columns, "rows": rows, "origin": field.origin}
    numbers |= {"spacing": field.spacing, "highest": field.heights.max()}
    return numbers, np.pad(field.heights, 1, mode="edge").ravel()


def several(robots: Sequence[SpatialRobot]) -> dict[str, int]:
    """Numbers of spheres, wheels, bars, contacts and neighbours per link, and of contacts of a robot with itself."""
    links = {id(link): link for robot in Shared(robots).parts for link in robot.links}.values()
    spheres, bars = (max(len(of(link)) for link in links) for of in (_sphere_rows, bars_of))
    wheels = max(len(link.wheel_spheres) for link in links)
    most = {"spheres": spheres, "wheels": wheels, "bars": bars, "axes": structs.MOST_AXES}
    most |= {"contacts": structs.MOST_CONTACTS, "near": structs.MOST_NEAR, "selves": structs.MOST_SELF}
    most["pivots"] = structs.MOST_AXES
    if any(robot.self_contact for robot in robots):
        most["coupling"] = structs.MOST_SELF**2
    return {name: int(count) for name, count in most.items()}


def most(obstacles: Any, several: Mapping[str, int], n_links: int) -> dict[str, int]:
    """Largest numbers: contacts of a link and within the robot, features of ground and obstacles, pairs of links."""
    return {
        "n_contacts": several["contacts"],
        "contact_key": (1 + len(obstacles.obstacles)) * int(structs.FEATURES) - 1,
        "n_self": several["selves"],
        "self_key": n_links**2,
    }
