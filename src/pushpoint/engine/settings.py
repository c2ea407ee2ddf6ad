"""How to compute, and how a world can end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal

from pushpoint.model.checks import Whole, above, check_fields, store


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Numerical choices; none of them belongs to the robot or the world."""

    dt: Annotated[float, above(0, "s")] = 1e-3
    """Time step [s]."""
    solver: Literal["newton", "prox"] = "newton"
    """"newton" (semi-smooth Newton) or "prox" (the papers' fixed point, for reference)."""
    tolerance: Annotated[float, above(0, "-")] = 1e-3
    """Largest violation of a law, as a velocity, over what gravity gives in one step [-]."""
    max_iterations: Annotated[int, Whole(1, 2**31 - 1, "a whole number >= 1")] | None = None
    """Iterations per step before it counts as unconverged [-]; default 150 (newton) or 20000 (prox)."""
    precision: Literal["float64", "float32"] = "float64"
    """"float64" or "float32"."""
    device: str = "cpu"
    """Warp device: "cpu" or "cuda:0"."""
    on_failure: Literal["raise", "record"] = "raise"
    """"raise" an error when a world ends early, or "record" it as its status."""

    def __post_init__(self) -> None:
        check_fields(self, "settings")
        if self.max_iterations is None:
            store(self, max_iterations=150 if self.solver == "newton" else 20000)


class Status(Enum):
    """How a world stands; the value is the sentence a user reads. The order of the first is that of kernels' codes."""

    RUNNING = "running"
    DIVERGED = "diverged: velocities left what the time step can follow"
    TOO_MANY_CONTACTS = "stopped: links touch more at once than the engine holds"
    TOO_MANY_NEAR = "stopped: a link has more obstacles around it than the engine holds"
    SUNK_IN = "stopped: a link sank into an obstacle deeper than its radius"
    JAMMED = "stopped: no forces within the laws let the prescribed joints move on between what they touch"
    ENDED = "ended early, as asked"
    FINISHED = "finished"
    INTERRUPTED = "interrupted by the user"

    @staticmethod
    def of_code(code: int) -> Status:
        """The status behind a kernel's code; ENDED is one that kernels never give, but they stop at it as at others."""
        return tuple(Status)[code]

    @property
    def code(self) -> int:
        """The kernels' code of the status."""
        return tuple(Status).index(self)

    @property
    def failed(self) -> bool:
        """Whether the world ended before its time by itself."""
        return self not in (Status.RUNNING, Status.ENDED, Status.FINISHED, Status.INTERRUPTED)
