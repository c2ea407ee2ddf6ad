"""Values in sentences: short, on one line, by kind and size where they are large; and never an error of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import BadFile, InvalidModel, PushpointError, UnknownName, shown
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes
from pushpoint.model.checks import real
from pushpoint.model.quantities import Length


class Silent:
    def __repr__(self) -> str:
        raise RuntimeError("nothing to show")


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)

SHOWN = [
    (0.5, "0.5"),
    ("a\nb", r"'a\nb'"),
    (10**4999, "a number of 5000 digits"),
    (-(10**5000) + 1, "a number of 5000 digits"),
    ([0] * 100_000, "a list of 100000"),
    ((1.0,), "(1.0,)"),
    (pp.catalogue.aiko_planar(), "a PlanarRobot of 11 links"),
    (np.zeros((3, 40)), "an array of shape (3, 40)"),
    (np.array([1j, 2, 3]).repeat(20), "an array of shape (60,) of complex128"),
    (np.arange(3), "[0, 1, 2]"),
    (pp.Isotropic(0.2), "Isotropic(coefficient=0.2)"),
    (pp.Motor(), "a Motor"),
    (pp.Peg, "the class Peg"),
    (len, "the function len"),
    (object(), "an object"),
    (Silent(), "a Silent"),
    ([Silent()], "a list"),
    (CIRCLE, "[[a list of 1]]"),
    ("x" * 5000, f"'{'x' * 30}'... of 5000"),
]


@pytest.mark.parametrize(("value", "words"), SHOWN, ids=[words[:20] for _, words in SHOWN])
def test_a_value_is_shown_short(value: Any, words: str) -> None:
    assert shown(value) == words
    assert shown(value).isprintable() and len(words) <= 60


@pytest.mark.parametrize(
    "error",
    [
        InvalidModel("a\nb", "c\nd", "e"),
        BadFile(Path("x\ny"), "no such file"),
        UnknownName("variable", "p\nq" * 1000, ["a" * 100] * 20),
        PushpointError("first\nsecond\x1b[31m" * 100),
        InvalidModel("links", 10**5000, "a number"),
    ],
    ids=["field", "path", "name", "sentence", "digits"],
)
def test_a_sentence_is_one_short_line(error: PushpointError) -> None:
    assert str(error).isprintable() and len(str(error)) <= 400


@checked_arguments
def stretched(
    points: Annotated[Any, real("m"), Axes("n", 2)], masses: Annotated[Any, real("kg"), Axes("n")], by: Length = 1.0
) -> np.ndarray:
    return by * points * masses[:, None]


def test_arguments_are_held_against_their_declared_types() -> None:
    np.testing.assert_array_equal(stretched([(1, 2)], [3], by=2), [[6.0, 12.0]])
    with pytest.raises(InvalidModel, match=r"^by = -1, must be finite and > 0 \[m\]$"):
        stretched([(1, 2)], [3], by=-1)
    with pytest.raises(InvalidModel, match=r"^masses = \(2,\), must be of shape \(1,\) \[kg\]$"):
        stretched([(1, 2)], [3, 4])
    with pytest.raises(TypeError, match="missing"):
        stretched([(1, 2)])  # type: ignore[call-arg]


def test_arrays_of_users_are_copied() -> None:
    heights = np.zeros((3, 3))
    field = pp.HeightField(heights=heights, spacing=0.1)
    heights[:] = 1.0

    assert not field.heights.any() and not field.heights.flags.writeable
