"""Our own scenarios of force mapping: what the program can do beyond the paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pushpoint.mapping.limits import MappingBounds, MappingWeights
from pushpoint.papers.holden2014.decay import POSTURE
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.world import World

# Listing scenarios must stay fast: what runs simulations is imported where a scenario is built.

SOURCE = "Holden2014, (53)-(56), with bounds, weights and loads of our own"
LEAST_PUSH = 2.0
"""Least force on every peg that touches [N]."""
DEAR = 10.0
"""Price of a squared torque at the tail over that at the head [-]."""
PULL = 0.1
"""Force on every link of the tethered robot, backward [N]."""


@experiment(SOURCE, paper="mapping", duration=6.0)
def firm_push() -> World:
    """The force mapping with a least push on every peg.

    Each peg is to be pushed with two newtons or more. Torques near the tail are dear, and the centre of mass is
    controlled along the path only.
    """
    from pushpoint.papers.holden2014.scenarios import with_posture

    world = with_posture().world
    prices = np.geomspace(DEAR, 1.0, world.robot.n_joints)
    bounds = MappingBounds(torque_limit=world.robot.motor_column("torque_limit"), least_force=LEAST_PUSH)
    program = MappingWeights(posture=POSTURE, torque=prices)
    controller = replace(world.controller, program=program, bounds=bounds, forward_only=True)
    return replace(world, controller=controller)


@experiment(SOURCE, paper="mapping", duration=6.0)
def tethered() -> World:
    """Force mapping with a known load: a tether pulls every link back.

    The pull is part of the equations, so that the torques work against it at once.
    """
    from pushpoint.control.loaded import Loaded
    from pushpoint.papers.holden2014.scenarios import closed_loop

    world = closed_loop().world
    pull = ((-PULL, 0.0, 0.0),)
    told = replace(world.controller, load=pull * world.robot.n_links)
    return replace(world, controller=Loaded(controller=told, load=pull))


SCENARIOS = listed(firm_push, tethered, paper="mapping")
