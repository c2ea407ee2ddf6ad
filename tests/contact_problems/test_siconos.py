"""Problems as Siconos publishes them: matrices that are not quite symmetric, text files dense and in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from benchmarks.contact_problems import bodies_problem, dense_problem

import pushpoint as pp
from contact_problems.test_contact_problem import de_saxce_residual
from pushpoint.errors import BadFile, InvalidModel


def lopsided(W: np.ndarray, part: float, rng: np.random.Generator) -> np.ndarray:
    """W off its transpose by a part of its largest entry, as those of published files are."""
    error = rng.uniform(-1.0, 1.0, W.shape) * (W != 0.0)
    error -= error.T
    return W + error * (part * np.abs(W).max() / max(float(np.abs(error - error.T).max()), 1e-300))


@pytest.mark.parametrize("part", [3e-7, 3e-5, 1e-4])
@pytest.mark.parametrize("count", [1, 4, 12])
@pytest.mark.parametrize("family", ["regular", "half the rank", "bodies"])
def test_asymmetric_problems_are_solved_as_they_are(family: str, count: int, part: float) -> None:
    for seed in range(5):
        rng = np.random.default_rng([seed, count])
        if family == "bodies":
            W, q, mu = bodies_problem(rng, count, 0.7, 2.0)
        else:
            W, q, mu = dense_problem(rng, count, 0.7, 3 * count if family == "regular" else max(3 * count // 2, 3))
        W = lopsided(W, part, rng)
        found = pp.contact_problems.solve(W, q, mu)
        assert found.asymmetry == pytest.approx(part, rel=1e-6)
        assert found.converged, (seed, found.residuals.worst)
        assert de_saxce_residual(W, q, mu, found.impulses) < 1e-9 * np.abs(q).max() * 10, seed


def test_what_is_no_error_of_its_maker_is_refused() -> None:
    W = np.eye(3)
    W[0, 1] = 0.02
    with pytest.raises(InvalidModel, match=r"^W: difference from its transpose = 0.02, must be at most 0.01 of its"):
        pp.contact_problems.solve(W, np.zeros(3), 0.5)


# Files, written here as Siconos writes them


def dense_text(W: np.ndarray, q: np.ndarray, mu: np.ndarray, dimension: int = 3) -> str:
    """Storage 0: W column by column."""
    n = len(q)
    header = f"{dimension}\n{n // dimension}\n0\n{n}\n{n}\n{n}\t{n}\n"
    return header + "\n".join(" ".join(f"{x:32.24e}" for x in part) for part in (W.T.ravel(), q, mu)) + "\n"


def block_text(W: np.ndarray, q: np.ndarray, mu: np.ndarray, dimension: int = 3) -> str:
    """Storage 1: blocks of a contact each, those of zeros left out."""
    n, count = len(q), len(q) // dimension
    ends = [dimension * (k + 1) for k in range(count)]
    first, columns, blocks = [0], [], []
    for i in range(count):
        for j in range(count):
            block = W[dimension * i : ends[i], dimension * j : ends[j]]
            if block.any():
                columns.append(j)
                blocks.append(f"{len(blocks)}\n" + "\n".join(f"{x:.17e}" for x in block.T.ravel()))
        first.append(len(blocks))

    def row(values: Sequence[object]) -> str:
        return "\t".join(str(value) for value in values)

    head = [dimension, count, 1, n, n, len(blocks), count, count, row(ends), row(ends), len(first), len(columns)]
    tail = [row(first), row(columns), *blocks, row(q.tolist()), row(mu.tolist()), 1]
    return "\n".join(str(each) for each in (*head, *tail)) + "\n"


@pytest.mark.parametrize("write", [dense_text, block_text])
def test_files_of_siconos_are_read(tmp_path: Path, write) -> None:
    rng = np.random.default_rng(3)
    W, q, mu = bodies_problem(rng, 6, 0.7, 2.0)
    W = lopsided(W, 1e-5, rng)
    file = tmp_path / "problem.dat"
    file.write_text(write(W, q, mu))
    problem = pp.contact_problems.load(file)
    np.testing.assert_array_equal(problem.W, W)
    np.testing.assert_array_equal(problem.q, q)
    np.testing.assert_array_equal(problem.mu, mu)
    assert problem.dimension == 3 and problem.solve().converged


def test_a_plane_problem_of_siconos_is_read(tmp_path: Path) -> None:
    file = tmp_path / "plane.dat"
    W = np.diag([0.5, 0.25, 1.0, 2.0])
    file.write_text(block_text(W, np.array([-1.0, 0.3, -1.0, 4.0]), np.array([0.5, 0.5]), dimension=2))
    found = pp.contact_problems.load(file).solve()
    # To stick, friction would have to take 0.3/0.25 of 1.0 N s, and 4.0/2.0 of 0.5 N s: both slide.
    np.testing.assert_allclose(found.impulses, [[2.0, -1.0], [1.0, -0.5]], atol=1e-12)


GOOD = "2 1 0 2 2 2 2  1 0 0 1  -1 0.3  0.5"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "ends after 0 numbers, in the middle of a problem"),
        (GOOD[:-4], "ends after 13 numbers, in the middle of a problem"),
        (GOOD.replace("0.3", "x.3"), "has 'x.3' where number 13 should be a number"),
        ("2.5 1 0 2 2", "has '2.5' where number 1 should be a whole number"),
        ("4 1 0 4 4", "begins with 4 1, not with a dimension, 2 or 3, and a number of contacts"),
        ("3 1 0 9 9", "has a matrix of 9 by 9 for 1 contacts: a local problem has 3 rows and columns"),
        ("2 1 2 2 2 2", "has storage 2, of which only 0, dense, and 1, blocks, can be read"),
        ("2 1 0 2 2 3 3", "gives its matrix two sizes, first 2 by 2"),
        (GOOD + " 0 2 2 2 2 1 0 0 1", "has 9 numbers more than a local problem: global ones, with H, are not read"),
        (GOOD.replace("1 0 0 1", "1 0 0.5 1"), "W: difference from its transpose = 0.5"),
        ("2 1 1 2 2 1 1 1 2 2 2 1 0 7 0 0 1 0 0 1", "has 1 blocks that do not fit together to a matrix of 2 by 2"),
        ("2 1 1 2 2 1 1 1 2 2 2 1 0 1 5 0 1 0 0 1", "has no block 0 where one should be"),
        ("2 1 1 2 2 1 -1 1 2 2", "counts to -1"),
        ("3 1000000 1 3000000 3000000 1", "has 3000000 rows, of which at most 20000 can be read"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "bad.dat"
    file.write_text(text)
    with pytest.raises(BadFile) as refusal:
        pp.contact_problems.load(file)
    assert sentence in str(refusal.value) and "\n" not in str(refusal.value)


def test_bytes_and_missing_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "bytes.dat"
    file.write_bytes(b"\xff\x00\x01")
    with pytest.raises(BadFile, match="is not text of numbers"):
        pp.contact_problems.load(file)
    with pytest.raises(BadFile, match="no such file"):
        pp.contact_problems.load(tmp_path / "none.dat")
