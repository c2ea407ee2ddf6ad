"""From words to arrays for the spatial engine; with its fellows the only module that knows both vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin
from typing import Any

import numpy as np

from pushpoint.engine import packing as pack
from pushpoint.engine.packing import Laws, pack_grids, pack_regions
from pushpoint.engine.planar.kinematics import to_mass
from pushpoint.engine.records import Records
from pushpoint.engine.state import SpatialState
from pushpoint.errors import InvalidModel
from pushpoint.kernels.spatial import rollout, structs
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Friction, Isotropic, Varying
from pushpoint.model.joints import LEFT, UP, Axis
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import Box, HeightField, Stairs

family, kernel, STATE = structs.family, rollout.kernel, SpatialState
MOST_AXES, MOST_CONTACTS, MOST_SELF = int(structs.MOST_AXES), int(structs.MOST_CONTACTS), int(structs.MOST_SELF)
STARTS_WITH = ("center", "tail", "angle", "rate", "v", "omega")
PER_WORLD = ("step", "status", "center", "tail", "n_self")
PER_LINK = ("v", "omega", "v_change", "w_change", "n_contacts")
PER_JOINT = ("angle", "rate", "P_stop")
PER_CONTACT = ("P_contact", "Q_contact", "contact_key")
LOAD_SIZE = 6
CONTACT_STIFFNESS = 1000.0

AXIS_CODES = {UP: int(structs.YAW), LEFT: int(structs.PITCH)}
"""What the kernels call the directions that joints turn about."""
UPRIGHT_REACH = 1e6
"""Half the height of a peg, which has no end [m]."""


def pack_world(
    records: Records, robots: Sequence[SpatialRobot], environments: Sequence[Environment]
) -> tuple[Any, Any]:
    """Robots on their grounds, and obstacles; both draw on the same friction laws."""
    laws = Laws()
    model = _model(records, robots, environments, laws)
    obstacles = _obstacles(records, environments, laws)
    around = [friction.around if isinstance(friction, Varying) else (1.0,) for friction in laws.all]
    model.around = records.array(np.concatenate(around), records.real)
    model.laws = laws.pack(
        records,
        stick_surplus=[_varying(friction, "stick_ratio", 1.0) - 1.0 for friction in laws.all],
        stribeck_speed=[_varying(friction, "stribeck_speed", 1.0) for friction in laws.all],
        first_around=np.cumsum([0, *(len(part) for part in around)])[:-1],
        n_around=[len(part) for part in around],
    )
    return model, obstacles


def _varying(friction: Friction, field: str, otherwise: float) -> float:
    return float(getattr(friction, field)) if isinstance(friction, Varying) else otherwise


def bars_of(link: SpatialLink) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Straight edges of a link's surface that edges of the world can meet: start, end (from its middle), radius [m].

    A round link has one, its axis. A square one has its twelve edges, and as a second catch, for what passes one of
    them within a step, the thickest round bar that lies inside it.
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


def _model(records: Records, robots: Sequence[SpatialRobot], environments: Sequence[Environment], laws: Laws) -> Any:
    def stack(field: str) -> np.ndarray:
        return np.stack([robot.column(field) for robot in robots])

    def count(parts: Any) -> np.ndarray:
        return np.array([[len(parts(link)) for link in robot.links] for robot in robots])

    n_links = records.n_links
    n_spheres, n_bars = count(lambda link: link.spheres), count(bars_of)
    regions, vertices, last_region = pack_regions(environments, laws)
    fields, heights, which = _heights(environments)
    inertia = stack("inertia")
    joints = [robot.chain for robot in robots]
    return records.fill(
        records.family.Model(),
        n_links=n_links,
        **records.strides,
        most_spheres=int(n_spheres.max()),
        most_bars=int(n_bars.max()),
        n_regions=len(regions["law"]),
        links=records.make(
            "LinkModel",
            length=stack("length"),
            to_mass=np.stack([to_mass(robot) for robot in robots]),
            mass=stack("mass"),
            inertia=inertia,
            least_inertia=inertia.min(axis=-1),
            gap=[[*(joint.axis_distance for joint in chain), 0.0] for chain in joints],
            middle=stack("length") / 2,
            reach=[[reach_of(link) for link in robot.links] for robot in robots],
            radius=stack("radius"),
            core=[[_core(link) for link in robot.links] for robot in robots],
            rounding=[[link.spheres[0].radius for link in robot.links] for robot in robots],
            law=[[laws.row(law) for law in environment.ground.laws(n_links)] for environment in environments],
            n_spheres=n_spheres,
            n_resting=np.minimum(n_spheres, 4),
            n_bars=n_bars,
            n_axes=[[*(len(joint.hinges) for joint in chain), 0] for chain in joints],
        ),
        spheres=records.make_per_link("SphereModel", int(n_spheres.max()), **_spheres(robots, int(n_spheres.max()))),
        bars=records.make_per_link("BarModel", int(n_bars.max()), **_bars(robots, int(n_bars.max()))),
        axes=records.joint_numbers([[_axis_code(axis) for axis in robot.axes] for robot in robots]),
        regions=records.make("RegionModel", len(regions["law"]), **regions),
        region_vertices=vertices,
        fields=records.make("FieldModel", len(fields["first"]), **fields),
        heights=heights,
        worlds=_worlds(records, robots, environments, laws, which, last_region),
    )


def _axis_code(axis: Axis) -> int:
    if axis.direction not in AXIS_CODES:
        raise InvalidModel("robot.joints: direction of an axis", axis.direction, "up (yaw) or to the left (pitch)")
    return AXIS_CODES[axis.direction]


def _worlds(
    records: Records,
    robots: Sequence[SpatialRobot],
    environments: Sequence[Environment],
    laws: Laws,
    which: Sequence[int],
    last_region: np.ndarray,
) -> Any:
    grounds = [environment.ground for environment in environments]
    return records.make(
        "WorldModel",
        len(robots),
        mass=[robot.mass for robot in robots],
        up=[ground_normal(ground) for ground in grounds],
        field=which,
        first_region=last_region[:-1],
        last_region=last_region[1:],
        self_contact=[int(robot.self_contact) for robot in robots],
        self_friction=[robot.self_friction for robot in robots],
        **{
            name: [getattr(ground, name) for ground in grounds]
            for name in ("gravity", "rolling", "spin", "restitution")
        },
    )


def ground_normal(ground: Ground) -> np.ndarray:
    """Unit normal of a flat ground, tilted or not, shape (3,)."""
    down = sin(ground.slope)
    return np.array([-down * cos(ground.slope_direction), -down * sin(ground.slope_direction), cos(ground.slope)])


def reach_of(link: SpatialLink) -> float:
    """Radius of the ball around the middle of a link that holds all of it [m]."""
    return max(float(np.linalg.norm(sphere.position)) + sphere.radius for sphere in link.spheres)


def _core(link: SpatialLink) -> tuple[float, float, float]:
    """Half the edges of the box inside a link's rounding [m]; a round link's has no width."""
    x, y, z = np.abs(np.array([sphere.position for sphere in link.spheres])).max(axis=0)
    return (float(x), float(y), float(z))


def _spheres(robots: Sequence[SpatialRobot], most: int) -> dict[str, np.ndarray]:
    """Contact spheres as [world, link, sphere], from the rear joint; those a link does not have are never looked at."""
    shape = (len(robots), robots[0].n_links, most)
    center, radius = np.zeros((*shape, 3)), np.zeros(shape)
    for w, robot in enumerate(robots):
        for i, link in enumerate(robot.links):
            for s, sphere in enumerate(link.spheres):
                center[w, i, s] = np.array(sphere.position) + np.array([link.length / 2, 0.0, 0.0])
                radius[w, i, s] = sphere.radius
    return {"center": center, "radius": radius}


def _bars(robots: Sequence[SpatialRobot], most: int) -> dict[str, np.ndarray]:
    shape = (len(robots), robots[0].n_links, most)
    start, end, radius = np.zeros((*shape, 3)), np.zeros((*shape, 3)), np.zeros(shape)
    for w, robot in enumerate(robots):
        for i, link in enumerate(robot.links):
            middle = np.array([link.length / 2, 0.0, 0.0])
            for b, (rear, front, thickness) in enumerate(bars_of(link)):
                start[w, i, b], end[w, i, b], radius[w, i, b] = middle + rear, middle + front, thickness
    return {"start": start, "end": end, "radius": radius}


def _heights(environments: Sequence[Environment]) -> tuple[dict[str, Any], np.ndarray, list[int]]:
    """Height fields of a batch, each once, and which of them each world has."""
    rows: dict[int, int] = {}
    fields: list[HeightField] = []
    which = []
    for environment in environments:
        field = environment.ground.heights
        if field is None:
            which.append(int(structs.FLAT))
            continue
        if id(field) not in rows:
            rows[id(field)] = len(fields)
            fields.append(field)
        which.append(rows[id(field)])
    sizes = np.cumsum([0, *(field.heights.size for field in fields)])
    records = {
        "first": sizes[:-1],
        "columns": [field.heights.shape[0] for field in fields],
        "rows": [field.heights.shape[1] for field in fields],
        "origin": np.array([field.origin for field in fields]).reshape(-1, 2),
        "spacing": [field.spacing for field in fields],
        "highest": [field.heights.max() for field in fields],
    }
    return records, np.concatenate([np.zeros(0), *(field.heights.ravel() for field in fields)]), which


def _obstacles(records: Records, environments: Sequence[Environment], laws: Laws) -> Any:
    """Pegs, boxes and the steps of stairs as rows, each with the user's obstacle it belongs to."""
    solids: list[tuple[Peg | Box, int]] = []
    counts, owners, owner = [], [0], 0
    for environment in environments:
        before = len(solids)
        for obstacle in environment.obstacles:
            parts = obstacle.boxes if isinstance(obstacle, Stairs) else (obstacle,)
            solids += [(part, owner) for part in parts]  # type: ignore[misc]
            owner += 1
        counts.append(len(solids) - before)
        owners.append(owner)
    bounds = np.array([_bounds(solid) for solid, _ in solids]).reshape(-1, 2, 2)
    return records.fill(
        records.family.Obstacles(),
        obstacles=records.make(
            "ObstacleModel",
            len(solids),
            shape=[int(structs.PEG if isinstance(solid, Peg) else structs.BOX) for solid, _ in solids],
            center=np.array([_center(solid) for solid, _ in solids]).reshape(-1, 3),
            axes=np.array([np.eye(3) if isinstance(s, Peg) else s.rotation.T for s, _ in solids]).reshape(-1, 3, 3),
            half=np.array([_half(solid) for solid, _ in solids]).reshape(-1, 3),
            radius=[solid.radius if isinstance(solid, Peg) else 0.0 for solid, _ in solids],
            law=[laws.row(Isotropic(solid.friction)) for solid, _ in solids],
            restitution=[solid.restitution for solid, _ in solids],
            deepest=[solid.radius if isinstance(solid, Peg) else min(solid.size) / 2 for solid, _ in solids],
            owner=[number for _, number in solids],
        ),
        owners=owners,
        **pack_grids(records, bounds[:, 0], bounds[:, 1], counts),
    )


