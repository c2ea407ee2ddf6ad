"""Proposers on functions whose best is known, without a simulation."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from pushpoint.errors import InvalidModel, MissingExtra
from pushpoint.studies.optimising.proposing import Evolution, Front, Proposer, Sections
from pushpoint.studies.optimising.space import Bounds, candidate_at, checked_space

CENTER = np.array([0.3, 0.62, 0.45])


def bowl(point: np.ndarray) -> list[float]:
    """A bowl a hundred times steeper along one axis; least at CENTER."""
    return [float((np.array([1.0, 10.0, 1.0]) ** 2 * (point - CENTER) ** 2).sum())]


def searched(proposer: Proposer, generations: int) -> list[tuple[np.ndarray, list[float]]]:
    found = []
    for _ in range(generations):
        points = proposer.ask()
        scores = [bowl(point) for point in points]
        proposer.tell(points, scores)
        found += list(zip(points, scores, strict=True))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_evolution_finds_the_bottom_of_a_bowl(seed: int) -> None:
    point, _score = min(searched(Evolution(3, 16, seed), 30), key=lambda pair: pair[1])
    np.testing.assert_allclose(point, CENTER, atol=0.01)  # a hundredth of the range, of a search that still narrows


def test_equal_seeds_propose_equal_points_and_others_do_not() -> None:
    first, second, other = (searched(Evolution(3, 8, seed), 5) for seed in (3, 3, 4))
    assert all((a[0] == b[0]).all() for a, b in zip(first, second, strict=True))
    assert not any((a[0] == b[0]).all() for a, b in zip(first, other, strict=True))


def test_sections_narrow_down_on_a_single_parameter() -> None:
    sections, top = Sections(9), 0.3217
    for _ in range(9):
        points = sections.ask()
        sections.tell(points, [[-float(np.cos(point[0] - top))] for point in points])
    assert sections.ask()[4][0] == pytest.approx(top, abs=4.0**-8)  # each turn keeps a quarter


def test_sections_keep_a_best_at_the_end_of_the_range() -> None:
    sections = Sections(5)
    for _ in range(6):
        points = sections.ask()
        sections.tell(points, [[float(point[0])] for point in points])
    assert sections.ask()[0][0] == 0.0


def test_the_front_of_two_parabolas(tmp_path: Path) -> None:
    """Schaffer's problem: x^2 and (x - 2)^2 over -3 to 5 have their front where x is 0 to 2: sqrt f1 + sqrt f2 = 2."""
    front = Front(["x", "y"], 2, 24, seed=1, journal=tmp_path / "search.journal")
    tried: list[list[float]] = []
    for _ in range(20):
        points = front.ask()
        scores = [[(8 * p[0] - 3) ** 2 + p[1], (8 * p[0] - 5) ** 2 + p[1]] for p in points]
        front.tell(points, scores)
        tried += scores
    values = np.array(tried)
    kept = [row for row in values if not ((values <= row).all(axis=1) & (values < row).any(axis=1)).any()]
    sums = np.sqrt(np.array(kept)).sum(axis=1)
    assert len(kept) >= 5 and np.median(sums) == pytest.approx(2.0, abs=0.2)  # exact in the limit of many generations
    assert (sums >= 2.0 - 1e-9).all()  # nothing is better than the front
    assert (tmp_path / "search.journal").stat().st_size > 0


def test_without_the_extra_a_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    monkeypatch.setitem(sys.modules, "optuna", None)
    for make in (lambda: Evolution(2, 8, 0), lambda: Front(["x"], 2, 8, 0, None)):
        with pytest.raises(MissingExtra, match=r"pip install 'pushpoint\[studies\]'"):
            make()


class TestRanges:
    def test_linear_and_logarithmic(self) -> None:
        assert Bounds(low=-1.0, high=3.0).at(0.25) == 0.0
        assert Bounds(low=1.0, high=100.0, scale="log").at(0.5) == pytest.approx(10.0)
        for each in (Bounds(low=2.0, high=7.0), Bounds(low=2.0, high=7.0, scale="log")):
            assert (each.at(0.0), each.at(1.0)) == (2.0, 7.0)
            assert each.share_of(each.at(0.3)) == pytest.approx(0.3)

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({}, "space"),
            ({"controller.amplitude": (2.0, 1.0)}, r"controller\.amplitude = \(2\.0, 1\.0\)"),
            ({"controller.amplitude": (1.0, 1.0)}, "controller.amplitude"),
            ({"controller.amplitude": 3.0}, "a Bounds, or its two ends"),
            ({"controller.amplitude": ("a", 2.0)}, "controller.amplitude"),
        ],
    )
    def test_what_is_no_range_is_refused(self, given: dict[str, object], said: str) -> None:
        with pytest.raises(InvalidModel, match=said):
            checked_space(given)

    def test_a_logarithm_needs_positive_ends(self) -> None:
        with pytest.raises(InvalidModel, match=r"range\.low = 0"):
            Bounds(low=0.0, high=1.0, scale="log")

    def test_a_candidate_has_every_parameter(self) -> None:
        space = checked_space({"a": (0.0, 10.0), "b": Bounds(low=1.0, high=4.0, scale="log")})
        assert candidate_at(space, np.array([0.1, 0.5])) == pytest.approx({"a": 1.0, "b": 2.0})
