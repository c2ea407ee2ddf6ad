"""Questions from the literature as ready searches, by name: `question("planar-speed-10W").optimise(seed=1)`.

Ranges of planar undulation and of sidewinding are ours, wide enough that no optimum lies on one that matters; the
slowest gait makes two and a half periods in the simulated 10 s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.settings import Settings
from pushpoint.errors import UnknownName
from pushpoint.gaits import LateralUndulation
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, Viscous
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studies.optimising.objective import Objective
from pushpoint.studies.optimising.optimum import Optimum
from pushpoint.studies.optimising.search import Told, optimise
from pushpoint.studies.optimising.space import Bounds
from pushpoint.worlds.world import World

DURATION, STEP, PERIODS, SOFT_START = 10.0, 2e-3, 2, 1.0
"""Simulated time [s], time step [s], periods at the end that count [-], and the time in which amplitudes grow [s]."""
SLOWEST_DEG = 360.0 * (PERIODS + 0.5) / DURATION
"""Angular frequency of which the last periods lie within the run, after its start [deg/s]."""
POWERS = (3, 10, 30)
"""What the fastest gaits may need [W]."""
STANDING = 0.02
"""A cost of transport is sought of gaits that are faster than this [m/s]."""
PHASE_LINKS = (6, 10, 20)
"""Robots whose best phase shift is sought [-]."""
PHASE_AMPLITUDE = math.radians(5.0)
"""Small, as the closed form requires [rad]."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A search that is ready to run."""

    __repr__ = brief

    name: str
    """Its name."""
    title: str
    """One line that says what is sought."""
    space: Mapping[str, Any]
    """Ranges by keys of the scenario."""
    objective: Objective
    """What is wanted."""
    evaluations: int = 448
    """How many candidates are tried [-]."""
    candidates: int = 32
    """How many make a generation [-]."""
    seed: int = 0
    """Seed of the search, unless another is asked for."""

    def optimise(
        self,
        *,
        seed: int | None = None,
        evaluations: int | None = None,
        store: str | Path | None = None,
        progress: Told | None = None,
    ) -> Optimum:
        """Runs the search; see `pushpoint.studies.optimise`."""
        return optimise(
            self.space,
            self.objective,
            evaluations=self.evaluations if evaluations is None else evaluations,
            candidates=self.candidates,
            seed=self.seed if seed is None else seed,
            store=store,
            progress=progress,
        )


def _undulating() -> Scenario:
    """Aiko in the plane on ground that holds it five times better across than along."""
    ground = Environment(ground=Ground(friction=Elliptic(along=0.1, across=0.5)))
    gait = LateralUndulation(
        amplitude=math.radians(30.0), angular_frequency=4.0, phase_shift=math.radians(-45.0), soft_start=SOFT_START
    )
    world = World(aiko_planar(), ground, gait)
    return Scenario(name="planar-undulation", worlds=world, duration=DURATION, settings=Settings(dt=STEP))


UNDULATIONS: Mapping[str, Any] = {
    "controller.amplitude_deg": Bounds(low=5.0, high=90.0),
    "controller.angular_frequency_deg": Bounds(low=SLOWEST_DEG, high=900.0, scale="log"),
    "controller.phase_shift_deg": Bounds(low=-90.0, high=-5.0),
}
"""Gaits of planar undulation."""


def _sidewinding() -> Scenario:
    """The published sidewinding robot in space."""
    from pushpoint.papers.registry import scenario  # here, because it loads all that the papers need

    published = scenario("transeth2008b/sidewinding").with_changes(duration=DURATION, dt=STEP)
    return replace(published, claims=())


SIDEWINDINGS: Mapping[str, Any] = {
    "controller.yaw_amplitude_deg": Bounds(low=-70.0, high=-10.0),
    "controller.pitch_amplitude_deg": Bounds(low=0.5, high=25.0, scale="log"),
    "controller.angular_frequency_deg": Bounds(low=SLOWEST_DEG, high=720.0, scale="log"),
    "controller.phase_shift_deg": Bounds(low=-80.0, high=-15.0),
}
"""Gaits of sidewinding; the pitch wave is a quarter of a period from the yaw wave, as published."""


