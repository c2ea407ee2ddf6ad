"""The timing of set-ups: what is built in each case, and what is said of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pushpoint.bench import setup
from pushpoint.bench.setup import CLEAR, RADIUS, SPACING, Case
from pushpoint.cli.main import main

STAGES = {"pegs_s", "worlds_s", "pack_s", "steps_s", "dataset_s"}


@pytest.mark.parametrize("kind", setup.ROBOTS)
def test_stages_add_up(kind: str) -> None:
    found = setup.timed_case(Case(kind, 5, 3, "robot"))
    assert set(found) == STAGES | {"set_up_s", "set_up_per_world_us", "memory_mb"}
    parts = found["worlds_s"] + found["pack_s"] + found["dataset_s"]  # pegs are the user's own, steps no set-up
    assert found["set_up_s"] == pytest.approx(parts) and found["set_up_per_world_us"] == pytest.approx(parts / 3 * 1e6)


def test_pegs_are_apart_and_leave_the_start_free() -> None:
    places = np.array([(peg.x, peg.y) for peg in setup._pegs(400, seed=3)])
    assert np.hypot(*places.T).min() >= CLEAR
    apart = np.linalg.norm(places[:, None] - places, axis=-1)[~np.eye(400, dtype=bool)]
    assert apart.min() > 2 * RADIUS  # a spiral by the golden angle keeps its points about a spacing apart
    assert 0.5 * SPACING < apart.min() < 1.2 * SPACING


@pytest.mark.parametrize(("shared", "starts", "courses"), [("all", 1, 1), ("course", 4, 1), ("robot", 4, 4)])
def test_worlds_share_what_the_case_says(shared: str, starts: int, courses: int) -> None:
    make, _ = setup.ROBOTS["planar"]
    places = [setup._environment(setup._pegs(3, seed)) for seed in range(courses)]
    worlds = setup._worlds(Case("planar", 3, 4, shared), make(), places)
    assert len(worlds) == 4 and len({id(world.robot) for world in worlds}) == 1
    assert len({id(world.environment) for world in worlds}) == courses
    assert len({id(world.start) for world in worlds}) == starts


def test_every_case_is_in_the_report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[Case] = []
    monkeypatch.setattr(setup, "_in_child", lambda case: asked.append(case) or {"set_up_s": 1.0})
    assert main(["bench", "setup", "--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) - {"machine"} == {
        f"{kind}_{what}" for kind in ("planar", "spatial") for what in ("pegs_10000", "worlds_100", "worlds_1000")
    }
    assert len(asked) == 14 and len(set(asked)) == 14


@pytest.mark.slow
def test_a_case_runs_in_a_process_of_its_own() -> None:
    assert setup._in_child(Case("planar", 2))["memory_mb"] >= 0.0
