"""What is wanted: goals and limits for a scenario under several conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.checks import above, check_fields, store
from pushpoint.model.quantities import Count
from pushpoint.scenarios.files import document_of
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studies.optimising.figures_of_merit import FIGURES
from pushpoint.studies.optimising.space import Candidate
from pushpoint.studies.variants import varied_worlds
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World

Sense = Literal["maximise", "minimise"]
NO_CONDITIONS: tuple[Mapping[str, Any], ...] = ({},)
PENALTY = 2.0
"""How much of a goal's own size a limit costs that is exceeded by its own size [-]."""
WORST_SCORE = 1e12
"""The score of a candidate that failed, or whose goal is not a number."""


@dataclass(frozen=True, kw_only=True)
class Objective:
    """Goals for a scenario, limits that must hold, and the conditions under which both count.

    For example, the fastest gait that needs 10 W on two kinds of ground:

        objective = pp.studies.Objective(
            scenario=pp.scenario("transeth2008a/flat"),
            goals={"speed": "maximise"},
            most={"power": 10.0},
            conditions=[{"ground.friction.coefficient": 0.2}, {"ground.friction.coefficient": 0.4}],
        )
    """

    __repr__ = brief

    scenario: Scenario
    """The scenario of one world whose parameters vary; with its duration and settings, but no goal ends it early."""
    goals: Mapping[str, str]
    """Figures of merit to "maximise" or "minimise"; the search for several finds a front."""
    most: Mapping[str, float] = field(default_factory=dict)
    """Largest values of figures of merit that are allowed under every condition, each in its unit."""
    least: Mapping[str, float] = field(default_factory=dict)
    """Smallest values of figures of merit that are allowed under every condition, each in its unit."""
    conditions: Sequence[Mapping[str, Any]] = NO_CONDITIONS
    """Values of the scenario's keys under each condition; default: one condition, the scenario as it is."""
    over: Literal["worst", "mean"] = "worst"
    """Which of the conditions counts for the goals: the worst one, or the mean of all."""
    periods: Count | None = 2
    """Over how many of the last gait periods figures are taken [-]; None: over all whole periods."""
    rate: Annotated[float, above(0, "Hz")] = 50.0
    """Samples per second from which figures are taken [Hz]."""

    def __post_init__(self) -> None:
        check_fields(self, "objective")
        if len(self.scenario.experiment.worlds) != 1:
            raise InvalidModel("objective.scenario", self.scenario.name, "a scenario of one world")
        if not self.goals:
            raise InvalidModel("objective.goals", self.goals, "one figure of merit or more")
        for name in (*self.goals, *self.most, *self.least):
            if name not in FIGURES:
                raise UnknownName("figure of merit", str(name), FIGURES)
        for name, sense in self.goals.items():
            if sense not in ("maximise", "minimise"):
                raise InvalidModel(f"objective.goals: {name}", sense, '"maximise" or "minimise"')
        for name in set(self.most) & set(self.least):
            if self.least[name] > self.most[name]:
                allowed = f"at most {self.most[name]:g}, the largest that is allowed"
                raise InvalidModel(f"objective.least: {name}", self.least[name], allowed)
        if not self.conditions:
            raise InvalidModel("objective.conditions", (), "one condition or more, or left out")
        store(self, conditions=tuple(dict(each) for each in self.conditions))

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of all figures that goals and limits need."""
        return tuple(dict.fromkeys((*self.goals, *self.most, *self.least)))

    def worlds(self, candidates: Sequence[Candidate]) -> list[World]:
        """The worlds of all candidates under all conditions, those of one candidate after another."""
        values = [{**condition, **candidate} for candidate in candidates for condition in self.conditions]
        return varied_worlds(self.scenario, values)

    def experiment(self, candidates: Sequence[Candidate]) -> Experiment:
        """One batch of all candidates under all conditions."""
        needs = {name for figure in self.figures for name in FIGURES[figure].needs}
        return self.scenario.experiment._replace(
            worlds=tuple(self.worlds(candidates)),
            settings=replace(self.scenario.settings, on_failure="record"),
            record=Record(rate=self.rate, variables=tuple(sorted(needs))),
            until=None,  # figures are those of the last periods
        )

    def value(self, name: str, of_conditions: np.ndarray) -> float:
        """A figure over all conditions: the worst for a limit, else as `over` says; NaN if it is unknown under one."""
        if name in self.goals and self.over == "mean":
            return float(np.mean(of_conditions))
        high = self.goals[name] == "minimise" if name in self.goals else name in self.most
        return float(np.max(of_conditions) if high else np.min(of_conditions))

    def violation(self, figures: Mapping[str, np.ndarray]) -> float:
        """By how much limits are exceeded, as shares of them, added up [-]; 0 if all hold, infinite if one is unknown.

        `figures` are the values under each condition.
        """
        total = 0.0
        for limits, sign in ((self.most, 1.0), (self.least, -1.0)):
            for name, limit in limits.items():
                beyond = float(np.max(sign * (figures[name] - limit))) / (abs(limit) or 1.0)
                total += max(0.0, beyond) if np.isfinite(beyond) else np.inf
        return total

    def scores(self, values: Mapping[str, float], violation: float) -> list[float]:
        """One number per goal, smaller is better; exceeded limits make it worse, steadily."""
        found = []
        for name, sense in self.goals.items():
            value = values[name] if sense == "minimise" else -values[name]
            score = value + PENALTY * violation * abs(value)
            found.append(min(score, WORST_SCORE) if np.isfinite(score) else WORST_SCORE)
        return found

    def about(self) -> dict[str, Any]:
        """What it is, in JSON types."""
        names = ("goals", "most", "least", "over", "periods", "rate")
        plain = {name: getattr(self, name) for name in names}
        return {"scenario": document_of(self.scenario), "conditions": list(self.conditions), **plain}
