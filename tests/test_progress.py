"""Progress in per cent: shown to those who ask, refused in a sentence, and without any effect on a run."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.progress import reporting

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
WORLD = pp.World(
    pp.PlanarRobot.uniform(4, LINK, pp.Motor(stiffness=50.0, damping=1.0)),
    pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3))),
    pp.gaits.LateralUndulation(amplitude=0.4, angular_frequency=4.0, phase_shift=-0.8),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nobody_asked_and_nothing_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with reporting(False, "work") as report:
        assert report is None
    pp.simulate(WORLD, 0.05)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_has_one_line_that_ends_at_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with reporting(True, "work") as report:
        assert report is not None
        for share in (0.0, 0.101, 0.102, 0.5, 1.0):
            report(share)
    assert terminal.getvalue() == "\rwork: 0 %\rwork: 10 %\rwork: 50 %\rwork: 100 %\n"


def test_elsewhere_a_line_for_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with reporting(True, "work") as report:
        assert report is not None
        for k in range(1001):
            report(k / 1000)
    assert capsys.readouterr().err.splitlines() == [f"work: {tenth} %" for tenth in range(0, 101, 10)]


def test_a_share_never_goes_back_or_beyond_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    with reporting(True, "work") as report:
        assert report is not None
        for share in (0.0, 0.5, 0.2, 1.7):
            report(share)
    assert capsys.readouterr().err.splitlines() == ["work: 0 %", "work: 50 %", "work: 100 %"]


def test_a_line_is_ended_where_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with pytest.raises(ZeroDivisionError), reporting(True, "work") as report:
        assert report is not None
        report(0.25)
        raise ZeroDivisionError
    assert terminal.getvalue() == "\rwork: 25 %\n"


def test_a_stream_that_is_gone_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: Any = Terminal()
    gone.close()
    for stream in (None, gone):
        monkeypatch.setattr(sys, "stderr", stream)
        with reporting(True, "work") as report:
            assert report is not None
            report(0.5)


@pytest.mark.parametrize("wrong", [1, 0, "yes", None, [True]])
def test_what_is_neither_a_flag_nor_a_function_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidModel, match=r"^progress = .*, must be True, False or a function of the share done$"):
        pp.simulate(WORLD, 0.01, progress=wrong)


def test_a_simulation_tells_its_share_and_stays_bit_equal(capsys: pytest.CaptureFixture[str]) -> None:
    shares: list[float] = []
    told = pp.simulate(WORLD, 0.5, progress=shares.append)
    assert shares and shares == sorted(shares) and shares[-1] == 1.0
    shown = pp.simulate(WORLD, 0.5, progress=True)
    assert capsys.readouterr().err.endswith("simulation: 100 %\n")
    quiet = pp.simulate(WORLD, 0.5)
    assert told.identical(quiet) and shown.identical(quiet)


def test_a_scenario_passes_it_on(capsys: pytest.CaptureFixture[str]) -> None:
    pp.Scenario(name="mine", worlds=WORLD, duration=0.05).run(progress=True)
    assert capsys.readouterr().err.endswith("simulation: 100 %\n")
