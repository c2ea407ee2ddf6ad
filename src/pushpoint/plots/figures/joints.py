"""What the joints do: their angles against their references, and the motors' torques, power and limits.

Yaw and pitch joints of a spatial robot have panels of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.plots.page import (
    SMALL,
    PanelRow,
    draw_lines,
    dress,
    header_lines,
    page,
    place_legend,
    show_time,
    time_page,
)
from pushpoint.scenery.palette import BLUE, GREEN, INK, ORANGE, VERMILION
from pushpoint.scenery.reading import Recording, read_recording

DIRECTIONS = {"yaw": " (left positive)", "pitch": " (down positive)"}
MOST_POINTS = 20000
# Strong and pale colour of each kind of joint.
LOOKS = ((BLUE, "#c6dff0"), (ORANGE, "#f7e0b0"))
# Sizes on paper [in].
GAP, POWER_HEIGHT, LOWER_HEIGHT, LOWER_GAP = 0.3, 1.1, 1.9, 0.75


@checked_arguments
def joints(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """Angles of all joints, and how far they are from their references where those were recorded.

    Its axes are labelled "header", "angle", "error" and "curves"; in space with what joints turn about: "yaw angle".
    """
    recording = read_recording(run, world, needs=("joint_angle",), reader="the figure of the joints")
    time, angle = recording.time, np.degrees(recording.values("joint_angle"))
    reference = np.degrees(recording.values("joint_reference")) if recording.has("joint_reference") else None
    facts = f"{angle.shape[1]} joints, angles within {_most(angle):.3g}°"
    if reference is not None and np.isfinite(angle - reference).any():
        rms = float(np.sqrt(np.nanmean((angle - reference) ** 2)))
        facts += f"; error {rms:.2g}° rms, {_most(angle - reference):.2g}° at most"
    groups = recording.joint_groups()
    heights: dict[str, float] = {}
    for name, numbers in groups.items():
        rows = _map_height(numbers)
        parts = {"angle": rows} | ({} if reference is None else {"error": rows}) | {"curves": 1.5}
        heights |= {f"{name} {part}".strip(): height for part, height in parts.items()}
    lines = header_lines(recording.name, "joint angles", facts, recording.remarks)
    figure, panels = time_page(lines, time, heights, right=BAR_ROOM)
    left = iter(panels)
    for name, numbers in groups.items():
        joint, some = f"{name} joint".strip(), angle[:, numbers]
        title = f"angle of every {joint}{DIRECTIONS.get(name, '')}"
        draw_heat_map(next(left), time, some, "joint", "angle [°]", title=title, numbers=numbers)
        title = f"three {joint}s"
        if reference is not None:
            error, above = some - reference[:, numbers], f"{name} angle minus reference".strip()
            draw_heat_map(next(left), time, error, "joint", "error [°]", title=above, numbers=numbers)
            title += ", references dashed"
        curves = next(left)
        draw_lines(curves, time, {}, "angle [°]", title=title)
        for row, color in zip(sorted({0, len(numbers) // 2, len(numbers) - 1}), (GREEN, BLUE, ORANGE), strict=False):
            curves.plot(time, some[:, row], color=color, linewidth=1.1, label=f"joint {numbers[row]}")
            if reference is not None:
                curves.plot(time, reference[:, numbers[row]], "--", color="black", linewidth=0.7)
        place_legend(curves, columns=3)
    return figure


def _map_height(joints: np.ndarray) -> float:
    return min(1.7, 0.75 + 0.04 * len(joints))


def _most(values: np.ndarray) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


@checked_arguments
def motors(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """Torques, power, and torque against speed, if the joint rates were recorded as well.

    Its axes are labelled "header", "torque" (in space "yaw torque" and the like), "power", "loads" and "speed".
    """
    recording = read_recording(run, world, needs=("joint_torque", "joint_power"), reader="the figure of the motors")
    torque, power, speed = recording.values("joint_torque"), recording.values("joint_power"), _joint_rate(recording)
    groups = {f"{name} torque".strip(): (name, joints) for name, joints in recording.joint_groups().items()}
    rows = [
        PanelRow(panels=(label,), height=_map_height(joints), right=BAR_ROOM, below=GAP)
        for label, (_, joints) in groups.items()
    ]
    rows.append(PanelRow(panels=("power",), height=POWER_HEIGHT, right=BAR_ROOM, below=PanelRow.below + GAP))
    beside = ("loads",) if speed is None else ("loads", "speed")
    rows.append(PanelRow(panels=beside, height=LOWER_HEIGHT, gap=LOWER_GAP, columns=2))
    figure, panels = page(header_lines(recording.name, "motors", _facts(torque, power), recording.remarks), rows)
    middle = panels["power"]
    for label, (name, joints) in groups.items():
        title = f"torque of every {name} motor".replace("  ", " ")
        axes, time = panels[label], recording.time
        draw_heat_map(axes, time, torque[:, joints], "joint", "torque [N m]", title=title, numbers=joints)
        axes.tick_params(labelbottom=False)
        axes.sharex(middle)
    draw_lines(middle, recording.time, {"all motors": power.sum(axis=1)}, "power [W]", title="power, braking negative")
    look: dict[str, Any] = {"color": ORANGE, "alpha": 0.6, "linewidth": 0.0, "label": "single motors"}
    middle.fill_between(recording.time, power.min(axis=1), power.max(axis=1), **look)
    place_legend(middle, columns=2)
    show_time(middle, recording.time)
    _draw_loads(panels["loads"], recording, torque)
    if speed is not None:
        _draw_speed(panels["speed"], recording, speed, torque)
    return figure


def _joint_rate(recording: Recording) -> np.ndarray | None:
    """Joint rates [rad/s], shape (n_times, n_joints), if they were recorded or follow from what was."""
    if recording.has("joint_rate"):
        return recording.values("joint_rate")
    if recording.has("link_angular_velocity") and not recording.spatial:
        return np.diff(recording.values("link_angular_velocity"), axis=1)
    return None


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
    look: dict[str, Any] = {"color": VERMILION, "linewidth": 1.2, "linestyle": "--"}
    reach = np.array(axes.get_xlim())
    # What a motor can do ends at its torque at standstill, which falls to zero at the no-load speed, and at twice that.
    for most, fastest in np.unique(limits, axis=0)[:3]:
        if np.isfinite(most):
            corners = fastest * np.array([-3.0, -1.0, 1.0, 3.0])
            at = np.array([reach[0], *corners[(reach[0] < corners) & (corners < reach[1])], reach[1]])
            falls = most * at / fastest
            borders = [np.clip(sign * most - falls, -2.0 * most, 2.0 * most) for sign in (1.0, -1.0)]
            axes.plot(at, borders[0], at, borders[1], **look)
            axes.set_xlim(*reach)
    axes.axhline(0.0, color=INK, linewidth=0.5)
    axes.axvline(0.0, color=INK, linewidth=0.5)
    for place, align, word in ((0.98, "right", "drives"), (0.02, "left", "brakes")):
        axes.text(place, 0.97, word, transform=axes.transAxes, size=SMALL, ha=align, va="top", color=INK)
    dress(axes, title="torque against joint speed", x="speed [rad/s]", y="torque [N m]", grid="both")
