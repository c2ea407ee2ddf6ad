"""Where the energy of a run comes from and goes."""

from __future__ import annotations

import numpy as np
import xarray
from matplotlib.figure import Figure

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.page import draw_lines, header_lines, place_legend, time_page
from pushpoint.plots.scales import limit_spikes
from pushpoint.scenery.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILION
from pushpoint.scenery.reading import Recording, read_recording
from pushpoint.simulation.measures.energy import GIVEN, STORED, TAKEN, energy_budget
from pushpoint.worlds.variables import BALANCE

COLORS = {
    "motors": INK,
    "loads": GREY,
    "kinetic": BLUE,
    "potential": SKY,
    "ground_friction": ORANGE,
    "obstacle_friction": VERMILION,
    "self_friction": PURPLE,
    "impacts": GREEN,
    "end_stops": GREY,
}
"""What each part of the balance is drawn in."""
SMALL_SHARE = 1e-3
"""Parts that never come to this share of what was given are named in the header, not drawn [-]."""


@checked_arguments
def energy(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """What motors gave, and where it went: the energies since the start as layers, and the powers over time.

    The layers end at the line of what was given if the balance closes and none is negative; the header says what is
    missing. The run must have recorded what `Record(also=pp.measures.BALANCE)` asks for. Its axes are labelled
    "header", "energy" and "power".
    """
    recording = read_recording(run, world)
    recording.require(("joint_power", *BALANCE), "the figure of the energy")
    balance = energy_budget(recording.samples)
    given = np.sum([balance[name].values for name in GIVEN if name in balance], axis=0)
    most = float(np.nanmax(np.abs(given), initial=0.0)) or 1.0
    drawn = [
        name
        for name in (*TAKEN, *STORED)
        if name in balance and float(np.nanmax(np.abs(balance[name]), initial=0.0)) >= SMALL_SHARE * most
    ]
    lines = header_lines(recording.name, "energy", _facts(balance, given), recording.remarks, title=recording.title)
    figure, (above, below) = time_page(lines, recording.time, {"energy": 2.2, "power": 1.6})
    layers = [np.nan_to_num(balance[name].values) for name in drawn]
    if drawn:  # a robot at rest gives nothing to anything
        above.stackplot(
            recording.time,
            [np.maximum(layer, 0.0) for layer in layers],
            colors=[COLORS[name] for name in drawn],
            labels=[_words(name) for name in drawn],
            alpha=0.75,
            linewidth=0.0,
        )
    draw_lines(above, recording.time, {}, "energy [J]", title="given, and gone to")
    above.plot(recording.time, given, color=INK, linewidth=1.3, label="motors" if "loads" not in balance else "given")
    place_legend(above, columns=len(drawn) + 1, handle=1.2)
    powers = _powers(recording, drawn)
    looks = [(COLORS[name], "-") for name in powers]
    draw_lines(
        below,
        recording.time,
        {_words(name): values for name, values in powers.items()},
        "power [W]",
        title="power of all links",
        looks=looks,
    )
    limit_spikes(below, powers.values(), "W")
    return figure


def _words(name: str) -> str:
    return name.replace("_", " ")


def _powers(recording: Recording, drawn: list[str]) -> dict[str, np.ndarray]:
    """Power of the motors and of what takes energy, summed over links and joints [W]."""
    names = {"motors": GIVEN["motors"]} | {name: TAKEN[name] for name in drawn if name in TAKEN}
    return {name: recording.values(variable).sum(axis=1) for name, variable in names.items()}


def _facts(balance: xarray.Dataset, given: np.ndarray) -> str:
    """Totals at the end, and what the balance lacks."""
    known = np.isfinite(given)
    if not known.any():
        return "nothing was recorded"
    last = int(np.flatnonzero(known)[-1])
    total = float(given[last])
    parts = [
        f"{_words(name)} {float(balance[name][last]):.3g} J"
        for name in (*TAKEN, *STORED)
        if name in balance and abs(float(balance[name][last])) >= SMALL_SHARE * abs(total)
    ]
    rest = float(balance["rest"][last])
    share = f" ({abs(rest / total):.1g} of it)" if total else ""
    return f"given {total:.3g} J: {', '.join(parts)}; the balance lacks {rest:.2g} J{share}".replace("-", "−")
