"""How fast it is, as Markdown for the documents: from what `pushpoint bench` and benchmarks/gpu.py printed as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pushpoint.proof.speed.beside_mujoco import planar_speed, spatial_speed
from pushpoint.proof.speed.environments import environment_speed, environment_speed_on_gpu
from pushpoint.proof.speed.gpu import gpu_speed
from pushpoint.proof.speed.kernels import growth, roofline, variant_speed
from pushpoint.proof.speed.planning import force_mapping_speed, shape_curve_speed, startup_speed
from pushpoint.proof.speed.stepping import stepping_speed
from pushpoint.proof.speed.wording import short

Results = Mapping[str, Mapping[str, Any]]


def fast_sentence(results: Results) -> str:
    """The planar engine beside MuJoCo in one sentence; nothing where it was not timed."""
    if "bench-planar" not in results:
        return ""
    timed = results["bench-planar"]
    return (
        f"**{short(timed['ratio_to_mujoco'])} times as fast as MuJoCo** with its default settings on the same "
        f"obstacle course, and {short(timed['ratio_to_mujoco_fastest'])} times as fast as with the fastest settings "
        f"we found: {short(timed['us_per_step'])} µs per step on one core ([how it was timed](docs/proof/speed.md))."
    )


def _block(result: str, made_by: str, write: Callable[[Mapping[str, Any]], str]) -> Callable[[Results], str]:
    missing = f"Not timed yet: keep what `{made_by}` prints as `docs/results/{result}.json`, then `make documents`."
    return lambda results: write(results[result]) if result in results else missing


def _bench(name: str, write: Callable[[Mapping[str, Any]], str]) -> Callable[[Results], str]:
    return _block(f"bench-{name}", f"pushpoint bench {name} --json", write)


SPEED: Mapping[str, Callable[[Results], str]] = {
    "planar speed": _bench("planar", planar_speed),
    "spatial speed": _bench("spatial", spatial_speed),
    "speed of variants": _bench("variants", variant_speed),
    "growth": _bench("growth", growth),
    "roofline": _bench("roofline", roofline),
    "speed on a GPU": _block("gpu", "python benchmarks/gpu.py check", gpu_speed),
    "shape-curve speed": _bench("shape-curves", shape_curve_speed),
    "force-mapping speed": _bench("force-mapping", force_mapping_speed),
    "stepping speed": _bench("learning", stepping_speed),
    "speed of environments": _block("environments", "python benchmarks/environments.py", environment_speed),
    "environments on a GPU": _block(
        "environments-gpu", "python benchmarks/learning/on_device.py", environment_speed_on_gpu
    ),
    "start-up": _bench("startup", startup_speed),
}
"""Blocks of docs/proof/speed.md by their names."""
