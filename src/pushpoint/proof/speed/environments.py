"""Environments for learning: their rates on a core and on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import origin, paragraphs, short

PARTS = {
    "physics": "physics",
    "measurement": "measurement",
    "reset": "reset",
    "command, reward, observation": "the rest of the environment",
    "policy": "policy",
}
"""Parts of a step on a GPU, and how they are called."""


def environment_speed(timed: Mapping[str, Any]) -> str:
    """Steps of environments per second of processor time, beside the peer's."""
    rows = [
        [name, f"{each['steps_per_core_second']:,.0f}", short(each["over_peer"])]
        for name, each in timed["rates"].items()
    ]
    columns = ("", "steps per second and core", "times the peer's")
    how = f"`benchmarks/environments.py`, by turns, processor time, medians of {timed['rounds']}"
    return paragraphs(markdown_table(columns, rows), origin(timed, how))


def environment_speed_on_gpu(timed: Mapping[str, Any]) -> str:
    """Steps of environments per second with everything on a GPU, where their time goes, and what differs from a CPU."""
    rates = [each for each in timed["rates"] if "env_steps_per_s" in each and "split_ms" in each]
    rows = [
        [
            each["what"],
            f"{each['env_steps_per_s']:,.0f}",
            short(each["ms_per_step"]),
            *(short(each["split_ms"][part]) for part in PARTS),
        ]
        for each in rates
    ]
    columns = ("", "env steps per second", "ms per step", *(f"{words} [ms]" for words in PARTS.values()))
    apart = [
        f"{each['what'].partition(':')[0]} {each['observation']:.1e}"
        for each in timed["rates"]
        if "observation" in each
    ]
    text = f"Largest difference of an observation from the CPU's within a second: {', '.join(apart)}."
    how = f"{timed['device']}, torch {timed['torch']}; parts are timed apart, each with a wait for the device"
    return paragraphs(markdown_table(columns, rows), text, origin(timed, how))
