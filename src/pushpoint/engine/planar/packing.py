"""From words to arrays for the planar engine; with its fellows the only module that knows both vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine import packing as pack
from pushpoint.engine.packing import Laws, pack_grids, pack_regions
from pushpoint.engine.planar.kinematics import to_mass
from pushpoint.engine.records import Records
from pushpoint.engine.state import State
from pushpoint.kernels.planar import rollout, structs
from pushpoint.model.environment import Environment, Peg, Wall
from pushpoint.model.planar_robot import PlanarRobot

family, kernel, STATE = structs.family, rollout.kernel, State
MOST_AXES, MOST_CONTACTS = 1, int(structs.MOST_CONTACTS)
STARTS_WITH = ("center", "theta", "v", "omega")
PER_WORLD = ("step", "status", "center")
PER_LINK = ("theta", "omega", "v", "P_spin", "P_stop", "n_contacts")
PER_JOINT: tuple[str, ...] = ()
PER_CONTACT = ("P_contact", "contact_key")
LOAD_SIZE = 3
CONTACT_STIFFNESS = 100.0


def pack_world(records: Records, robots: Sequence[PlanarRobot], environments: Sequence[Environment]) -> tuple[Any, Any]:
    """Robots on their grounds, and obstacles."""
    return pack_model(records, robots, environments), pack_obstacles(records, environments)


def pack_model(records: Records, robots: Sequence[PlanarRobot], environments: Sequence[Environment]) -> Any:
    """Links, support points, friction laws and regions of all worlds."""

    def stack(field: str) -> np.ndarray:
        return np.stack([robot.column(field) for robot in robots])

    n_links = records.n_links
    laws = Laws()
    middle, half_side = stack("length") / 2, stack("side_length") / 2
    gravity = np.array([environment.ground.gravity for environment in environments])
    spin = np.array([environment.ground.spin for environment in environments])
    most = max(len(link.supports or ()) for robot in robots for link in robot.links)
    links = records.make(
        "LinkModel",
        length=stack("length"),
        to_mass=np.stack([to_mass(robot) for robot in robots]),
        mass=stack("mass"),
        inertia=stack("inertia"),
        radius=stack("radius"),
        side_rear=middle - half_side,
        side_front=middle + half_side,
        spin_bound=(spin * gravity)[:, None] * stack("mass"),
        law=[[laws.row(law) for law in environment.ground.laws(n_links)] for environment in environments],
        n_points=[[len(link.supports or ()) for link in robot.links] for robot in robots],
    )
    regions, vertices, last_region = pack_regions(environments, laws)
    return records.fill(
        records.family.Model(),
        n_links=n_links,
        **records.strides,
        most_points=most,
        n_regions=len(regions["law"]),
        links=links,
        points=records.make_per_link("PointModel", most, **_points(robots, gravity, most)),
        laws=laws.pack(records),
        regions=records.make("RegionModel", len(regions["law"]), **regions),
        region_vertices=vertices,
        worlds=records.make(
            "WorldModel",
            len(robots),
            mass=[robot.mass for robot in robots],
            gravity=gravity,
            first_region=last_region[:-1],
            last_region=last_region[1:],
        ),
    )


def _points(robots: Sequence[PlanarRobot], gravity: np.ndarray, most: int) -> dict[str, np.ndarray]:
    """Support points as [world, link, point]; those a link does not have are never looked at."""
    shape = (len(robots), robots[0].n_links, most)
    to_point, share, weight, r = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.ones(shape)
    for w, robot in enumerate(robots):
        for i, link in enumerate(robot.links):
            for p, support in enumerate(link.supports or ()):
                lever = support.offset - link.mass_offset
                to_point[w, i, p] = link.length / 2 + support.offset
                share[w, i, p] = support.share
                weight[w, i, p] = support.share * link.mass * gravity[w]
                r[w, i, p] = 1.0 / (1.0 / link.mass + lever**2 / link.inertia)
    return {"to_point": to_point, "share": share, "weight": weight, "r": r}


def outline_of(obstacle: Any) -> tuple[np.ndarray, float, float]:
    """Vertices [m], the radius they are grown by [m], and the overlap at which a link is lost in it [m]."""
    if isinstance(obstacle, Peg):
        return np.array([(obstacle.x, obstacle.y)]), obstacle.radius, obstacle.radius
    if isinstance(obstacle, Wall):
        half = obstacle.thickness / 2
        return np.array([obstacle.start, obstacle.end]), half, half
    vertices = np.array(obstacle.vertices)
    edges = np.roll(vertices, -1, axis=0) - vertices
    inward = np.stack((-edges[:, 1], edges[:, 0]), axis=-1) / np.linalg.norm(edges, axis=1)[:, None]
    inner = ((vertices.mean(axis=0) - vertices) * inward).sum(axis=1).min()
    return vertices, 0.0, float(inner)


def pack_obstacles(records: Records, environments: Sequence[Environment]) -> Any:
    """Obstacles of all worlds as rows, and a grid over each world's rows."""
    obstacles = [obstacle for environment in environments for obstacle in environment.obstacles]
    outlines = [outline_of(obstacle) for obstacle in obstacles]
    low = np.array([vertices.min(axis=0) - radius for vertices, radius, _ in outlines]).reshape(-1, 2)
    high = np.array([vertices.max(axis=0) + radius for vertices, radius, _ in outlines]).reshape(-1, 2)
    return records.fill(
        records.family.Obstacles(),
        obstacles=records.make(
            "ObstacleModel",
            len(obstacles),
            vertex=np.array([vertices[0] for vertices, _, _ in outlines]).reshape(-1, 2),
            radius=[radius for _, radius, _ in outlines],
            deepest=[deepest for _, _, deepest in outlines],
            friction=[obstacle.friction for obstacle in obstacles],
            restitution=[obstacle.restitution for obstacle in obstacles],
            first_vertex=np.cumsum([0, *(len(vertices) for vertices, _, _ in outlines)])[:-1],
            n_vertices=[len(vertices) for vertices, _, _ in outlines],
        ),
        vertices=_vertices(records, [vertices for vertices, _, _ in outlines]),
        **pack_grids(records, low, high, [len(environment.obstacles) for environment in environments]),
    )


