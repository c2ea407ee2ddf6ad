"""The pages on speed are written from what the benchmarks print, in the names that they print."""

from __future__ import annotations

from typing import Any

import pytest

from pushpoint.bench.courses import SCENARIOS
from pushpoint.bench.growth import LENGTHS
from pushpoint.bench.startup import CASES
from pushpoint.bench.variants import courses
from pushpoint.engine.variants import VARIANTS
from pushpoint.kernels.forms import FEATURES
from pushpoint.proof.speed import SPEED
from pushpoint.proof.speed.kernels import COURSES, PARTS, variant_table

MACHINE = {
    "processor": "Fast 9000",
    "cores": 2,
    "system": "Linux",
    "versions": {"pushpoint": "0.1.0", "mujoco": "4.0.0"},
}


def beside(**changes: float) -> dict[str, float]:
    """One comparison with MuJoCo, as `pushpoint bench` prints it."""
    named = {"us_per_step": 2.93, "mujoco_us_per_step": 73.1, "mujoco_fastest_us_per_step": 12.3}
    ratios = {"ratio_to_mujoco": 24.96, "ratio_to_mujoco_fastest": 4.21}
    speeds = {f"{name}mean_speed_m_per_s": 0.1624 for name in ("", "mujoco_", "mujoco_fastest_")}
    return named | ratios | speeds | changes


def test_planar() -> None:
    growth = {"time_176_links_over_11": 13.6, "time_7000_pegs_over_7": 1.04, "time_1001_polygons_over_7_pegs": 1.4}
    many = {"worlds": 256, "time_batch_over_single_runs": 0.5}
    timed = {"dt_s": 1e-3, "simulated_s": 10.0, "repeats": 9, "machine": MACHINE} | beside() | growth | many
    made = SPEED["planar speed"]({"bench-planar": timed})
    assert "| pushpoint | 2.9 |  | 16.2 |" in made and "| MuJoCo, default settings | 73 | 25 | 16.2 |" in made
    assert "11 to 176 links a step takes 14 times" in made and "256 worlds at once take 0.5 of the time" in made
    assert "medians of 9; Fast 9000, 2 cores; pushpoint 0.1.0, mujoco 4.0.0.*" in made


def test_spatial() -> None:
    gait = {"dt_1_ms": beside(us_per_step=6.8), "dt_0.25_ms": beside(us_per_step=4.7)}
    stable = {"dt_2_ms": {"finite": True, "in_range": True}, "dt_4_ms": {"finite": True, "in_range": False}}
    timed: dict[str, Any] = {"sidewinding": gait, "lateral_undulation": gait, "simulated_s": 9.0, "repeats": 5}
    timed |= {"stable": {"sidewinding": stable, "lateral_undulation": stable}}
    timed |= {"time_88_links_over_11": 7.1, "time_88_links_over_11_sidewinding": 8.8}
    timed |= {"time_1000x1000_field_over_10x10_same_spacing": 1.0, "worlds": 256, "time_batch_over_single_runs": 0.5}
    made = SPEED["spatial speed"]({"bench-spatial": timed})
    assert "| sidewinding, 0.25 ms | pushpoint | 4.7 |  | 16.2 |" in made
    assert "2 of 4 runs" in made and "8.8 times in sidewinding" in made


def test_gpu() -> None:
    course = {"step_v": 1.2e-11, "step_omega": 3e-12, "half_center": 4e-9}
    timed = {"device": "NVIDIA H200", "transeth2008a/flat": course, "alignments/s": 2.1e7, "alignment": 3e-14}
    row = {"scenario": "transeth2008a/flat", "precision": "float64"}
    rates = ((1024, 1, 2e7), (1024, 32, 1e7), (65536, 1, 1.5e8), (65536, 32, 7.5e7))
    timed["rates"] = [row | {"worlds": n, "moments": m, "world_steps_per_second": rate} for n, m, rate in rates]
    made = SPEED["speed on a GPU"]({"gpu": timed})
    assert "1,024 worlds | 65,536 worlds |" in made
    assert "| `transeth2008a/flat` | float64 | equal worlds | 20 | 150 |" in made
    assert "| `transeth2008a/flat` | float64 | 32 moments of a run | 10 | 75 |" in made
    assert "at most 1.2e-11" in made and "21 million virtual robots" in made and "NVIDIA H200" in made
    assert "MuJoCo" not in made


