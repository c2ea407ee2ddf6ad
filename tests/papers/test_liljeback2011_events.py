"""The hybrid controller of Liljeback2011 on the event-driven model: what LB11 measures, on its first moments."""

from __future__ import annotations

import numpy as np
import pytest
import xarray

import pushpoint as pp
from pushpoint.papers.liljeback2011.events import SMOOTHING, event_driven_model, kept_within, on_events, told_apart

MOMENTS = 0.5  # s, with the first two impacts


@pytest.fixture(scope="module")
def engine() -> xarray.Dataset:
    world = pp.scenario("liljeback2011/environment-1").world
    return pp.simulate(world, MOMENTS, settings=pp.Settings(dt=5e-4), record=pp.Record(rate=20.0))


def test_the_two_models_go_the_same_way(engine: xarray.Dataset) -> None:
    found = told_apart(on_events(1, MOMENTS), engine)
    assert found["apart_at_the_end_mm"] < 1e3 * SMOOTHING * MOMENTS  # as far as a link that should stick can creep
    assert found["jams"] == found["engine_jams"] == found["other_obstacles_touched"] == 0
    assert found["mean_contact_force_N"] == pytest.approx(found["engine_mean_contact_force_N"], rel=0.05)
    assert found["mean_contact_force_N"] > 1.0


def test_links_that_are_elsewhere_and_obstacles_that_are_not_touched_are_seen(engine: xarray.Dataset) -> None:
    moved = engine.assign(link_position=engine.link_position + 0.01, obstacle_load=0.0 * engine.obstacle_load)
    found = told_apart(on_events(1, MOMENTS), moved)
    assert found["apart_until_first_jam_mm"] == pytest.approx(10.0 * np.sqrt(2.0), abs=1e3 * SMOOTHING * MOMENTS)
    assert found["other_obstacles_touched"] == 2


def test_obstacles_end_stops_and_the_limit_of_the_motors_are_kept() -> None:
    found = kept_within(event_driven_model(1), on_events(1, MOMENTS))
    assert found["deepest_mm"] < 1e-3 and found["beyond_stops_deg"] < 1e-4
    assert 0.1 < found["torque_over_limit_ratio"] <= 1.0 + 1e-9