def _center(solid: Peg | Box) -> tuple[float, ...]:
    return (solid.x, solid.y, 0.0) if isinstance(solid, Peg) else tuple(solid.center)


def _half(solid: Peg | Box) -> np.ndarray:
    if isinstance(solid, Peg):
        return np.array([solid.radius, solid.radius, UPRIGHT_REACH])
    return np.array(solid.size) / 2


def _bounds(solid: Peg | Box) -> np.ndarray:
    """Corners of the upright rectangle around an obstacle seen from above [m], shape (2, 2)."""
    middle = np.array(_center(solid))[:2]
    if isinstance(solid, Peg):
        reach = np.array([solid.radius, solid.radius])
    else:
        reach = (np.abs(solid.rotation) @ _half(solid))[:2]
    return np.stack((middle - reach, middle + reach))


def pack_drive(records: Records, robots: Sequence[SpatialRobot]) -> Any:
    """Motors and room for loads: force and torque per link, world axes."""
    drive = pack.pack_drive(records, robots, np.stack([_axis_inertia(robot) for robot in robots]))
    return records.fill(drive, loads=records.make("LoadDrive"))


def write_loads(records: Records, drive: Any, loads: np.ndarray) -> None:
    """External loads, shape (n_worlds, n_links, 6)."""
    records.write(drive.loads, loads[..., :3], "force")
    records.write(drive.loads, loads[..., 3:], "torque")


