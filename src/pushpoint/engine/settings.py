"""Numerical settings of a run, and the ways in which a world can end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal

from pushpoint.brief import brief
from pushpoint.model.checks import Whole, above, check_fields, store


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Numerical settings of a run.

    For example:

        pp.Settings(dt=5e-4, tolerance=1e-4)
    """

    __repr__ = brief

    dt: Annotated[float, above(0, "s")] = 1e-3
    """Time step [s]."""
    solver: Literal["newton", "prox"] = "newton"
    """ "newton" (semi-smooth Newton) or "prox" (the papers' fixed-point iteration, for reference)."""
    tolerance: Annotated[float, above(0, "-")] = 1e-3
    """Largest allowed violation of a force law [-].

    It is a velocity, divided by the velocity that gravity adds in one time step.
    """
    max_iterations: Annotated[int, Whole(1, 2**31 - 1, "a whole number >= 1")] | None = None
    """Iterations after which a time step counts as unconverged [-]; default: 150 (newton) or 20000 (prox)."""
    precision: Literal["float64", "float32"] = "float64"
    """Floating-point precision of the kernels: "float64" or "float32"."""
    device: str = "cpu"
    """Warp device: "cpu", "cuda:0" and so on."""
    on_failure: Literal["raise", "record"] = "raise"
    """What happens when a world ends early: "raise" an error, or "record" it as the world's status."""

    def __post_init__(self) -> None:
        check_fields(self, "settings")
        if self.max_iterations is None:
            store(self, max_iterations=150 if self.solver == "newton" else 20000)


class Status(Enum):
    """How a world is doing, or how it ended. The value is a sentence for the user.

    The order of the members gives the kernels' codes.
    """

    RUNNING = "running"
    DIVERGED = "diverged: velocities became too large for the time step"
    TOO_MANY_CONTACTS = "stopped: links touch more at once than the engine holds"
    TOO_MANY_NEAR = "stopped: a link has more obstacles around it than the engine holds"
    SUNK_IN = "stopped: a link sank into an obstacle deeper than its radius"
    JAMMED = "stopped: the prescribed joint motion is jammed between things that the robot touches"
    ENDED = "ended early, at its goal"
    FINISHED = "finished"
    INTERRUPTED = "interrupted by the user"

    @staticmethod
    def of_code(code: int) -> Status:
        """The status for a kernel's code. Kernels never set ENDED themselves, but they stop at it."""
        return _IN_ORDER[code]

    @property
    def code(self) -> int:
        """The kernels' code for the status."""
        return _IN_ORDER.index(self)

    @property
    def failed(self) -> bool:
        """Whether the world ended early because something went wrong."""
        return self not in (Status.RUNNING, Status.ENDED, Status.FINISHED, Status.INTERRUPTED)


_IN_ORDER = tuple(Status)
