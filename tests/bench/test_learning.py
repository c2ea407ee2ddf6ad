"""The benchmark of stepping from outside: the figures it owes, and the page made from them."""

from __future__ import annotations

import json

import pytest

from pushpoint.bench import learning
from pushpoint.errors import MissingExtra
from pushpoint.proof.speed import SPEED

pytest.importorskip("gymnasium")


@pytest.fixture(scope="module")
def figures() -> dict:
    """A first impression with few worlds and a peer that does nothing, so that the test is short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "WORLDS", 4)
        patch.setattr(learning, "COURSES", 2)
        patch.setattr(learning, "_peer", lambda steps: lambda: sum(range(10_000)))
        return learning.run_bench(quick=True)


def test_the_figures_are_all_there(figures: dict) -> None:
    for rate, dt in (("20_hz", 5e-3), ("100_hz", 1e-3)):
        one = figures[rate]
        assert one["dt_s"] == dt
        assert one["one_world_steps_per_s"] == pytest.approx(1e3 / one["one_world_ms_per_step"])
        for name in ("one_world", "many_worlds"):
            share = one[f"{name}_steps_per_s"] / figures["peer_steps_per_s"]
            assert one[f"{name}_over_peer"] == pytest.approx(share)
        assert one["many_worlds_steps_per_s"] > one["one_world_steps_per_s"]
    assert min(figures[name] for name in figures if name.startswith(("swap_ms", "ms_per"))) > 0.0
    json.dumps(figures)


def test_the_page_has_them() -> None:
    one = {"dt_s": 5e-3, "one_world_steps_per_s": 5000.0, "many_worlds_steps_per_s": 40_000.0}
    one |= {"one_world_over_peer": 0.5, "many_worlds_over_peer": 4.0}
    timed = {
        "peer": "Swimmer-v5",
        "peer_steps_per_s": 10_000.0,
        "worlds": 256,
        "links": 11,
        "repeats": 9,
        "courses": 32,
    }
    timed |= {
        "20_hz": one,
        "100_hz": one,
        "swap_ms_one_at_a_time": 0.4,
        "swap_ms_from_a_pool": 0.3,
        "swap_ms_together": 0.2,
    }
    made = SPEED["stepping speed"]({"bench-learning": timed | {"ms_per_random_course": 3.0}})
    assert "| `Simulator.step`, one world, 20 Hz, time step 5 ms | 0.2 | 5,000 | 0.5 |" in made
    assert "| `Simulator.step`, 256 worlds, 100 Hz, time step 5 ms | 0.025 | 40,000 | 4 |" in made
    assert "0.4 ms if it comes alone and 0.2 ms if 32 come together" in made and "one alone takes 0.3 ms" in made


def test_the_worlds_that_are_benchmarked() -> None:
    assert (learning.WORLDS, learning.PEER) == (256, "Swimmer-v5")


def test_the_peer_without_mujoco(monkeypatch: pytest.MonkeyPatch) -> None:
    import gymnasium

    def missing(name: str) -> None:
        raise gymnasium.error.DependencyNotInstalled(name)

    monkeypatch.setattr(gymnasium, "make", missing)
    with pytest.raises(MissingExtra, match="'bench'"):
        learning._peer(1)
