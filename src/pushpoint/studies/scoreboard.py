"""The scoreboard of controllers that feel their way: fixed courses, the same questions for everyone.

A policy is tried on all courses of a split beside the hand-made continuous controller, from the same starts. The rule
that it may not swim is part of the score: on bare ground, where there is nothing to push against, the robot must stay
where it is. A blind wave that is shaken by noise passes many courses, because it swims; it is a row, for comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pushpoint import __version__
from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.policy_files import Learned
from pushpoint.engine.controller import Controller
from pushpoint.errors import InvalidModel
from pushpoint.model.sensors import PERFECT_SENSORS, Channel, Sensors
from pushpoint.papers.liljeback2011.courses import AS_PUBLISHED, PegLayout
from pushpoint.papers.liljeback2011.scenarios import GROUND_FRICTION, STEP, peg_course
from pushpoint.simulation.simulate import simulate
from pushpoint.studies.comparison import ControllerComparison, compare
from pushpoint.studies.comparison_study import compare_in
from pushpoint.studies.places import Place, published_place, random_place
from pushpoint.studies.running.driving import Standing
from pushpoint.studies.splits import VALIDATION
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

BASELINE = "continuous"
"""What every policy is compared with."""
MOST_DRIFT, DRIFT_TIME, DRIFT_STARTS = 0.1, 60.0, 20
"""How far from its start the robot may be on bare ground [m], at any time within this [s], from each of so many starts.
"""
PUBLISHED_STARTS = 10
"""Starts in each environment of the paper [-]."""


def touch_sensors(**channel: float) -> Sensors:
    """Perfect sensors but for those of touch."""
    return Sensors(contact_normal_force=Channel(**channel))


NOISY = Sensors(
    contact_normal_force=Channel(noise=0.3), joint_angle=Channel(noise=0.002), imu_heading=Channel(noise=0.01)
)
"""The noise of deployment: 0.3 N of touch, 2 mrad of joint angles, 10 mrad of the heading."""
DEPLOYED = {"exact": PERFECT_SENSORS, "noise of deployment": NOISY}
"""The sensors with which the robot may not swim."""
BLIND = touch_sensors(gain=0.0, noise=1.0)
"""Touch that shows nothing but noise."""
DEAF = replace(NOISY, contact_normal_force=replace(NOISY.contact_normal_force, gain=0.0))
"""The sensors of deployment, but those of touch show nothing but their noise."""
BLIND_WAVE = ContinuousResolution(amplitude=1.01, phase_shift=0.41, speed=0.12, gain=1.07)
"""A wave that swims. As a controller with touch it was rejected (docs/theory/touch.md, 10)."""
SPLITS, WITHOUT_TOUCH, ENVIRONMENTS, ROBUSTNESS = "splits", "without touch", "environments", "robustness"
"""The parts of a score."""


class Condition(NamedTuple):
    """One thing that is not as usual."""

    group: str
    """What kind of thing."""
    value: str
    """How much, with its unit."""
    sensors: Sensors = PERFECT_SENSORS
    """What the controller measures."""
    friction: float = GROUND_FRICTION
    """Coefficient of friction of the ground [-]."""
    field: PegLayout = AS_PUBLISHED
    """The pegs."""

    @property
    def name(self) -> str:
        """What is changed, in words."""
        return f"{self.group} {self.value}"

    def places(self, seeds: Sequence[int]) -> list[Place]:
        """The courses of some seeds under this condition."""
        return [random_place(seed, friction=self.friction, field=self.field) for seed in seeds]


USUAL = Condition("as usual", "")
CONDITIONS = (
    Condition("noise", "of deployment", NOISY),
    *(Condition("touch noise", f"{n:g} N", touch_sensors(noise=n)) for n in (0.3, 1.0, 3.0)),
    *(Condition("touch delay", f"{1e3 * d:g} ms", touch_sensors(delay=d)) for d in (0.05, 0.1, 0.2)),
    *(Condition("touch gain", f"x {g:g}", touch_sensors(gain=g)) for g in (0.5, 2.0)),
    *(Condition("ground friction", f"{mu:g}", friction=mu) for mu in (0.1, 0.2, 0.4, 0.5)),
    Condition("peg radius", "5 to 7.5 cm", field=PegLayout(radius=(0.05, 0.075))),
    Condition("peg radius", "15 to 20 cm", field=PegLayout(radius=(0.15, 0.20))),
    Condition("peg density", "2.5 per m^2", field=PegLayout(density=2.5)),
    Condition("peg density", "5 per m^2, 18 cm apart", field=PegLayout(density=5.0, clearance=0.18)),
)
"""What the robustness table changes, one thing at a time."""


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """What is scored, on which courses."""

    policy: Controller[Any]
    """The controller."""
    name: str = "policy"
    """Its name in tables."""
    seeds: Mapping[str, Sequence[int]]
    """Seeds of the courses, by the name of their set."""
    robustness: bool = True
    """Whether the conditions are changed as well."""
    duration: float = 100.0
    """Simulated time of a trial [s]."""

    def __post_init__(self) -> None:
        if self.name == BASELINE or not self.seeds or not all(len(seeds) for seeds in self.seeds.values()):
            allowed = "at least one course" if self.name != BASELINE else f"another one than {BASELINE}, which is there"
            raise InvalidModel("score", self.name, allowed)


class Question(NamedTuple):
    """One comparison of the scoreboard."""

    part: str
    """To which part of the document it belongs."""
    name: str
    """Its name there."""
    comparison: ControllerComparison
    """What is run."""


def questions(scoring: Scoring) -> Iterator[Question]:
    """All comparisons, in the order in which they are run."""
    both = {scoring.name: scoring.policy, BASELINE: ContinuousResolution()}
    for split, seeds in scoring.seeds.items():
        places = USUAL.places(seeds)

        def asked(
            controllers: Mapping[str, Any], sensors: Sensors = PERFECT_SENSORS, places: Sequence[Place] = places
        ) -> ControllerComparison:
            return ControllerComparison(
                controllers=controllers, places=places, duration=scoring.duration, sensors=sensors
            )

        yield Question(SPLITS, split, asked(both))
        for name, changed, sensors in blinded(scoring.policy):
            yield Question(f"{WITHOUT_TOUCH}/{split}", name, asked({scoring.name: changed}, sensors))
        yield Question(f"{WITHOUT_TOUCH}/{split}", "blind wave and noise", asked({"blind wave": BLIND_WAVE}, BLIND))
    for number in (1, 2, 3):
        place = published_place(number, PUBLISHED_STARTS)
        yield Question(ENVIRONMENTS, place.name, asked(both, places=[place]))
    for condition in CONDITIONS if scoring.robustness else ():
        chosen = [place for seeds in scoring.seeds.values() for place in condition.places(seeds)]
        yield Question(ROBUSTNESS, condition.name, asked(both, condition.sensors, chosen))


def blinded(policy: Controller[Any]) -> Iterator[tuple[str, Controller[Any], Sensors]]:
    """A policy whose touch does not help, in several ways: name, controller and sensors.

    A policy that has a gain loses its reflex. Any other loses its readings.
    """
    inner: Any = policy.controller if isinstance(policy, Learned) else policy
    if "gain" in {each.name for each in fields(inner)}:
        yield "reflex off", replace(inner, gain=0.0), PERFECT_SENSORS
        yield "reflex reversed", replace(inner, gain=-inner.gain), PERFECT_SENSORS
    else:
        yield "touch off", policy, touch_sensors(gain=0.0)
        yield "touch reversed", policy, touch_sensors(gain=-1.0)
    yield "only the noise of deployment", policy, DEAF
    yield "noise instead of touch", policy, BLIND


def score(
    scoring: Scoring, store: str | Path | None = None, watch: Callable[[str, Standing], None] | None = None
) -> dict[str, Any]:
    """Runs what a store does not hold yet, and returns the whole score as a document.

    Args:
        scoring: What is scored.
        store: A folder that keeps the trials, so that stopped work goes on; default: nothing is kept.
        watch: Told how far it is, with the name of the comparison.
    """
    found: dict[str, Any] = {}
    for part, name, comparison in questions(scoring):
        compared = compare(comparison) if store is None else compare_in(store, comparison, watch=_told(watch, name))
        document: dict[str, Any] = {"controllers": {label: compared.summary(label) for label in compared.trials}}
        if len(compared.trials) > 1:
            document["paired"] = compared.pairs()[0]
        if part == SPLITS:
            document["seeds"] = [min(scoring.seeds[name]), max(scoring.seeds[name])]
            document["passed"] = {label: _seeds_passed(rows) for label, rows in compared.trials.items()}
        where = found
        for key in part.split("/"):
            where = where.setdefault(key, {})
        where[name] = document
    drifts = drifts_of(scoring)
    shares = {name: each["controllers"][scoring.name]["success"] for name, each in found[SPLITS].items()}
    return {
        "policy": scoring.name,
        "pushpoint": __version__,
        "duration_s": scoring.duration,
        "score": {name: share if drifts["kept"] else 0.0 for name, share in shares.items()},
        "drift": drifts,
        **found,
    }


def _told(watch: Callable[[str, Standing], None] | None, name: str) -> Callable[[Standing], None] | None:
    return None if watch is None else partial(watch, name)


def drifts_of(scoring: Scoring) -> dict[str, Any]:
    """Whether the rule is kept, with perfect sensors and with noisy ones; what others do on bare ground."""
    hand_made = ContinuousResolution()
    own = {name: drift(scoring.policy, sensors) for name, sensors in DEPLOYED.items()}
    return {
        "rule_m": MOST_DRIFT,
        "time_s": DRIFT_TIME,
        "kept": all(each["farthest_m"] <= MOST_DRIFT for each in own.values()),
        scoring.name: own,
        BASELINE: {name: drift(hand_made, sensors) for name, sensors in DEPLOYED.items()},
        "blind wave": {"noise instead of touch": drift(BLIND_WAVE, BLIND)},
    }


def drift(controller: Controller[Any], sensors: Sensors) -> dict[str, Any]:
    """How far the centre of mass gets on bare ground from the starts of twenty courses, at the end and at any time."""
    bare = peg_course(())
    lying = [random_place(seed) for seed in VALIDATION[:DRIFT_STARTS]]
    worlds = [World(place.robot, bare, controller, place.starts[0], sensors) for place in lying]
    record = Record(rate=1.0, variables=("center_of_mass",))
    center = simulate(worlds, DRIFT_TIME, settings=STEP, record=record).center_of_mass.values
    away = np.linalg.norm(center - center[:, :1], axis=2)
    at_the_end = away[:, -1]
    return {
        "starts": DRIFT_STARTS,
        "largest_m": float(at_the_end.max()),
        "mean_m": float(at_the_end.mean()),
        "farthest_m": float(away.max()),
    }


def _seeds_passed(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """The seeds of the random courses that were passed."""
    return [int(str(row["place"]).removeprefix("random-")) for row in rows if row["passed"]]
