"""Shares of successes: how sure they are, and whether two of them differ."""

from __future__ import annotations

from math import comb, sqrt

NORMAL_95 = 1.959964
"""Standard deviations of a normal distribution within which 95 % lie [-]."""


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share [-]; all of 0 to 1 without a trial."""
    if trials == 0:
        return 0.0, 1.0
    share, z2 = successes / trials, NORMAL_95**2
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = NORMAL_95 / (1 + z2 / trials) * sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    # At the ends the formula gives exactly 0 or 1, but for rounding.
    return (0.0 if successes == 0 else middle - half), (1.0 if successes == trials else middle + half)


def exact_sign_test(only_first: int, only_second: int) -> float:
    """Two-sided p value of McNemar's exact test [-].

    Of the paired trials that only one of two passes, each would be the first's with probability one half if there were
    no difference.
    """
    decided = only_first + only_second
    tail = sum(comb(decided, k) for k in range(min(only_first, only_second) + 1)) / 2**decided
    return min(1.0, 2.0 * tail)


def paired_difference(only_first: int, only_second: int, trials: int) -> tuple[float, float]:
    """Wald's 95 % interval of the difference of two shares of the same trials [-]; all of -1 to 1 without a trial."""
    if trials == 0:
        return -1.0, 1.0
    difference = (only_first - only_second) / trials
    half = NORMAL_95 * sqrt(only_first + only_second - (only_first - only_second) ** 2 / trials) / trials
    return difference - half, difference + half
