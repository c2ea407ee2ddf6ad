"""What an engine is to the stepper; `planar.packing` and `spatial.packing` are one each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from pushpoint.engine.records import Records
from pushpoint.engine.state import SpatialState, State
from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Obstacle

Robot_contra = TypeVar("Robot_contra", contravariant=True)
AnyState = TypeVar("AnyState", State, SpatialState)


class Engine(Protocol[Robot_contra, AnyState]):
    """Translates robots and environments into what its kernels read, and their results back.

    Structs and arrays of kernels have no types that Python knows: they are Any.
    """

    @property
    def STATE(self) -> type[AnyState]:
        """The state of its worlds."""

    @property
    def STARTS_WITH(self) -> tuple[str, ...]:
        """Fields of the state that a pose gives; all others begin as zero."""

    @property
    def PER_WORLD(self) -> tuple[str, ...]:
        """Fields of the state that the records of worlds hold."""

    @property
    def PER_LINK(self) -> tuple[str, ...]:
        """Those in the records of links."""

    @property
    def PER_JOINT(self) -> tuple[str, ...]:
        """Those in the records of axes."""

    @property
    def PER_CONTACT(self) -> tuple[str, ...]:
        """Those in the records of contacts; what else there is, `read_more` and `write_more` know."""

    @property
    def MOST_AXES(self) -> int:
        """Axes that a joint can have [-]."""

    @property
    def MOST_CONTACTS(self) -> int:
        """Contacts that a link can hold at a time [-]."""

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

    def make_motion(self, records: Records, model: Any) -> Any:
        """Room for the changing part."""

    def make_work(self, records: Records, model: Any) -> Any:
        """Room for what lives within a step."""

    def read_more(self, records: Records, motion: Any, model: Any) -> dict[str, np.ndarray]:
        """What a state holds beside the records of worlds, links, axes and contacts."""

    def write_more(self, records: Records, motion: Any, state: AnyState) -> None:
        """The same, back."""
