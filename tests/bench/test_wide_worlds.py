"""Random worlds from the whole space of options: they contain everything, and the engine handles them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pushpoint.bench import wide_worlds
from pushpoint.bench.random_worlds import ROBOTS, TERRAINS, run_cases
from pushpoint.bench.violent_worlds import PLANAR_ROBOTS, PLANAR_TERRAINS
from pushpoint.bench.wide_worlds import HOLLOW, NEW_TERRAINS, Maker, wide_case, wide_planar_case
from pushpoint.model.friction import Varying


def test_seeds_contain_every_option() -> None:
    rng = np.random.default_rng(0)
    drawn = [wide_worlds._spatial_robot(rng, ROBOTS[k % len(ROBOTS)]()) for k in range(40)]
    assert {turned for _, turned in drawn} == {0, 1}
    assert {robot.self_contact for robot, _ in drawn} == {False, True}
    axles = Counter(len(link.wheels) for robot, _ in drawn for link in robot.links)
    assert set(axles) == {0, 1, 2}
    kinds = {type(wide_worlds._spatial_controller(rng)).__name__ for _ in range(200)}
    assert kinds >= {"NoneType", "CompoundSerpenoid", "ConicalSidewinding", "TurningSidewinding", "LiftedSlithering"}
    assert kinds >= {"HelicalRolling", "PatternGenerator", "Sidewinding", "Rolling", "SinusLifting", "VerticalWave"}
    laws = [wide_worlds._law(rng, spatial=False) for _ in range(100)]
    assert any(isinstance(law, Varying) for law in laws) and len({type(law) for law in laws}) == 6
    for terrain in (*TERRAINS, *NEW_TERRAINS):
        wide_worlds._place(rng, terrain)
    for terrain in (*PLANAR_TERRAINS, HOLLOW):
        wide_worlds._planar_place(rng, terrain)
    planar = [wide_worlds._planar_robot(rng, PLANAR_ROBOTS[k % len(PLANAR_ROBOTS)]()) for k in range(40)]
    assert {robot.self_contact for robot in planar} == {False, True}
    assert any(link.wheels for robot in planar for link in robot.links)


@pytest.mark.parametrize(("make", "seeds"), [(wide_planar_case, range(6)), (wide_case, range(4))])
def test_the_engine_handles_them(make: Maker, seeds: range) -> None:
    for seed in seeds:
        (outcome,) = run_cases([make(seed)], duration=0.3)
        assert not outcome.failed, outcome


@pytest.mark.slow
@pytest.mark.parametrize("make", [wide_planar_case, wide_case])
def test_many_of_them(make: Maker) -> None:
    from pushpoint.bench.random_worlds import report

    found = report(0, 60, make=make)
    assert found["passed"] and found["ended_early"] == 0, found
