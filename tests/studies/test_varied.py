"""What varies: codes of shares, values of codes, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.studies import Normal, PegFields, Range, Seeds, Values

SHARES = np.array([0.0, 0.25, 0.5, 0.75, 1.0 - 2**-53])


def test_shares_of_a_range_are_its_numbers() -> None:
    assert Range(field="duration", low=1.0, high=3.0).codes(SHARES[:4]).tolist() == [1.0, 1.5, 2.0, 2.5]
    ratios = Range(field="duration", low=1.0, high=16.0, logarithmic=True).codes(SHARES[:4])
    assert ratios == pytest.approx([1.0, 2.0, 4.0, 8.0], rel=1e-12)  # powers of two, to rounding


def test_a_grid_takes_both_ends_of_a_range_exactly() -> None:
    numbers = Range(field="duration", low=0.1, high=0.7, count=4).grid_codes(np.arange(4))
    assert (numbers[0], numbers[-1]) == (0.1, 0.7)
    assert numbers == pytest.approx([0.1, 0.3, 0.5, 0.7], rel=1e-12)


def test_every_value_has_an_equal_part_of_the_shares() -> None:
    three = Values(field="duration", values=[5, 6, 7])
    codes = three.codes(np.linspace(0.0, 1.0, 3000, endpoint=False))
    assert np.unique(codes, return_counts=True)[1].tolist() == [1000, 1000, 1000]
    assert [three.value(code) for code in (0.0, 1.0, 2.0)] == [5, 6, 7]
    assert three.codes(SHARES)[-1] == 2.0


def test_normal_numbers_have_their_mean_and_deviation_and_an_end() -> None:
    even = (np.arange(100_000) + 0.5) / 100_000
    numbers = Normal(field="duration", mean=2.0, deviation=0.5, most=3.0).codes(even)
    assert numbers.mean() == pytest.approx(2.0, abs=1e-9)
    # Variance of a normal distribution cut at 3: 1 - 2 * 3 * pdf(3) / (1 - 2 * cdf(-3)).
    cut = 1.0 - 6.0 * math.exp(-4.5) / math.sqrt(2 * math.pi) / math.erf(3 / math.sqrt(2))
    assert numbers.std() == pytest.approx(0.5 * math.sqrt(cut), rel=1e-4)  # of 1e5 even shares
    assert 0.5 <= numbers.min() and numbers.max() <= 3.5


def test_seeds_follow_each_other() -> None:
    assert [Seeds(field="sensors.seed", count=3, first=7).value(code) for code in (0.0, 2.0)] == [7, 9]


def test_sections_are_told_by_their_kinds() -> None:
    gaits = [{"kind": "hold"}, {"kind": "rolling"}]
    varied = Values(field="controller", values=gaits)
    assert [varied.told(0.0), varied.told(1.0)] == ["hold", "rolling"]
    alike = Values(field="controller", values=[{"kind": "hold"}, {"kind": "hold", "rate": 1.0}])
    assert len(set(alike.labels)) == 2


def test_objects_are_written_as_files_hold_them() -> None:
    gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.0, phase_shift=-0.5)
    assert Values(field="controller", values=[gait]).value(0.0)["kind"] == "lateral-undulation"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Range(field="duration", low=1.0, high=1.0), "varied.high = 1.0, must be above low = 1"),
        (lambda: Range(field="duration", low=0.0, high=1.0, logarithmic=True), "varied.low = 0.0, must be > 0"),
        (lambda: Range(field="no key!", low=0.0, high=1.0), "varied.field = 'no key!', must be a key"),
        (lambda: Values(field="duration", values=[]), "at least one value"),
        (lambda: Values(field="duration", values=[1, 1]), "each value is given once"),
        (lambda: Values(field="duration", values=[1, 2], labels=["a"]), "2 different names"),
        (lambda: Values(field="duration", values=[object()]), r"varied.values\[0\]"),
        (lambda: Seeds(field="sensors.seed", count=0), "varied.count = 0"),
        (
            lambda: PegFields(count=2, field="robot", density=1.0, radius=(0.1, 0.1), x=(0, 1), y=(0, 1)),
            "varied.field = 'robot', must be obstacles",
        ),
        (lambda: PegFields(count=2, density=1.0, radius=(0.1, 0.1), x=(1, 0), y=(0, 1)), "the second larger"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, said: str) -> None:
    with pytest.raises(InvalidModel, match=said):
        make()


def test_pegs_keep_clear_of_the_robot_at_its_start() -> None:
    world = pp.scenario("transeth2008a/flat").world
    field = PegFields(count=3, density=30.0, radius=(0.02, 0.02), x=(-0.6, 0.6), y=(-0.4, 0.4), gap=0.05)
    pegs = field.obstacles(1, world)
    course = pp.Environment(ground=world.environment.ground, obstacles=pegs)
    run = pp.simulate(pp.World(world.robot, course, world.controller, world.start), 0.002)
    middle = run.link_position.isel(time=0).values
    # A link's end is half its length from its middle: what is nearer than the gap to a middle would be an overlap.
    near = min(math.hypot(x - peg.x, y - peg.y) - peg.radius for x, y in middle for peg in pegs)
    assert len(pegs) == round(30.0 * 1.2 * 0.8) and near >= 0.05
    assert field.obstacles(1, world) == pegs != field.obstacles(2, world)
