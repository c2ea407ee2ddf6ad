"""What an engine is to the stepper; `planar.packing` and `spatial.packing` are one each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from pushpoint.engine.records import Records
from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Obstacle

Robot_contra = TypeVar("Robot_contra", contravariant=True)
AnyState_co = TypeVar("AnyState_co", covariant=True)


class Engine(Protocol[Robot_contra, AnyState_co]):
    """Translates robots and environments into what its kernels read, and their results back.

    Structs and arrays of kernels have no types that Python knows: they are Any.
    """

    @property
    def STATE(self) -> type[AnyState_co]:
        """The state of its worlds."""

    @property
    def STARTS_WITH(self) -> tuple[str, ...]:
        """Fields of the state that a pose gives; all others begin as zero."""

    @property
    def HELD(self) -> Mapping[str, tuple[str, ...]]:
        """Fields of the state by the arrays of the kernels' motion that hold them."""

    @property
    def MOST_AXES(self) -> int:
        """Axes that a joint can have [-]."""

    @property
    def LOAD_SIZE(self) -> int:
        """Numbers that make a load on a link [-]."""

    @property
    def CONTACT_STIFFNESS(self) -> float:
        """Stiffness of closed contacts in Newton's method, in masses of their own [-]."""

    def family(self, real: Any) -> Any:
        """The kernels' structs in a precision."""

    def kernel(self, real: Any) -> Any:
        """The kernel that advances worlds in a precision."""

    def pack_world(
        self, records: Records, robots: Sequence[Robot_contra], environments: Sequence[Environment]
    ) -> tuple[Any, Any]:
        """Robots on their grounds, and obstacles."""

    def load_rows(self, obstacle: Obstacle) -> int:
        """How many rows of the kernels' loads on obstacles one of the user's takes [-]."""

    def make_loads(self, records: Records) -> Any:
        """Room for external loads on links."""

    def write_loads(self, records: Records, drive: Any, loads: np.ndarray) -> None:
        """External loads, shape (n_worlds, n_links, LOAD_SIZE)."""

    def several(self, model: Any) -> Mapping[str, int]:
        """How many records of each link or world the kernels' arrays hold, by name, where it is not one [-]."""
