"""The engines beside MuJoCo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import origin, paragraphs, short

PEERS = {
    "": "pushpoint",
    "mujoco_": "MuJoCo, default settings",
    "mujoco_discrete_": "MuJoCo, its discrete integrator",
    "mujoco_fastest_": "MuJoCo, fastest settings found",
}
"""What the names of a comparison begin with, and whose they are."""
GAITS = {"sidewinding": "sidewinding", "lateral_undulation": "lateral undulation, friction 0.1 and 0.5"}
WALL = "(wall time on all cores, with whatever else they were doing)"
"""Of batches: everything else is processor time."""
STEPS = {"dt_1_ms": "1 ms", "dt_0.25_ms": "0.25 ms"}


def planar_speed(timed: Mapping[str, Any]) -> str:
    """The planar engine beside MuJoCo, and how its step grows."""
    rows = [
        [
            whose,
            short(timed[f"{name}us_per_step"]),
            short(timed[f"ratio_to_{name.removesuffix('_')}"]) if name else "",
            f"{100 * timed[f'{name}mean_speed_m_per_s']:.1f}",
        ]
        for name, whose in PEERS.items()
        if f"{name}us_per_step" in timed
    ]
    columns = ("obstacle-aided course", "µs per step", "times as long as pushpoint", "mean speed [cm/s]")
    growth = (
        f"From 11 to 176 links a step takes {short(timed['time_176_links_over_11'])} times as long, from 7 to 7,000 "
        f"pegs {timed['time_7000_pegs_over_7']:.2f} times; 1,001 octagons cost "
        f"{short(timed['time_1001_polygons_over_7_pegs'])} times as much as 7 pegs. {timed['worlds']} worlds at "
        f"once take {short(timed['time_batch_over_single_runs'])} of the time of {timed['worlds']} single runs "
        f"{WALL}."
    )
    how = (
        f"{timed['simulated_s']:g} s at a time step of {1e3 * timed['dt_s']:g} ms, both on one core, by turns, "
        f"processor time, medians of {timed['repeats']}"
    )
    return paragraphs(markdown_table(columns, rows), growth, origin(timed, how))


def spatial_speed(timed: Mapping[str, Any]) -> str:
    """The spatial engine beside MuJoCo, and how its step grows."""
    rows = []
    for gait, words in GAITS.items():
        for step, length in STEPS.items():
            one = timed[gait][step]
            for name, whose in PEERS.items():
                if f"{name}us_per_step" in one:
                    ratio = short(one[f"ratio_to_{name.removesuffix('_')}"]) if name else ""
                    speed = f"{100 * one[f'{name}mean_speed_m_per_s']:.1f}"
                    rows.append([f"{words}, {length}", whose, short(one[f"{name}us_per_step"]), ratio, speed])
    columns = ("gait and time step", "", "µs per step", "times as long as pushpoint", "mean speed [cm/s]")
    equal = "Our runs have rolling friction, MuJoCo's have none. Without it ours take less: " + "; ".join(
        f"{words.partition(',')[0]}, {length} {100 * one['share_without_rolling']:.0f} %, so that MuJoCo takes "
        f"{short(one['ratio_to_mujoco'] / one['share_without_rolling'])} times as long by default and "
        f"{short(one['ratio_to_mujoco_fastest'] / one['share_without_rolling'])} times with the fastest settings"
        for gait, words in GAITS.items()
        for step, length in STEPS.items()
        for one in [timed[gait][step]]
        if "share_without_rolling" in one
    )
    kept = [one["in_range"] for gait in timed["stable"].values() for one in gait.values()]
    large = (
        f"At 2 and 4 ms {sum(kept)} of {len(kept)} runs of both gaits travel as far in 15 s as a correct "
        "implementation of the paper's model does."
    )
    growth = (
        f"From 11 to 88 links a step takes {short(timed['time_88_links_over_11'])} times as long in undulation and "
        f"{short(timed['time_88_links_over_11_sidewinding'])} times in sidewinding, where the solver also iterates "
        f"more. On a height field of a million points it takes "
        f"{timed['time_1000x1000_field_over_10x10_same_spacing']:.2f} times as long as on one of a hundred. "
        f"{timed['worlds']} worlds at once take {short(timed['time_batch_over_single_runs'])} of the time of "
        f"{timed['worlds']} single runs {WALL}."
    )
    how = f"{timed['simulated_s']:g} s of each gait, one core, by turns, processor time, medians of {timed['repeats']}"
    compared = [f"{equal}."] if equal.endswith("settings") else []
    return paragraphs(markdown_table(columns, rows), *compared, large, growth, origin(timed, how))
