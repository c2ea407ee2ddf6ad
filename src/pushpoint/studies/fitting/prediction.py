"""What a scenario would have shown of a recording, for many sets of parameters in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pushpoint.scenarios.scenario import Scenario
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.simulate import finish
from pushpoint.studies.variants import varied_worlds
from pushpoint.worlds.record import Record
from pushpoint.worlds.recorded import Recorded, channel_of

DELAY = "delay"
"""A parameter of the recording and not of the scenario: how late it shows what happens [s]."""
RATE = 200.0
"""Samples per second between which cubics predict a recording [Hz]."""
AHEAD = 0.02
"""How much longer than the recording is simulated [s], so that its last sample lies within."""


def predictions(scenario: Scenario, recording: Recorded, candidates: Sequence[Mapping[str, float]]) -> np.ndarray:
    """What each candidate predicts, shape (n_candidates, n_channels, n_times); NaN where its world failed.

    A sample recorded at t shows the world at t - delay; before its start the world is at rest in its first state.
    """
    from scipy.interpolate import CubicSpline  # here, because it takes time to load

    delays = np.array([candidate.get(DELAY, 0.0) for candidate in candidates])
    values = [{name: v for name, v in candidate.items() if name != DELAY} for candidate in candidates]
    channels = [channel_of(name) for name in recording.channels]
    last = float(recording.time[-1] - delays.min())
    experiment = scenario.experiment._replace(
        worlds=tuple(varied_worlds(scenario, values)),
        duration=max(last + AHEAD, 10.0 * scenario.settings.dt),
        settings=replace(scenario.settings, on_failure="record"),
        record=Record(rate=RATE, variables=tuple(dict.fromkeys(channel.variable for channel in channels))),
        until=None,
    )
    run = finish(Rollout(experiment))
    time = run.time.values
    shown = np.stack([channel.values(run) for channel in channels], axis=1)
    found = np.full((len(candidates), len(channels), len(recording.time)), np.nan)
    for k, (delay, each) in enumerate(zip(delays, shown, strict=True)):
        if np.isfinite(each).all():
            found[k] = CubicSpline(time, each, axis=1)(np.clip(recording.time - delay, 0.0, time[-1]))
    return found