def test_a_gpu_beside_mujoco_warp() -> None:
    job = {"scenario": "transeth2008a/flat", "precision": "float32", "worlds": 1024}
    peer = job | {"best": True, "kept": True, "world_steps_per_second": 5e6}
    stray = job | {"best": False, "kept": False, "world_steps_per_second": 1e6}
    timed = {"device": "NVIDIA H200", "rates": [job | {"moments": 1, "world_steps_per_second": 2e7}]}
    made = SPEED["speed on a GPU"]({"gpu": timed | {"mujoco_warp": [peer, stray]}})
    assert "| `transeth2008a/flat` | best settings found | 1,024 | 5 | 4 |" in made
    assert "| `transeth2008a/flat` | default settings, which travel at another speed | 1,024 | 1 | 20 |" in made


def test_a_gpu_run_that_was_cut_short() -> None:
    rate = {"scenario": "spatial/stairs-rest", "precision": "float64", "worlds": 4096, "moments": 1}
    timed = {"device": "NVIDIA H200", "layout": "planes", "rates": [rate | {"world_steps_per_second": 2e6}]}
    made = SPEED["speed on a GPU"]({"gpu": timed})
    assert "| `spatial/stairs-rest` | float64 | equal worlds | 2 |" in made and "differs" not in made
    aligned = SPEED["speed on a GPU"]({"gpu": timed | {"alignment": 3e-14, "alignments/s": 2.1e7}})
    assert "3.0e-14 rad" in aligned and "One step" not in aligned


def test_variants_are_those_of_the_engine() -> None:
    made = variant_table()
    for engine, table in VARIANTS.items():
        assert all(f"| {engine} | `{name}` |" in made for name in table)
    assert "| planar | `plain` | obstacles |" in made and "| spatial | `level` | nothing |" in made
    assert "| planar | `rich` | everything but self-contact and the papers' prox iteration |" in made
    assert "| spatial | `detailed` | everything and tallies on request |" in made


def test_everything_that_is_timed_has_words() -> None:
    assert set(PARTS) == set(FEATURES)
    assert set(COURSES) == set(courses()) >= set(SCENARIOS) >= set(LENGTHS)


def test_speed_of_variants() -> None:
    one = {"engine": "spatial", "leanest": "level", "us_per_step": {"level": 6.251, "general": 12.46}}
    timed = {"repeats": 9, "steps": 2000, "courses": {"sidewinding": one | {"general_over_leanest": 1.9933}}}
    made = SPEED["speed of variants"]({"bench-variants": timed | {"compile_s": {"spatial": {"level": 4.04}}}})
    assert "| sidewinding | `level` 6.25, `general` 12.5 | 1.99 |" in made and "| spatial | `level` | 4.0 |" in made
    assert "the first 2,000 steps, by turns" in made


def test_growth() -> None:
    links = {"planar_flat": {"11": {"us_per_step": 2.2, "iterations": 1.43}}}
    timed = {"repeats": 7, "steps": 1000, "links": links, "worlds_per_core": {"planar_flat": {"1": 2.0, "16": 1.987}}}
    made = SPEED["growth"]({"bench-growth": timed})
    assert "| plane, flat ground | 11 | 2.20 | 0.20 | 1.4 |" in made
    assert "1 world per core | 16 worlds per core |" in made and "| plane, flat ground | 2.00 | 1.99 |" in made


