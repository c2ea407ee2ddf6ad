"""The published experiments of Transeth2008a: each claim gets the verdict on record, at three time steps."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.start import Start, check_clear
from pushpoint.errors import StartOverlap
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment
from pushpoint.papers.registry import scenario, scenario_names, sweep_names
from pushpoint.papers.transeth2008a.scenarios import MIDDLE_AT, PEG_CENTERS, gait, large_pegs

STEPS = (2.5e-4, 1e-3, 2e-3)
NAMES = [name for name in (*scenario_names(), *sweep_names()) if name.startswith("transeth2008a/")]
CLAIMS = {claim.id: claim for name in NAMES for claim in scenario(name).claims}
EXPECTED = {f"TA{number}" for number in range(1, 22)}


@cache
def run_of(name: str, dt: float) -> Any:
    """A scenario's or sweep's run; Gray's mechanism is unstable by nature and keeps the small step it comes with."""
    chosen = scenario(name)
    return (chosen if chosen.settings.dt < dt else chosen.with_changes(dt=dt)).run()


def test_every_claim_of_this_paper_is_encoded() -> None:
    assert set(CLAIMS) == EXPECTED


def at_steps(name: str) -> list[Any]:
    """A claim at all steps; of what takes long, only the usual step is tried by default."""
    marks = pytest.mark.slow if name in {"TA18", "TA19", "TA20", "TA21"} else ()
    return [pytest.param(name, dt, marks=() if dt == 1e-3 else marks) for dt in STEPS]


@pytest.mark.parametrize(("name", "dt"), [each for name in sorted(EXPECTED) for each in at_steps(name)])
def test_claim_gets_its_recorded_verdict(name: str, dt: float) -> None:
    found = CLAIMS[name].evaluate(lambda scenario_name: run_of(scenario_name, dt))
    assert found.verdict == CLAIMS[name].recorded, found.measured


def test_flat_speed_is_minus_1_cm_per_s() -> None:
    run = run_of("transeth2008a/flat", 1e-3)
    x = run.center_of_mass.sel(axis="x")
    per_period = np.diff(x.sel(time=np.arange(1, 5) * 4.5, method="nearest").values) / 4.5
    np.testing.assert_allclose(per_period, -0.0105, atol=2e-4)  # m/s; an independent prototype gives -1.05 cm/s


def test_obstacle_aided_speed_is_about_15_cm_per_s_and_ratio_15() -> None:
    fast = float(run_of("transeth2008a/obstacle-aided", 1e-3).center_of_mass[-1, 0] - 0.5116) / 10.0
    assert fast == pytest.approx(0.160, abs=0.003)  # m/s; an independent prototype gives 16.0 cm/s over the 10 s


def test_middle_link_starts_where_figure_14_has_it() -> None:
    run = run_of("transeth2008a/obstacle-aided", 1e-3)
    np.testing.assert_allclose(run.link_position.sel(link=5)[0], MIDDLE_AT, atol=1e-12)


def test_start_clears_the_obstacles_by_5_9_mm() -> None:
    theta = gait().link_angles(aiko_planar())
    assert _gap(theta) == pytest.approx(5.9e-3, abs=1e-4)  # paper-notes: 5.9 mm


@pytest.mark.parametrize("heading_from_mean", [True, False])
def test_naive_translations_of_the_pose_overlap_the_obstacles(heading_from_mean: bool) -> None:
    theta = gait().link_angles(aiko_planar())
    wrong = theta - theta.mean() if heading_from_mean else theta[::-1]
    assert _gap(wrong) < -0.04  # m; posing by the mean angle, or numbering from the other end, drives it into the pegs
    start = Start(link_angles=tuple(wrong), link=5, position=MIDDLE_AT)
    pose = start.pose(aiko_planar())
    with pytest.raises(StartOverlap, match=r"link \d+ overlaps obstacle \d+ by [\d.]+ mm"):
        check_clear(0, aiko_planar(), Environment(obstacles=large_pegs()), pose["center"], pose["theta"])


def _gap(theta: np.ndarray) -> float:
    """Smallest distance of capsules and pegs, by sampling the axes densely: shares no code with the engine [m]."""
    robot = aiko_planar()
    middles = link_positions(robot, np.zeros(2), theta)
    middles += np.array(MIDDLE_AT) - middles[5]
    along = np.linspace(-0.0393, 0.0393, 4001)[:, None]
    axes = [
        middle + along * np.array([np.cos(angle), np.sin(angle)]) for middle, angle in zip(middles, theta, strict=True)
    ]
    distance = min(np.linalg.norm(axis - np.array(peg), axis=1).min() for axis in axes for peg in PEG_CENTERS)
    return float(distance - 0.125 - 0.0525)


def test_joint_angles_follow_71_in_our_numbering() -> None:
    amplitude, omega, delta = np.radians([40.0, 80.0, -50.0])
    t = np.array([0.0, 0.7, 3.1])
    ours, rates = gait().references(t, aiko_planar())
    for j in range(10):
        i = 11 - 1 - j  # the paper's joint
        np.testing.assert_allclose(ours[:, j], -amplitude * np.sin(omega * t + (i - 1) * delta), atol=1e-14)
        np.testing.assert_allclose(rates[:, j], -amplitude * omega * np.cos(omega * t + (i - 1) * delta), atol=1e-14)
