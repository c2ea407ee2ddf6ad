"""Contact forces: on every link over time, and what they sum to along the direction of travel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from pushpoint.plots.drawing import draw_lines, header_lines, panel_title, show_time, stacked_axes
from pushpoint.plots.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.scenery.reading import Recording, read_recording, travel_direction
from pushpoint.scenery.terrain import read_terrain

if TYPE_CHECKING:
    import xarray

NEEDED = ("contact_normal_force", "obstacle_force")
SPATIAL_NEEDED = ("ground_force",)


@dataclass(frozen=True, kw_only=True)
class Map:
    """A force on every link over time."""

    title: str
    """What it shows."""
    values: np.ndarray
    """Forces [N], shape (n_times, n_links)."""
    signed: bool
    """Whether they can lie on both sides of zero."""


def build_contacts_figure(run: xarray.Dataset) -> Figure:
    """Builds the figure; the ground's friction is drawn beside the obstacles' push where it was recorded."""
    recording = read_recording(run)
    recording.require(SPATIAL_NEEDED if recording.spatial else NEEDED, "the figure of the contacts")
    maps = _spatial_maps(recording) if recording.spatial else _planar_maps(recording)
    forward = travel_direction(recording)
    sources = {"obstacles": "obstacle_force", "ground" if recording.spatial else "ground friction": "ground_force"}
    curves = {label: recording.sum_along(name, forward) for label, name in sources.items() if recording.has(name)}
    if recording.spatial and "obstacles" not in maps:
        curves.pop("obstacles", None)
    turned = round(math.degrees(math.atan2(forward[1], forward[0]))) + 0
    lines = header_lines(recording.name, "contact forces", _facts(recording, maps, curves), recording.status)
    links = next(iter(maps.values())).values.shape[1]
    heights = dict.fromkeys(maps, min(2.6, 1.0 + 0.06 * links)) | {"forward": 1.4}
    figure, panels = stacked_axes(lines, heights, right=BAR_ROOM)
    for axes, shown in zip(panels, maps.values(), strict=False):
        panel_title(axes, shown.title)
        draw_heat_map(axes, recording.time, shown.values, "link", "force [N]", signed=shown.signed)
    lower = panels[-1]
    words = f"{turned:.0f}".replace("-", "−")
    panel_title(lower, f"sum along the direction of travel ({words}° from x)")
    draw_lines(lower, recording.time, curves, "force [N]")
    show_time(lower, recording.time)
    return figure


def _planar_maps(recording: Recording) -> dict[str, Map]:
    title = "obstacle force on every link, to its left (+) or right (−)"
    return {"side": Map(title=title, values=recording.values("contact_normal_force"), signed=True)}


def _spatial_maps(recording: Recording) -> dict[str, Map]:
    """Which links are on the ground; and what obstacles do, if there are any."""
    force = recording.values("ground_force")
    ground = read_terrain(recording).ground
    word = "vertical" if ground.heights is not None else "normal"
    title = f"{word} force of the ground on every link; white where it does not touch"
    maps = {"ground": Map(title=title, values=np.maximum(force @ ground.normal, 0.0), signed=False)}
    if recording.has("obstacle_force") and recording.document.get("obstacles"):
        size = np.linalg.norm(recording.values("obstacle_force"), axis=-1)
        maps["obstacles"] = Map(title="obstacle force on every link", values=size, signed=False)
    return maps


def _facts(recording: Recording, maps: dict[str, Map], curves: dict[str, np.ndarray]) -> str:
    facts = []
    if "ground" in maps:
        known = maps["ground"].values[np.isfinite(maps["ground"].values).all(axis=1)]
        on = (known > 0.0).sum(axis=1)
        facts.append(f"{on.mean():.1f} of {known.shape[1]} links on the ground (mean)" if len(on) else "no forces")
    if "side" in maps or "obstacles" in maps:
        peak = float(np.nanmax(np.linalg.norm(recording.values("obstacle_force"), axis=-1), initial=0.0))
        push = curves["obstacles"][np.isfinite(curves["obstacles"])]
        mean = float(push.mean()) if len(push) else 0.0
        touched = f"largest force on a link {peak:.3g} N; obstacles push forward with {mean:.3g} N on average"
        facts.append(touched if peak > 0.0 else "no link touched an obstacle")
    return "; ".join(facts)
