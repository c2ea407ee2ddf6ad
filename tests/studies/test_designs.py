"""Designs: which rows they have, in which order, and what stays the same when a study grows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import qmc

from pushpoint.errors import InvalidModel
from pushpoint.studies import (
    Design,
    GridDesign,
    LatinHypercubeDesign,
    Normal,
    RandomDesign,
    Range,
    SobolDesign,
    Values,
    Varied,
)

A = Range(field="duration", low=0.0, high=1.0)
B = Range(field="settings.dt", low=0.0, high=1.0)
THREE = Values(field="robot", values=["a", "b", "c"])


def rows(design: Design, *varies: Varied) -> np.ndarray:
    return np.concatenate(list(design.blocks(varies)))


def test_a_grid_has_every_combination_the_last_fastest() -> None:
    in_grid = Range(field="duration", low=0.0, high=1.0, count=2)
    assert rows(GridDesign(), THREE, in_grid).tolist() == [list(each) for each in product(range(3), (0.0, 1.0))]


def test_blocks_of_a_large_grid_join_without_a_seam() -> None:
    wide = Range(field="duration", low=0.0, high=9999.0, count=10_000)
    assert rows(GridDesign(), wide)[:, 0] == pytest.approx(np.arange(10_000), abs=1e-9)


@pytest.mark.parametrize("design", [RandomDesign, SobolDesign])
def test_more_rows_leave_the_first_as_they_were(design: type[RandomDesign] | type[SobolDesign]) -> None:
    few, many = rows(design(count=5000, seed=3), A, B), rows(design(count=9000, seed=3), A, B)
    assert np.array_equal(many[:5000], few) and not np.array_equal(few, rows(design(count=5000, seed=4), A, B))


def test_a_further_thing_that_varies_leaves_random_rows_as_they_were() -> None:
    assert np.array_equal(rows(RandomDesign(count=100), A, B)[:, 0], rows(RandomDesign(count=100), A)[:, 0])


def test_sobol_is_scipys_sequence_and_evener_than_chance() -> None:
    found = rows(SobolDesign(count=1024), A, B)
    assert np.array_equal(found, qmc.Sobol(2, rng=np.random.default_rng(0)).random(1024))
    assert qmc.discrepancy(found) < 0.2 * qmc.discrepancy(rows(RandomDesign(count=1024), A, B))


def test_each_part_of_a_latin_hypercube_holds_one_row() -> None:
    found = rows(LatinHypercubeDesign(count=5000, seed=1), A, B)
    for column in found.T:
        assert sorted((column * 5000).astype(int).tolist()) == list(range(5000))


def test_random_rows_fill_the_square_evenly() -> None:
    cells = np.histogram2d(*rows(RandomDesign(count=40_000), A, B).T, bins=4, range=[[0, 1], [0, 1]])[0]
    assert np.abs(cells - 2500).max() < 5 * np.sqrt(2500)  # five standard deviations of a count


@pytest.mark.parametrize(
    ("design", "varied", "said"),
    [
        (GridDesign(), A, r"varies\[0\].count = None, must be given in a grid"),
        (GridDesign(), Normal(field="duration", mean=0.0, deviation=1.0), r"varies\[0\]"),
        (
            RandomDesign(count=3),
            Range(field="duration", low=0, high=1, count=3),
            "left out unless the design is a grid",
        ),
    ],
)
def test_what_does_not_fit_a_design_is_refused(design: Design, varied: Varied, said: str) -> None:
    with pytest.raises(InvalidModel, match=said):
        design.rows([varied])
