"""Worlds that are stepped from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import origin, paragraphs, short

RATES = {"20_hz": "20 Hz", "100_hz": "100 Hz"}
"""Commands per simulated second, and how they are called."""


def stepping_speed(timed: Mapping[str, Any]) -> str:
    """Steps of one world and of many beside the peer, and what swapping worlds takes."""
    peer, worlds = timed["peer"], timed["worlds"]
    rows = [[f"Gymnasium's `{peer}` (MuJoCo), one world", "", f"{timed['peer_steps_per_s']:,.0f}", ""]]
    for key, words in RATES.items():
        one, what = timed[key], f"{words}, time step {1e3 * timed[key]['dt_s']:g} ms"
        for name, many in (("one_world", "one world"), ("many_worlds", f"{worlds} worlds")):
            per_step = 1e3 / one[f"{name}_steps_per_s"]
            rate = f"{one[f'{name}_steps_per_s']:,.0f}"
            rows.append([f"`Simulator.step`, {many}, {what}", f"{per_step:.2g}", rate, short(one[f"{name}_over_peer"])])
    columns = ("", "ms per step and world", "steps per second and core", "times the peer's")
    text = (
        f"Putting a random course into one of {worlds} worlds takes {timed['swap_ms_one_at_a_time']:.2g} ms if it "
        f"comes alone and {timed['swap_ms_together']:.2g} ms if {timed['courses']} come together, with the check that "
        f"the robot starts clear of the obstacles. From a pool that is packed already, as `pp.DeviceSimulator` has it, "
        f"one alone takes {timed['swap_ms_from_a_pool']:.2g} ms. Making a random course takes "
        f"{timed['ms_per_random_course']:.2g} ms."
    )
    how = f"{timed['links']} links on flat ground, by turns, processor time, medians of {timed['repeats']}"
    return paragraphs(markdown_table(columns, rows), text, origin(timed, how))
