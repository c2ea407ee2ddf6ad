"""The hybrid controller of Liljeback2011 on the event-driven model of its section II, beside the engine; prints JSON.

python benchmarks/event_driven_courses.py [SECONDS [SCENARIO ...]]

Coulomb friction of the ground fades below 1 cm/s in the event-driven model here: on true Coulomb ground, points that
stick and slip make thousands of events per second. The engine has the true law, and finer steps than by default.
"""

import json
import sys
import time
from collections import Counter
from multiprocessing import Pool

import numpy as np

import pushpoint as pp
from pushpoint.event_driven import Accuracy, Feedback, hybrid_model, integrate

SCENARIOS = ("liljeback2011/environment-1", "liljeback2011/environment-2", "liljeback2011/environment-3")
SMOOTHING = 1e-2
"""Speed below which friction fades [m/s]."""
STEP = 2.5e-4
"""Time step of the engine [s]."""
ACCURACY = Accuracy(relative=1e-6, absolute=1e-8)
MOMENTS = (0.1, 0.5, 1, 2, 5, 10, 20, 40)
"""Times at which the two are compared [s]."""


def both(name: str, duration: float) -> dict[str, object]:
    """One course on both models, from the same start."""
    world = pp.scenario(name).world
    drive = Feedback(robot=world.robot, controller=world.controller, environment=world.environment)
    model = hybrid_model(world.robot, world.environment, drive, smoothing=SMOOTHING)
    begin = time.process_time()
    found = integrate(
        model, world.start, duration=duration, times=np.arange(round(10 * duration) + 1) / 10, accuracy=ACCURACY
    )
    took = time.process_time() - begin
    run = pp.simulate(world, duration, settings=pp.Settings(dt=STEP), record=pp.Record(rate=10.0))
    apart = np.linalg.norm(run.link_position.values - found.link_position, axis=-1).max(axis=1)
    joint = np.diff(found.link_angle)
    lower, upper = world.robot.motor_column("lower"), world.robot.motor_column("upper")
    names = world.controller.modes
    return {
        "simulated_s": duration,
        "processor_s": round(took, 1),
        "head_moved_m": _moved(found.link_position),
        "engine_head_moved_m": _moved(run.link_position.values),
        "apart_m": {f"{t:g}": float(f"{apart[round(10 * t)]:.3g}") for t in MOMENTS if t <= duration},
        "beyond_stops_rad": float(max((joint - upper).max(), (lower - joint).max(), 0.0)),
        "events": dict(Counter(event.name for event in found.events)),
        "modes": {names[k]: int(n) for k, n in Counter(found.controller_mode.tolist()).items()},
        "engine_modes": {names[int(k)]: int(n) for k, n in Counter(run.controller_mode.values[1:].tolist()).items()},
    }


def _moved(position: np.ndarray) -> float:
    """How far the head got [m]."""
    return round(float(np.linalg.norm(position[-1, -1] - position[0, -1])), 4)


def main(seconds: str = "0.4", *names: str) -> None:
    """Runs the courses side by side."""
    chosen = names or SCENARIOS
    with Pool(len(chosen)) as pool:
        found = pool.starmap(both, [(name, float(seconds)) for name in chosen])
    print(json.dumps({"smoothing_m_per_s": SMOOTHING, "courses": dict(zip(chosen, found, strict=True))}, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
