"""The robot of the reduced model (masses, levers, supports) and its changing state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.planar.kinematics import to_mass
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import array_of_numbers, check_range
from pushpoint.model.checks import real, store
from pushpoint.model.planar_robot import PlanarRobot

LARGEST = 1e30
"""Largest number in a state, in its unit."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReducedRobot:
    """A planar robot in the form that the reduced equations need; made once per robot by `reduce_robot`."""

    __repr__ = brief

    mass: np.ndarray
    """Masses of the links, m [kg], shape (n_links,)."""
    inertia: np.ndarray
    """Moments of inertia about the links' centres of mass, J [kg m^2], shape (n_links,)."""
    own_mass: np.ndarray
    """Diagonal matrix of the links' inertias [kg m^2] and, twice, the mass [kg], shape (n_links + 2, n_links + 2)."""
    to_front: np.ndarray
    """Distance from a link's centre of mass to its front joint, l_h [m], shape (n_links,)."""
    to_rear: np.ndarray
    """Distance from a link's centre of mass to its rear joint, l_t [m], shape (n_links,)."""
    identity: np.ndarray
    """The unit matrix [-], shape (n_links, n_links)."""
    radius: np.ndarray
    """Radii of the links [m], shape (n_links,)."""
    lever: np.ndarray
    """Positions of links: centre of mass i is at center + sum_k lever[i, k] e(theta_k) [m], (n_links, n_links)."""
    levers: np.ndarray
    """The same, and the lever by which a force on link i turns link k [m], shape (2, n_links, n_links).

    Both are equal unless `paper_table`.
    """
    torque_map: np.ndarray
    """Loads of unit torques on q = (theta, p) [-], shape (n_links + 2, n_joints): -D^T over two rows of zeros."""
    coupling: np.ndarray
    """lever^T diag(mass) lever [kg m^2], same shape."""
    support_link: np.ndarray
    """Link of every support point [-], shape (n_points,), ascending."""
    support_first: np.ndarray
    """First support point of every link [-], shape (n_links,)."""
    support_offset: np.ndarray
    """Position of the support points along the link, from its centre of mass [m], shape (n_points,)."""
    support_plain: bool
    """Whether all support points are at the links' centres of mass."""
    support_mass: np.ndarray
    """Mass that each support point carries [kg], shape (n_points,)."""
    mean_length: float
    """Mean length of the links [m]."""
    total_mass: float
    """Mass of the whole robot [kg]."""
    paper_table: bool
    """Whether to use the equations as Holden2014 prints them, with the approximations behind its Table V."""

    @property
    def n_links(self) -> int:
        """Number of links [-]."""
        return len(self.mass)

    @property
    def n_joints(self) -> int:
        """Number of joints [-]."""
        return len(self.mass) - 1


@checked_arguments
def reduce_robot(robot: PlanarRobot, *, paper_table: bool = False) -> ReducedRobot:
    """The constants of the reduced model.

    With `paper_table` the levers are those of Holden2014 (1)-(2), K_l, which are right for equal masses only, and
    contacts are constrained as in (32), as if the peg stayed at the link's centre of mass.
    """
    for k, link in enumerate(robot.links):
        if link.contact_force != "surface":
            raise InvalidModel(f"links[{k}].contact_force", link.contact_force, "'surface' in this model")
        if link.wheels:
            raise InvalidModel(f"links[{k}].wheels", len(link.wheels), "none in this model")
    mass, to_rear = robot.column("mass"), to_mass(robot)
    to_front = robot.column("length") - to_rear
    exact = _levers(mass, robot.column("length"), to_rear)
    lever = -_paper_levers(to_front, to_rear).T if paper_table else exact
    supports = [(k, point, link) for k, link in enumerate(robot.links) for point in link.supports or ()]
    offset = np.array([point.offset - link.mass_offset for _, point, link in supports])
    support_link = np.array([k for k, _, _ in supports])
    return ReducedRobot(
        mass=mass,
        inertia=robot.column("inertia"),
        own_mass=np.diag(np.concatenate((robot.column("inertia"), [mass.sum(), mass.sum()]))),
        to_front=to_front,
        to_rear=to_rear,
        identity=np.eye(robot.n_links),
        radius=robot.column("radius"),
        lever=lever,
        levers=np.stack((lever, exact)),  # Holden2014 (13): K_l (I - M E / sum m) is exact although K_l is not
        torque_map=np.eye(robot.n_links + 2, robot.n_joints, -1) - np.eye(robot.n_links + 2, robot.n_joints),
        coupling=lever.T @ (mass[:, None] * lever),
        support_link=support_link,
        support_first=np.searchsorted(support_link, np.arange(robot.n_links)),
        support_offset=offset,
        support_plain=len(supports) == robot.n_links and not offset.any(),
        support_mass=np.array([point.share * link.mass for _, point, link in supports]),
        mean_length=robot.length / robot.n_links,
        total_mass=float(mass.sum()),
        paper_table=paper_table,
    )


