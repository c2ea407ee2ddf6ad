"""The short form of every kind of campaign, in this process; the whole of it behind the marker `campaign`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from campaigns.campaign import Kind, Outcome, fault_of_sentence, kinds
from campaigns.planted import PLANTED
from campaigns.runner import run

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


def test_a_trial_is_judged() -> None:
    found = [PLANTED.attempt(seed) for seed in range(PLANTED.short)]

    assert [each.outcome for each in found] == ["accepted", "refused", "refused", "traceback", "wrong"]
    assert [bool(each.defect) for each in found] == [False, False, True, True, True]


def test_crashes_and_hangs_are_written_down_and_all_goes_on(tmp_path: Path) -> None:
    found = run(PLANTED, range(PLANTED.full), jobs=2, log=tmp_path)

    assert found["outcomes"] == {"accepted": 4, "refused": 2, "lost": 2, "traceback": 1, "wrong": 1}
    assert found["defects"].keys() == {"2", "3", "4", "5", "6"}
    assert "crash: exit status -11" in found["defects"]["5"]
    assert "hang: longer than 2 s" in found["defects"]["6"]


def test_a_campaign_goes_on_where_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(PLANTED, range(4), jobs=1, log=tmp_path)
    capsys.readouterr()

    found = run(PLANTED, range(5), jobs=1, log=tmp_path)

    assert found["trials"] == 5
    assert capsys.readouterr().err.splitlines() == ["planted faults 4: four is wrong"]


@pytest.mark.parametrize("sentence", ["", "a\nb", "x" * 500, "<pushpoint.Robot object at 0x7f>", "array([1, 2])"])
def test_a_bad_sentence_is_told(sentence: str) -> None:
    assert fault_of_sentence(sentence)
