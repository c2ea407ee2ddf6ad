"""Batches that share the work of making and measuring worlds give what each world gives alone, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.description.experiments import read_experiment
from pushpoint.simulation.measures import MEASURES
from pushpoint.simulation.provenance import experiment_of
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.simulate import finish
from pushpoint.studies import RandomDesign, Range, Study, Values, load_table
from pushpoint.studies.running.batches import Batch, BatchRunner, Finished
from pushpoint.studies.running.rows import StudyRows
from studies.small_study import small_study

SUMMARY = list(MEASURES)
SPATIAL = [
    Range(field="controller.yaw_amplitude_deg", low=-40.0, high=-20.0),
    Range(field="start.heading_deg", low=-30.0, high=30.0),
    Range(field="robot.self_friction", low=0.0, high=0.3),
]
PLANAR = [
    Range(field="controller.amplitude_deg", low=20.0, high=60.0),
    Range(field="controller.angular_frequency_deg", low=200.0, high=400.0),
    Values(field="ground.friction.coefficient", values=[0.1, 0.3]),
]


def study(kind: str, **changes: Any) -> Study:
    """Worlds that differ in a number or two; sidewinding waits until its joints come near zero."""
    name, varies = ("transeth2008a/flat", PLANAR) if kind == "planar" else ("transeth2008b/sidewinding", SPATIAL)
    base = pp.scenario(name).with_changes(duration=0.4)
    return Study(name=kind, base=base, varies=varies, design=RandomDesign(count=5), measures=SUMMARY, **changes)


def codes_of(one: Study) -> np.ndarray:
    return np.concatenate(list(one.design.blocks(one.varies)))


def columns(one: Study) -> dict[str, np.ndarray]:
    codes = codes_of(one)
    found: Finished = BatchRunner(one.plan()).run(Batch(StudyRows(one.plan()).keys(codes), codes))
    return {name: values for name, values in found.columns.items() if name != "key"}


@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_a_batch_gives_what_its_worlds_give_alone(kind: str) -> None:
    together, one = columns(study(kind)), study(kind)
    for k, (document, _) in enumerate(StudyRows(one.plan()).documents(codes_of(one))):
        alone = read_experiment(document)
        settings = pp.Settings(dt=alone.settings.dt, max_iterations=alone.settings.max_iterations)
        run = pp.simulate(alone.worlds[0], 0.4, settings=settings)
        for name in SUMMARY:
            expected = float(MEASURES[name].find(run))
            found = float(together[f"measure:{name}"][k])
            assert np.array([found]).tobytes() == np.array([expected]).tobytes() or np.isnan([found, expected]).all(), (
                name
            )


@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_runs_that_are_kept_and_described_have_the_same_measures(kind: str) -> None:
    dropped, kept = columns(study(kind)), columns(study(kind, keep="all"))
    for name, values in dropped.items():
        assert values.tobytes() == kept[name].tobytes(), name


def test_a_run_without_a_description_still_knows_its_worlds() -> None:
    one = pp.scenario("transeth2008a/flat").with_changes(duration=0.1).experiment
    run = finish(Rollout(one, described=False))
    assert experiment_of(run).worlds == one.worlds and pp.world_of(run.isel(world=0)) is one.worlds[0]
    assert experiment_of(run.isel(world=[0])).duration == 0.1


def test_a_kept_run_is_described_as_any_other(tmp_path: Path) -> None:
    small_study(keep="all").run(tmp_path / "store")
    first = sorted((tmp_path / "store" / "runs").rglob("*.nc"))[0]
    assert isinstance(pp.load(first).attrs["description"], str)
    assert load_table(tmp_path / "store").sizes["world"] == 6
