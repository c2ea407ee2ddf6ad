"""The search: candidates are proposed, simulated in one batch with all conditions, judged, kept and learned from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.engine.controller import Gait
from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Count, Natural
from pushpoint.simulation.measures.periods import ROUNDING
from pushpoint.simulation.provenance import statuses_of, version_of
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.simulate import finish
from pushpoint.studies.optimising.figures_of_merit import FIGURES
from pushpoint.studies.optimising.objective import Objective
from pushpoint.studies.optimising.optimum import Optimum
from pushpoint.studies.optimising.proposing import proposer_for
from pushpoint.studies.optimising.space import Bounds, Candidate, candidate_at, checked_space
from pushpoint.studies.optimising.trials import JOURNAL, KeptTrials, Trial, finite_or_none, kept_trials

FEWEST_CANDIDATES = 4
Told = Callable[[int, int], None]
"""Is told how many evaluations are done, and of how many."""


@checked_arguments
def optimise(
    space: Mapping[str, Any],
    objective: Objective,
    *,
    evaluations: Count = 448,
    candidates: Count = 32,
    seed: Natural = 0,
    store: str | Path | None = None,
    progress: Told | None = None,
) -> Optimum:
    """Searches the parameters of a scenario that make it best.

    One goal is sought by CMA-ES, several by NSGA-II, which finds a front, a single parameter by ever narrower
    sections. All candidates of a generation are simulated under all conditions in one batch.

        best = pp.studies.optimise(
            {"controller.amplitude_deg": (10.0, 60.0), "controller.phase_shift_deg": (-90.0, -20.0)},
            pp.studies.Objective(scenario=pp.scenario("transeth2008a/flat"), goals={"speed": "maximise"}, periods=None),
            evaluations=8, candidates=4,
        )
        print(best.best.parameters, best.best.values)

    Args:
        space: Ranges by keys of the scenario, as in its file: pairs of numbers, or a Bounds.
        objective: Goals, limits and conditions.
        evaluations: How many candidates are tried at most [-], in whole generations. A candidate counts once, whatever
            the number of conditions.
        candidates: How many make a generation [-].
        seed: Of the search. Equal seeds give equal trials.
        store: A folder that keeps every generation. The same search goes on where it was stopped or killed, and ends
            with the same trials; with more evaluations it goes on beyond its end.
        progress: A function that is told the evaluations done, and of how many.
    """
    ranges = checked_space(space)
    if candidates < FEWEST_CANDIDATES:
        raise InvalidModel("candidates", candidates, f"a whole number >= {FEWEST_CANDIDATES}")
    if evaluations < candidates:
        raise InvalidModel("evaluations", evaluations, f"at least one generation, {candidates}")
    if shared := [name for name in ranges if any(name in condition for condition in objective.conditions)]:
        raise InvalidModel("space", shared[0], "left out: the conditions give it")
    _refuse_unfit(ranges, objective)
    about = about_search(ranges, objective, candidates, seed)
    folder = None if store is None else Path(store)
    journal = None if folder is None or len(objective.goals) == 1 else folder / JOURNAL
    with kept_trials(folder, about) as kept:
        proposer = proposer_for(list(ranges), len(objective.goals), candidates, seed, journal)
        trials: list[Trial] = []
        while len(trials) + candidates <= evaluations and not proposer.finished:
            points = proposer.ask()
            found = _generation(objective, [candidate_at(ranges, point) for point in points], len(trials), kept)
            proposer.tell(points, [trial.scores for trial in found])
            trials += found
            if progress is not None:
                progress(len(trials), evaluations)
    return Optimum(space=ranges, objective=objective, seed=seed, trials=tuple(trials))


def _refuse_unfit(space: Mapping[str, Bounds], objective: Objective) -> None:
    """Refuses keys that the scenario lacks, and ranges with an end that it does not take.

    A search that met such an end after hours could not go on.
    """
    middle = np.full(len(space), 0.5)
    points = [middle, *(middle + 0.5 * sign * each for each in np.eye(len(space)) for sign in (-1.0, 1.0))]
    worlds = objective.worlds([candidate_at(space, point) for point in points])
    periods = [world.controller.period or 0.0 for world in worlds if isinstance(world.controller, Gait)]
    longest, duration = max(periods, default=0.0), objective.scenario.duration
    if objective.periods is not None and duration + ROUNDING < objective.periods * longest < math.inf:
        most = int(duration / longest)
        allowed = f"at most {most}: the slowest gait within the ranges makes no more in {duration:g} s"
        raise InvalidModel("objective.periods", objective.periods, allowed)


def about_search(space: Mapping[str, Bounds], objective: Objective, candidates: int, seed: int) -> dict[str, Any]:
    """What makes a search the same, in JSON types: a store of another one is refused."""
    ranges = {name: {"low": each.low, "high": each.high, "scale": each.scale} for name, each in space.items()}
    versions = {name: version_of(name) for name in ("pushpoint", "optuna" if len(objective.goals) > 1 else "cmaes")}
    return {"space": ranges, **objective.about(), "candidates": candidates, "seed": seed, "versions": versions}


def _generation(objective: Objective, candidates: Sequence[Candidate], first: int, kept: KeptTrials) -> list[Trial]:
    """The trials of one generation: as they were kept, or simulated and kept now."""
    numbers = range(first, first + len(candidates))
    if first not in kept.found:
        kept.add(evaluate(objective, candidates, numbers))
    found = [kept.found[number] for number in numbers]
    for trial, candidate in zip(found, candidates, strict=True):
        if dict(trial.parameters) != dict(candidate):
            raise PushpointError(
                f"trial {trial.number} of the store has other parameters than this search proposes: use another folder"
            )
    return found


def evaluate(objective: Objective, candidates: Sequence[Candidate], numbers: Sequence[int]) -> list[Trial]:
    """Simulates candidates under all conditions in one batch and judges them."""
    run = finish(Rollout(objective.experiment(candidates)))
    shape = (len(candidates), len(objective.conditions))
    figures = {name: np.reshape(FIGURES[name].judge(run, objective.periods), shape) for name in objective.figures}
    statuses = np.reshape(statuses_of(run), shape)
    found = []
    for row, (number, candidate) in enumerate(zip(numbers, candidates, strict=True)):
        own = {name: values[row] for name, values in figures.items()}
        values = {name: objective.value(name, own[name]) for name in objective.goals}
        violation = objective.violation(own)
        failed = [str(each) for each in statuses[row] if each != "finished"]
        found.append(
            Trial(
                number=number,
                parameters=dict(candidate),
                figures={name: [finite_or_none(value) for value in each] for name, each in own.items()},
                values={name: finite_or_none(value) for name, value in values.items()},
                violation=finite_or_none(violation),
                scores=objective.scores(values, violation),
                status=failed[0] if failed else "finished",
            )
        )
    return found
