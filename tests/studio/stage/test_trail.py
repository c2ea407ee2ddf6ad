"""The way so far: it ends at the time one looks at, and nothing of a past that was dropped stays in it."""

from __future__ import annotations

import numpy as np

from pushpoint.studio.stage.trail import MOST_POINTS, Trail


def walked(trail: Trail, times: np.ndarray, y: float = 0.0) -> None:
    for time in times.tolist():
        trail.note(time, np.array([time, y, 0.0]), 0.055, time)


def test_places_stand_apart_and_the_oldest_go() -> None:
    trail = Trail()
    walked(trail, np.arange(0.0, 1.0, 0.01))
    found = trail.until(9.0)
    assert np.diff(found[:, 0]).min() > 0.055 and len(found) == 17  # every 0.06
    walked(trail, np.arange(1.0, 100.0, 0.1))
    assert len(trail.until(200.0)) == MOST_POINTS and trail.until(200.0)[-1, 0] == np.arange(1.0, 100.0, 0.1)[-1]


def test_looking_back_shows_less_and_forgets_nothing() -> None:
    trail = Trail()
    walked(trail, np.arange(0.0, 1.0, 0.1))
    whole = trail.until(0.9)
    trail.note(0.3, np.array([0.3, 0.0, 0.0]), 0.05, 0.9)
    assert np.array_equal(trail.until(0.35), whole[:4])
    assert np.array_equal(trail.until(0.95), whole)


def test_what_it_went_back_before_is_forgotten_however_near() -> None:
    trail = Trail()
    walked(trail, np.arange(0.0, 1.0, 0.1))
    walked(trail, np.arange(0.45, 1.0, 0.1), y=1.0)  # it went back to 0.45 s and goes another way
    found = trail.until(1.0)
    assert found[:5, 1].tolist() == [0.0] * 5 and (found[5:, 1] == 1.0).all() and (np.diff(found[:, 0]) > 0.0).all()
    trail.note(0.0, np.zeros(3), 0.05, 0.0)  # a reset
    assert len(trail.until(1.0)) == 1
