"""Trees of arrays: types are kept, leaves get, lose and exchange their worlds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.batching import form, merge, pick, stack
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel


class Pair(NamedTuple):
    near: np.ndarray
    far: np.ndarray | None


@dataclass(frozen=True)
class Memory:
    pair: Pair
    rest: tuple[np.ndarray, ...]
    count: np.ndarray

    def __post_init__(self) -> None:
        assert np.ndim(self.count) == 0, "the checks at birth are those of one world"


def memory(k: int) -> Memory:
    return Memory(Pair(np.array([k, 2.0 * k]), None), (np.array(-1.0 * k),), np.array(k))


def test_stacked_trees_keep_their_types_and_get_a_world_axis() -> None:
    both = stack([memory(1), memory(2), memory(3)])
    assert type(both) is Memory and type(both.pair) is Pair and type(both.rest) is tuple and both.pair.far is None
    np.testing.assert_array_equal(both.pair.near, [[1, 2], [2, 4], [3, 6]])
    np.testing.assert_array_equal(both.rest[0], [-1, -2, -3])
    assert both.count.dtype == np.array(1).dtype and both.count.tolist() == [1, 2, 3]


def test_worlds_are_picked_by_number_numbers_and_mask() -> None:
    batch = stack([memory(k) for k in range(4)])
    assert pick(batch, 2).pair.near.tolist() == [2.0, 4.0] and pick(batch, 2).count == 2
    for rows in ([3, 1], np.array([False, True, False, True])):
        assert sorted(pick(batch, rows).count.tolist()) == [1, 3]


def test_merged_worlds_are_those_of_the_part_and_nothing_is_changed_in_place() -> None:
    batch, part = stack([memory(k) for k in range(4)]), stack([memory(7), memory(9)])
    for rows in ([1, 3], np.array([False, True, False, True])):
        merged = merge(batch, rows, part)
        assert type(merged) is Memory
        assert merged.count.tolist() == [0, 7, 2, 9] and merged.rest[0].tolist() == [0, -7, -2, -9]
    assert batch.count.tolist() == [0, 1, 2, 3]


def test_form_is_types_and_shapes() -> None:
    assert form(memory(1)) == form(memory(2))
    assert form(memory(1)) != form(stack([memory(1)]))
    assert form(memory(1)) != form(memory(1).pair)
    assert form(Pair(np.zeros(2), None)) != form(Pair(np.zeros(2), np.zeros(2)))
    assert form(Pair(np.zeros(2), None)) != form((np.zeros(2), None))


def test_samples_that_have_no_room_are_refused() -> None:
    """Their rows are counted from the first step on, wherever recording begins."""
    link = pp.PlanarLink(length=0.1, mass=0.4, inertia=5e-4, radius=0.02)
    robot = pp.PlanarRobot(links=(link,) * 3)
    stepper = Stepper([robot], [pp.Environment()], pp.Settings())
    stepper.advance(50)
    stepper.new_samples(60, 1)
    stepper.advance(9)
    with pytest.raises(InvalidModel, match="samples = 60, must be less than 60"):
        stepper.advance(1)
