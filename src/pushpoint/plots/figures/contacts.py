"""Contact forces: on every link over time, and what they sum to along the direction of travel."""

from __future__ import annotations

import math

import numpy as np
import xarray
from matplotlib.figure import Figure

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.plots.page import draw_lines, header_lines, time_page
from pushpoint.scenery.reading import Recording, read_recording
from pushpoint.scenery.surroundings import GroundShape

NEEDED = ("contact_normal_force", "obstacle_force")
SPATIAL_NEEDED = ("ground_force",)

Map = tuple[str, np.ndarray]
"""A force on every link over time: what it shows, and values [N], shape (n_times, n_links)."""


@checked_arguments
def contacts(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """Forces of obstacles on every link, in space of the ground too, and their sums along the direction of travel.

    Its axes are labelled "header", "side" or "ground" and "obstacles", and "forward".
    """
    recording = read_recording(run, world)
    recording.require(SPATIAL_NEEDED if recording.spatial else NEEDED, "the figure of the contacts")
    maps = _maps(recording)
    forward = recording.travel()
    sources = {"obstacles": "obstacle_force", "ground" if recording.spatial else "ground friction": "ground_force"}
    if recording.spatial and "obstacles" not in maps:
        del sources["obstacles"]
    curves = {
        label: np.asarray((recording.values(name)[..., :2] @ forward).sum(axis=1))
        for label, name in sources.items()
        if recording.has(name)
    }
    lines = header_lines(recording.name, "contact forces", _facts(recording, maps, curves), recording.remarks)
    tall = min(2.6, 1.0 + 0.06 * recording.world.robot.n_links)
    heights = dict.fromkeys(maps, tall) | {"forward": 1.4}
    figure, panels = time_page(lines, recording.time, heights, right=BAR_ROOM)
    for axes, (label, (title, values)) in zip(panels, maps.items(), strict=False):
        draw_heat_map(axes, recording.time, values, "link", "force [N]", title=title, signed=label == "side")
    turned = f"{round(math.degrees(math.atan2(forward[1], forward[0]))) + 0:.0f}".replace("-", "−")
    title = f"sum along the direction of travel ({turned}° from x)"
    draw_lines(panels[-1], recording.time, curves, "force [N]", title=title)
    return figure


def _maps(recording: Recording) -> dict[str, Map]:
    """What obstacles do, if there are any; and in space, which links are on the ground."""
    if not recording.spatial:
        title = "obstacle force on every link, to its left (+) or right (−)"
        return {"side": (title, recording.values("contact_normal_force"))}
    environment = recording.world.environment
    ground = GroundShape(environment.ground)
    word = "normal" if ground.field is None else "vertical"
    title = f"{word} force of the ground on every link; white where it does not touch"
    maps = {"ground": (title, np.maximum(recording.values("ground_force") @ ground.normal, 0.0))}
    if recording.has("obstacle_force") and environment.obstacles:
        size = np.linalg.norm(recording.values("obstacle_force"), axis=-1)
        maps["obstacles"] = ("obstacle force on every link", size)
    return maps


def _facts(recording: Recording, maps: dict[str, Map], curves: dict[str, np.ndarray]) -> str:
    facts = []
    if "ground" in maps:
        known = maps["ground"][1][np.isfinite(maps["ground"][1]).all(axis=1)]
        on = (known > 0.0).sum(axis=1)
        facts.append(f"{on.mean():.1f} of {known.shape[1]} links on the ground (mean)" if len(on) else "no forces")
    if "side" in maps or "obstacles" in maps:
        peak = float(np.nanmax(np.linalg.norm(recording.values("obstacle_force"), axis=-1), initial=0.0))
        push = curves["obstacles"][np.isfinite(curves["obstacles"])]
        mean = float(push.mean()) if len(push) else 0.0
        touched = f"largest force on a link {peak:.3g} N; obstacles push forward with {mean:.3g} N on average"
        facts.append(touched if peak > 0.0 else "no link touched an obstacle")
    return "; ".join(facts)