def _vertices(records: Records, outlines: Sequence[np.ndarray]) -> Any:
    """Vertices of all obstacles with the edges that leave them; the one of a peg has none."""
    points = np.concatenate([*outlines, np.zeros((0, 2))])
    edges = np.concatenate([*(np.roll(outline, -1, axis=0) - outline for outline in outlines), np.zeros((0, 2))])
    length = np.linalg.norm(edges, axis=1)
    along = np.divide(edges, length[:, None], out=np.zeros_like(edges), where=length[:, None] > 0.0)
    return records.make("VertexModel", len(points), H=points, along=along, length=length)


def pack_drive(records: Records, robots: Sequence[PlanarRobot]) -> Any:
    """Motors and room for loads: force x, y and torque per link."""
    drive = pack.pack_drive(records, robots, np.stack([_joint_inertia(robot) for robot in robots]))
    return records.fill(drive, loads=np.zeros((records.n_worlds * records.n_links, 3)))


def write_loads(records: Records, drive: Any, loads: np.ndarray) -> None:
    """External loads, shape (n_worlds, n_links, 3)."""
    records.write(drive.loads, loads)


def _joint_inertia(robot: PlanarRobot) -> np.ndarray:
    """What two neighbouring links oppose to a turn of the joint between them [kg m^2]."""
    about_mass, mass, rear = robot.column("inertia"), robot.column("mass"), to_mass(robot)
    about_rear = about_mass + mass * rear**2
    about_front = about_mass + mass * (robot.column("length") - rear) ** 2
    return np.asarray(1.0 / (1.0 / about_front[:-1] + 1.0 / about_rear[1:]))


def read_more(records: Records, motion: Any, model: Any) -> dict[str, np.ndarray]:
    """What a State holds beside the records of worlds, links, joints and contacts."""
    return {"P_ground": records.read(motion.points, most=model.most_points)}


def write_more(records: Records, motion: Any, state: State) -> None:
    """The same, back."""
    records.write(motion.points, state.P_ground)


def make_motion(records: Records, model: Any) -> Any:
    """Room for the changing part."""
    most_points = model.most_points
    rows = records.n_worlds * records.n_links
    return records.fill(
        records.family.Motion(),
        worlds=records.make("WorldMotion", records.n_worlds),
        links=records.make("LinkMotion"),
        points=np.zeros((rows * most_points, 2)),
        contacts=records.make_per_link("ContactMotion", int(structs.MOST_CONTACTS)),
        near=records.make_per_link("NearMotion", int(structs.MOST_NEAR)),
    )


def make_work(records: Records, model: Any) -> Any:
    """Room for what lives within a step."""
    most_points = model.most_points
    return records.fill(
        records.family.Work(),
        links=records.make("LinkWork"),
        joints=records.make_joints("JointWork"),
        points=records.make_per_link("PointWork", most_points),
        contacts=records.make_per_link("ContactWork", int(structs.MOST_CONTACTS)),
        n_contacts=np.zeros(records.n_worlds * records.n_links),
    )
