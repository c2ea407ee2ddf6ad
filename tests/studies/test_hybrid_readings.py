"""The study of bodies and readings of Liljeback2011: its page has what is kept, and the claims follow from it."""

from __future__ import annotations

import json
from math import asin, atan, degrees, sqrt, tan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.hybrid_readings_figures import bands_figure, fifth_table, notches_table, readings_table

from pushpoint.papers.liljeback2011.bodies import COURSES, LB1, LB2, LB3, TRIALS
from pushpoint.papers.liljeback2011.readings import BODIES, FIFTH_RADIUS, NARROW, OURS

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    return dict(json.loads((DOCS / "results" / "hybrid-readings.json").read_text()))


@pytest.mark.parametrize("table", [readings_table, notches_table, fifth_table])
def test_the_page_has_the_kept_tables(table: Any, kept: dict[str, Any]) -> None:
    page = (DOCS / "proof" / "bodies.md").read_text(encoding="utf-8")
    assert table(kept[table.__name__.removesuffix("_table")]) in page


def test_the_claims_verdicts_follow_from_the_kept_ways(kept: dict[str, Any]) -> None:
    # The same starts were run in the study and in the claims; an outcome is a matter of 5 starts.
    for claim, place in ((LB1, 1), (LB2, 2), (LB3, 3)):
        rows = [row for row in kept["readings"] if row["environment"] == place and _is(row, OURS)]
        passes = [np.median(row["ways_m"]) > 0.7 for row in rows]
        assert len(rows) == len(BODIES) and {len(row["ways_m"]) for row in rows} == {TRIALS}
        found = "reproduced" if all(passes) else "approximate" if any(passes) else "not reproduced"
        assert found == claim.recorded


def test_only_the_narrow_reading_passes_environment_3_from_every_start(kept: dict[str, Any]) -> None:
    rows = [row for row in kept["readings"] if row["environment"] == 3 and row["clock"] == "pauses"]
    full = [row for row in rows if row["passed"] == TRIALS]
    assert full and all(_is(row, NARROW) for row in full) and COURSES["3, ±7"] == (3, NARROW)


def test_a_notch_between_balls_holds_a_peg_like_friction_of_0_57() -> None:
    # A peg of 15 cm on two balls of 7 cm: the triangle of the centres has a base of 14 cm and sides of 22 cm.
    ball = BODIES["balls"].links[0].radius
    slope = asin(ball / (FIFTH_RADIUS + ball))
    assert degrees(slope) == pytest.approx(18.6, abs=0.05)
    assert sqrt((FIFTH_RADIUS + ball) ** 2 - ball**2) == pytest.approx(0.209, abs=5e-4)
    assert (tan(slope), tan(slope + atan(0.2))) == pytest.approx((0.34, 0.57), abs=5e-3)  # as the page rounds


def test_the_picture_of_the_bands_has_a_line_per_body(kept: dict[str, Any]) -> None:
    shown = {axes.get_label(): axes for axes in bands_figure(kept["bands"]).axes}
    assert {line.get_label() for line in shown["front"].lines} >= set(BODIES)


def _is(row: dict[str, Any], reading: Any) -> bool:
    return all(row[name] == pytest.approx(value) for name, value in vars(reading).items())
