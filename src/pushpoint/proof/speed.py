"""How fast it is, as Markdown for the documents: from what `pushpoint bench` and benchmarks/gpu.py printed as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pushpoint.pages.page import markdown_table

Results = Mapping[str, Mapping[str, Any]]
PEERS = {
    "": "pushpoint",
    "mujoco_": "MuJoCo, default settings",
    "mujoco_discrete_": "MuJoCo, its discrete integrator",
    "mujoco_fastest_": "MuJoCo, fastest settings found",
}
"""What the names of a comparison begin with, and whose they are."""
GAITS = {"sidewinding": "sidewinding", "lateral_undulation": "lateral undulation, friction 0.1 and 0.5"}
STEPS = {"dt_1_ms": "1 ms", "dt_0.25_ms": "0.25 ms"}
MIXTURE = ("equal worlds", "32 gait phases")
"""Worlds of one batch: all alike, or side by side in different phases of the gait, as in studies and learning."""


def fast_sentence(results: Results) -> str:
    """The planar engine beside MuJoCo in one sentence; nothing where it was not timed."""
    if "bench-planar" not in results:
        return ""
    timed = results["bench-planar"]
    return (
        f"**{_short(timed['ratio_to_mujoco'])} times as fast as MuJoCo** with its default settings on the same "
        f"obstacle course, and {_short(timed['ratio_to_mujoco_fastest'])} times as fast as with the fastest settings "
        f"we found: {_short(timed['us_per_step'])} µs per step on one core ([how it was timed](docs/proof/speed.md))."
    )


def _short(value: float) -> str:
    """Two digits, without an exponent."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def planar_speed(timed: Mapping[str, Any]) -> str:
    """The planar engine beside MuJoCo, and how its step grows."""
    rows = [
        [
            whose,
            _short(timed[f"{name}us_per_step"]),
            _short(timed[f"ratio_to_{name.removesuffix('_')}"]) if name else "",
            f"{100 * timed[f'{name}mean_speed_m_per_s']:.1f}",
        ]
        for name, whose in PEERS.items()
        if f"{name}us_per_step" in timed
    ]
    columns = ("obstacle-aided course", "µs per step", "times as long as pushpoint", "mean speed [cm/s]")
    growth = (
        f"From 11 to 176 links a step takes {_short(timed['time_176_links_over_11'])} times as long, from 7 to 7,000 "
        f"pegs {timed['time_7000_pegs_over_7']:.2f} times; 1,001 octagons cost "
        f"{_short(timed['time_1001_polygons_over_7_pegs'])} times as much as 7 pegs. {timed['worlds']} worlds at "
        f"once take {_short(timed['time_batch_over_single_runs'])} of the time of {timed['worlds']} single runs."
    )
    how = (
        f"{timed['simulated_s']:g} s at a time step of {1e3 * timed['dt_s']:g} ms, both on one core, by turns, "
        f"processor time, medians of {timed['repeats']}"
    )
    return _joined(markdown_table(columns, rows), growth, _origin(timed, how))


def spatial_speed(timed: Mapping[str, Any]) -> str:
    """The spatial engine beside MuJoCo, and how its step grows."""
    rows = []
    for gait, words in GAITS.items():
        for step, length in STEPS.items():
            one = timed[gait][step]
            for name, whose in PEERS.items():
                if f"{name}us_per_step" in one:
                    ratio = _short(one[f"ratio_to_{name.removesuffix('_')}"]) if name else ""
                    speed = f"{100 * one[f'{name}mean_speed_m_per_s']:.1f}"
                    rows.append([f"{words}, {length}", whose, _short(one[f"{name}us_per_step"]), ratio, speed])
    columns = ("gait and time step", "", "µs per step", "times as long as pushpoint", "mean speed [cm/s]")
    kept = [one["in_range"] for gait in timed["stable"].values() for one in gait.values()]
    large = (
        f"At 2 and 4 ms {sum(kept)} of {len(kept)} runs of both gaits travel as far in 15 s as a correct "
        "implementation of the paper's model does."
    )
    growth = (
        f"From 11 to 88 links a step takes {_short(timed['time_88_links_over_11'])} times as long in undulation and "
        f"{_short(timed['time_88_links_over_11_sidewinding'])} times in sidewinding, where the solver also iterates "
        f"more. On a height field of a million points it takes "
        f"{timed['time_1000x1000_field_over_10x10_same_spacing']:.2f} times as long as on one of a hundred. "
        f"{timed['worlds']} worlds at once take {_short(timed['time_batch_over_single_runs'])} of the time of "
        f"{timed['worlds']} single runs."
    )
    how = f"{timed['simulated_s']:g} s of each gait, one core, by turns, processor time, medians of {timed['repeats']}"
    return _joined(markdown_table(columns, rows), large, growth, _origin(timed, how))


