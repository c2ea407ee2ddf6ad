"""No energy out of nothing: random worlds, planar and spatial, with an account of the energy of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

import pushpoint as pp
from campaigns.energy_audit import Account, audited, bouncing, imposed
from pushpoint.bench.random_worlds import RandomWorld
from pushpoint.bench.violent_worlds import violent_case, violent_planar_case

MOST_NET = 0.05
"""Largest gain of a world without a warning, over its largest kinetic energy [-]: first order in the time step."""
Maker = Callable[[int], RandomWorld]


def check(make: Maker, seeds: Iterable[int], duration: float, unsolved: float) -> list[Account]:
    """Runs worlds; no more than a share of their steps may stay unsolved."""
    found = audited([make(seed) for seed in seeds], duration)
    assert sum(each.health.unconverged_steps for each in found) <= unsolved * sum(each.health.steps for each in found)
    # By contacts: a thousandth of all that is lost; links are led out of penetrations, and a step is not a moment.
    assert sum(each.health.energy_gained for each in found) < 1e-3 * sum(each.taken for each in found)
    for each in found:
        assert said(each) or each.net_gain < MOST_NET * each.most_moving, each
        radius = float(each.case.world.robot.column("radius").min())
        deep = each.health.deepest_penetration > 0.1 * radius
        assert deep == any(sentence.startswith("a link sank in") for sentence in each.warnings)
    return found


def said(account: Account) -> bool:
    """Whether a world was stopped, or says that its steps are too large or were not solved."""
    reasons = ("turned by", "unconverged", "law is violated", "contacts added")
    return account.status is not pp.Status.FINISHED or any(
        reason in sentence for sentence in account.warnings for reason in reasons
    )


def test_bouncing_worlds() -> None:
    check(bouncing, range(7000, 7016), 0.5, 0.002)


def test_imposed_worlds() -> None:
    found = check(imposed, range(9050, 9062), 0.5, 0.002)  # it was 0.011
    assert all(each.status.failed or each.health.unconverged_steps < 0.02 * each.health.steps for each in found)


def test_violent_worlds() -> None:
    # In 1043, 1077, 1108 and 1171 whirling links were pushed out so fast that they gained 58 to 449 J.
    check(violent_case, (*range(100, 110), 1043, 1077, 1108, 1171), 0.4, 0.01)


def test_violent_planar_worlds() -> None:
    check(violent_planar_case, range(100, 140), 0.5, 0.002)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "seeds", "duration", "unsolved"),
    [
        (bouncing, range(7100, 7400), 1.0, 0.002),
        (imposed, range(9100, 9400), 2.0, 0.002),
        (violent_case, range(1000, 1300), 1.0, 0.01),
        (violent_planar_case, range(1000, 2000), 1.0, 0.002),
    ],
)
def test_many_worlds(make: Maker, seeds: range, duration: float, unsolved: float) -> None:
    check(make, seeds, duration, unsolved)
