"""Trials of a controller that has modes, laid out like Figs 6, 8, 10 and 12 of Liljeback2011.

Where the head was, which mode acted, and what the links felt; and the body before and after a mode. A batch of worlds
is shown as trials beside each other. The paper's figures are of the real robot, these are of simulations.
"""

from __future__ import annotations

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.figures.course import strip_figure
from pushpoint.plots.looks import LOOKS
from pushpoint.plots.page import SMALL, draw_lines, dress, header_lines, place_legend, time_page
from pushpoint.plots.scales import limit_spikes
from pushpoint.plots.stretches import RESOLUTION, TINT, mode_color, mode_names, number_stretches, stays_in
from pushpoint.scenery.palette import BLUE, GREEN, PURPLE
from pushpoint.scenery.reading import read_recording

NEEDED = ("controller_mode", "link_position", "link_angle")
MOST_TRIALS = 4
TRIAL_LOOKS = LOOKS[:MOST_TRIALS]
FORCE_COLORS = (BLUE, GREEN, PURPLE)
FELT_AT_ONCE = 3
"""Links whose forces share a panel, as in the paper [-]."""
SHOWN_STAYS = 2
"""Stays in a mode that are shown before and after [-]."""
NAMED_TIMES = 8
"""Resolutions whose times the header gives [-]."""


@checked_arguments
def modes(run: xarray.Dataset, *, name: str = "", world: Natural | None = None) -> Figure:
    """Head, modes and forces of a planar run whose controller told its modes; of a batch, of its first four worlds.

    Its axes are labelled "header", "forward", "mode", "sideways", "orientation" and "forces 0", ... The name is the
    heading; default: that of the scenario. Jam resolutions are numbered in the order of time, trial by trial; those of
    the first trial are tinted behind its curves.
    """
    several = range(min(MOST_TRIALS, run.sizes.get("world", 1))) if world is None else (world,)
    trials = [read_recording(run, number, needs=NEEDED, reader="the figure of the modes") for number in several]
    names, time = mode_names(run), trials[0].time
    acted = np.array([trial.values("controller_mode") for trial in trials])
    # The middle links, modules 3 to 8 of the paper's ten, as far as they were recorded.
    n_links = run.sizes["link"]
    first = max(n_links - 2 * FELT_AT_ONCE, 0) // 2
    felt = range(first, min(first + 2 * FELT_AT_ONCE, n_links)) if trials[0].has("contact_normal_force") else range(0)
    groups = [felt[k : k + FELT_AT_ONCE] for k in range(0, len(felt), FELT_AT_ONCE)]
    heights = {"forward": 1.5, "mode": 0.25 + 0.25 * len(trials), "sideways": 1.1, "orientation": 1.1}
    heights |= {f"forces {k}": 1.2 for k in range(len(groups))}
    times = {code: ", ".join(str(len(stays_in(row, code))) for row in acted) for code in names}
    told = [f"{word} {times[code]} times" for code, word in names.items() if code > 0]
    resolved = _resolutions(acted[0], time, names)
    if resolved:
        begins = ", ".join(f"{begin:.3g}" for begin, _ in resolved[:NAMED_TIMES])
        told.append(f"resolutions of trial 1 begin at {begins}{' ...' if len(resolved) > NAMED_TIMES else ''} s")
    facts = f"{len(trials)} trial{'s' if len(trials) > 1 else ''}; " + "; ".join(told)
    title = "" if name else trials[0].title
    lines = header_lines(name or trials[0].name, "head, modes and forces", facts, trials[0].remarks, title=title)
    figure, panels = time_page(lines, time, heights)
    heads = {f"trial {k}": trial.values("link_position")[:, -1].T for k, trial in enumerate(trials, 1)}
    turned = {f"trial {k}": np.degrees(trial.values("link_angle")[:, -1]) for k, trial in enumerate(trials, 1)}
    forward, sideways = ({name: head[axis] for name, head in heads.items()} for axis in range(2))
    draw_lines(panels[0], time, forward, "x [m]", title="head link, forward", looks=TRIAL_LOOKS)
    _draw_modes(panels[1], time, acted, names)
    draw_lines(panels[2], time, sideways, "y [m]", title="head link, sideways", looks=TRIAL_LOOKS)
    draw_lines(panels[3], time, turned, "angle [°]", title="head link, orientation", looks=TRIAL_LOOKS)
    for panel, links in zip(panels[4:], groups, strict=True):
        draw_lines(panel, time, {}, "force [N]", title="contact force toward the link's left, trial 1")
        for link, color in zip(links, FORCE_COLORS, strict=False):
            force = trials[0].values("contact_normal_force")[:, link]
            panel.plot(time, force, color=color, linewidth=0.8, label=f"link {link}")
        place_legend(panel, columns=len(links))
        limit_spikes(panel, trials[0].values("contact_normal_force")[:, links.start : links.stop].T, "N")
    for panel in (axes for axes in panels if axes is not panels[1]):
        for stretch in resolved:
            panel.axvspan(*stretch, color=mode_color(_code(names)), alpha=TINT, linewidth=0.0, zorder=0.4)
    return figure


