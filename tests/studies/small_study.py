"""A small study that several tests run: short planar worlds that cost milliseconds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pushpoint as pp
from pushpoint.studies import GridDesign, Range, Study, Values

FIELDS = ("controller.amplitude_deg", "ground.friction.coefficient")


def base(**changes: Any) -> pp.Scenario:
    """Lateral undulation on flat ground for a tenth of a second."""
    found = pp.scenario("transeth2008a/flat").with_changes(duration=0.1, dt=4e-3)
    return replace(found, **changes)


def small_study(**changes: Any) -> Study:
    """Three amplitudes times two frictions."""
    given: dict[str, Any] = {
        "name": "small",
        "base": base(),
        "varies": [
            Range(field=FIELDS[0], low=20.0, high=60.0, count=3),
            Values(field=FIELDS[1], values=[0.1, 0.3]),
        ],
        "design": GridDesign(),
        "measures": ["distance"],
        "batch": 2,
    }
    return Study(**given | changes)
