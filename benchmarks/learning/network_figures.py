"""What training of networks came to, kept and drawn, for docs/theory/learned-networks.md.

    python benchmarks/learning/network_figures.py keep out/networks   # docs/results/learned-networks.json
    python benchmarks/learning/network_figures.py                     # docs/images/learned-networks-*.png

`keep` takes the files of train_networks.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from assessing import DIRECTIONS_DEG, PHASES, SPEEDS
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.plots.page import SMALL, PanelRow, dress, page, place_legend, save_figure
from pushpoint.scenery.palette import BLUE, GREY, INK, ORANGE

ROOT = Path(__file__).resolve().parents[2]
IMAGES, KEPT = ROOT / "docs" / "images", ROOT / "docs" / "results" / "learned-networks.json"
POINTS = 24
"""Points of a kept curve [-]; each is the mean of the updates since the last one."""
FEW = 10
"""A share of fewer episodes is not drawn [-]."""
TITLES = {"pegs": "PegField, from nothing", "taught": "PegField, after imitation", "sidewind": "Sidewind"}
MEASURED = {"pegs": "episodes passed [%]", "taught": "episodes passed [%]", "sidewind": "last error [m/s]"}


def kept(folder: Path) -> dict[str, Any]:
    """What is kept of the files of a training."""
    runs = json.loads((folder / "curves.json").read_text())
    found: dict[str, Any] = {"runs": {name: run | {"rows": thinned(run)} for name, run in runs.items()}}
    waves = folder / "waves.json"
    return found | ({"waves": json.loads(waves.read_text())} if waves.exists() else {})


def thinned(run: Mapping[str, Any]) -> list[list[float]]:
    """A curve of fewer points; the measure of success is the mean over the episodes that ended."""
    rows = np.array(run["rows"])
    if not len(rows):
        return []
    names = list(run["columns"])
    ended, counted = rows[:, names.index("episodes")], names.index("passed_or_error")
    found = []
    for part in np.array_split(np.arange(len(rows)), min(POINTS, len(rows))):
        row = rows[part].mean(axis=0)
        row[: names.index("reward_per_step")] = rows[part[-1], : names.index("reward_per_step")]
        some = part[ended[part] > 0]
        share = np.average(rows[some, counted], weights=ended[some]) if ended[part].sum() >= FEW else np.nan
        row[names.index("episodes")], row[counted] = ended[part].sum(), share
        found.append([None if np.isnan(each) else round(float(each), 5) for each in row])
    return found


def curves_figure(held: Mapping[str, Any]) -> Figure:
    """Success over steps, a line per seed; the chosen ones in colour."""
    runs, chosen = held["runs"], held.get("shipped", {})
    plans = [plan for plan in TITLES if any(run["plan"] == plan for run in runs.values())]
    lines = [
        "Training of networks by PPO",
        "one line per seed, with the noise of exploration; in colour: comes with pushpoint",
        "the first episodes of PegField to end are those that pass, so the first points are too high",
    ]
    figure, panels = page(lines, [PanelRow(panels=plans, height=1.9, gap=0.55)])
    for name, run in runs.items():
        if run["plan"] not in plans:
            continue
        axes, columns = panels[run["plan"]], run["columns"]
        rows = np.array(run["rows"], dtype=float)
        scale = 1.0 if run["plan"] == "sidewind" else 100.0
        marked = name in chosen.values()
        look: dict[str, Any] = {"color": ORANGE, "linewidth": 1.6, "zorder": 3} if marked else {"color": GREY}
        steps, share = (rows[:, columns.index(each)] for each in ("steps", "passed_or_error"))
        known = np.isfinite(share)
        axes.plot(steps[known] / 1e6, scale * share[known], **({"linewidth": 0.8} | look))
    for plan in plans:
        panels[plan].set_ylim(0.0, None if plan == "sidewind" else 100.0)
        dress(panels[plan], title=TITLES[plan], x="steps [million]", y=MEASURED[plan], grid="y")
    return figure


def errors_of(held: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Mean error of the velocity by who, shape (n_speeds, n_directions) [m/s]."""
    best = held["runs"][held["shipped"]["sidewind"]]["error"]
    found = {"network": best, "table of waves": held["waves"]["table"]["error"]}
    found["one gait"] = held["waves"]["one gait"]["error"]
    shape = (len(SPEEDS), len(DIRECTIONS_DEG), PHASES)
    return {name: np.reshape(values, shape).mean(axis=2) for name, values in found.items()}


def velocity_figure(held: Mapping[str, Any]) -> Figure:
    """Error of the velocity over what was asked for."""
    errors = errors_of(held)
    means = ", ".join(f"{name} {values.mean():.3f}" for name, values in errors.items())
    lines = [
        "Sidewind: error of the velocity",
        f"mean of all [m/s]: {means}",
        "numbers on the maps: mean from 5 s to 20 s, of four starts [mm/s]",
    ]
    rows = [
        PanelRow(panels=tuple(errors), height=1.9, gap=0.2),
        PanelRow(panels=("speed", "way"), height=1.6, gap=0.6, above=0.15),
    ]
    figure, panels = page(lines, rows)
    most = float(np.ceil(20 * max(values.max() for values in errors.values())) / 20)
    for k, (name, values) in enumerate(errors.items()):
        _draw_map(panels[name], values, most)
        dress(panels[name], title=name, x="direction [deg]", y="speed [m/s]" if k == 0 else "")
        if k:
            panels[name].set_yticklabels([])
    for label, across, over in (("speed", 1, SPEEDS), ("way", 0, DIRECTIONS_DEG)):
        for (name, values), color in zip(errors.items(), (ORANGE, BLUE, INK), strict=True):
            panels[label].plot(over, values.mean(axis=across), "o-", color=color, label=name, markersize=3.0)
        panels[label].set_ylim(0.0, None)
    dress(panels["speed"], x="speed asked for [m/s]", y="error [m/s]", grid="y")
    dress(panels["way"], x="direction asked for [deg]", y="error [m/s]", grid="y")
    place_legend(panels["way"], columns=3)
    return figure


def _draw_map(axes: Axes, values: np.ndarray, most: float) -> None:
    """Numbers on colours; zero is white."""
    axes.imshow(values, cmap="Blues", vmin=0.0, vmax=1.4 * most, aspect="auto", origin="lower")
    axes.set_xticks(range(len(DIRECTIONS_DEG)), [f"{each:g}" for each in DIRECTIONS_DEG])
    axes.set_yticks(range(len(SPEEDS)), [f"{each:g}" for each in SPEEDS])
    axes.tick_params(length=0)
    for (row, column), value in np.ndenumerate(values):
        axes.text(column, row, f"{1e3 * value:.0f}", size=SMALL - 1.0, ha="center", va="center", color=INK)


def main(words: Sequence[str]) -> None:
    """Keeps what was found, or draws what was kept."""
    if words:
        verb, folder = words
        assert verb == "keep"
        before = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        KEPT.write_text(json.dumps(before | kept(Path(folder)), indent=1) + "\n")
        print(KEPT)
        return
    held = json.loads(KEPT.read_text())
    for name, draw in (("curves", curves_figure), ("velocity", velocity_figure)):
        print(save_figure(draw(held), IMAGES / f"learned-networks-{name}.png"))


if __name__ == "__main__":
    main(sys.argv[1:])
