"""The tables of the page on learned touch, of a score written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from pushpoint.proof.learned_touch import TABLES, breaks, robustness_table, seeds_table
from pushpoint.studies.comparison import wilson_interval


def summary(passed: int, trials: int = 100) -> dict[str, Any]:
    """What a comparison says of a controller that passes so many."""
    return {
        "trials": trials,
        "passed": passed,
        "success": passed / trials,
        "success_95": list(wilson_interval(passed, trials)),
        "time_to_pass": 20.0 if passed else None,
    }


def asked(learned: int, by_hand: int) -> dict[str, Any]:
    """A comparison of the two."""
    return {
        "controllers": {"touch-v1": summary(learned), "continuous": summary(by_hand)},
        "paired": {"p_value": 0.25},
    }


@pytest.mark.parametrize(("passed", "broken"), [(85, False), (75, False), (60, True), (0, True)])
def test_a_controller_breaks_where_the_intervals_do_not_meet(passed: int, broken: bool) -> None:
    """Wilson's intervals: 85 of 100 is 76.7 to 90.7 %, 75 is 65.7 to 82.5 %, 60 is 50.2 to 69.1 %."""
    assert breaks("touch-v1", asked(passed, 70), asked(85, 70)) is broken
    assert not breaks("continuous", asked(passed, 70), asked(85, 70))


def test_a_break_is_bold() -> None:
    found = {
        "duration_s": 100.0,
        "splits": {"validation": asked(85, 70)},
        "robustness": {"touch noise 3 N": asked(60, 65), "ground friction 0.1": asked(90, 0)},
    }
    rows = robustness_table({"learned-touch-validation": found}).splitlines()
    assert "| **60 %, 20.0 s** |" in rows[3] and "| 65 %, 20.0 s |" in rows[3]
    assert "| 90 %, 20.0 s |" in rows[4] and "| **0 %** |" in rows[4]


def test_the_spread_of_the_seeds_is_said() -> None:
    drift = {"exact": {"farthest_m": 0.071}, "noise of deployment": {"farthest_m": 0.093}}
    searches = [
        {"seed": seed, "cpu_s": 90.0, "validation": summary(passed) | {"drift": drift}}
        for seed, passed in enumerate((88, 93, 90))
    ]
    told = seeds_table({"touch-training": {"shipped": 1, "searches": searches}})
    assert "3 seeds: 88 to 93 of 100 validation courses, median 90." in told
    assert "| **1**, shipped | 93 of 100, 20.0 s | 9.3 cm | 1.5 min |" in told


@pytest.mark.parametrize("name", TABLES)
def test_what_was_not_tried_says_how_to_try_it(name: str) -> None:
    assert TABLES[name]({}).startswith(("Not tried yet: `pushpoint learn score", "Not tried yet: `python benchmarks/"))