def _phase(links: int) -> Question:
    """Liljebäck's optimal phase shift of lateral undulation at small amplitude on viscous ground.

    Slow, and on thick ground: the closed form leaves out the inertia of the links.
    """
    ground = Environment(ground=Ground(friction=Viscous(along=10.0, across=30.0)))
    link = PlanarLink(length=0.14, mass=1.0, inertia=0.0016, radius=0.05)
    gait = LateralUndulation(
        amplitude=PHASE_AMPLITUDE, angular_frequency=2.0, phase_shift=-0.5, soft_start=SOFT_START, prescribed=True
    )
    world = World(PlanarRobot.uniform(links, link), ground, gait)
    scenario = Scenario(name=f"phase-{links}", worlds=world, duration=DURATION, settings=Settings(dt=STEP))
    return Question(
        name=f"phase-{links}-links",
        title=f"the phase shift that drives {links} links best on viscous ground (Liljebäck et al., 2013)",
        space={"controller.phase_shift_deg": Bounds(low=-90.0, high=-2.0)},
        objective=Objective(scenario=scenario, goals={"speed": "maximise"}, periods=PERIODS),
        evaluations=128,
    )


def best_phase_shift(links: int) -> float:
    """Liljebäck's optimal phase shift in closed form [rad]: where k = sum_ij a_ij sin((j - i) delta) is largest.

    a = A D^T (D D^T)^-1 with the addition and difference matrices of the joints. From Liljebäck, Pettersen, Stavdahl
    and Gravdahl, Snake Robots (2013), for small amplitudes on viscous anisotropic ground.
    """
    from scipy.optimize import minimize_scalar  # here, because it takes time to load

    joints = links - 1
    add, differ = (np.eye(joints, links) + sign * np.eye(joints, links, 1) for sign in (1.0, -1.0))
    a = add @ differ.T @ np.linalg.inv(differ @ differ.T)
    apart = np.arange(joints)[None, :] - np.arange(joints)[:, None]

    def drive(delta: float) -> float:
        return float((a * np.sin(apart * delta)).sum())

    grid = np.linspace(0.0, math.pi, 2000)
    at = grid[int(np.argmax([drive(delta) for delta in grid]))]
    step = float(grid[1])
    found = minimize_scalar(lambda delta: -drive(delta), bounds=(at - step, at + step), method="bounded")
    return float(found.x)


Make = Callable[[], Scenario]


def _searches(kind: str, words: str, space: Mapping[str, Any], make: Make) -> dict[str, Callable[[], Question]]:
    """The questions about one kind of gait: fastest under each power, cheapest, and the front between both."""

    def fastest(power: int) -> Question:
        goal = Objective(scenario=make(), goals={"speed": "maximise"}, most={"power": power}, periods=PERIODS)
        title = f"the fastest {words} that needs {power} W at most"
        return Question(name=f"{kind}-speed-{power}W", title=title, space=space, objective=goal)

    def cheapest() -> Question:
        goals = {"cost_of_transport": "minimise"}
        goal = Objective(scenario=make(), goals=goals, least={"speed": STANDING}, periods=PERIODS)
        title = f"the {words} with the least cost of transport, by positive work"
        return Question(name=f"{kind}-cost", title=title, space=space, objective=goal)

    def front() -> Question:
        goals = {"speed": "maximise", "cost_of_transport": "minimise"}
        goal = Objective(scenario=make(), goals=goals, least={"speed": STANDING}, periods=PERIODS)
        title = f"fast or cheap: the front of {words}"
        return Question(name=f"{kind}-front", title=title, space=space, objective=goal, evaluations=960)

    asked: dict[str, Callable[[], Question]] = {f"{kind}-speed-{power}W": partial(fastest, power) for power in POWERS}
    return asked | {f"{kind}-cost": cheapest, f"{kind}-front": front}


QUESTIONS: dict[str, Callable[[], Question]] = {
    **_searches("planar", "planar undulation on 0.1 along and 0.5 across", UNDULATIONS, _undulating),
    **_searches("sidewinding", "sidewinding in space", SIDEWINDINGS, _sidewinding),
    **{f"phase-{links}-links": partial(_phase, links) for links in PHASE_LINKS},
}
"""What makes each question, by its name."""


def question(name: str) -> Question:
    """The built-in question of a name."""
    if name not in QUESTIONS:
        raise UnknownName("question", name, QUESTIONS)
    return QUESTIONS[name]()
