"""Fits parameters of a scenario to a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studies.fitting.fitted import Fitted
from pushpoint.studies.fitting.intervals import intervals, not_told_apart, spread_of
from pushpoint.studies.fitting.least_squares import DIFFERENCE, Descent, Residuals, descend
from pushpoint.studies.fitting.prediction import predictions
from pushpoint.studies.optimising.space import Bounds, candidate_at, checked_space
from pushpoint.worlds.recorded import Recorded, as_recorded

FIRST_TRIES = 32
"""Points over the ranges at which the fit looks first [-]."""
STARTS, SHORT = 3, 4
"""From how many of the best of them it goes down, and how many turns before the best goes on alone [-]."""
WIDEST = 0.1
"""Contacts and backlash make predictions rough at close range, where derivatives say little. The last turns take them
over a standard deviation of each parameter, but over no more than this share of its range [-]."""
FIRST_NOISE = 0.05
"""Noise that is assumed at first, as a share of what each variable does [-]."""


@checked_arguments
def fit(recording: Any, scenario: Scenario, parameters: Mapping[str, Any], *, seed: Natural = 0) -> Fitted:
    """Finds the parameters of a scenario that explain a recording best, and how surely it tells them.

    Least squares over all samples, each variable weighed by its own noise, which is found on the way. Intervals follow
    from the curvature at the best fit: they hold for noise that is independent from sample to sample. The result says
    if it is not, and which parameters the recording cannot tell apart.

        times = np.linspace(0.0, 0.9, 60)
        angles = run.joint_angle.interp(time=times).values
        recording = pp.studies.Recorded(time=times, channels={"joint_angle[4]": angles[:, 4]})
        found = pp.studies.fit(recording, pp.scenario_of(run), {"robot.motor.stiffness": (100.0, 1000.0)})
        print(found.sentences())

    Args:
        recording: A Recorded, or the path of a CSV file: columns t, joint_angle[3], link_position[10].x and so on.
        scenario: What was recorded, with one world; its duration does not matter.
        parameters: Ranges by keys of the scenario, as in its file: pairs of numbers, or a Bounds. Besides, "delay" is
            how late the recording shows what happens [s].
        seed: Of the points at which the fit looks first.
    """
    space, recorded = checked_space(parameters), as_recorded(recording)
    if len(scenario.experiment.worlds) != 1:
        raise InvalidModel("scenario", scenario.name, "a scenario of one world")
    known = np.isfinite(recorded.table)
    freedom = int(known.sum()) - len(space)
    if freedom < len(space):
        raise InvalidModel("recording: samples", int(known.sum()), f"at least {2 * len(space)}, twice the parameters")
    weights = _first_weights(recorded)
    solution = _searched(_residuals(scenario, recorded, space, weights), len(space), seed)
    weights = weights * _noise_in_weights(recorded, solution, known)
    residuals = _residuals(scenario, recorded, space, weights)
    solution = descend(residuals, solution.point)
    rough = spread_of(solution.jacobian, solution.cost / freedom)
    solution = descend(residuals, solution.point, differences=np.clip(rough.deviations, DIFFERENCE, WIDEST))
    spread = spread_of(solution.jacobian, solution.cost / freedom)
    left = np.full(known.shape, np.nan)
    left[known] = solution.residuals * np.broadcast_to(weights[:, None], known.shape)[known]
    names = list(recorded.channels)
    return Fitted(
        base=scenario,
        parameters=intervals(space, solution.point, spread, freedom),
        not_told_apart=not_told_apart(list(space), spread),
        correlation=spread.correlation,
        noise=_noise(recorded, left, len(space)),
        residual=xr.DataArray(left, {"channel": names, "time": recorded.time}, ("channel", "time"), "residual"),
    )


def _first_weights(recorded: Recorded) -> np.ndarray:
    """The size of a residual that counts as one, by channel: a share of what its variable does."""
    spans = {}
    for variable in set(recorded.variables):
        rows = recorded.table[[each == variable for each in recorded.variables]]
        size = float(np.nanmax(np.nanstd(rows, axis=1)))
        if not size > 0.0:
            raise InvalidModel(
                f"recording: {variable}", "values that do not change", "a recording of something that moves"
            )
        spans[variable] = FIRST_NOISE * size
    return np.array([spans[variable] for variable in recorded.variables])


def _noise_in_weights(recorded: Recorded, solution: Descent, known: np.ndarray) -> np.ndarray:
    """Noise of each channel's variable after a first fit, in the weights of that fit."""
    left = np.full(known.shape, np.nan)
    left[known] = solution.residuals
    size = {
        variable: float(np.sqrt(np.nanmean(left[[each == variable for each in recorded.variables]] ** 2)))
        for variable in set(recorded.variables)
    }
    return np.array([max(size[variable], 1e-9) for variable in recorded.variables])


def _noise(recorded: Recorded, left: np.ndarray, parameters: int) -> dict[str, float]:
    """Standard deviation of what is left, by variable, in its unit."""
    share = 1.0 - parameters / float(np.isfinite(left).sum())
    found = {}
    for variable in dict.fromkeys(recorded.variables):
        rows = left[[each == variable for each in recorded.variables]]
        found[variable] = float(np.sqrt(np.nanmean(rows**2) / share))
    return found


def _residuals(scenario: Scenario, recorded: Recorded, space: Mapping[str, Bounds], weights: np.ndarray) -> Residuals:
    """Recording minus prediction over weights, of samples that are not missing."""
    known = np.isfinite(recorded.table)

    def found(points: Sequence[np.ndarray]) -> np.ndarray:
        shown = predictions(scenario, recorded, [candidate_at(space, point) for point in points])
        return np.asarray(((recorded.table - shown) / weights[:, None])[:, known])

    return found


def _searched(residuals: Residuals, parameters: int, seed: int) -> Descent:
    """The best of several descents, from the best of points spread over the ranges."""
    from scipy.stats import qmc  # here, because it takes time to load

    points = qmc.LatinHypercube(parameters, rng=seed).random(FIRST_TRIES)
    tried = residuals(list(points))
    costs = np.where(np.isfinite(tried).all(axis=1), (tried**2).sum(axis=1), np.inf)
    order = np.argsort(costs)[:STARTS]
    if not np.isfinite(costs[order[0]]):
        raise PushpointError(
            "fit: every simulation over the ranges failed, so nothing can be compared with the recording"
        )
    descents = [descend(residuals, points[k], SHORT) for k in order if np.isfinite(costs[k])]
    return descend(residuals, min(descents, key=lambda each: each.cost).point)
