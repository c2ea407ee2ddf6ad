"""Which plans are driven, what is tuned by which rule, and what is reported of it.

Tuned is on seeds below 100, on the first plans that are bad nowhere, as many of either density; reported are seeds from
1000 on. One rule for both kinds of control: of the settings tried, those are kept that drive at most one training path
less than the best of their kind; of these the one with the least median squared torque per metre is taken, over the
training paths that all kept ones drive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pushpoint.papers.ours.pegs import GOAL, START, field, fifteen_links
from pushpoint.planning.pegs.paths import PlanSettings, plan_path
from pushpoint.planning.pegs.plan import OVERLAP, PegPlan
from pushpoint.planning.pegs.routes import Polish
from pushpoint.planning.pegs.search import Effort
from pushpoint.studies.pegs.driving import MappingSetting, ServoSetting
from pushpoint.studies.proportions import wilson_interval

DENSITIES = (6.8, 5.0)
"""Length of the body over the least distance between two pegs [-]."""
VARIANTS = {
    "planned": PlanSettings(),
    "starved": PlanSettings(
        effort=Effort(edges=15, visits=1), polish=Polish(candidates=1, rounds=0, tries=1), attempts=1
    ),
    "unscored": PlanSettings(
        effort=Effort(edges=30, visits=1, bad_weight=0.0, early_weight=0.0, soft=0.0),
        polish=Polish(candidates=1, rounds=0, tries=1),
        attempts=1,
    ),
}
"""Planners: as it is; with a search so narrow that it often fails; with one that does not ask for pushing at all. The
two others are there to have bad paths."""
MAPPING_GRID = tuple(
    MappingSetting(stiffness=stiffness, damping=damping, torque_cost=cost)
    for stiffness, damping in ((400.0, 40.0), (100.0, 20.0))
    for cost in (0.01, 0.02, 0.04, 0.08)
)
"""Settings of force mapping that were tried."""
SERVO_GRID = tuple(
    ServoSetting(stiffness=stiffness, damping=0.05 * stiffness) for stiffness in (20.0, 40.0, 60.0, 80.0, 120.0, 160.0)
)
"""Settings of shape propagation that were tried. Damping of 0.02 s times the stiffness gave the same on two paths, and
a lead of 0.3 m instead of 0.1 m on seven: neither is worth more runs."""


TUNED_MAPPING = MappingSetting(stiffness=100.0, damping=20.0, torque_cost=0.08)
"""By the rule: 16 of 16 training paths driven."""
TUNED_SERVOS = ServoSetting(stiffness=80.0, damping=4.0)
"""By the rule: 13 of 16 training paths driven; the most that servos of any stiffness drove were 14."""


def make_plan(seed: int, density: float, variant: str) -> PegPlan:
    """The path that a planner finds through the field of a seed."""
    return plan_path(fifteen_links(), field(seed, density), START, GOAL, seed=seed, settings=VARIANTS[variant])


def drivable_shape(plan: PegPlan) -> bool:
    """Whether a path is a fair one to try: it reaches the goal, is clear of the pegs and bends no joint too far."""
    return plan.reaches_goal and plan.clearance >= -OVERLAP and plan.bend <= plan.joint_limit


def choose(results: Mapping[str, Sequence[float | None]]) -> tuple[str, dict[str, Any]]:
    """The tuning rule: the best of some settings, and the figures that it goes by.

    results: Squared torque per metre of every setting on every training path, None where it did not arrive.
    """
    table = {name: np.array([np.nan if x is None else x for x in row], dtype=float) for name, row in results.items()}
    driven = {name: int(np.isfinite(row).sum()) for name, row in table.items()}
    kept = [name for name, count in driven.items() if count >= max(driven.values()) - 1]
    common = np.logical_and.reduce([np.isfinite(table[name]) for name in kept])
    median = {name: float(np.median(table[name][common])) if common.any() else np.nan for name in kept}
    best = min(kept, key=lambda name: (median[name], name))
    return best, {"driven": driven, "compared_on": int(common.sum()), "median_of_kept": median}


def share_interval(hits: int, n: int) -> list[float] | None:
    """95 % confidence interval of a share [-]; None of nothing."""
    return [round(end, 3) for end in wilson_interval(hits, n)] if n else None


def bootstrap(values: np.ndarray, draws: int = 10_000) -> list[float] | None:
    """95 % confidence interval of the median, by drawing again; None of nothing."""
    if not len(values):
        return None
    drawn = np.random.default_rng(0).choice(values, (draws, len(values)))
    return [round(float(x), 3) for x in np.quantile(np.median(drawn, axis=1), (0.025, 0.975))]
