"""Random worlds, planar and spatial: driven hard, thrown, wedged, and from all that files can hold.

Left out: height fields larger than 6 x 6 in the last of these, force mapping, more than a hundred links.
"""

from __future__ import annotations

from campaigns.campaign import kind
from campaigns.energy_audit import bouncing, imposed
from campaigns.random_worlds import random_world
from campaigns.world_audit import outcome
from pushpoint.bench.random_worlds import RandomWorld
from pushpoint.bench.violent_worlds import violent_case, violent_planar_case

EVERY = 20
"""One world in so many is asked for second opinions [-]."""


def written(seed: int) -> RandomWorld:
    """A world of all that files can hold, at a time step that its controller's period is a multiple of."""
    world, wanted = random_world(seed), (5e-4, 1e-3, 2e-3)[seed // 2 % 3]
    period = 1.0 / world.controller.rate
    return RandomWorld(seed, 0, period / max(1, round(period / wanted)), "any", world)


@kind("planar worlds", full=100_000, short=60, limit=60.0)
def planar(seed: int) -> str:
    """A planar world of any robot, friction, obstacles and controller, run for 0.6 s with every step looked at."""
    case = written(2 * seed) if seed % 3 == 0 else violent_planar_case(seed)
    return outcome(case, 0.6, opinions=seed % EVERY == 0)


@kind("spatial worlds", full=20_000, short=24, limit=120.0)
def spatial(seed: int) -> str:
    """A spatial world of any robot, ground, obstacles and controller, run for 0.6 s with every step looked at."""
    makers = (violent_case, bouncing, imposed)
    case = written(2 * seed + 1) if seed % 4 == 3 else makers[seed % 4](seed)
    return outcome(case, 0.6, opinions=seed % EVERY == 0)
