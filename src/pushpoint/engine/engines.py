"""The two engines: their common interface, and which of them a batch needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pushpoint.engine.planar import packing as planar
from pushpoint.engine.spatial import packing as spatial
from pushpoint.errors import InvalidModel
from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot

if TYPE_CHECKING:
    from pushpoint.engine.records import Records
    from pushpoint.engine.tables.stock import Stock


class Engine(Protocol):
    """Translates robots and environments into the kernels' arrays, and results back.

    The kernels' structs and arrays have no Python types: they are Any.
    """

    NAME: str
    """planar or spatial."""
    STATE: Any
    """The class of its states."""
    STARTS_WITH: tuple[str, ...]
    """Fields of the state that a pose gives; all others start at zero."""
    HELD: dict[str, tuple[str, ...]]
    """Fields of the state, by the kernels' arrays that hold them."""
    MOST_AXES: int
    """Most axes of a joint [-]."""
    LOADS: tuple[str, ...]
    """The parts of a load on a link, three numbers each."""
    CONTACT_STIFFNESS: float
    """Stiffness of closed contacts in Newton's method, in units of their own masses [-]."""
    FEATURES: int
    """Number of ways in which a link can touch an obstacle [-]: contact keys are obstacles times these."""

    FIRST_KEY: int
    """The contact key at which obstacles begin [-]; below are contacts with the ground."""

    def pack_robots(
        self, records: Records, robots: Sequence[Any], environments: Sequence[Environment], stock: Stock
    ) -> Any:
        """The model: robots on their grounds."""

    def pack_obstacles(self, records: Records, environments: Sequence[Environment], stock: Stock) -> Any:
        """Their obstacles."""

    def pack_stock(self, records: Records, stock: Stock) -> dict[str, Any]:
        """Tables of the model with what has come into the stock since the last call."""

    def load_rows(self, obstacle: Obstacle) -> int:
        """Rows of the kernels' obstacle loads for one obstacle [-]."""

    def obstacle_rows(self, obstacle: Obstacle) -> tuple[int, int]:
        """Rows of the kernels' obstacles, and of their vertices, for one obstacle [-]."""

    def several(self, robots: Sequence[Any]) -> dict[str, int]:
        """Number of records per link or world in the kernels' arrays, by name, where it is not one [-]."""

    def most(self, obstacles: Any, several: Mapping[str, int], n_links: int) -> dict[str, int]:
        """Largest whole numbers of a state, by name: contacts and their keys [-]."""


def engine_of(robots: Sequence[AnyRobot]) -> Engine:
    """Returns the planar or the spatial engine; raises InvalidModel for robots that cannot share a batch."""
    distinct = list({id(robot): robot for robot in robots}.values())
    kinds = sorted({type(robot).__name__ for robot in distinct})
    if len(kinds) != 1:
        raise InvalidModel("worlds: robots", kinds, "all planar or all spatial in a batch")
    counts = sorted({robot.n_links for robot in distinct})
    if len(counts) != 1:
        raise InvalidModel("worlds: number of links", counts, "the same in every world of a batch")
    if any(robot.axes != distinct[0].axes for robot in distinct):
        raise InvalidModel("worlds: joints", "different axes", "of the same kinds in every world of a batch")
    return spatial if isinstance(distinct[0], SpatialRobot) else planar


def refuse_others(like: AnyRobot, robots: Sequence[AnyRobot], most: Mapping[str, int]) -> None:
    """Raises InvalidModel for robots that cannot take the place of others in a batch.

    `like` is a robot of the batch, and `most` its numbers of records per link or world.
    """
    for name, count in engine_of([like, *robots]).several(robots).items():
        if count > most.get(name, 0):
            raise InvalidModel(f"worlds: {name} of a robot", count, f"at most {most.get(name, 0)}, as in the others")
