"""Rivals are timed in alternation, and the command line prints nested figures."""

from __future__ import annotations

import json

import pytest

from pushpoint.bench import machine, spatial
from pushpoint.bench.timing import alternate
from pushpoint.cli.main import main

FIGURES = {"repeats": 5, "sidewinding": {"dt_1_ms": {"us_per_step": 6.25}}, "stable": {"dt_2_ms": {"finite": True}}}


def test_rivals_alternate_and_the_first_round_is_dropped():
    calls = []

    def rival(name, times):
        times = iter(times)
        return lambda: calls.append(name) or next(times)

    medians = alternate(3, rival("a", [99.0, 3.0, 1.0, 2.0]), rival("b", [99.0, 5.0, 7.0, 60.0]))
    assert medians == [2.0, 7.0]
    assert calls == ["a", "b"] * 4


@pytest.mark.parametrize(
    ("flags", "printed"),
    [
        (["--json"], json.dumps(FIGURES | {"machine": {"cores": 2}})),
        (
            [],
            "repeats                          5\n"
            "sidewinding.dt_1_ms.us_per_step  6.25\n"
            "stable.dt_2_ms.finite            True\n"
            "machine.cores                    2",
        ),
    ],
    ids=["json", "table"],
)
def test_the_command_prints_json_or_one_line_per_figure(monkeypatch, capsys, flags, printed):
    monkeypatch.setattr(machine, "machine", lambda: {"cores": 2})
    monkeypatch.setattr(spatial, "run_bench", lambda *, quick: FIGURES if quick else None)
    assert main(["bench", "spatial", "--quick", *flags]) in (0, None)
    assert capsys.readouterr().out.strip() == printed


def test_a_timing_says_on_what_it_was_made(monkeypatch, tmp_path):
    found = machine.machine()
    assert found["cores"] >= 1 and found["processor"] and "pushpoint" in found["versions"]
    listed = tmp_path / "cpuinfo"
    listed.write_text("processor\t: 0\nmodel name\t: Fast 9000\nmodel name\t: Fast 9000\n", encoding="utf-8")
    monkeypatch.setattr(machine, "CPUINFO", listed)
    assert machine.processor() == "Fast 9000"
    monkeypatch.setattr(machine, "CPUINFO", tmp_path / "missing")
    assert machine.processor()
