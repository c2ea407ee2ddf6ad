"""Operations are counted as on paper, and the source that counts them makes the compiled step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pushpoint.bench.courses import PackedCourse, chosen
from pushpoint.bench.operations import operations_of_step
from pushpoint.bench.operations.numbers import LIKE_WARP, Number, Operations, Table, divided
from pushpoint.papers.registry import scenario

V = Table([Number(1.0), Number(2.0), Number(4.0)])
M = Table([[Number(2.0), Number(0.0), Number(1.0)], [Number(1.0), Number(3.0), Number(0.0)], V.values])


@pytest.mark.parametrize(
    ("work", "made"),
    [
        (lambda: Number(2.0) * Number(3.0) + Number(1.0), 2),
        (lambda: divided(Number(1.0), Number(3.0)), 1),
        (lambda: divided(7, 2), 0),
        (lambda: abs(-Number(1.0)) > Number(0.5), 0),
        (lambda: LIKE_WARP.dot(V, V), 5),
        (lambda: LIKE_WARP.cross(V, V), 9),
        (lambda: LIKE_WARP.length(V), 6),
        (lambda: Number(2.0) * V, 3),
        (lambda: M * V, 15),
        (lambda: V * M, 15),
        (lambda: M * M, 45),
        (lambda: LIKE_WARP.outer(V, V), 9),
        (lambda: LIKE_WARP.max(V, V), 0),
        (lambda: LIKE_WARP.sin(Number(1.0)), 1),
        (lambda: LIKE_WARP.inverse(M), 42),  # nine cofactors of three, a dot product, a division, nine products
    ],
)
def test_operations_are_counted_as_on_paper(work: Callable[[], object], made: int) -> None:
    before = Operations.total
    work()
    assert Operations.total - before == made


def test_whole_numbers_are_divided_as_compiled_code_does() -> None:
    assert (divided(7, 2), divided(-7, 2), divided(Number(7.0), 2.0)) == (3, -3, 3.5)


def test_an_inverse() -> None:
    found = (M * LIKE_WARP.inverse(M)).values.astype(float)
    np.testing.assert_allclose(found, np.eye(3), atol=1e-15)


@pytest.mark.parametrize("name", ["planar_pegs", "sidewinding", "stairs"])
def test_the_counted_step_is_the_compiled_one(name: str) -> None:
    """Both go on from the same state; the compiler's fused operations round once where Python rounds twice."""
    base = scenario("spatial/stairs-rest") if name == "stairs" else chosen(name)
    compiled, counted = PackedCourse(base), PackedCourse(base)
    for course in (compiled, counted):
        course.run(300)
    made = operations_of_step(counted.stepper)
    compiled.run(1)
    for field in ("step", "n_contacts", "contact_key"):
        np.testing.assert_array_equal(getattr(counted.stepper.state(), field), getattr(compiled.stepper.state(), field))
    for field in ("v", "omega"):  # of the order of 0.1 m/s and 1 rad/s
        np.testing.assert_allclose(
            getattr(counted.stepper.state(), field), getattr(compiled.stepper.state(), field), rtol=0.0, atol=1e-11
        )
    assert made > 100 * base.world.robot.n_links