def _levers(mass: np.ndarray, length: np.ndarray, to_rear: np.ndarray) -> np.ndarray:
    """lever[i, k]: link k's direction in link i's centre of mass, minus its share in the robot's centre of mass."""
    from_tail = np.tril(np.broadcast_to(length, (len(mass), len(mass))), -1) + np.diag(to_rear)
    return from_tail - mass @ from_tail / mass.sum()


def _paper_levers(to_front: np.ndarray, to_rear: np.ndarray) -> np.ndarray:
    """K_l = A_l^T (D D^T)^-1 D of Holden2014, section II-D [m]."""
    n = len(to_front)
    D = np.eye(n - 1, n) - np.eye(n - 1, n, 1)
    A_l = np.eye(n - 1, n) * to_front + np.eye(n - 1, n, 1) * to_rear
    return A_l.T @ np.linalg.solve(D @ D.T, D)


def finite_array(field: str, value: Any, unit: str) -> np.ndarray:
    """Returns an array of floats; raises InvalidModel for numbers that are not finite or whose powers overflow."""
    made = array_of_numbers(field, value, unit=unit)
    check_range(field, made, real(unit), LARGEST)
    return made


def link_numbers(field: str, value: Any) -> np.ndarray:
    """Returns an array of whole numbers; raises InvalidModel if they cannot be indices of links."""
    try:
        made = array_of_numbers(field, value, unit="-", whole=True)
    except InvalidModel:
        made = np.array(-1)
    if made.ndim < 1 or (made < 0).any():
        raise InvalidModel(field, value, "a list of link numbers, from 0")
    return made


@dataclass(frozen=True, kw_only=True, eq=False)
class ReducedState:
    """Pose and velocity of the robot; leading dimensions, if any, are the same in all fields."""

    __repr__ = brief

    center: np.ndarray
    """Centre of mass of the robot, p [m], shape (..., 2)."""
    velocity: np.ndarray
    """Its velocity [m/s], shape (..., 2)."""
    link_angle: np.ndarray
    """Link angles, theta [rad], shape (..., n_links)."""
    link_rate: np.ndarray
    """Angular velocities of the links [rad/s], shape (..., n_links)."""
    load: np.ndarray | None = None
    """Known loads on the links besides ground and contacts, shape (..., n_links, 3); None: there are none.

    Force x, y at the link's centre of mass [N] and moment [N m], as in `Command.link_load`.
    """

    def __post_init__(self) -> None:
        for name, unit in (("center", "m"), ("velocity", "m/s"), ("link_angle", "rad"), ("link_rate", "rad/s")):
            store(self, **{name: finite_array(f"state.{name}", getattr(self, name), unit)})
        for name in ("center", "velocity"):
            shape = getattr(self, name).shape
            if shape[-1:] != (2,):
                raise InvalidModel(f"state.{name}: shape", shape, "(..., 2)")
        if self.link_angle.ndim < 1 or self.link_rate.shape != self.link_angle.shape:
            raise InvalidModel("state.link_rate: shape", self.link_rate.shape, f"{self.link_angle.shape}")
        if self.load is not None:
            store(self, load=finite_array("state.load", self.load, "N, N m"))
            if self.load.shape != (*self.link_angle.shape, 3):
                raise InvalidModel("state.load: shape", self.load.shape, f"{(*self.link_angle.shape, 3)}")

    def check_fits(self, n_links: int) -> None:
        """Raises InvalidModel for a state of a robot with another number of links."""
        if self.link_angle.shape[-1] != n_links:
            raise InvalidModel("state.link_angle: number of links", self.link_angle.shape[-1], f"{n_links}")