def shape_curve_speed(timed: Mapping[str, Any]) -> str:
    """Planning by shape curves in sentences."""
    worlds = timed["worlds"]
    text = (
        f"Laying {timed['links']} links along a curve takes {_short(timed['us_per_alignment'])} µs, and a whole "
        f"command of the follower {timed['us_per_command'] / 1e3:.2g} ms. {worlds} worlds that follow a curve at "
        f"30 Hz, with dynamics, run {_short(timed[f'real_time_factor_{worlds}_worlds'])} times as fast as real time."
    )
    how = f"{timed['simulated_s']:g} s simulated, {timed['cores']} cores, medians of {timed['repeats']} runs"
    return _joined(text, _origin(timed, how))


def force_mapping_speed(timed: Mapping[str, Any]) -> str:
    """One force mapping, built and solved."""
    sizes = {name.removeprefix("links_"): one for name, one in timed.items() if name.startswith("links_")}
    rows = [
        [size, *(f"{one[f'{part}_ms']:.2f}" for part in ("build", "solve", "build_and_solve")), str(one["iterations"])]
        for size, one in sizes.items()
    ]
    columns = ("links", "build [ms]", "solve [ms]", "both [ms]", "iterations")
    how = f"{timed['contacts']} contacts, one core, processor time, medians of {timed['repeats']:,}"
    return _joined(markdown_table(columns, rows), _origin(timed, how))


STARTS = {
    "import": "`import pushpoint`",
    "help": "`pushpoint --help`",
    "list": "`pushpoint list`",
    "run_planar": "`pushpoint run transeth2008a/obstacle-aided --no-media`, 10 s simulated",
    "run_spatial": "`pushpoint run transeth2008b/sidewinding --no-media`, 15 s simulated",
    "libraries": "the libraries that a run needs, imported alone",
    "python": "Python alone",
}
"""What is timed of the command line, and how it is called."""


def startup_speed(timed: Mapping[str, Any]) -> str:
    """Whole commands, from the start of Python to the end."""
    rows = [[words, f"{timed[f'{name}_s']:.2f}"] for name, words in STARTS.items()]
    how = f"whole processes, by turns, processor time, kernels compiled before, medians of {timed['repeats']}"
    return _joined(markdown_table(("command", "processor time [s]"), rows), _origin(timed, how))


def gpu_speed(timed: Mapping[str, Any]) -> str:
    """World-steps per second on a GPU, and how far it is from the CPU."""
    found = {
        (f"`{one['scenario']}`", one["precision"], MIXTURE[one["phases"] > 1], one["worlds"]): one
        for one in timed["rates"]
    }
    counts = sorted({worlds for *_, worlds in found})
    rows = [
        [*kind, *(_rate(found.get((*kind, count))) for count in counts)]
        for kind in dict.fromkeys(key[:3] for key in found)
    ]
    columns = ("million world-steps per second", "", "", *(f"{count:,} worlds" for count in counts))
    steps = [value for one in timed.values() if isinstance(one, dict) for name, value in one.items() if "step_" in name]
    agreement = (
        f"One step from the same state differs between this GPU and a CPU by at most {max(steps):.1e} (m/s, rad/s), "
        f"and one alignment of a shape curve by {timed['alignment']:.1e} rad. It lays "
        f"{timed['alignments/s'] / 1e6:.2g} million virtual robots along a curve per second."
    )
    return _joined(
        markdown_table(columns, rows),
        agreement,
        f"*Device: {timed['device']}; `benchmarks/gpu.py` prints these numbers. {timed.get('cut', '')}".rstrip() + "*",
    )


def _rate(row: Mapping[str, Any] | None) -> str:
    """Million world-steps per second, as far as they were timed."""
    return "not timed" if row is None else _short(row["world_steps_per_second"] / 1e6)


def _origin(timed: Mapping[str, Any], how: str) -> str:
    """How it was measured, on what."""
    machine = timed.get("machine", {})
    versions = ", ".join(f"{name} {version}" for name, version in machine.get("versions", {}).items())
    where = f"; {_plain(machine['processor'])}, {machine['cores']} cores; {versions}" if machine else ""
    return f"*{how[:1].upper() + how[1:]}{where}.*"


def _joined(*parts: str) -> str:
    return "\n\n".join(parts)


def _block(result: str, made_by: str, write: Callable[[Mapping[str, Any]], str]) -> Callable[[Results], str]:
    missing = f"Not timed yet: keep what `{made_by}` prints as `docs/results/{result}.json`, then `make documents`."
    return lambda results: write(results[result]) if result in results else missing


SPEED: Mapping[str, Callable[[Results], str]] = {
    "planar speed": _block("bench-planar", "pushpoint bench planar --json", planar_speed),
    "spatial speed": _block("bench-spatial", "pushpoint bench spatial --json", spatial_speed),
    "speed on a GPU": _block("gpu", "python benchmarks/gpu.py check", gpu_speed),
    "shape-curve speed": _block("bench-shape-curves", "pushpoint bench shape-curves --json", shape_curve_speed),
    "force-mapping speed": _block("bench-force-mapping", "pushpoint bench force-mapping --json", force_mapping_speed),
    "start-up": _block("bench-startup", "pushpoint bench startup --json", startup_speed),
}
"""Blocks of docs/proof/speed.md by their names."""


def _plain(processor: str) -> str:
    """A processor's name without the signs of registered marks."""
    return processor.replace("(R)", "").replace("(TM)", "")
