"""Shares of successes: how sure they are, and whether two of them differ."""

from __future__ import annotations

from math import sqrt

NORMAL_95 = 1.959964
"""Standard deviations of a normal distribution within which 95 % lie [-]."""


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share [-]; all of 0 to 1 without a trial."""
    from scipy.stats import binomtest

    if trials == 0:
        return 0.0, 1.0
    low, high = binomtest(successes, trials).proportion_ci(method="wilson")
    return float(low), float(high)


def exact_sign_test(only_first: int, only_second: int) -> float:
    """Two-sided p value of McNemar's exact test [-].

    Of the paired trials that only one of two passes, each would be the first's with probability one half if there were
    no difference.
    """
    from scipy.stats import binomtest

    decided = only_first + only_second
    return float(binomtest(only_first, decided).pvalue) if decided else 1.0


def paired_difference(only_first: int, only_second: int, trials: int) -> tuple[float, float]:
    """Wald's 95 % interval of the difference of two shares of the same trials [-]; all of -1 to 1 without a trial."""
    if trials == 0:
        return -1.0, 1.0
    difference = (only_first - only_second) / trials
    half = NORMAL_95 * sqrt(only_first + only_second - (only_first - only_second) ** 2 / trials) / trials
    return difference - half, difference + half
