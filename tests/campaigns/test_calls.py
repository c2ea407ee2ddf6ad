"""Every public function, each of its arguments replaced by values that users hand over by mistake.

A call succeeds, or one sentence of ours says what is wrong; nothing else.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from campaigns.calls.table import CALLS, public_callables, wrong_values
from campaigns.campaign import fault_of_sentence
from campaigns.kinds.calls import ROOMS, SLOW
from pushpoint.errors import PushpointError

SHARE = 8
"""Of the wrong values, every eighth is tried in each place by default, beginning elsewhere from place to place."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path) -> Iterator[None]:
    """Files of wrong names are written into a folder that is thrown away."""
    before = Path.cwd()
    os.chdir(tmp_path)
    yield
    os.chdir(before)


def outcome(name: str, place: int | str, wrong: str) -> str:
    """What is bad about a call with one wrong argument; nothing if it succeeds or is refused."""
    value: Any = wrong_values()[wrong]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            CALLS[name]({place: value})
    except PushpointError as error:
        return fault_of_sentence(str(error))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"
    return ""


def test_every_public_callable_is_in_the_table() -> None:
    assert ROOMS
    assert not [name for name, _ in public_callables() if name not in CALLS]


@pytest.mark.parametrize(
    "said",
    [
        "x = " + "0.125, " * 20 + "must be one number",
        "robot = (PlanarLink(length=0.1), PlanarLink(length=0.1)), must be a robot",
        "x = array([1.0]), must be a number",
    ],
)
def test_a_sentence_that_shows_a_whole_array_or_model_is_bad(said: str) -> None:
    assert fault_of_sentence(said)
    assert not fault_of_sentence("x = an array of shape (5000,), must be one number")


def bad_outcomes(name: str, wrong: dict[int | str, list[str]]) -> dict[tuple[int | str, str], str]:
    """What is bad about a valid call with one argument replaced; it succeeds as it is."""
    CALLS[name]()
    found = {(place, value): outcome(name, place, value) for place, values in wrong.items() for value in values}
    return {tried: bad for tried, bad in found.items() if bad}


@pytest.mark.parametrize("name", [name for name in CALLS if name not in SLOW and not name.startswith("plots")])
def test_some_wrong_arguments_get_one_sentence(name: str) -> None:
    values = list(wrong_values())
    first = list(CALLS).index(name)
    some = {place: values[(first + k) % SHARE :: SHARE] for k, place in enumerate(CALLS[name].places)}
    assert not bad_outcomes(name, some)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CALLS))
def test_all_wrong_arguments_get_one_sentence(name: str) -> None:
    assert not bad_outcomes(name, {place: list(wrong_values()) for place in CALLS[name].places})
