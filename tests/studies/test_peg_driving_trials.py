"""The tuning rule and the intervals of the study of planned paths, on numbers made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.pegs.trials import bootstrap, choose, share_interval


def test_the_rule_takes_the_least_torque_of_those_that_drive_enough() -> None:
    table = {
        "sparing, often stuck": [1.0, None, None, 1.0],
        "all arrive": [5.0, 6.0, 7.0, 8.0],
        "one less": [4.0, 5.0, 6.0, None],
    }
    best, figures = choose(table)
    assert best == "one less"  # kept, as it misses one only; 5 against 6 on the three paths that both drive
    assert figures["driven"] == {"sparing, often stuck": 2, "all arrive": 4, "one less": 3}
    assert figures["compared_on"] == 3
    assert figures["median_of_kept"] == {"all arrive": 6.0, "one less": 5.0}


def test_a_path_that_only_one_drives_does_not_count_for_its_torque() -> None:
    best, _ = choose({"a": [2.0, 2.0, 100.0], "b": [3.0, 3.0, None]})
    assert best == "a"  # its hard path is not held against it


def test_wilson_interval() -> None:
    # Brown, Cai, DasGupta (2001), the interval of Wilson: centre (x + z^2/2) / (n + z^2).
    low, high = share_interval(8, 10) or [0.0, 0.0]
    assert (low, high) == (0.49, 0.943)
    assert sum(share_interval(8, 10) or []) / 2 == pytest.approx((8 + 1.96**2 / 2) / (10 + 1.96**2), abs=1e-3)
    assert share_interval(0, 20) == [0.0, 0.161] and share_interval(0, 0) is None


def test_bootstrap_interval_holds_the_median_and_shrinks_with_the_sample() -> None:
    rng = np.random.default_rng(3)
    few, many = rng.normal(1.0, 0.1, 20), rng.normal(1.0, 0.1, 2000)
    for sample in (few, many):
        low, high = bootstrap(sample) or [0.0, 0.0]
        assert low <= np.median(sample) <= high
    # The standard deviation of a median of n normal numbers is 1.253 sigma / sqrt(n).
    low, high = bootstrap(many) or [0.0, 0.0]
    assert high - low == pytest.approx(2 * 1.96 * 1.253 * 0.1 / np.sqrt(2000), rel=0.3)  # the sample is one of many
    assert bootstrap(np.zeros(0)) is None
