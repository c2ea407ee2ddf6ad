"""Worlds on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import paragraphs, short

MIXTURE = ("equal worlds", "32 moments of a run")
"""Worlds of one batch: all alike, or side by side at different moments of a gait, as in studies and learning."""


def gpu_speed(timed: Mapping[str, Any]) -> str:
    """World-steps per second on a GPU, beside MuJoCo Warp, and how far it is from the CPU."""
    found = {
        (f"`{one['scenario']}`", one["precision"], MIXTURE[one["moments"] > 1], one["worlds"]): one
        for one in timed["rates"]
    }
    counts = sorted({worlds for *_, worlds in found})
    rows = [
        [*kind, *(_rate(found.get((*kind, count))) for count in counts)]
        for kind in dict.fromkeys(key[:3] for key in found)
    ]
    columns = ("million world-steps per second", "", "", *(f"{count:,} worlds" for count in counts))
    return paragraphs(
        markdown_table(columns, rows),
        *_beside_mujoco_warp(timed),
        *_agreement(timed),
        *_variants(timed),
        f"*Device: {timed['device']}; `benchmarks/gpu.py` prints these numbers. {timed.get('cut', '')}".rstrip() + "*",
    )


def _beside_mujoco_warp(timed: Mapping[str, Any]) -> list[str]:
    """MuJoCo Warp on the same jobs, equal worlds in single precision, and how much longer it takes; or nothing."""
    ours = {
        (one["scenario"], one["worlds"]): one["world_steps_per_second"]
        for one in timed["rates"]
        if one["precision"] == "float32" and one["moments"] == 1
    }
    rows = []
    for one in timed.get("mujoco_warp", ()):
        settings = "best settings found" if one["best"] else "default settings"
        strays = "" if one["kept"] else ", which travel at another speed"
        ratio = ours[one["scenario"], one["worlds"]] / one["world_steps_per_second"]
        rows.append([f"`{one['scenario']}`", settings + strays, f"{one['worlds']:,}", _rate(one), short(ratio)])
    columns = ("MuJoCo Warp, float32", "", "worlds", "million world-steps per second", "times as long as pushpoint")
    return [markdown_table(columns, rows)] if rows else []


def _agreement(timed: Mapping[str, Any]) -> list[str]:
    """How far the GPU is from a CPU, as far as that is known: a paragraph, or none."""
    steps = [value for one in timed.values() if isinstance(one, dict) for name, value in one.items() if "step_" in name]
    known = []
    if steps:
        known.append(
            f"One step from the same state differs between this GPU and a CPU by at most {max(steps):.1e} (m/s, rad/s)."
        )
    if "alignment" in timed:
        known.append(
            f"One alignment of a shape curve differs by {timed['alignment']:.1e} rad, and the GPU lays "
            f"{timed['alignments/s'] / 1e6:.2g} million virtual robots along a curve per second."
        )
    return [" ".join(known)] if known else []


def _variants(timed: Mapping[str, Any]) -> list[str]:
    """How far each variant of the kernels on the GPU is from itself on a CPU; or nothing."""
    rows = []
    for name, worlds in timed.get("variants", {}).items():
        steps = [value for one in worlds.values() for field, value in one.items() if field.startswith("step_")]
        rows.append([*name.split(), f"{max(steps):.1e}"])
    columns = ("engine", "variant of the kernels", "GPU and CPU differ after one step by at most (m/s, rad/s)")
    return [markdown_table(columns, rows)] if rows else []


def _rate(row: Mapping[str, Any] | None) -> str:
    """Million world-steps per second, as far as they were timed."""
    return "not timed" if row is None else short(row["world_steps_per_second"] / 1e6)
