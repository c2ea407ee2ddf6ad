"""What the motors do: torque of every joint, power of all, and torque against speed beside the motors' limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pushpoint.plots.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.plots.page import (
    SMALL,
    X_LABEL_HEIGHT,
    PanelRow,
    draw_lines,
    dress,
    header_lines,
    page,
    place_legend,
    show_time,
)
from pushpoint.scenery.palette import BLUE, INK, ORANGE, VERMILION
from pushpoint.scenery.reading import Recording, read_recording

if TYPE_CHECKING:
    import xarray

NEEDED = ("joint_torque", "joint_power")
MOST_POINTS = 20000
# Strong and pale colour of each kind of joint.
LOOKS = ((BLUE, "#c6dff0"), (ORANGE, "#f7e0b0"))
# Sizes on paper [in].
GAP, POWER_HEIGHT, LOWER_HEIGHT, LOWER_GAP = 0.3, 1.1, 1.9, 0.75


def motors(run: xarray.Dataset, *, world: int = 0) -> Figure:
    """Torques, power, and torque against speed, if the joint rates were recorded as well.

    Its axes are labelled "header", "torque" (in space "yaw torque" and the like), "power", "loads" and "speed".
    """
    recording = read_recording(run, world)
    recording.require(NEEDED, "the figure of the motors")
    torque, power, speed = recording.values("joint_torque"), recording.values("joint_power"), recording.joint_rate()
    groups = {f"{name} torque".strip(): (name, joints) for name, joints in recording.joint_groups().items()}
    wide: dict[str, Any] = {"right": BAR_ROOM, "below": GAP}
    rows = [
        PanelRow(panels=(label,), height=min(1.7, 0.75 + 0.04 * len(joints)), **wide)
        for label, (_, joints) in groups.items()
    ]
    rows.append(PanelRow(panels=("power",), height=POWER_HEIGHT, right=BAR_ROOM, below=X_LABEL_HEIGHT + GAP))
    beside = ("loads",) if speed is None else ("loads", "speed")
    rows.append(PanelRow(panels=beside, height=LOWER_HEIGHT, gap=LOWER_GAP, columns=2))
    figure, panels = page(header_lines(recording.name, "motors", _facts(torque, power), recording.status), rows)
    middle = panels["power"]
    for label, (name, joints) in groups.items():
        title = f"torque of every {name} motor".replace("  ", " ")
        look: dict[str, Any] = {"title": title, "numbers": joints}
        draw_heat_map(panels[label], recording.time, torque[:, joints], "joint", "torque [N m]", **look)
        panels[label].tick_params(labelbottom=False)
        panels[label].sharex(middle)
    draw_lines(middle, recording.time, {"all motors": power.sum(axis=1)}, "power [W]", title="power, braking negative")
    look = {"color": ORANGE, "alpha": 0.6, "linewidth": 0.0, "label": "single motors"}
    middle.fill_between(recording.time, power.min(axis=1), power.max(axis=1), **look)
    place_legend(middle, columns=2)
    dress(middle, x="time [s]")
    show_time(middle, recording.time)
    _draw_loads(panels["loads"], recording, torque)
    if speed is not None:
        _draw_speed(panels["speed"], recording, speed, torque)
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
    robot = recording.world.robot
    known = np.nan_to_num(np.abs(torque))
    count = np.maximum(np.isfinite(torque).sum(axis=0), 1)
    rms = np.sqrt((known**2).sum(axis=0) / count)
    for (name, group), (strong, pale) in zip(recording.joint_groups().items(), LOOKS, strict=False):
        axes.bar(group, known.max(axis=0)[group], width=0.8, color=pale, label="largest" if not name else None)
        axes.bar(group, rms[group], width=0.8, color=strong, label=name or "rms")
    limit = robot.motor_column("torque_limit")
    if len(limit) == len(rms) and np.isfinite(limit).any():
        falls = np.isfinite(robot.motor_column("speed_limit")).any()
        look: dict[str, Any] = {"color": VERMILION, "linewidth": 1.2, "linestyle": "--", "baseline": None}
        look["label"] = "limit at rest" if falls and not recording.spatial else "limit"
        axes.stairs(np.where(np.isfinite(limit), limit, np.nan), np.arange(len(rms) + 1) - 0.5, **look)
    title = "loads, peaks pale" if recording.spatial else "loads"
    dress(axes, title=title, x="joint, tail to head", y="torque [N m]", grid="y")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
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
    robot = recording.world.robot
    limits = np.stack([robot.motor_column("torque_limit"), robot.motor_column("speed_limit")], axis=-1)
    for torque_limit, speed_limit in np.unique(limits, axis=0)[:3]:
        _draw_limit(axes, float(torque_limit), float(speed_limit))
    axes.axhline(0.0, color=INK, linewidth=0.5)
    axes.axvline(0.0, color=INK, linewidth=0.5)
    for place, align, word in ((0.98, "right", "drives"), (0.02, "left", "brakes")):
        axes.text(place, 0.97, word, transform=axes.transAxes, size=SMALL, ha=align, va="top", color=INK)
    dress(axes, title="torque against joint speed", x="speed [rad/s]", y="torque [N m]", grid="both")


def _draw_limit(axes: Axes, torque_limit: float, speed_limit: float) -> None:
    """The borders of what a motor can do: its torque at standstill, falling in a line through the no-load speed."""
    if not np.isfinite(torque_limit):
        return
    look: dict[str, Any] = {"color": VERMILION, "linewidth": 1.2, "linestyle": "--"}
    left, right = axes.get_xlim()
    corners = [x * speed_limit for x in (-3.0, -1.0, 1.0, 3.0) if left < x * speed_limit < right]
    speed = np.array([left, *corners, right])
    for sign in (1.0, -1.0):
        most = sign * torque_limit - torque_limit * speed / speed_limit
        axes.plot(speed, np.clip(most, -2.0 * torque_limit, 2.0 * torque_limit), **look)
    axes.set_xlim(left, right)
