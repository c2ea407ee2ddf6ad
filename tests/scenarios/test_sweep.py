"""Sweeps: by name, on the command line and as a figure."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import pushpoint as pp
from pushpoint.cli.main import main
from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.errors import BadFile, InvalidModel, UnknownName
from pushpoint.papers import registry
from pushpoint.papers.transeth2008a.scenarios import sweep_speeds
from pushpoint.plots.figures.sweep import BAND, sweep as speeds_over_parameter, sweep_effects
from pushpoint.plots.looks import LIMIT_COLOR
from pushpoint.plots.page import save_figure
from pushpoint.scenarios.claim import Claim, Verdict
from pushpoint.scenery.palette import BLUE
from pushpoint.simulation.storage import load
from pushpoint.studies import sweep_study
from pushpoint.studies.running.batches import Batch, BatchRunner, Finished

NAMES = [
    "transeth2008a/speed-over-frequency",
    "transeth2008a/speed-over-friction",
    "transeth2008a/speed-over-phase-shift",
    "transeth2008b/speed-over-friction",
]
LABELLED = "transeth2008b/sidewinding-errors"
ALONG_Y = "liljeback2014/look-ahead"
FITTING = [f"transeth2008a/{name}" for name in ("force-over-amplitude", "touches-over-frequency", "speed-over-spacing")]
LISTED = [
    *NAMES[:3], *FITTING, "transeth2008a/creep", NAMES[3], LABELLED, "transeth2008b/sidewinding-shells", ALONG_Y,
    "liljeback2011/heading-errors",
    "liljeback2011/bodies",
]  # fmt: skip
pytestmark = pytest.mark.usefixtures("folder")
FILES = ["runs.nc", "summary.json", "sweep.png", "worlds"]
FREQUENCIES = (180.0, 360.0)
THEY_MOVE = Claim(
    id="X1",
    statement="they move",
    where="1",
    tolerance="any",
    recorded="reproduced",
    check=lambda run_of: Verdict(verdict="reproduced", measured={"worlds": float(run_of("my/sweep").world.size)}),
)


def small_sweep(controller: Any = None) -> pp.Scenario:
    """Two robots of three links that wave for two seconds or more."""
    robot = pp.PlanarRobot.uniform(
        3, pp.PlanarLink(length=0.1, mass=0.5, inertia=1e-3, radius=0.03), pp.Motor(stiffness=50.0, damping=1.0)
    )
    floor = pp.Environment(ground=pp.Ground(friction=pp.Skin(forward=0.1, backward=0.2, across=0.4)))
    gaits = [
        pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=np.radians(each), phase_shift=-1.0)
        for each in FREQUENCIES
    ]
    return pp.Scenario(
        name="my/sweep",
        title="Two robots.",
        source="Nobody2026, 1",
        varies=pp.Variation(parameter="angular frequency", unit="deg/s", values=FREQUENCIES),
        worlds=tuple(pp.World(robot, floor, controller or gait) for gait in gaits),
        duration=4.0,
        claims=(THEY_MOVE,),
    )


def varied(sweep: pp.Scenario, **changes: Any) -> pp.Scenario:
    """The sweep with something else said of what varies."""
    return replace(sweep, varies=replace(varies_of(sweep), **changes))


def varies_of(sweep: pp.Scenario) -> pp.Variation:
    """What differs from world to world of a sweep."""
    assert sweep.varies is not None
    return sweep.varies


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Callable[[pp.Scenario], None]:
    """Makes a sweep the only published one."""
    return lambda sweep: monkeypatch.setattr(registry, "_builders", lambda *_, **__: {sweep.name: lambda: sweep})


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_sweeps_are_listed_after_the_command_that_runs_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert registry.sweep_names() == LISTED
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in listed if entry["command"] == "sweep"] == LISTED
    assert {entry["command"] for entry in listed} == {"run", "sweep"}
    assert main(["list"]) == 0
    assert f"sweep  {NAMES[0]}" in capsys.readouterr().out


def test_a_sweep_has_a_value_per_world() -> None:
    with pytest.raises(InvalidModel, match=r"^worlds = 2, must be 1, one for each value of angular frequency$"):
        varied(small_sweep(), values=(1.0,))
    with pytest.raises(
        InvalidModel, match=r"^worlds = 2, must be one, or one for each value of what `varies`, which is"
    ):
        replace(small_sweep(), varies=None)


def labelled_sweep() -> pp.Scenario:
    """The two robots by name, with how far they come."""
    return varied(small_sweep(), labels=("slow", "fast"), measures=ways)


def ways(runs: Any) -> dict[str, np.ndarray]:
    way = runs.center_of_mass.isel(time=-1) - runs.center_of_mass.isel(time=0)
    return {"way [m]": way.sel(axis="x").values, "drift [m]": way.sel(axis="y").values}


def test_a_labelled_sweep_has_a_label_per_world_and_measures() -> None:
    with pytest.raises(InvalidModel, match=r"varies\.labels = 1, must be one per world, 2, or none"):
        varied(labelled_sweep(), labels=("slow",))
    with pytest.raises(InvalidModel, match=r"varies\.measures = None, must be given with labels"):
        varied(labelled_sweep(), measures=None)
    with pytest.raises(InvalidModel, match=r"varies\.measures = .*, must be given with labels, and with labels only"):
        varied(small_sweep(), measures=ways)
    assert list(labelled_sweep().run().label.values) == ["slow", "fast"]


def test_figure_of_a_labelled_sweep_ties_every_world_to_the_first() -> None:
    sweep = labelled_sweep()
    runs = sweep.run()
    figure = sweep_effects(sweep, runs, Verdict(verdict="approximate"))
    axes = {each.get_label(): each for each in figure.axes}
    assert list(axes) == ["header", "way [m]", "drift [m]", "caption"]
    for name, values in ways(runs).items():
        reference, shown = axes[name].lines
        np.testing.assert_allclose(reference.get_xdata(), values[0])
        np.testing.assert_allclose(shown.get_xdata(), values)
        assert axes[name].get_xlabel() == name
    assert [text.get_text() for text in axes["way [m]"].get_yticklabels()] == ["slow", "fast"]
    caption = " ".join(text.get_text() for text in axes["caption"].texts)
    assert "They move." in caption and "approximate" in caption and '"slow"' in caption
    with pytest.raises(InvalidModel, match=r"sweep: labels = \(\), must be given"):
        sweep_effects(small_sweep(), runs, Verdict(verdict="reproduced"))


def test_command_prints_the_measures_of_a_labelled_sweep(
    folder: Path, capsys: pytest.CaptureFixture[str], known: Callable[[pp.Scenario], None]
) -> None:
    sweep = labelled_sweep()
    known(sweep)
    assert main(["sweep", "my/sweep", "--out", "there"]) == 0
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("slow", "fast", "way [m]", "drift [m]", "X1: they move: reproduced"))
    assert names(folder / "there") == FILES
    summary = json.loads((folder / "there/summary.json").read_text(encoding="utf-8"))
    assert summary["labels"] == ["slow", "fast"] and "speeds_m_per_s" not in summary
    runs = load("there/runs.nc")
    assert list(runs.label.values) == ["slow", "fast"]
    np.testing.assert_allclose(summary["measures"]["way [m]"], ways(runs)["way [m]"])


def test_sweeps_come_by_name() -> None:
    assert [claim.id for claim in pp.scenario(NAMES[1]).claims] == ["TA13"]
    with pytest.raises(UnknownName, match=r"unknown scenario 'transeth2008a/speed-over-fiction'; did you mean"):
        pp.scenario("transeth2008a/speed-over-fiction")


@cache
def drawn(name: str) -> tuple[pp.Scenario, np.ndarray, Figure]:
    """A published sweep, its speeds [cm/s] and its figure."""
    sweep = pp.scenario(name)
    runs = sweep.run()
    (claim,) = sweep.claims
    verdict = claim.evaluate(lambda _: runs)
    assert verdict.verdict == claim.recorded
    speeds = sweep_speeds(sweep, runs)
    return sweep, 100.0 * speeds, speeds_over_parameter(sweep, speeds, verdict)


def lines(figure: Figure) -> dict[str, Any]:
    """The lines of the speed panel by their colour."""
    (axes,) = (axes for axes in figure.axes if axes.get_label() == "speed")
    return {to_hex(line.get_color()): line for line in axes.lines}


@pytest.mark.parametrize("name", NAMES)
def test_figure_shows_every_speed_and_the_claim(name: str) -> None:
    sweep, speeds, figure = drawn(name)
    shown = lines(figure)[BLUE]
    np.testing.assert_allclose(shown.get_xdata(), varies_of(sweep).values)
    np.testing.assert_allclose(shown.get_ydata(), speeds)
    axes = {each.get_label(): each for each in figure.axes}
    assert (
        varies_of(sweep).parameter in axes["speed"].get_xlabel()
        and axes["speed"].get_ylabel() == "forward speed [cm/s]"
    )
    assert 0.0 in axes["speed"].get_ylim()  # so that what looks flat is flat, forward and backward
    caption = " ".join(text.get_text() for text in axes["caption"].texts)
    assert sweep.claims[0].statement[1:] in caption and caption.endswith(f"{sweep.claims[0].recorded}.")
    width = figure.get_size_inches()[0] * figure.dpi
    assert all(text.get_window_extent().x1 <= width for each in figure.axes for text in each.texts)


def test_frequency_figure_has_a_line_through_the_origin() -> None:
    sweep, speeds, figure = drawn(NAMES[0])
    x, y = lines(figure)[LIMIT_COLOR].get_data()
    assert (x[0], y[0]) == (0.0, 0.0)
    np.testing.assert_allclose(y[1] / x[1] * np.array(varies_of(sweep).values), speeds, rtol=2e-3)


def test_friction_figure_has_a_flat_band_with_all_speeds_in_it() -> None:
    _, speeds, figure = drawn(NAMES[1])
    (band,) = next(axes for axes in figure.axes if axes.get_label() == "speed").patches
    box = band.get_extents().transformed(band.axes.transData.inverted())
    assert np.all((speeds > box.y0) & (speeds < box.y1))
    assert box.height == pytest.approx(BAND * speeds.mean(), rel=1e-2)


def test_phase_shift_figure_has_a_rising_trend() -> None:
    _, speeds, figure = drawn(NAMES[2])
    y = lines(figure)[LIMIT_COLOR].get_ydata()
    assert y[0] < speeds.min() < speeds.max() < y[1] + 0.1


def test_figures_refuse_runs_without_speeds_and_other_files() -> None:
    sweep = small_sweep()
    runs = sweep.run()
    verdict = Verdict(verdict="reproduced")
    with pytest.raises(InvalidModel, match=r"sweep: runs = .*, must be finished in every world"):
        speeds_over_parameter(sweep, sweep_speeds(sweep, runs.isel(time=slice(10))), verdict)
    with pytest.raises(BadFile, match=r"must end in \.png"):
        save_figure(speeds_over_parameter(sweep, sweep_speeds(sweep, runs), verdict), "sweep.pdf")


def test_command_writes_three_files_and_says_the_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str], known: Callable[[pp.Scenario], None]
) -> None:
    known(small_sweep())
    assert main(["sweep", "my/sweep"]) == 0
    assert names(folder / "out/my-sweep") == FILES
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "angular frequency [deg/s]" in printed.out and "forward speed [cm/s]" in printed.out
    assert "X1: they move: reproduced" in printed.out
    assert all(f"wrote out/my-sweep/{name}" in printed.out for name in FILES[:-1])


def test_json_is_the_summary(
    folder: Path, capsys: pytest.CaptureFixture[str], known: Callable[[pp.Scenario], None]
) -> None:
    sweep = small_sweep()
    known(sweep)
    assert main(["sweep", "my/sweep", "--out", "there", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    beside = {"files": {"runs": "runs.nc", "figure": "sweep.png", "summary": "summary.json"}}
    assert printed | beside == json.loads((folder / "there/summary.json").read_text(encoding="utf-8"))
    assert printed["parameter"] == {"name": "angular frequency", "unit": "deg/s", "values": list(FREQUENCIES)}
    claim = printed["claim"]
    assert (claim["id"], claim["recorded"], claim["verdict"]) == ("X1", "reproduced", "reproduced")
    assert claim["measured"] == {"worlds": 2.0}
    runs = load("there/runs.nc")
    assert runs.parameter.attrs["units"] == "deg/s" and list(runs.parameter.values) == list(FREQUENCIES)
    assert pp.scenario_of(runs).name == "my/sweep"
    np.testing.assert_allclose(printed["speeds_m_per_s"], sweep_speeds(sweep, runs))
    np.testing.assert_array_equal(runs.center_of_mass, sweep.run().center_of_mass)  # same as in Python, bit for bit


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["transeth2008a/flat"],
            "'transeth2008a/flat' is a single run, not a sweep: pushpoint run transeth2008a/flat,",
        ),
        ([NAMES[0], "--out", "file"], "file: is a file, must be a folder for results"),
    ],
)
def test_bad_input_gets_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    (folder / "file").touch()
    assert main(["sweep", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith(f"error: {sentence}") and printed.err.count("\n") == 1
    assert names(folder) == ["file"]


def test_a_stopped_sweep_keeps_its_worlds_and_goes_on_with_the_others(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    known: Callable[[pp.Scenario], None],
) -> None:
    known(small_sweep())
    assert main(["sweep", "my/sweep", "--out", "whole"]) == 0
    run, driven = BatchRunner.run, []

    def run_and_interrupt(self: BatchRunner, batch: Batch) -> Finished:
        driven.append(len(batch.keys))
        if len(driven) == 2:
            signal.raise_signal(signal.SIGINT)
        return run(self, batch)

    monkeypatch.setattr(BatchRunner, "run", run_and_interrupt)
    monkeypatch.setattr(sweep_study, "MOST_STEPS", 1)
    monkeypatch.setattr(sweep_study, "FEWEST", 1)
    capsys.readouterr()
    assert main(["sweep", "my/sweep", "--out", "cut"]) == 130
    kept = "interrupted: 1 of 2 worlds are done and kept in cut/worlds; the same command goes on from there\n"
    assert capsys.readouterr().err == kept and names(folder / "cut") == ["worlds"]
    assert main(["sweep", "my/sweep", "--out", "cut"]) == 0
    assert driven == [1, 1, 1] and "1 of the worlds were done before" in capsys.readouterr().out
    cut, whole = load("cut/runs.nc"), load("whole/runs.nc")
    assert cut.equals(whole) and cut.attrs["description"] == whole.attrs["description"]
    assert whole.equals(small_sweep().run())
    assert names(folder / "cut") == FILES


def test_another_sweep_in_the_same_folder_does_not_mix(
    folder: Path, capsys: pytest.CaptureFixture[str], known: Callable[[pp.Scenario], None]
) -> None:
    for duration in (4.0, 5.0):
        known(replace(small_sweep(), duration=duration))
        assert main(["sweep", "my/sweep", "--out", "there"]) == 0
        assert "done before" not in capsys.readouterr().out
        assert float(load("there/runs.nc").time[-1]) == duration


def test_a_world_that_diverges_ends_without_a_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str], known: Callable[[pp.Scenario], None]
) -> None:
    known(small_sweep(ConstantTorque(torque=(1e6, -1e6))))
    assert main(["sweep", "my/sweep", "--out", "there"]) == 1
    printed = capsys.readouterr()
    assert "X1: they move: no verdict" in printed.out
    assert printed.err.startswith("error: world 0 diverged") and printed.err.count("\n") == 1
    assert names(folder / "there") == ["runs.nc", "summary.json", "worlds"]


@pytest.mark.parametrize("make", [small_sweep, labelled_sweep], ids=["speeds", "labelled"])
def test_a_sweep_that_claims_nothing_is_run_and_drawn(
    make: Callable[[], pp.Scenario],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    known: Callable[[pp.Scenario], None],
) -> None:
    known(replace(make(), claims=()))
    assert main(["sweep", "my/sweep", "--out", "there"]) == 0
    printed = capsys.readouterr()
    assert "verdict" not in printed.out and "simulated 4 s in each of 2 worlds" in printed.out and printed.err == ""
    assert names(folder / "there") == FILES
    assert json.loads((folder / "there/summary.json").read_text(encoding="utf-8"))["claim"] is None
