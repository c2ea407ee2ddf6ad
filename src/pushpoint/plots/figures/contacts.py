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
from pushpoint.plots.scales import limit_spikes
from pushpoint.scenery.drawn_run import CARRIED_SHARE, NO_FORCE
from pushpoint.scenery.reading import Recording, read_recording
from pushpoint.scenery.surroundings import GroundShape

NEEDED = ("contact_normal_force", "obstacle_force")
SPATIAL_NEEDED = ("ground_force",)

Map = tuple[str, np.ndarray]
"""A force on every link over time: what it shows, and values [N], shape (n_times, n_links)."""


@checked_arguments
def contacts(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """Forces of obstacles on every link, in space of the ground too, and their sums along the direction of travel.

    Its axes are labelled "header", "side" in the plane, "ground" or "support" and "obstacles" in space, and "forward".
    Among obstacles in space a link is supported by whatever holds it up: the ground, the tread of a stair, a box.
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
    facts = _facts(recording, maps, curves)
    lines = header_lines(recording.name, "contact forces", facts, recording.remarks, title=recording.title)
    tall = min(2.6, 1.0 + 0.06 * recording.world.robot.n_links)
    heights = dict.fromkeys(maps, tall) | {"forward": 1.4}
    figure, panels = time_page(lines, recording.time, heights, right=BAR_ROOM)
    for axes, (label, (title, values)) in zip(panels, maps.items(), strict=False):
        draw_heat_map(axes, recording.time, values, "link", "force [N]", title=title, signed=label == "side")
    turned = f"{round(math.degrees(math.atan2(forward[1], forward[0]))) + 0:.0f}".replace("-", "−")
    title = f"sum along the direction of travel ({turned}° from x)"
    draw_lines(panels[-1], recording.time, curves, "force [N]", title=title)
    limit_spikes(panels[-1], curves.values(), "N")
    return figure


def _maps(recording: Recording) -> dict[str, Map]:
    """What obstacles do, if there are any; and in space, what holds links up."""
    if not recording.spatial:
        title = "obstacle force on every link, to its left (+) or right (−)"
        return {"side": (title, recording.values("contact_normal_force"))}
    environment = recording.world.environment
    ground = GroundShape(environment.ground)
    if not (recording.has("obstacle_force") and environment.obstacles):
        word = "normal" if ground.field is None else "vertical"
        title = f"{word} force of the ground on every link; white where it does not touch"
        return {"ground": (title, np.maximum(recording.values("ground_force") @ ground.normal, 0.0))}
    pushed = recording.values("obstacle_force")
    held = np.maximum((recording.values("ground_force") + pushed)[..., 2], 0.0)
    return {
        "support": ("upward force of ground and obstacles on every link; white where lifted", held),
        "obstacles": ("obstacle force on every link, in any direction", np.linalg.norm(pushed, axis=-1)),
    }


def _facts(recording: Recording, maps: dict[str, Map], curves: dict[str, np.ndarray]) -> str:
    facts = []
    for label, where in (("ground", "on the ground"), ("support", "supported by ground or obstacles")):
        if label in maps:
            known = maps[label][1][np.isfinite(maps[label][1]).all(axis=1)]
            weight = recording.world.environment.ground.gravity * recording.world.robot.column("mass")
            least = np.maximum(CARRIED_SHARE * weight, NO_FORCE) if label == "support" else 0.0
            on = (known > least).sum(axis=1)
            facts.append(f"{on.mean():.1f} of {known.shape[1]} links {where} (mean)" if len(on) else "no forces")
    if "side" in maps or "obstacles" in maps:
        peak = float(np.nanmax(np.linalg.norm(recording.values("obstacle_force"), axis=-1), initial=0.0))
        push = curves["obstacles"][np.isfinite(curves["obstacles"])]
        mean = f"{float(push.mean()) if len(push) else 0.0:.3g}".replace("-", "−")
        touched = f"largest force on a link {peak:.3g} N; obstacles push forward with {mean} N on average"
        facts.append(touched if peak > 0.0 else "no link touched an obstacle")
    return "; ".join(facts)
