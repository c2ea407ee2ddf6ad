"""Pictures of a search: its history, the front between two goals, and how parameters go together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.figure import Figure

from pushpoint.plots.looks import LOOKS
from pushpoint.plots.page import SMALL, PanelRow, dress, page, place_legend
from pushpoint.scenery.palette import GREY, INK, PALE
from pushpoint.studies.optimising.figures_of_merit import FIGURES
from pushpoint.studies.optimising.optimum import Optimum
from pushpoint.studies.optimising.trials import Trial

HEIGHT, TALL = 2.4, 2.8
"""Heights of panels on paper [in]."""
SHOWN = 24
"""How many of the best trials stand out in parallel coordinates [-]."""
COLOR = LOOKS[0][0]


def _lines(optimum: Optimum, subject: str) -> list[str]:
    """What is above a picture: the goals, and how much was tried."""
    goals = ", ".join(f"{sense} {_words(name)}" for name, sense in optimum.objective.goals.items())
    feasible = sum(trial.feasible for trial in optimum.trials)
    conditions = len(optimum.objective.conditions)
    under = f" under {conditions} conditions each" if conditions > 1 else ""
    tried = f"{len(optimum.trials)} trials{under}, {feasible} of them hold all limits; seed {optimum.seed}"
    return [f"{optimum.objective.scenario.name}: {subject}", f"{goals}; {tried}"]


def _words(name: str) -> str:
    return name.replace("_", " ")


def _label(name: str) -> str:
    return f"{_words(name)} [{FIGURES[name].unit}]"


def _values(trials: Sequence[Trial], name: str) -> np.ndarray:
    return np.array([np.nan if trial.values[name] is None else trial.values[name] for trial in trials], dtype=float)


def history_figure(optimum: Optimum) -> Figure:
    """Every trial by its number, and the best so far that holds all limits; axes: "header" and one per goal."""
    rows = [PanelRow(panels=(name,), height=HEIGHT) for name in optimum.objective.goals]
    figure, panels = page(_lines(optimum, "history of a search"), rows)
    numbers = np.arange(len(optimum.trials))
    holds = np.array([trial.feasible for trial in optimum.trials])
    for name, sense in optimum.objective.goals.items():
        axes, values = panels[name], _values(optimum.trials, name)
        axes.plot(numbers[~holds], values[~holds], "x", color=GREY, markersize=2.5, label="beyond a limit")
        axes.plot(numbers[holds], values[holds], ".", color=COLOR, markersize=3.5, alpha=0.6, label="holds all limits")
        best = np.where(holds, values, -np.inf if sense == "maximise" else np.inf)
        best = (np.maximum if sense == "maximise" else np.minimum).accumulate(best)
        axes.plot(numbers, np.where(np.isfinite(best), best, np.nan), color=INK, linewidth=1.2, label="best so far")
        _zoom(values, axes.set_ylim)
        dress(axes, x="trial", y=_label(name), grid="both")
    place_legend(panels[next(iter(optimum.objective.goals))], columns=3)
    return figure


def front_figure(optimum: Optimum) -> Figure:
    """All trials by two goals, and the front of those that no other beats; axes: "header" and "front"."""
    first, second = list(optimum.objective.goals)[:2]
    figure, panels = page(_lines(optimum, "front of a search"), [PanelRow(panels=("front",), height=1.6 * HEIGHT)])
    axes, holds = panels["front"], np.array([trial.feasible for trial in optimum.trials])
    x, y = _values(optimum.trials, first), _values(optimum.trials, second)
    axes.plot(x[~holds], y[~holds], "x", color=GREY, markersize=2.5, label="beyond a limit")
    axes.plot(x[holds], y[holds], ".", color=COLOR, markersize=3.5, alpha=0.5, label="trials")
    front = optimum.front
    ends = _values(front, first), _values(front, second)
    axes.plot(*ends, ".-", color=INK, linewidth=1.0, markersize=4.0, label="front")
    _zoom(x[holds], axes.set_xlim)
    _zoom(y[holds], axes.set_ylim)
    dress(axes, x=_label(first), y=_label(second), grid="both")
    place_legend(axes, columns=3)
    return figure


def _zoom(values: np.ndarray, limit: Callable[[float, float], object]) -> None:
    """Leaves out the few trials that are far above the others: nine of ten are in the picture, and the lowest."""
    known = values[np.isfinite(values)]
    if not known.size:
        return
    low, high = float(known.min()), float(np.quantile(known, 0.9))
    wide = max(high - low, 1e-9)
    if known.max() > low + 4.0 * wide:
        limit(low - 0.05 * wide, high + 0.5 * wide)


def parallel_figure(optimum: Optimum) -> Figure:
    """Parameters of all trials side by side, each over its range, and the goals; axes: "header" and "parameters".

    A line is a trial. The best ones stand out; those of a front, or the best few by the goal.
    """
    rows = [PanelRow(panels=("parameters",), height=TALL, left=0.4, right=0.4)]
    figure, panels = page(_lines(optimum, "parameters of a search"), rows)
    axes, names = panels["parameters"], [*optimum.space, *optimum.objective.goals]
    columns = [
        np.array([each.share_of(trial.parameters[name]) for trial in optimum.trials])
        for name, each in optimum.space.items()
    ]
    ends = []
    for goal in optimum.objective.goals:
        values = _values(optimum.trials, goal)
        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(np.quantile(known, 0.9))) if known.size else (0.0, 1.0)
        columns.append(np.clip((values - low) / ((high - low) or 1.0), 0.0, 1.0))
        ends.append((low, high))
    table, places = np.array(columns), np.arange(len(names))
    feasible = any(trial.feasible for trial in optimum.trials)
    several = len(optimum.objective.goals) > 1
    best = optimum.front if feasible and several else sorted(optimum.trials, key=lambda trial: trial.scores[0])[:SHOWN]
    chosen = {trial.number for trial in best}
    outstanding = "front" if feasible and several else f"the best {len(chosen)}"
    axes.plot([], [], color=COLOR, linewidth=0.9, label=outstanding)
    axes.plot([], [], color=PALE, linewidth=0.9, label="other trials")
    for trial in optimum.trials:
        if trial.number not in chosen:
            axes.plot(places, table[:, trial.number], color=PALE, linewidth=0.5, zorder=1.0)
    for number in chosen:
        axes.plot(places, table[:, number], color=COLOR, linewidth=0.9, alpha=0.7, zorder=2.0)
    limits = [(each.low, each.high) for each in optimum.space.values()] + ends
    words = [_words(name.rpartition(".")[2]) for name in names]
    axes.set_xticks(
        places, [f"{word}\n{low:.3g} to {high:.3g}" for word, (low, high) in zip(words, limits, strict=True)]
    )
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.set(xlim=(-0.15, len(names) - 0.85), ylim=(-0.02, 1.02), yticks=[])
    for place in places:
        axes.axvline(float(place), color=GREY, linewidth=0.6, zorder=1.5)
    place_legend(axes, columns=2)
    return figure
