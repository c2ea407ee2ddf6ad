"""From words to arrays for the planar engine. Only such packing modules know both vocabularies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pushpoint.engine.packing import Laws, pack_grids, pack_model, padded, stacked
from pushpoint.engine.records import Records
from pushpoint.engine.state import State
from pushpoint.kernels.planar import details, rollout, structs
from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

family, kernel, STATE = structs.family, rollout.kernel, State
detailed_kernel = details.detailed_kernel
MOST_AXES = 1
STARTS_WITH: tuple[str, ...] = ("center", "theta", "v", "omega")
HELD: dict[str, tuple[str, ...]] = {
    "worlds": ("step", "status", "center"),
    "links": ("theta", "omega", "v", "P_spin", "P_stop", "n_contacts"),
    "points": ("P_ground",),
    "contacts": ("P_contact", "contact_key"),
}
LOADS: tuple[str, ...] = ("force and torque",)
CONTACT_STIFFNESS = 100.0
FEATURES = int(structs.FEATURES)


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
        [_supports(link, float(pull)) for link in robot.links] for robot, pull in zip(robots, gravity, strict=True)
    ]
    points, n_points = padded(supports)
    links |= {"side_rear": middle - half_side, "side_front": middle + half_side, "n_points": n_points}
    links["central"] = [[int(link.contact_force == "centre") for link in robot.links] for robot in robots]
    links["spin_bound"] = (spin * gravity)[:, None] * links["mass"]
    of_points = dict(zip(("to_point", "share", "weight", "r"), np.moveaxis(points, -1, 0), strict=True))
    model = pack_model(
        records,
        robots,
        environments,
        laws,
        links=links,
        worlds={},
        most_points=points.shape[2],
        points=records.make("PointModel", None, points.shape[2], **of_points),
    )
    model.laws = laws.pack(records)
    return model


def _supports(link: PlanarLink, gravity: float) -> list[tuple[float, float, float, float]]:
    """Support points: distance from the rear joint [m], share of the weight [-], weight [N], augmentation [kg]."""
    return [
        (
            link.length / 2 + support.offset,
            support.share,
            support.share * link.mass * gravity,
            1.0 / (1.0 / link.mass + (support.offset - link.mass_offset) ** 2 / link.inertia),
        )
        for support in link.supports or ()
    ]


def load_rows(obstacle: Obstacle) -> int:
    """One row for each of its hulls."""
    return len(obstacle.hulls)


def _obstacles(records: Records, environments: Sequence[Environment]) -> Any:
    """Hulls of the obstacles of all worlds as rows, and a grid over each world's rows."""
    rows = [(o, hull) for environment in environments for o in environment.obstacles for hull in o.hulls]
    outlines = [np.array(hull.points, dtype=float) for _, hull in rows]
    radius = np.array([hull.radius for _, hull in rows])
    low = np.array([outline.min(axis=0) for outline in outlines]).reshape(-1, 2) - radius[:, None]
    high = np.array([outline.max(axis=0) for outline in outlines]).reshape(-1, 2) + radius[:, None]
    counts = [sum(load_rows(obstacle) for obstacle in environment.obstacles) for environment in environments]
    return records.fill(
        records.family.Obstacles(),
        obstacles=records.make(
            "ObstacleModel",
            len(rows),
            vertex=np.array([outline[0] for outline in outlines]).reshape(-1, 2),
            radius=radius,
            deepest=[_inner_radius(outline) + hull.radius for outline, (_, hull) in zip(outlines, rows, strict=True)],
            friction=[obstacle.friction for obstacle, _ in rows],
            restitution=[obstacle.restitution for obstacle, _ in rows],
            first_vertex=np.cumsum([0, *map(len, outlines)])[:-1],
            n_vertices=[len(outline) for outline in outlines],
        ),
        vertices=_vertices(records, outlines),
        **pack_grids(records, low, high, counts),
    )


def _inner_radius(outline: np.ndarray) -> float:
    """Largest depth inside a polygon [m]; 0 for a point or a segment."""
    if len(outline) < 3:
        return 0.0
    edges = np.roll(outline, -1, axis=0) - outline
    inward = np.stack((-edges[:, 1], edges[:, 0]), axis=-1) / np.linalg.norm(edges, axis=1)[:, None]
    return float(((outline.mean(axis=0) - outline) * inward).sum(axis=1).min())


def _vertices(records: Records, outlines: Sequence[np.ndarray]) -> Any:
    """Vertices of all hulls with the edges that leave them; that of a circle has none."""
    points = np.concatenate([*outlines, np.zeros((0, 2))])
    edges = np.concatenate([*(np.roll(outline, -1, axis=0) - outline for outline in outlines), np.zeros((0, 2))])
    length = np.linalg.norm(edges, axis=1)
    along = np.divide(edges, length[:, None], out=np.zeros_like(edges), where=length[:, None] > 0.0)
    return records.make("VertexModel", len(points), H=points, along=along, length=length)


def obstacle_rows(obstacle: Obstacle) -> tuple[int, int]:
    """One row for each of its hulls, and one for each of their points."""
    return len(obstacle.hulls), sum(len(hull.points) for hull in obstacle.hulls)


def several(robots: Sequence[PlanarRobot]) -> dict[str, int]:
    """Numbers of support points, contacts and neighbours per link."""
    most = {"contacts": int(structs.MOST_CONTACTS), "near": int(structs.MOST_NEAR)}
    return most | {"points": max(len(link.supports or ()) for robot in robots for link in robot.links)}


def most(obstacles: Any, several: Mapping[str, int], n_links: int) -> dict[str, int]:
    """Largest numbers: contacts of a link, and features of all obstacles."""
    return {
        "n_contacts": several["contacts"],
        "contact_key": max(0, len(obstacles.obstacles) * int(structs.FEATURES) - 1),
    }
