"""From words to arrays for the planar engine. Only such packing modules know both vocabularies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pushpoint.engine.packing import Laws, pack_grids, pack_model, padded, stacked
from pushpoint.engine.planar.rows import Rows, hull_rows
from pushpoint.engine.records import Records
from pushpoint.engine.state import State
from pushpoint.kernels.planar import structs
from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

family, STATE = structs.family, State
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


def kernel(real: Any, touches: bool) -> Any:
    """The kernel that advances worlds. Loaded here: starts use this module, too, whichever engine runs."""
    from pushpoint.kernels.planar import rollout

    return rollout.kernel(real, touches)


def detailed_kernel(real: Any, touches: bool) -> Any:
    """The same, which also fills the tallies on request."""
    from pushpoint.kernels.planar import details

    return details.detailed_kernel(real, touches)


def pack_world(records: Records, robots: Sequence[PlanarRobot], environments: Sequence[Environment]) -> tuple[Any, Any]:
    """Robots on their grounds, and obstacles."""
    return _model(records, robots, environments), _obstacles(records, environments)


def _model(records: Records, robots: Sequence[PlanarRobot], environments: Sequence[Environment]) -> Any:
    """Links, support points, friction laws and regions of all worlds."""
    laws = Laws()
    links = stacked(robots, "length", "mass", "inertia", "radius", "side_length")
    middle, half_side = links["length"] / 2, links.pop("side_length") / 2
    gravity = np.array([environment.ground.gravity for environment in environments])
    spin = np.array([environment.ground.spin for environment in environments])
    supports = [
        [_points(link, float(pull), laws) for link in robot.links] for robot, pull in zip(robots, gravity, strict=True)
    ]
    points, n_points = padded(supports, 9)
    links |= {"side_rear": middle - half_side, "side_front": middle + half_side, "n_points": n_points}
    links["central"] = [[int(link.contact_force == "centre") for link in robot.links] for robot in robots]
    links["spin_bound"] = (spin * gravity)[:, None] * links["mass"]
    of_points = {name: points[..., k] for k, name in enumerate(("to_point", "share", "weight", "r", "law"))}
    of_points |= {"direction": points[..., 5:7], "arm": points[..., 7:9]}
    model = pack_model(
        records,
        robots,
        environments,
        laws,
        links=links,
        worlds={name: [getattr(robot, name) for robot in robots] for name in ("self_contact", "self_friction")},
        most_points=points.shape[2],
        points=records.make("PointModel", None, points.shape[2], **of_points),
    )
    model.laws = laws.pack(
        records,
        stick_surplus=[friction.stick_ratio - 1.0 for friction in laws.all],
        stribeck_speed=[friction.stribeck_speed for friction in laws.all],
    )
    return model


def _points(link: PlanarLink, gravity: float, laws: Laws) -> list[tuple[float, ...]]:
    """Where the ground carries a link: its support points, or its wheels with laws and directions of their own."""
    forward = (1.0, 0.0)
    if not link.wheels:
        return [
            _point(link, gravity, (support.offset, 0.0), support.share, NO_LAW, forward)
            for support in link.supports or ()
        ]
    rows = [(place, wheels) for wheels in link.wheels for place in wheels.places]
    return [
        _point(link, gravity, place, 1.0 / len(rows), laws.row(wheels.law), wheels.direction) for place, wheels in rows
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


def load_rows(obstacle: Obstacle) -> int:
    """One row for each row of its hulls."""
    return obstacle_rows(obstacle)[0]


def obstacle_rows(obstacle: Obstacle) -> tuple[int, int]:
    """One row for each hull, several for a hollow one, and one for each of their vertices."""
    made = [hull_rows(hull) for hull in obstacle.hulls]
    return sum(len(rows.spans) for rows in made), sum(len(rows.vertices) for rows in made)


def _obstacles(records: Records, environments: Sequence[Environment]) -> Any:
    """Hulls of the obstacles of all worlds as rows, and a grid over each world's rows."""
    hulls = [
        (obstacle, hull, hull_rows(hull))
        for environment in environments
        for obstacle in environment.obstacles
        for hull in obstacle.hulls
    ]
    starts = np.cumsum([0, *(len(rows.vertices) for *_, rows in hulls)])[:-1]
    # One entry per row: its obstacle, hull and rows, where their vertices begin, and which of them it has.
    each = [
        (*parts, start, span) for parts, start in zip(hulls, starts.tolist(), strict=True) for span in parts[2].spans
    ]
    outlines = [rows.vertices[first:last] for _, _, rows, _, (first, last) in each]
    radius = np.array([hull.radius for _, hull, *_ in each])
    low = np.array([outline.min(axis=0) for outline in outlines]).reshape(-1, 2) - radius[:, None]
    high = np.array([outline.max(axis=0) for outline in outlines]).reshape(-1, 2) + radius[:, None]
    counts = [sum(load_rows(obstacle) for obstacle in environment.obstacles) for environment in environments]
    return records.fill(
        records.family.Obstacles(),
        obstacles=records.make(
            "ObstacleModel",
            len(each),
            vertex=np.array([outline[0] for outline in outlines]).reshape(-1, 2),
            radius=radius,
            deepest=[rows.deepest for _, _, rows, *_ in each],
            friction=[obstacle.friction for obstacle, *_ in each],
            restitution=[obstacle.restitution for obstacle, *_ in each],
            first_vertex=[start + first for *_, start, (first, _) in each],
            n_vertices=[len(outline) for outline in outlines],
            first_edge=[start if rows.rim else 0 for _, _, rows, start, _ in each],
            last_edge=[start + len(rows.vertices) if rows.rim else 0 for _, _, rows, start, _ in each],
        ),
        vertices=_vertices(records, [rows for *_, rows in hulls]),
        **pack_grids(records, low, high, counts),
    )


def _vertices(records: Records, hulls: Sequence[Rows]) -> Any:
    """Vertices of all hulls with the edges that leave them."""
    H = np.concatenate([*(rows.vertices for rows in hulls), np.zeros((0, 2))])
    along = np.concatenate([*(rows.along for rows in hulls), np.zeros((0, 2))])
    length = np.concatenate([*(rows.length for rows in hulls), np.zeros(0)])
    return records.make("VertexModel", len(H), H=H, along=along, length=length)


def several(robots: Sequence[PlanarRobot]) -> dict[str, int]:
    """Numbers of support points, contacts and neighbours per link, and of contacts of a robot with itself."""
    most = {"contacts": int(structs.MOST_CONTACTS), "near": int(structs.MOST_NEAR), "selves": 1}
    if any(robot.self_contact for robot in robots):
        most |= {"selves": int(structs.MOST_SELF), "coupling": int(structs.MOST_SELF) ** 2}
    return most | {"points": max(points_of(link) for robot in robots for link in robot.links)}


def most(obstacles: Any, several: Mapping[str, int], n_links: int) -> dict[str, int]:
    """Largest numbers: contacts of a link and within the robot, features of all obstacles, pairs of links."""
    return {
        "n_contacts": several["contacts"],
        "contact_key": max(0, len(obstacles.obstacles) * int(structs.FEATURES) - 1),
        "n_self": several["selves"],
        "self_key": int(structs.SELF_FEATURES) * (n_links**2 + 1),
    }
