"""What the joints do: their angles against their references, and the motors' torques, power and limits.

Yaw and pitch joints of a spatial robot have panels of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.heat_map import BAR_ROOM, draw_heat_map
from pushpoint.plots.looks import HEAD_COLOR, LIMIT_COLOR, MIDDLE_COLOR, PITCH_COLOR, TAIL_COLOR, YAW_COLOR
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
from pushpoint.plots.scales import label_of, limit_spikes
from pushpoint.scenery.palette import GREY, INK, paler
from pushpoint.scenery.reading import Recording, read_recording

DIRECTIONS = {"yaw": " (left positive)", "pitch": " (down positive)"}
MOST_POINTS = 20000
PARTS = (TAIL_COLOR, MIDDLE_COLOR, HEAD_COLOR)
# Colour of each kind of joint, and the share of white in that of its peaks.
COLORS = {"": YAW_COLOR, "yaw": YAW_COLOR, "pitch": PITCH_COLOR}
PEAK_SHARE = 0.75
LIMIT: dict[str, Any] = {"color": LIMIT_COLOR, "linewidth": 1.2, "linestyle": "--"}
# Sizes on paper [in].
GAP, POWER_HEIGHT, LOWER_HEIGHT, LOWER_GAP = 0.3, 1.1, 1.4, 0.75


@checked_arguments
def joints(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """Angles of all joints, and how far they are from their references where those were recorded.

    Its axes are labelled "header", "angle", "error" and "curves"; in space yaw and pitch have their own: "yaw angle".
    """
    recording = read_recording(run, world, needs=("joint_angle",), reader="the figure of the joints")
    time, angle = recording.time, np.degrees(recording.values("joint_angle"))
    reference = np.degrees(recording.values("joint_reference")) if recording.has("joint_reference") else None
    if reference is not None and np.isnan(reference).all():
        reference = None  # a passive robot has none
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
    lines = header_lines(recording.name, "joint angles", facts, recording.remarks, title=recording.title)
    label = label_of(recording, "joint_angle", unit="°")
    figure, panels = time_page(lines, time, heights, right=BAR_ROOM)
    left = iter(panels)
    for name, numbers in groups.items():
        joint, some = f"{name} joint".strip(), angle[:, numbers]
        title = f"angle of every {joint}{DIRECTIONS.get(name, '')}"
        draw_heat_map(next(left), time, some, "joint", label, title=title, numbers=numbers)
        title = f"three {joint}s"
        if reference is not None:
            error, above = some - reference[:, numbers], f"{name} angle minus reference".strip()
            draw_heat_map(next(left), time, error, "joint", "error [°]", title=above, numbers=numbers)
            title += ", references dashed"
        curves = next(left)
        draw_lines(curves, time, {}, label, title=title)
        for row, color in zip(sorted({0, len(numbers) // 2, len(numbers) - 1}), PARTS, strict=False):
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

    Its axes are labelled "header", "torque", "power", "loads" and "speed"; in space yaw and pitch have their own, such
    as "yaw torque", "yaw loads" and "yaw speed".
    """
    recording = read_recording(run, world, needs=("joint_torque", "joint_power"), reader="the figure of the motors")
    torque, power, speed = recording.values("joint_torque"), recording.values("joint_power"), _joint_rate(recording)
    groups = recording.joint_groups()
    rows = [
        PanelRow(panels=(f"{name} torque".strip(),), height=_map_height(joints), right=BAR_ROOM, below=GAP)
        for name, joints in groups.items()
    ]
    rows.append(PanelRow(panels=("power",), height=POWER_HEIGHT, right=BAR_ROOM, below=PanelRow.below + GAP))
    beside = ("loads",) if speed is None else ("loads", "speed")
    for name in groups:
        panels_of = [f"{name} {part}".strip() for part in beside]
        below = PanelRow.below + (0.0 if name == list(groups)[-1] else GAP)
        rows.append(PanelRow(panels=panels_of, height=LOWER_HEIGHT, gap=LOWER_GAP, columns=2, below=below))
    lines = header_lines(recording.name, "motors", _facts(torque, power), recording.remarks, title=recording.title)
    figure, panels = page(lines, rows)
    middle, label = panels["power"], label_of(recording, "joint_torque")
    for name, joints in groups.items():
        axes, title = panels[f"{name} torque".strip()], f"torque of every {name} motor".replace("  ", " ")
        draw_heat_map(axes, recording.time, torque[:, joints], "joint", label, title=title, numbers=joints)
        axes.tick_params(labelbottom=False)
        axes.sharex(middle)
        _draw_loads(panels[f"{name} loads".strip()], recording, torque, name, joints)
        if speed is not None:
            _draw_speed(panels[f"{name} speed".strip()], recording, speed, torque, name, joints)
    _draw_power(middle, recording, power)
    return figure


