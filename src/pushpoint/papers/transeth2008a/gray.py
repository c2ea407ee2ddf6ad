"""Gray's three links against three smooth obstacles: Transeth2008a VII-B, Fig. 7, and its claim.

Which end leads is not in the text: Gray's own account (curvature grows toward the head, muscles pull on the inner
side) and the paper's remark that obstacle 1 has the useful reaction make link 1 the head. Ours: joint_angle = (beta,
alpha), both bends to the left, both torques deepen the bends. The obstacles touch the middles of the links, inside
both outer links and outside the middle one. Balance of moments about the joints and of forces along the middle link
gives a push of (front / a) sin(alpha) - (rear / b) sin(beta): forward if alpha > beta, for equal torques and arms.
"""

from __future__ import annotations

from math import radians

import numpy as np

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.papers.claims import claim, verdict
from pushpoint.scenarios.claim import RunOf, Verdict
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

ALPHA_DEG, BETA_DEG = 50.0, 30.0
TORQUE = 1.0
PEG_RADIUS = 0.02
NAME = "transeth2008a/gray-three-links"


def gray(alpha_deg: float, beta_deg: float) -> Scenario:
    """The mechanism with bend alpha at the front joint and beta at the rear joint, released from rest."""
    link = PlanarLink(length=0.122, mass=7.5 / 11, inertia=1.32e-3, radius=0.0525, side_length=2 * 0.0393)
    robot = PlanarRobot.uniform(3, link, name="gray-three-links", source="Transeth2008a, VII-B")
    theta = np.array([-radians(beta_deg), 0.0, radians(alpha_deg)])
    middles = link_positions(robot, np.zeros(2), theta)
    middles -= middles[1]
    beside = np.stack((-np.sin(theta), np.cos(theta)), axis=-1) * np.array([[1.0], [-1.0], [1.0]])
    centers = middles + (link.radius + PEG_RADIUS) * beside
    return Scenario(
        name=NAME,
        title=(gray_three_links.__doc__ or "").partition("\n")[0],
        source="Transeth2008a",
        worlds=World(
            robot,
            Environment(obstacles=[Peg(x=float(x), y=float(y), radius=PEG_RADIUS) for x, y in centers]),
            ConstantTorque(torque=(TORQUE, TORQUE)),
            Start(link_angles=tuple(theta), link=1, position=(0.0, 0.0)),
        ),
        duration=0.04,
        settings=Settings(dt=1e-4),
        record=Record(rate=1000.0),
        claims=(TA10,),
    )


def gray_three_links() -> Scenario:
    """Three links pressed against three smooth obstacles: they glide forward if alpha > beta (VII-B, Fig. 7)."""
    return gray(ALPHA_DEG, BETA_DEG)


@claim(
    "VII-B, Fig. 7, after Gray",
    tolerance="way forward > 0, way backward < 0, equal in size within 1 %; for equal angles less than 0.1 % of that "
    "way",
)
def TA10(run_of: RunOf) -> Verdict:
    """three links against three smooth obstacles go forward if alpha > beta, backward if alpha < beta, and feel no
    force if the angles are equal"""
    runs = {
        "forward": run_of(NAME),
        "backward": gray(BETA_DEG, ALPHA_DEG).run(),
        "equal": gray(ALPHA_DEG, ALPHA_DEG).run(),
    }
    # Along the middle link.
    moved = {
        f"{name}_mm": float(run.center_of_mass[-1, 0] - run.center_of_mass[0, 0]) * 1e3 for name, run in runs.items()
    }
    mirrored = abs(moved["forward_mm"] + moved["backward_mm"]) < 0.01 * moved["forward_mm"]
    still = abs(moved["equal_mm"]) < 1e-3 * moved["forward_mm"]
    return verdict(moved["forward_mm"] > 0 > moved["backward_mm"] and mirrored and still, **moved)
