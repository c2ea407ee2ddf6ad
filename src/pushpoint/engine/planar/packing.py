"""From words to arrays for the planar engine. Only such packing modules know both vocabularies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from pushpoint.engine.packing import pack_laws, pack_model, padded, stacked
from pushpoint.engine.planar import obstacles as course
from pushpoint.engine.records import Records
from pushpoint.engine.sharing import Shared
from pushpoint.engine.state import State
from pushpoint.engine.tables.stock import Stock
from pushpoint.kernels.planar import structs
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

NAME, STATE = "planar", State
load_rows, obstacle_rows = course.load_rows, course.obstacle_rows
MOST_AXES = 1
STARTS_WITH: tuple[str, ...] = ("center", "theta", "v", "omega")
HELD: dict[str, tuple[str, ...]] = {
    "worlds": ("step", "status", "center", "n_self"),
    "links": ("theta", "omega", "v", "P_spin", "P_stop", "n_contacts"),
    "points": ("P_ground",),
    "contacts": ("P_contact", "contact_key"),
    "selves": ("P_self", "self_key"),
}
LOADS: tuple[str, ...] = ("force and torque",)
CONTACT_STIFFNESS = 100.0
NO_LAW = -1
"""Law of a support point that has none of its own."""
FEATURES = int(structs.FEATURES)
FIRST_KEY = 0


def pack_obstacles(records: Records, environments: Sequence[Environment], stock: Stock) -> Any:
    """Obstacles, whose friction is a number and no law."""
    return course.pack_obstacles(records, environments)


def pack_stock(records: Records, stock: Stock) -> dict[str, Any]:
    """Friction laws that have not been packed yet."""
    return {"laws": pack_laws(records, stock.laws.fresh())}


def pack_robots(
    records: Records, robots: Sequence[PlanarRobot], environments: Sequence[Environment], stock: Stock
) -> Any:
    """Links, support points and regions of all worlds."""
    links = stacked(robots, "length", "mass", "inertia", "radius", "side_length")
    middle, half_side = links["length"] / 2, links.pop("side_length") / 2
    grounds = [environment.ground for environment in environments]
    gravity, spin = (np.array([getattr(ground, name) for ground in grounds]) for name in ("gravity", "spin"))
    own, (points, n_points) = Shared(robots), _supports(robots, gravity.tolist(), stock)
    links |= {"inverse_mass": 1.0 / links["mass"], "inverse_inertia": 1.0 / links["inertia"]}
    links |= {"side_rear": middle - half_side, "side_front": middle + half_side, "n_points": n_points}
    links["central"] = own.stack(lambda robot: [int(link.contact_force == "centre") for link in robot.links])
    links["spin_bound"] = (spin * gravity)[:, None] * links["mass"]
    of_points = {name: points[..., k] for k, name in enumerate(("to_point", "share", "weight", "r", "law"))}
    of_points["inverse_r"] = 1.0 / np.where(of_points["r"] > 0.0, of_points["r"], 1.0)  # rows without a point are zero
    of_points |= {"direction": points[..., 5:7], "arm": points[..., 7:9]}
    return pack_model(
        records,
        robots,
        grounds,
        stock,
        links=links,
        worlds={name: own.stack(attrgetter(name)) for name in ("self_contact", "self_friction")},
        most_points=points.shape[2],
        points=records.make("PointModel", None, points.shape[2], **of_points),
    )


def _supports(robots: Sequence[PlanarRobot], gravity: Sequence[float], stock: Stock) -> tuple[np.ndarray, np.ndarray]:
    """Where the ground carries the links of all worlds (see `padded`): once for each robot under each gravity."""
    rows: dict[tuple[int, float], int] = {}
    which = [rows.setdefault((id(robot), pull), len(rows)) for robot, pull in zip(robots, gravity, strict=True)]
    known = {id(robot): robot for robot in robots}
    made = [[_points(link, pull, stock) for link in known[key].links] for key, pull in rows]
    points, n_points = padded(made, 9)
    return points[which], n_points[which]


def _points(link: PlanarLink, gravity: float, stock: Stock) -> list[tuple[float, ...]]:
    """Where the ground carries a link: its support points, or its wheels with laws and directions of their own."""
    forward = (1.0, 0.0)
    if not link.wheels:
        return [
            _point(link, gravity, (support.offset, 0.0), support.share, NO_LAW, forward)
            for support in link.supports or ()
        ]
    rows = [(place, wheels) for wheels in link.wheels for place in wheels.places]
    return [
        _point(link, gravity, place, 1.0 / len(rows), stock.laws.row(wheels.law), wheels.direction)
        for place, wheels in rows
    ]


def _point(
    link: PlanarLink, gravity: float, place: tuple[float, float], share: float, law: int, ahead: tuple[float, float]
) -> tuple[float, ...]:
    """To the rear joint [m], share of the weight [-], weight [N], augmentation [kg], law, direction, arms [m]."""
    x, y = link.length / 2 + place[0], place[1]
    lever = (place[0] - link.mass_offset) ** 2 + y**2
    r = 1.0 / (1.0 / link.mass + lever / link.inertia)
    arm = (x * ahead[1] - y * ahead[0], x * ahead[0] + y * ahead[1])
    return (x, share, share * link.mass * gravity, r, law, *ahead, *arm)


def points_of(link: PlanarLink) -> int:
    """How many places the ground carries a link at [-]."""
    return sum(len(wheels.places) for wheels in link.wheels) or len(link.supports or ())


def several(robots: Sequence[PlanarRobot]) -> dict[str, int]:
    """Numbers of support points, contacts and neighbours per link, and of contacts of a robot with itself."""
    most = {"contacts": int(structs.MOST_CONTACTS), "near": int(structs.MOST_NEAR), "selves": 1}
    if any(robot.self_contact for robot in robots):
        most |= {"selves": int(structs.MOST_SELF), "coupling": int(structs.MOST_SELF) ** 2}
    return most | {"points": max(points_of(link) for robot in Shared(robots).parts for link in robot.links)}


def most(obstacles: Any, several: Mapping[str, int], n_links: int) -> dict[str, int]:
    """Largest numbers: contacts of a link and within the robot, features of all obstacles, pairs of links."""
    return {
        "n_contacts": several["contacts"],
        "contact_key": max(0, len(obstacles.obstacles) * int(structs.FEATURES) - 1),
        "n_self": several["selves"],
        "self_key": int(structs.SELF_FEATURES) * (n_links**2 + 1),
    }
