"""How the rooms of the papers write a claim down: as a function that measures it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from pushpoint.scenarios.claim import Claim, RunOf, Verdict


def claim(
    where: str, *, tolerance: str, recorded: str = "reproduced", reason: str = ""
) -> Callable[[Callable[[RunOf], Verdict]], Claim]:
    """Makes a `Claim` of a function that measures: its name is the id, what the paper says begins its docstring."""

    def claimed(check: Callable[[RunOf], Verdict]) -> Claim:
        return Claim(
            id=check.__name__,
            statement=first_paragraph(check),
            where=where,
            tolerance=tolerance,
            recorded=recorded,
            reason=reason,
            check=check,
        )

    return claimed


def first_paragraph(function: Callable[..., Any]) -> str:
    """The first paragraph of a docstring, in one line."""
    return (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")


def verdict(good: bool, partly: bool = False, /, **measured: float) -> Verdict:
    """What was found: "reproduced" if good, else "approximate" if partly so; measured values end in their units."""
    word = "reproduced" if good else "approximate" if partly else "not reproduced"
    return Verdict(verdict=word, measured={name: float(value) for name, value in measured.items()})