def _code(names: dict[int, str]) -> int:
    """The number of the mode that resolves jams; -1 without one."""
    return next((code for code, name in names.items() if name == RESOLUTION), -1)


def _resolutions(acted: np.ndarray, time: np.ndarray, names: dict[int, str]) -> list[tuple[float, float]]:
    """From when to when a controller resolved jams [s]."""
    return [(float(time[first]), float(time[last])) for first, last in stays_in(acted, _code(names))]


@checked_arguments
def stays(run: xarray.Dataset, mode: str = RESOLUTION, *, world: Natural = 0) -> Figure:
    """The body before and after its first stays in a mode, among the obstacles: one row of frames each.

    Frames say which stay they are from, and whether they are before or after it. The run is a planar one whose
    controller told its modes.
    """
    codes = {name: code for code, name in mode_names(run).items()}
    if mode not in codes:
        raise InvalidModel("mode", mode, f"one of {', '.join(codes)}")
    recording = read_recording(run, world, needs=NEEDED, reader="the figure of a mode")
    found = stays_in(recording.values("controller_mode"), codes[mode])[:SHOWN_STAYS]
    if not found:
        raise InvalidModel("run: controller_mode", "never " + mode, f"{mode} at some time")
    times = [float(recording.time[at]) for stay in found for at in stay]
    word = mode.replace("jam-resolution", "resolution")
    frames = [f"{when} {word} {k}" for k in range(1, len(found) + 1) for when in ("before", "after")]
    return strip_figure(run, times=times, world=world, subject=f"before and after {mode}", names=frames)


def _draw_modes(axes: Axes, time: np.ndarray, acted: np.ndarray, names: dict[int, str]) -> None:
    """A row per trial, coloured by the mode that acted."""
    numbered = "; resolutions numbered" if RESOLUTION in names.values() else ""
    dress(axes, title=f"mode that acted{numbered}")
    for row, codes in enumerate(acted):
        changes = np.flatnonzero(np.diff(codes, prepend=np.nan) != 0.0)
        begins = time[np.maximum(changes - 1, 0)]  # a sample holds the mode that acted until it
        lasts = np.diff(begins, append=time[-1])
        for code, begin, width in zip(codes[changes], begins, lasts, strict=True):
            if code >= 0:
                axes.barh(row, width, left=begin, height=0.8, color=mode_color(code), linewidth=0)
        number_stretches(axes, _resolutions(codes, time, names), row, top=False)
    axes.set_yticks(range(len(acted)), [f"trial {k + 1}" for k in range(len(acted))], fontsize=SMALL)
    axes.set_ylim(len(acted) - 0.5, -0.5)
    patches = [Patch(color=mode_color(code), label=name) for code, name in names.items()]
    place_legend(axes, columns=len(patches), handle=1.2, handles=patches)
