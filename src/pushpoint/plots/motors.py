"""What the motors do: torque of every joint, power of all, and torque against speed beside the motors' limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pushpoint.plots.drawing import (
    BLUE,
    INK,
    LEFT,
    NORMAL,
    ORANGE,
    PALE,
    RIGHT,
    SMALL,
    VERMILION,
    WIDTH,
    X_LABEL_HEIGHT,
    axes_at,
    draw_header,
    draw_lines,
    header_height,
    header_lines,
    panel_title,
    place_legend,
    show_time,
)
from pushpoint.plots.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.scenery.reading import Recording, read_recording

if TYPE_CHECKING:
    import xarray

NEEDED = ("joint_torque", "joint_power")
MOST_POINTS = 20000
# Strong and pale colour of each kind of joint.
LOOKS = ((BLUE, "#c6dff0"), (ORANGE, "#f7e0b0"))
# Sizes on paper [in].
GAP, POWER_HEIGHT, LOWER_HEIGHT, LOWER_GAP = 0.3, 1.1, 1.9, 0.75


def build_motors_figure(run: xarray.Dataset) -> Figure:
    """Builds the figure; torque against speed needs the joint rates as well."""
    recording = read_recording(run)
    recording.require(NEEDED, "the figure of the motors")
    torque, power = recording.values("joint_torque"), recording.values("joint_power")
    lines = header_lines(recording.name, "motors", _facts(torque, power), recording.status)
    groups = recording.joint_groups()
    rows = [min(1.7, 0.75 + 0.04 * len(joints)) for joints in groups.values()]
    top = header_height(lines)
    maps = sum(rows) + GAP * len(rows)
    height = top + maps + POWER_HEIGHT + X_LABEL_HEIGHT + GAP + LOWER_HEIGHT + X_LABEL_HEIGHT
    figure = Figure(figsize=(WIDTH, height), facecolor="white")
    draw_header(figure, lines)
    wide = WIDTH - LEFT - BAR_ROOM
    middle = axes_at(figure, "power", (LEFT, top + maps, wide, POWER_HEIGHT))
    for (name, joints), tall in zip(groups.items(), rows, strict=True):
        upper = axes_at(figure, f"{name} torque".strip(), (LEFT, top, wide, tall))
        panel_title(upper, f"torque of every {name} motor".replace("  ", " "))
        draw_heat_map(upper, recording.time, torque[:, joints], "joint", "torque [N m]", numbers=joints)
        upper.tick_params(labelbottom=False)
        upper.sharex(middle)
        top += tall + GAP
    panel_title(middle, "power, braking negative")
    draw_lines(middle, recording.time, {"all motors": power.sum(axis=1)}, "power [W]")
    look: dict[str, Any] = {"color": ORANGE, "alpha": 0.6, "linewidth": 0.0, "label": "single motors"}
    middle.fill_between(recording.time, power.min(axis=1), power.max(axis=1), **look)
    place_legend(middle, columns=2)
    middle.set_xlabel("time [s]", labelpad=1.5)
    show_time(middle, recording.time)
    top = height - X_LABEL_HEIGHT - LOWER_HEIGHT
    half = (WIDTH - LEFT - RIGHT - LOWER_GAP) / 2.0
    _draw_loads(axes_at(figure, "loads", (LEFT, top, half, LOWER_HEIGHT)), recording, torque)
    speed = recording.joint_rate()
    if speed is not None:
        place = (LEFT + half + LOWER_GAP, top, half, LOWER_HEIGHT)
        _draw_speed(axes_at(figure, "speed", place), recording, speed, torque)
    return figure


def _facts(torque: np.ndarray, power: np.ndarray) -> str:
    if not np.isfinite(torque).any():
        return "no torque was recorded"
    rms = float(np.sqrt(np.nanmean(torque**2)))
    total = power.sum(axis=1)
    mean = float(np.nanmean(total)) if np.isfinite(total).any() else float("nan")
    return f"torque up to {np.nanmax(np.abs(torque)):.3g} N m, {rms:.3g} N m rms; power of all {mean:.3g} W on average"


def _draw_loads(axes: Axes, recording: Recording, torque: np.ndarray) -> None:
    """Largest and rms torque of each motor, with its limit."""
    joints = np.arange(torque.shape[1])
    known = np.nan_to_num(np.abs(torque))
    count = np.maximum(np.isfinite(torque).sum(axis=0), 1)
    rms = np.sqrt((known**2).sum(axis=0) / count)
    for (name, group), (strong, pale) in zip(recording.joint_groups().items(), LOOKS, strict=False):
        axes.bar(group, known.max(axis=0)[group], width=0.8, color=pale, label="largest" if not name else None)
        axes.bar(group, rms[group], width=0.8, color=strong, label=name or "rms")
    limit = recording.motors("torque_limit")
    if len(limit) == len(joints) and np.isfinite(limit).any():
        edges = np.arange(len(joints) + 1) - 0.5
        falls = np.isfinite(recording.motors("speed_limit")).any()
        word = "limit at rest" if falls and not recording.spatial else "limit"
        axes.stairs(np.where(np.isfinite(limit), limit, np.nan), edges, baseline=None, color=VERMILION,
                    linewidth=1.2, linestyle="--", label=word)  # fmt: skip
    panel_title(axes, "loads, peaks pale" if recording.spatial else "loads")
    axes.set_xlabel("joint, tail to head", labelpad=1.5)
    axes.set_ylabel("torque [N m]")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axes.grid(axis="y", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    place_legend(axes, columns=3, handle=1.4)


def _draw_speed(axes: Axes, recording: Recording, speed: np.ndarray, torque: np.ndarray) -> None:
    """One dot per motor and sample; a motor drives above right and below left, and brakes elsewhere."""
    groups = recording.joint_groups()
    for (name, joints), (color, _) in zip(groups.items(), LOOKS, strict=False):
        x, y = speed[:, joints].ravel(), torque[:, joints].ravel()
        known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        known = known[:: max(1, len(groups) * len(known) // MOST_POINTS)]
        axes.plot(x[known], y[known], ".", color=color, markersize=2.0, alpha=0.4, markeredgewidth=0.0)
        if name:
            axes.plot([], [], "o", color=color, markersize=4.0, label=name)
    if len(groups) > 1:
        place_legend(axes, columns=2, handle=1.0)
    axes.margins(0.08)
    limits = np.stack([recording.motors("torque_limit"), recording.motors("speed_limit")], axis=-1)
    for torque_limit, speed_limit in np.unique(limits, axis=0)[:3]:
        _draw_limit(axes, float(torque_limit), float(speed_limit))
    axes.axhline(0.0, color=INK, linewidth=0.5)
    axes.axvline(0.0, color=INK, linewidth=0.5)
    for place, align in (((0.98, 0.97), "right"), ((0.02, 0.97), "left")):
        word = "drives" if align == "right" else "brakes"
        axes.text(*place, word, transform=axes.transAxes, size=SMALL, ha=align, va="top", color=INK)
    panel_title(axes, "torque against joint speed")
    axes.set_xlabel("speed [rad/s]", labelpad=1.5, fontsize=NORMAL)
    axes.set_ylabel("torque [N m]")
    axes.grid(color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)


def _draw_limit(axes: Axes, torque_limit: float, speed_limit: float) -> None:
    """The borders of what a motor can do: its torque at standstill, falling to zero at the no-load speed."""
    if not np.isfinite(torque_limit):
        return
    look: dict[str, Any] = {"color": VERMILION, "linewidth": 1.2, "linestyle": "--"}
    speed = np.array(axes.get_xlim())
    for sign in (1.0, -1.0):
        axes.plot(speed, sign * torque_limit - torque_limit * speed / speed_limit, **look)
    axes.set_xlim(*speed)