def _axis_inertia(robot: SpatialRobot) -> np.ndarray:
    """What two neighbouring links oppose to a turn of each axis between them [kg m^2], shape (n_joints,)."""
    about_mass, mass, rear = robot.column("inertia"), robot.column("mass"), to_mass(robot)
    to_front = robot.column("length") - rear
    found = []
    for axis in robot.axes:
        square, k = np.square(axis.direction), axis.link_behind
        lever = 1.0 - square[0]  # the links' masses lie along x
        behind = about_mass[k] @ square + lever * mass[k] * to_front[k] ** 2
        ahead = about_mass[k + 1] @ square + lever * mass[k + 1] * rear[k + 1] ** 2
        found.append(1.0 / (1.0 / behind + 1.0 / ahead))
    return np.array(found)


def read_more(records: Records, motion: Any, model: Any) -> dict[str, np.ndarray]:
    """What a SpatialState holds beside the records of worlds, links, joints and contacts."""
    host = motion.selves.numpy()
    rows = (records.n_worlds, MOST_SELF)
    return {name: np.array(host[name].reshape(*rows, *host[name].shape[1:])) for name in ("P_self", "self_key")}


def write_more(records: Records, motion: Any, state: SpatialState) -> None:
    """The same, back."""
    for name in ("P_self", "self_key"):
        records.write(motion.selves, getattr(state, name), name, per_link=False)


def make_motion(records: Records, model: Any) -> Any:
    """Room for the changing part."""
    return records.fill(
        records.family.Motion(),
        worlds=records.make("WorldMotion", records.n_worlds),
        links=records.make("LinkMotion"),
        joints=records.make_joints("JointMotion"),
        contacts=records.make_per_link("ContactMotion", MOST_CONTACTS),
        selves=records.make("SelfMotion", records.n_worlds * MOST_SELF),
        near=records.make_per_link("NearMotion", int(structs.MOST_NEAR)),
    )


def make_work(records: Records, model: Any) -> Any:
    """Room for what lives within a step."""
    return records.fill(
        records.family.Work(),
        links=records.make("LinkWork"),
        joints=records.make_joints("JointWork"),
        contacts=records.make_per_link("ContactWork", MOST_CONTACTS),
        n_contacts=np.zeros(records.n_worlds * records.n_links),
        selves=records.make("SelfWork", records.n_worlds * MOST_SELF),
        n_self=np.zeros(records.n_worlds),
        whirls=np.zeros(records.n_worlds),
    )
