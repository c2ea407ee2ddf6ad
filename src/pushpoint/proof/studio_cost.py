"""What the studio costs, as Markdown: from what benchmarks/studio/cost.py found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import paragraphs

Results = Mapping[str, Mapping[str, Any]]
MISSING = "Not measured yet: `python benchmarks/studio/cost.py`, then `make documents`."
TITLES = {
    "thirty-links": "30 links among 20 pegs",
    "spatial/rubble": "a robot in space on rubble (`spatial/rubble`)",
    "holden2014/closed-loop": "force mapping (`holden2014/closed-loop`)",
}
COLUMNS = ("what runs", "processor time", "memory grows", "frames per second", "simulated time per time")


def studio_cost_table(results: Results) -> str:
    """Processor time of the process and growth of its memory, scene by scene."""
    if "studio-cost" not in results:
        return MISSING
    found = results["studio-cost"]
    scenes = found["scenes"]
    cells = [
        [
            TITLES.get(name, name),
            f"{100 * each['share_of_a_core']:.0f} % of a core",
            f"{each['memory_growth_mb']:.1f} MB",
            f"{each['frames_per_s']:.0f}",
            f"{each['real_time_factor']:.2f}",
        ]
        for name, each in scenes.items()
    ]
    how = (
        f"*`python benchmarks/studio/cost.py`: {found['viewers']} viewer, {found['plots']} plots, asked for 30 frames "
        f"per second in real time, {_range(scenes, 'seconds', 60.0)} minutes each, on {found['cores']} cores with a "
        f"load of {_range(scenes, 'load_average')} by other work, which is why not all frames were drawn. The "
        "processes of the browser are not counted.*"
    )
    return paragraphs(markdown_table(COLUMNS, cells), how)


def _range(scenes: Mapping[str, Any], name: str, scale: float = 1.0) -> str:
    values = sorted({round(each[name] / scale) for each in scenes.values()})
    return f"{values[0]}" if len(values) == 1 else f"{values[0]} to {values[-1]}"
