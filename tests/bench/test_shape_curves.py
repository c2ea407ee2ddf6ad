"""The planner's benchmark: the figures it owes, and that the table it plays stands for the follower."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pushpoint.bench import machine, shape_curves
from pushpoint.cli.main import main
from pushpoint.errors import SimulationFailed
from pushpoint.simulation.rollout import Rollout


@pytest.fixture(scope="module")
def figures() -> dict:
    """A first impression with few worlds, so that the test is short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shape_curves, "WORLDS", 2)
        return shape_curves.run_bench(quick=True)


def test_the_figures_are_all_there(figures):
    assert (figures["links"], figures["worlds"], figures["simulated_s"]) == (17, 2, 0.5)
    assert figures["devices"] == {"alignment": "cpu", "dynamics": "cpu"}
    assert figures["real_time_factor_2_worlds"] == pytest.approx(0.5 / figures["wall_s"])
    parts = [figures[f"processor_s_{part}"] for part in ("dynamics", "commands", "measurements_and_rest")]
    assert sum(parts) == pytest.approx(figures["processor_s"]) and min(parts[:2]) > 0.0
    assert 0.0 < figures["us_per_alignment"] < figures["us_per_command"]  # a command is an alignment and more
    json.dumps(figures)


def test_64_worlds_is_what_is_benchmarked():
    assert shape_curves.WORLDS == 64


def test_17_links_are_aligned_in_less_than_a_tenth_of_a_millisecond(figures):
    assert figures["us_per_alignment"] < 100.0


def test_the_table_moves_the_robot_as_the_follower_does():
    base = shape_curves.job(0.5)
    poses = base.world.controller.virtual(base.world.robot, base.duration)[1]
    played = base.with_changes(controller=shape_curves.played(poses.joint_angles, 30.0))
    centers = [np.asarray(each.run().center_of_mass) for each in (base, played)]
    assert np.array_equal(*centers)  # the same steps with the same numbers
    assert np.linalg.norm(centers[0][-1] - centers[0][0]) > 0.01  # it does move


def test_median_time_counts_from_one_after_a_warm_up():
    seen = []
    assert shape_curves._median_time(seen.append, 5) > 0.0
    assert seen == [0, 1, 2, 3, 4, 5]


def test_a_world_that_ends_early_spoils_the_benchmark(monkeypatch):
    monkeypatch.setattr(shape_curves, "WORLDS", 1)
    monkeypatch.setattr(Rollout, "failure", lambda self: "world 0 diverged")
    with pytest.raises(SimulationFailed, match="world 0 diverged"):
        shape_curves._run_times(shape_curves.job(0.1))


def test_the_command_prints_json_or_one_line_per_figure(monkeypatch, capsys):
    figures = {"us_per_alignment": 8.5, "devices": {"alignment": "cpu"}}
    monkeypatch.setattr(shape_curves, "run_bench", lambda *, quick: figures if quick else None)
    monkeypatch.setattr(machine, "machine", lambda: {"cores": 2})
    assert main(["bench", "shape-curves", "--quick", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == figures | {"machine": {"cores": 2}}
    assert main(["bench", "shape-curves", "--quick"]) == 0
    assert capsys.readouterr().out == "us_per_alignment   8.5\ndevices.alignment  cpu\nmachine.cores      2\n"