def test_roofline() -> None:
    """40 kB at 20 GB/s take 2 us, 30,000 operations at 15 Gflop/s as long."""
    one = {
        "us_per_step": 8.0,
        "operations": 30000.0,
        "bytes": 40000.0,
        "operations_per_byte": 0.75,
        "gflop_per_s": 3.75,
    }
    core = {"copy_gb_per_s": 20.0, "scalar_gflop_per_s": 15.0}
    timed = {"repeats": 9, "steps": 2000, "counted_steps": 20, "core": core, "courses": {"sidewinding": one}}
    made = SPEED["roofline"]({"bench-roofline": timed})
    assert "| sidewinding | 30,000 | 40 | 0.8 | 2.00 | 2.00 | 8.00 |" in made
    assert "25 to 25 %" in made and "copies 20 GB per second" in made


@pytest.mark.parametrize("name", ["planar speed", "growth", "roofline", "speed of variants", "speed on a GPU"])
def test_what_was_not_timed_says_how(name: str) -> None:
    assert SPEED[name]({}).startswith("Not timed yet: keep what `")


def test_shape_curves_and_force_mapping() -> None:
    timed = {"links": 17, "us_per_alignment": 8.3, "us_per_command": 440.0, "worlds": 64, "simulated_s": 3.0}
    timed |= {"cores": 2, "repeats": 5, "real_time_factor_64_worlds": 2.4}
    made = SPEED["shape-curve speed"]({"bench-shape-curves": timed})
    assert (
        "17 links along a curve takes 8.3 µs" in made and "0.44 ms" in made and "2.4 times as fast as real time" in made
    )
    one = {"build_ms": 0.2, "solve_ms": 0.13, "build_and_solve_ms": 0.33, "iterations": 6}
    mapped = {"contacts": 5, "repeats": 2000, "links_20": one, "links_60": one}
    made = SPEED["force-mapping speed"]({"bench-force-mapping": mapped})
    assert "| 20 | 0.20 | 0.13 | 0.33 | 6 |" in made and "medians of 2,000" in made


def test_startup() -> None:
    timed = {f"{name}_s": 0.25 for name in CASES} | {"repeats": 9, "machine": MACHINE, "run_planar_s": 0.934}
    made = SPEED["start-up"]({"bench-startup": timed})
    assert "| `pushpoint run transeth2008a/obstacle-aided --no-media`, 10 s simulated | 0.93 |" in made
    assert made.count("| 0.25 |") == len(CASES) - 1 and "medians of 9; Fast 9000" in made


def test_environments_on_a_core() -> None:
    rates = {
        "Swimmer-v5, one world": {"steps_per_core_second": 15016.4, "over_peer": 1.0},
        "Slither-v0, 256 worlds": {"steps_per_core_second": 31248.2, "over_peer": 2.08},
    }
    made = SPEED["speed of environments"]({"environments": {"rounds": 5, "rates": rates, "machine": MACHINE}})
    assert "| Slither-v0, 256 worlds | 31,248 | 2.1 |" in made and "medians of 5; Fast 9000, 2 cores" in made
    assert "Not timed yet: keep what `python benchmarks/environments.py`" in SPEED["speed of environments"]({})


def test_environments_on_a_gpu() -> None:
    parts = {"physics": 4.1, "measurement": 1.2, "reset": 1.3, "command, reward, observation": 0.9, "policy": 0.4}
    rate = {"what": "PegField, 16384 worlds, float32", "env_steps_per_s": 2e6, "ms_per_step": 8.19, "split_ms": parts}
    apart = {"what": "PegField: device and CPU, float64", "observation": 1.5e-7, "reward": 0.0}
    broken = {"what": "PegField with a policy of JAX", "failed": "ModuleNotFoundError"}
    found = {"device": "a GPU", "torch": "2.13.0", "rates": [rate, apart, broken]}
    made = SPEED["environments on a GPU"]({"environments-gpu": found})
    assert "| PegField, 16384 worlds, float32 | 2,000,000 | 8.2 | 4.1 | 1.2 | 1.3 | 0.9 | 0.4 |" in made
    assert "from the CPU's within a second: PegField 1.5e-07." in made
    assert "Not timed yet: keep what `python benchmarks/learning/on_device.py`" in SPEED["environments on a GPU"]({})
