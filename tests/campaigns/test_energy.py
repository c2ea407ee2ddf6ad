"""No energy out of nothing: random worlds, planar and spatial, with an account of the energy of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

import pushpoint as pp
from campaigns.energy_audit import Account, audited, bouncing, imposed
from pushpoint.bench.random_worlds import RandomWorld
from pushpoint.bench.violent_worlds import violent_case, violent_planar_case

MOST_NET = 2 * 0.1**2
"""Largest gain of a world without a warning, over its largest kinetic energy [-]: second order in the turn of a link in
a step, of which 0.1 rad are not warned of."""
Maker = Callable[[int], RandomWorld]


def check(make: Maker, seeds: Iterable[int], duration: float) -> list[Account]:
    found = audited([make(seed) for seed in seeds], duration)
    single = [each.health for each in found if not getattr(each.case.world.robot, "self_contact", False)]
    assert sum(each.unconverged_steps for each in single) < 0.002 * sum(each.steps for each in single)
    well = [each for each in found if not said(each)]
    assert len(well) > 0.5 * len(found)
    # By contacts: a thousandth of all that is lost; links are led out of penetrations, and a step is not a moment.
    assert sum(each.health.energy_gained for each in well) < 1e-3 * sum(each.taken for each in well)
    for each in well:
        assert each.net_gain < MOST_NET * each.most_moving, each
    for each in found:
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
    check(bouncing, range(7000, 7016), 0.5)


def test_imposed_worlds() -> None:
    found = check(imposed, range(9050, 9062), 0.5)  # 0.011 of all their steps were unconverged
    assert all(each.status.failed or each.health.unconverged_steps < 0.02 * each.health.steps for each in found)


def test_violent_worlds() -> None:
    check(violent_case, range(100, 116), 0.4)


def test_violent_planar_worlds() -> None:
    check(violent_planar_case, range(100, 140), 0.5)


@pytest.mark.parametrize("seed", [1077, 1108, 1171])
def test_a_whirling_link_that_gains_says_so(seed: int) -> None:
    # What makes up for the bend of its way added 121 to 458 J to these, in a step or two.
    (found,) = audited([violent_case(seed)], 0.5)
    assert said(found) or found.net_gain < MOST_NET * found.most_moving


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "seeds", "duration"),
    [
        (bouncing, range(7100, 7400), 1.0),
        (imposed, range(9100, 9400), 1.0),
        (violent_case, range(1000, 1300), 1.0),
        (violent_planar_case, range(1000, 2000), 1.0),
    ],
)
def test_many_worlds(make: Maker, seeds: range, duration: float) -> None:
    found = check(make, seeds, duration)
    well = [each for each in found if not said(each)]
    given = [each.health.energy_gained for each in well]
    rises = (each.net_gain / each.most_moving for each in well)
    lost = sum(each.taken for each in well)
    print(f"{make.__name__}: {len(well)} quiet of {len(found)}, {lost:.3g} J lost, contacts gave {sum(given):.2g} J,")
    print(f"in the worst {max(given):.2g} J; largest rise over largest kinetic energy {max(rises):.2g}")
