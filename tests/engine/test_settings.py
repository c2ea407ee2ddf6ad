"""Numerical choices and statuses: what is refused, what the defaults are, what a user reads."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from pushpoint.engine.devices import check_device
from pushpoint.engine.settings import Settings, Status
from pushpoint.errors import InvalidModel
from pushpoint.kernels import structs


def test_defaults() -> None:
    settings = Settings()
    assert (settings.dt, settings.solver, settings.tolerance, settings.max_iterations) == (1e-3, "newton", 1e-3, 150)
    assert (settings.precision, settings.device, settings.on_failure) == ("float64", "cpu", "raise")
    assert Settings(solver="prox").max_iterations == 20000
    assert Settings(solver="prox", max_iterations=7).max_iterations == 7


@pytest.mark.parametrize("field", ["dt", "tolerance"])
@pytest.mark.parametrize(
    "value", [0, 0.0, -1e-3, math.nan, math.inf, "1e-3", None, True, [1e-3], np.bool_(True)], ids=repr
)
def test_numbers_are_positive(field: str, value: Any) -> None:
    with pytest.raises(InvalidModel) as caught:
        Settings(**{field: value})
    assert str(caught.value).startswith(f"settings.{field} = {value!r}, must be ")
    assert caught.value.field == f"settings.{field}" and "> 0 [" in caught.value.allowed


@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, math.nan, math.inf, "60", True, False, [60]], ids=repr)
def test_iterations_are_a_whole_number(value: Any) -> None:
    with pytest.raises(InvalidModel) as caught:
        Settings(max_iterations=value)
    assert str(caught.value) == f"settings.max_iterations = {value!r}, must be a whole number >= 1"


WORDS = {"solver": ("newton", "prox"), "precision": ("float64", "float32"), "on_failure": ("raise", "record")}


@pytest.mark.parametrize("field", WORDS)
@pytest.mark.parametrize("value", ["", "Newton", None, 1, True, ["newton"], math.nan], ids=repr)
def test_words_are_among_the_known(field: str, value: Any) -> None:
    with pytest.raises(InvalidModel) as caught:
        Settings(**{field: value})
    first, second = WORDS[field]
    assert str(caught.value) == f"settings.{field} = {value!r}, must be one of '{first}', '{second}'"


@pytest.mark.parametrize(("field", "word"), [(field, word) for field, words in WORDS.items() for word in words])
def test_known_words_are_kept(field: str, word: str) -> None:
    assert getattr(Settings(**{field: word}), field) == word


@pytest.mark.parametrize("device", ["gpu", "", None, 0, "cuda:99"])
def test_devices_are_those_of_the_machine(device: Any) -> None:
    with pytest.raises(InvalidModel) as caught:
        check_device(device)
    assert str(caught.value).startswith(f"settings.device = {device!r}, must be one of cpu")


def test_every_machine_has_a_cpu() -> None:
    assert check_device("cpu") is None  # returns instead of raising


def test_settings_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().dt = 2e-3  # type: ignore[misc]


class TestStatus:
    CODES = (
        (structs.RUNNING, Status.RUNNING),
        (structs.DIVERGED, Status.DIVERGED),
        (structs.TOO_MANY_CONTACTS, Status.TOO_MANY_CONTACTS),
        (structs.TOO_MANY_NEAR, Status.TOO_MANY_NEAR),
        (structs.SUNK_IN, Status.SUNK_IN),
        (structs.JAMMED, Status.JAMMED),
    )

    @pytest.mark.parametrize(("code", "status"), CODES)
    def test_of_a_kernels_code(self, code: Any, status: Status) -> None:
        assert Status.of_code(int(code)) is status

    def test_failed_is_ending_by_itself(self) -> None:
        failed = {status for status in Status if status.failed}
        stopped = {Status.TOO_MANY_CONTACTS, Status.TOO_MANY_NEAR, Status.SUNK_IN, Status.JAMMED}
        assert failed == {Status.DIVERGED} | stopped

    def test_values_are_sentences_of_their_own(self) -> None:
        sentences = [status.value for status in Status]
        assert len(set(sentences)) == len(sentences) and all(s and "\n" not in s for s in sentences)
