"""What a paper claims about an experiment, and whether our runs reproduce it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import one_of, store

if TYPE_CHECKING:
    import xarray

VERDICTS = ("reproduced", "approximate", "not reproduced", "not testable")

RunOf = Callable[[str], "xarray.Dataset"]
"""Returns the run of a scenario by its name. The caller decides which runs are kept between claims."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a run reproduces a claim."""

    verdict: str
    """"reproduced", "approximate", "not reproduced" or "not testable"."""
    measured: Mapping[str, float] = field(default_factory=dict)
    """The numbers behind the verdict. Each name ends with its unit, such as mean_velocity_cm_per_s."""

    def __post_init__(self) -> None:
        store(self, verdict=one_of("verdict", self.verdict, VERDICTS))


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement of a paper, with the recorded verdict."""

    id: str
    """Short name, such as TA1."""
    statement: str
    """What the paper says, in our words."""
    where: str
    """Where the paper says it: section, figure, table."""
    tolerance: str = ""
    """What the check requires, in words and numbers with units; given if there is a check."""
    recorded: str
    """The recorded verdict. A different measured verdict is a failure."""
    reason: str = ""
    """Why the verdict is not "reproduced"."""
    check: Callable[[RunOf], Verdict] | None = None
    """Measures the claim; None if it is not testable."""

    def __post_init__(self) -> None:
        field_of = f"claim {self.id}"
        store(self, recorded=one_of(f"{field_of}: recorded", self.recorded, VERDICTS))
        if (self.check is None) != (self.recorded == "not testable"):
            raise InvalidModel(f"{field_of}: check", self.check, "given, unless the claim is not testable")
        if bool(self.tolerance) != (self.check is not None):
            raise InvalidModel(f"{field_of}: tolerance", self.tolerance, "given with a check, and with a check only")
        if self.recorded != "reproduced" and not self.reason:
            raise InvalidModel(f"{field_of}: reason", self.reason, f"given for a claim that is {self.recorded}")

    def evaluate(self, run_of: RunOf) -> Verdict:
        """The verdict from the current runs."""
        return Verdict(verdict="not testable") if self.check is None else self.check(run_of)