def _draw_power(axes: Axes, recording: Recording, power: np.ndarray) -> None:
    """Of all motors together, and from the least to the most of single ones."""
    total, low, high = power.sum(axis=1), power.min(axis=1), power.max(axis=1)
    draw_lines(axes, recording.time, {"all motors": total}, "power [W]", title="power, braking negative")
    look: dict[str, Any] = {"color": GREY, "alpha": 0.5, "linewidth": 0.0, "label": "single motors, least to most"}
    axes.fill_between(recording.time, low, high, **look)
    place_legend(axes, columns=2)
    show_time(axes, recording.time)
    limit_spikes(axes, (total, low, high), "W")


def _joint_rate(recording: Recording) -> np.ndarray | None:
    """Joint rates [rad/s], shape (n_times, n_joints), if they were recorded or follow from what was."""
    if recording.has("joint_rate"):
        return recording.values("joint_rate")
    if recording.has("link_angular_velocity") and not recording.spatial:
        return np.diff(recording.values("link_angular_velocity"), axis=1)
    return None


def _facts(torque: np.ndarray, power: np.ndarray) -> str:
    if not np.isfinite(torque[1:]).any():
        return "no torque was recorded"
    rms = float(np.sqrt(np.nanmean(torque[1:] ** 2)))  # the first sample repeats the second
    total = power[1:].sum(axis=1)
    mean = float(np.nanmean(total)) if np.isfinite(total).any() else float("nan")
    return f"torque up to {np.nanmax(np.abs(torque)):.3g} N m, {rms:.3g} N m rms; power of all {mean:.3g} W on average"


def _draw_loads(axes: Axes, recording: Recording, torque: np.ndarray, name: str, joints: np.ndarray) -> None:
    """Largest and rms torque of each motor of a kind, with its limit."""
    robot, places = recording.world.robot, np.arange(len(joints))
    known = np.nan_to_num(np.abs(torque[:, joints]))
    count = np.maximum(np.isfinite(torque[:, joints]).sum(axis=0), 1)
    rms = np.sqrt((known**2).sum(axis=0) / count)
    axes.bar(places, known.max(axis=0), width=0.8, color=paler(COLORS[name], PEAK_SHARE), label="largest")
    axes.bar(places, rms, width=0.8, color=COLORS[name], label="rms")
    limit = robot.motor_column("torque_limit")
    if len(limit) == torque.shape[1] and np.isfinite(limit[joints]).any():
        falls = np.isfinite(robot.motor_column("speed_limit")).any()
        words = "limit at rest" if falls and not recording.spatial else "limit"
        own = np.where(np.isfinite(limit[joints]), limit[joints], np.nan)
        axes.stairs(own, np.arange(len(joints) + 1) - 0.5, baseline=None, label=words, **LIMIT)
    title = f"loads of the {name} motors" if name else "loads"
    dress(axes, title=title, x="joint, tail to head", y=label_of(recording, "joint_torque"), grid="y")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    numbers = {place: f"{joint}" for place, joint in enumerate(joints)}
    axes.xaxis.set_major_formatter(FuncFormatter(lambda place, _: numbers.get(round(place), "")))
    place_legend(axes, columns=3, handle=1.1, columnspacing=0.8)


def _draw_speed(
    axes: Axes, recording: Recording, speed: np.ndarray, torque: np.ndarray, name: str, joints: np.ndarray
) -> None:
    """One dot per motor of a kind and sample; a motor drives above right and below left, and brakes elsewhere."""
    x, y = speed[:, joints].ravel(), torque[:, joints].ravel()
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    known = known[:: max(1, len(known) // MOST_POINTS)]
    axes.plot(x[known], y[known], ".", color=COLORS[name], markersize=2.0, alpha=0.4, markeredgewidth=0.0)
    axes.margins(0.08)
    robot = recording.world.robot
    limits = np.stack([robot.motor_column("torque_limit"), robot.motor_column("speed_limit")], axis=-1)
    reach = np.array(axes.get_xlim())
    # What a motor can do ends at its torque at standstill, which falls to zero at the no-load speed, and at twice that.
    for most, fastest in np.unique(limits, axis=0)[:3]:
        if np.isfinite(most):
            corners = fastest * np.array([-3.0, -1.0, 1.0, 3.0])
            at = np.array([reach[0], *corners[(reach[0] < corners) & (corners < reach[1])], reach[1]])
            falls = most * at / fastest
            borders = [np.clip(sign * most - falls, -2.0 * most, 2.0 * most) for sign in (1.0, -1.0)]
            axes.plot(at, borders[0], at, borders[1], **LIMIT)
            axes.set_xlim(*reach)
    axes.axhline(0.0, color=INK, linewidth=0.5)
    axes.axvline(0.0, color=INK, linewidth=0.5)
    for place, align, word in ((0.98, "right", "drives"), (0.02, "left", "brakes")):
        axes.text(place, 0.97, word, transform=axes.transAxes, size=SMALL, ha=align, va="top", color=INK)
    title = (
        f"{name} torque against speed; limit dashed"
        if np.isfinite(limits[:, 0]).any()
        else f"{name} torque against speed"
    )
    label = label_of(recording, "joint_torque")
    dress(axes, title=title.strip(), x="speed of the joint [rad/s]", y=label, grid="both")
