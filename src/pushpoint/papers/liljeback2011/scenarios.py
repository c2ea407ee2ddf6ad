"""Liljeback2011: P. Liljeback, K. Y. Pettersen, O. Stavdahl, J. T. Gravdahl, "Experimental Investigation of
Obstacle-Aided Locomotion with a Snake Robot", IEEE Transactions on Robotics 27 (4), 2011.

Translation. Links are numbered as ours; phi_i = -joint_angle[i - 1], u_i = -joint_torque[i - 1]. The head rule (3) is
missing from the text and is a hysteresis here; the delays of (5) begin with what the start shape would have come from;
references end at the joints' limits. Friction and the gains of (11) are not printed: 0.3 on the ground, 0.2 at the
obstacles, 20 N m/rad and 1 N m s/rad are ours and not tuned. The listed starts overlap the obstacles by 41, 84 and
10 mm: the robot stands in the nearest free pose. Of environment 3, four positions and five diameters are printed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import HybridController, LeaderFollower
from pushpoint.errors import UnknownName
from pushpoint.model.catalogue import liljeback2011 as paper_robot
from pushpoint.papers.liljeback2011.trials import ENVIRONMENTS, SAMPLES, STEP, published_course, published_start
from pushpoint.papers.writing import Build, claims_of
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World

PAPER = "liljeback2011"
DURATION = 100.0
"""As long as the paper's figures [s]."""
CONTROLLERS: dict[str, Callable[[], Any]] = {
    "hybrid": HybridController,
    "leader-follower": LeaderFollower,
    "continuous": ContinuousResolution,
}
TITLES = {
    "hybrid": "Environment {0} with the hybrid controller: leader-following, and jams resolved by touch.",
    "leader-follower": "Environment {0} with leader-following alone: without jam resolution the robot is soon stuck.",
    "continuous": "Environment {0} with jam resolution all the time, beside a wave that never stops.",
}
CLAIMS = {1: "LB1 LB4 LB5 LB6 LB7 LB8 LB9 LB10", 2: "LB2", 3: "LB3"}
"""By environment, with the hybrid controller; those about all environments stand with the first."""


def paper_controller(name: str) -> Any:
    """One of the three controllers, with the paper's parameters where it has some."""
    if name not in CONTROLLERS:
        raise UnknownName("controller of Liljeback2011", name, CONTROLLERS)
    return CONTROLLERS[name]()


def _builder(environment: int, control: str) -> Build:
    def build() -> Scenario:
        began = published_start(environment)
        return Scenario(
            name=_name(environment, control),
            title=TITLES[control].format(environment),
            source=f"Liljeback2011, IV-C, environment {environment}; {began.note}",
            worlds=World(paper_robot(), published_course(environment), paper_controller(control), began.start),
            duration=DURATION,
            settings=STEP,
            record=SAMPLES,
            claims=claims_of(PAPER, CLAIMS[environment]) if control == "hybrid" else (),
        )

    build.__doc__ = TITLES[control].format(environment)
    return build


def _name(environment: int, control: str) -> str:
    """The hybrid controller is the paper's and has the plain name."""
    return f"{PAPER}/environment-{environment}" + ("" if control == "hybrid" else f"-{control}")


SCENARIOS = {_name(place, control): _builder(place, control) for place in ENVIRONMENTS for control in CONTROLLERS}
