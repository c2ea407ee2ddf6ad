"""How the rooms of the papers write a claim down: what the paper says stands over the function that measures it."""

from __future__ import annotations

from collections.abc import Callable

from pushpoint.scenarios.claim import Claim, RunOf, Verdict


def claim(
    statement: str, *, where: str, tolerance: str, recorded: str = "reproduced", reason: str = ""
) -> Callable[[Callable[[RunOf], Verdict]], Claim]:
    """Makes a `Claim` of the function that follows; the function's name is the claim's id."""

    def claimed(check: Callable[[RunOf], Verdict]) -> Claim:
        return Claim(
            id=check.__name__,
            statement=statement,
            where=where,
            tolerance=tolerance,
            recorded=recorded,
            reason=reason,
            check=check,
        )

    return claimed


def verdict(good: bool, partly: bool = False, /, **measured: float) -> Verdict:
    """What was found: "reproduced" if good, else "approximate" if partly so; measured values end in their units."""
    word = "reproduced" if good else "approximate" if partly else "not reproduced"
    return Verdict(verdict=word, measured={name: float(value) for name, value in measured.items()})
