"""Sessions of a live simulation: random scenarios, edits of every kind, ways back; a file with the edits repeats them.

What is changed is what the page of the studio offers: the numbers of controllers, grounds, motors and obstacles within
their sliders and beyond, robots, obstacles that are added, moved and removed, pushes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.campaign import kind
from pushpoint.papers.registry import scenario_names
from pushpoint.scenery.drawn_look import LiveStage
from pushpoint.studio import choices
from pushpoint.studio.numbers import numbers_of, with_number
from pushpoint.studio.panels.surroundings import first_motor, friction_of, put_friction, put_motor
from pushpoint.studio.stage.shifting import shifted

Random = np.random.Generator
MOST_STEPS = 60
"""Time steps between two changes [-]."""
BEYOND = 0.1
"""Share of the numbers that are beyond their sliders."""


def other_number(thing: Any, random: Random) -> Any:
    """A thing with another of its numbers, as a slider would have it."""
    found = numbers_of(thing)
    if not found:
        return thing
    each = found[random.integers(len(found))]
    value = random.uniform(each.low, each.high)
    if random.random() < BEYOND:
        value = random.choice([-1e9, 1e9, 0.0, float("nan"), 10.0 * each.high])
    return with_number(thing, each.path, float(value) * each.scale, whole=each.whole and np.isfinite(value))


def gait(live: pp.Live, random: Random) -> None:
    over = float(random.choice([0.0, 0.05, 0.5]))
    live.change(controller=other_number(live.world.controller, random), over=over)


def another(live: pp.Live, random: Random) -> None:
    name = str(random.choice([choices.OFF, *choices.controller_kinds()]))
    live.change(controller=choices.controller_named(name, live.world, live.world.controller), over=0.1)


def ground(live: pp.Live, random: Random) -> None:
    if (law := friction_of(live.world)) is not None:
        put_friction(live, other_number(law, random))


def motors(live: pp.Live, random: Random) -> None:
    if (motor := first_motor(live.world.robot)) is not None:
        put_motor(live, other_number(motor, random))


def more(live: pp.Live, random: Random) -> None:
    look, world = live.look(), live.world
    what = str(random.choice(["peg", "box" if world.spatial else "wall"]))
    head = look.link_position[-1] + random.normal(0.0, 0.3, 3)
    live.change(environment=choices.added(what, world.environment, world, head, look.heading))


def obstacle(live: pp.Live, random: Random) -> None:
    """Moved, resized or removed."""
    place = live.world.environment
    if not place.obstacles:
        return
    chosen, others = random.integers(len(place.obstacles)), list(place.obstacles)
    way = random.random()
    if way < 0.3:
        del others[chosen]
    elif way < 0.6:
        others[chosen] = other_number(others[chosen], random)
    else:
        others[chosen] = shifted(others[chosen], *random.normal(0.0, 0.2, 2).tolist())
    live.change(environment=replace(place, obstacles=others))


def push(live: pp.Live, random: Random) -> None:
    force = random.normal(0.0, 5.0, 3 if live.world.spatial else 2)
    lasts = None if random.random() < 0.5 else float(random.uniform(0.0, 0.1))
    live.push(int(random.integers(live.world.robot.n_links)), force.tolist(), duration=lasts)


def back(live: pp.Live, random: Random) -> None:
    live.go_to(float(random.uniform(0.0, live.time)))


def look_back(live: pp.Live, random: Random) -> None:
    live.look_back(float(random.uniform(0.0, live.time)))


def there_and_back(live: pp.Live, random: Random) -> None:
    then, edits = live.state, live.edits
    before = live.look().link_position
    live.go_to(float(random.uniform(0.0, live.time)))
    live.restore(then)
    assert live.edits == edits and np.array_equal(live.look().link_position, before), "another state after a way back"


CHANGES: tuple[Callable[[pp.Live, Random], None], ...] = (
    gait, gait, another, ground, motors, more, obstacle, obstacle, push, back, look_back, there_and_back,
)  # fmt: skip


@kind("live sessions", full=2000, short=8, limit=120.0)
def trial(seed: int) -> str:
    """A session, and the file that repeats it to the bit."""
    random, refused = np.random.default_rng(seed), False
    base = pp.scenario(str(random.choice(scenario_names())))
    with pp.Live(base.world, settings=base.settings, record=base.record, name="session") as live:
        for _ in range(random.integers(2, 7)):
            if not moves(live, random):
                return "refused on the way"
            if live.status.failed:
                break
            try:
                random.choice(np.array(CHANGES, dtype=object))(live, random)
            except pp.errors.PushpointError as error:
                check_sentence(str(error))
                refused = True
            LiveStage(world=live.world).drawn(live.look())
        if not moves(live, random):
            return "refused on the way"
        run, failed = live.dataset(), live.status.failed
    check_repeats(run)
    return "failed" if failed else "refused in part" if refused else "repeated"


def moves(live: pp.Live, random: Random) -> bool:
    """Goes on; whether its controller, which may have absurd numbers, can."""
    try:
        live.advance(int(random.integers(1, MOST_STEPS)))
    except pp.errors.PushpointError as error:
        check_sentence(str(error))
        return False
    return True


def check_sentence(said: str) -> None:
    """Raises AssertionError for what is no sentence."""
    assert said and "\n" not in said and len(said) < 400, said


def check_repeats(run: Any) -> None:
    """Raises AssertionError unless a file of the run's scenario gives the same run, bit for bit."""
    with tempfile.TemporaryDirectory() as folder:
        again = pp.scenario(pp.write_scenario(pp.scenario_of(run), Path(folder) / "session.yaml")).run()
    for name in run.variables:
        assert run[name].values.tobytes() == again[name].values.tobytes(), f"{name} is not repeated"
