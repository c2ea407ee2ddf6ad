"""How often the truth lies in the intervals of a fit: synthetic recordings with noise, delay and gaps; prints JSON.

python benchmarks/fit_coverage.py > docs/results/fit-coverage.json       100 recordings, about four minutes

Each recording has its own friction, motor, backlash, delay, noise and gaps, drawn from a seed. Encoders show the joints
with half a degree of noise and a camera the head with 2 mm, at 50 Hz for 3 s; a fifth of the samples is lost.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.studies.fitting.prediction import predictions
from pushpoint.studies.optimising.space import candidate_at, checked_space

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = pp.PlanarRobot.uniform(5, LINK, pp.Motor(stiffness=5.0, damping=0.05, backlash=0.02))
GROUND = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.5)))
GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.9, soft_start=0.3)
SCENARIO = pp.Scenario(
    name="recorded", worlds=pp.World(ROBOT, GROUND, GAIT), duration=3.0, settings=pp.Settings(dt=2e-3)
)
SPACE: dict[str, Any] = {
    "ground.friction.along": pp.studies.Bounds(low=0.03, high=0.4, scale="log"),
    "ground.friction.across": pp.studies.Bounds(low=0.2, high=1.2, scale="log"),
    "robot.motor.stiffness": pp.studies.Bounds(low=1.5, high=30.0, scale="log"),
    "robot.motor.backlash_deg": (0.0, 8.0),
    "delay": (0.0, 0.2),
}
ENCODER, CAMERA, LOST = math.radians(0.5), 0.002, 0.2
"""Noise of joint angles [rad] and of places [m], and the share of samples that is lost [-]."""
INNER = (0.15, 0.85)
"""True values lie in this part of each range, as shares."""


def recording(number: int) -> tuple[pp.studies.Recorded, dict[str, float]]:
    """A synthetic recording and its true parameters."""
    random = np.random.default_rng([20, number])
    truth = candidate_at(checked_space(SPACE), random.uniform(*INNER, len(SPACE)))
    times = np.arange(0.0, 3.0, 0.02)
    names = [f"joint_angle[{j}]" for j in range(4)] + ["link_position[4].x", "link_position[4].y"]
    blank = pp.studies.Recorded(time=times, channels={name: np.zeros(len(times)) for name in names})
    (shown,) = predictions(SCENARIO, blank, [truth])
    noise = np.array([ENCODER if name.startswith("joint") else CAMERA for name in names])
    values = shown + noise[:, None] * random.normal(size=shown.shape)
    values[random.random(shown.shape) < LOST] = np.nan
    return pp.studies.Recorded(time=times, channels=dict(zip(names, values, strict=True))), truth


def fitted(number: int) -> dict[str, Any]:
    """The fit of one recording beside the truth."""
    recorded, truth = recording(number)
    begun = time.process_time()
    found = pp.studies.fit(recorded, SCENARIO, SPACE)
    within = {name: each.low <= truth[name] <= each.high for name, each in found.parameters.items()}
    return {
        "number": number,
        "truth": truth,
        "found": {name: [each.low, each.value, each.high] for name, each in found.parameters.items()},
        "within": within,
        "not_told_apart": [list(group) for group in found.not_told_apart],
        "noise": dict(found.noise),
        "likeness": found.likeness,
        "processor_s": round(time.process_time() - begun, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", type=int, default=100)
    asked = parser.parse_args()
    rows = [fitted(number) for number in range(asked.recordings)]
    within = {name: sum(row["within"][name] for row in rows) for name in SPACE}
    together = sum(all(row["within"].values()) for row in rows)
    print(
        json.dumps(
            {
                "recordings": len(rows),
                "truth_within_95_percent_interval": within,
                "of_all_parameters_together": together,
                "rows": rows,
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
