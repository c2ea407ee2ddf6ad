"""The two engines: what each has to offer, and which of them a batch needs."""

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


class Engine(Protocol):
    """Translates robots and environments into what its kernels read, and their results back.

    Structs and arrays of kernels have no types that Python knows: they are Any.
    """

    STATE: Any
    """The state of its worlds, a class."""
    STARTS_WITH: tuple[str, ...]
    """Fields of the state that a pose gives; all others begin as zero."""
    HELD: dict[str, tuple[str, ...]]
    """Fields of the state by the arrays of the kernels' motion that hold them."""
    MOST_AXES: int
    """Axes that a joint can have [-]."""
    LOADS: tuple[str, ...]
    """What a load on a link is made of, three numbers each."""
    CONTACT_STIFFNESS: float
    """Stiffness of closed contacts in Newton's method, in masses of their own [-]."""
    FEATURES: int
    """Ways in which a link touches an obstacle [-]: the kernels' keys of contacts are obstacles times these."""

    def family(self, real: Any) -> Any:
        """The kernels' structs in a precision."""

    def kernel(self, real: Any) -> Any:
        """The kernel that advances worlds in a precision."""

    def pack_world(
        self, records: Records, robots: Sequence[Any], environments: Sequence[Environment]
    ) -> tuple[Any, Any]:
        """Robots on their grounds, and obstacles."""

    def load_rows(self, obstacle: Obstacle) -> int:
        """How many rows of the kernels' loads on obstacles one of the user's takes [-]."""

    def obstacle_rows(self, obstacle: Obstacle) -> tuple[int, int]:
        """How many rows of the kernels' obstacles, and of their vertices, one of the user's takes [-]."""

    def several(self, robots: Sequence[Any]) -> dict[str, int]:
        """How many records of each link or world the kernels' arrays hold, by name, where it is not one [-]."""

    def most(self, obstacles: Any, several: Mapping[str, int], n_links: int) -> dict[str, int]:
        """How far the whole numbers of a state go, by name: contacts, and the keys of what they belong to [-]."""


def engine_of(robots: Sequence[AnyRobot]) -> Engine:
    """The planar or the spatial engine; refuses robots that cannot share a batch."""
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
