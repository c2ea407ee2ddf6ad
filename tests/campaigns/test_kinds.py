"""The short form of every kind of campaign, in this process; the whole of it behind the marker `campaign`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from campaigns.campaign import Kind, Outcome, fault_of_sentence, kinds
from campaigns.runner import run
from pushpoint.errors import InvalidModel

ALL = list(kinds().values())


def defects(found: dict[int, Outcome]) -> dict[int, str]:
    return {seed: outcome.defect for seed, outcome in found.items() if outcome.defect}


@pytest.mark.parametrize("chosen", [each for each in ALL if each.short], ids=lambda each: each.name)
def test_a_short_campaign_ends_without_defects(chosen: Kind) -> None:
    found = {seed: chosen.attempt(seed) for seed in range(chosen.short)}

    assert not defects(found)
    assert len({outcome.outcome for outcome in found.values()}) > 1, "trials that all end alike try too little"


@pytest.mark.campaign
@pytest.mark.parametrize("chosen", ALL, ids=lambda each: each.name)
def test_a_whole_campaign_ends_without_defects(chosen: Kind) -> None:
    assert not run(chosen, range(chosen.full), jobs=os.cpu_count() or 1, log=Path("out/campaign"))["defects"]


def _trial(seed: int) -> str:
    if seed == 1:
        raise InvalidModel("mass", -1.0, "> 0 [kg]")
    if seed == 2:
        raise InvalidModel("mass", "two\nlines" * 1000, "> 0 [kg]")
    if seed == 3:
        raise KeyError("x")
    assert seed != 4, "four is wrong"
    return "accepted"


def test_a_trial_is_judged() -> None:
    judged = Kind("planted", _trial, 5, 5, 1.0)

    found = [judged.attempt(seed) for seed in range(5)]

    assert [each.outcome for each in found] == ["accepted", "refused", "refused", "traceback", "wrong"]
    assert [bool(each.defect) for each in found] == [False, False, True, True, True]


@pytest.mark.parametrize("sentence", ["", "a\nb", "x" * 500, "<pushpoint.Robot object at 0x7f>", "array([1, 2])"])
def test_a_bad_sentence_is_told(sentence: str) -> None:
    assert fault_of_sentence(sentence)
