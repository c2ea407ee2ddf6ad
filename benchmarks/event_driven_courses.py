"""The hybrid controller of Liljeback2011 on the event-driven model of its section II, beside the engine; prints JSON.

python benchmarks/event_driven_courses.py [SECONDS [SMOOTHING [ENVIRONMENT ...]]]

SMOOTHING is the speed below which the ground's friction fades in the event-driven model [m/s]; 0 is Coulomb's law. The
engine has the true law, and finer steps than by default.
"""

import json
import sys
import time
from collections import Counter
from multiprocessing import Pool

import pushpoint as pp
from pushpoint.papers.liljeback2011.events import SMOOTHING, event_driven_model, kept_within, on_events, told_apart

STEP = 2.5e-4
"""Time step of the engine [s]."""


def both(environment: int, duration: float, smoothing: float) -> dict[str, object]:
    """One course on both models, from the same start."""
    begin = time.process_time()
    found = on_events(environment, duration, smoothing)
    took = time.process_time() - begin
    world = pp.scenario(f"liljeback2011/environment-{environment}").world
    engine = pp.simulate(world, duration, settings=pp.Settings(dt=STEP), record=pp.Record(rate=20.0))
    measured = kept_within(event_driven_model(environment), found) | told_apart(found, engine)
    return {
        "processor_s": round(took, 1),
        **{name: float(f"{value:.4g}") for name, value in measured.items()},
        "events": dict(Counter(event.name for event in found.events)),
    }


def main(seconds: str = "12", smoothing: str = str(SMOOTHING), *environments: str) -> None:
    """Runs the courses side by side."""
    chosen = [int(each) for each in environments or ("1", "2", "3")]
    with Pool(len(chosen)) as pool:
        found = pool.starmap(both, [(each, float(seconds), float(smoothing)) for each in chosen])
    about = {"simulated_s": float(seconds), "smoothing_m_per_s": float(smoothing)}
    print(json.dumps(about | {"environments": dict(zip(chosen, found, strict=True))}, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
