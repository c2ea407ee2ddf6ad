"""Contacts with things at rest take energy and never add any: limp chains thrown at a rough wall."""

from __future__ import annotations

import numpy as np

import pushpoint as pp

LINK = pp.PlanarLink(length=0.2, mass=0.5, inertia=0.5 * 0.2**2 / 12, radius=0.02)
ROBOT = pp.PlanarRobot.uniform(2, LINK, pp.Motor())
LIMP = pp.gaits.LateralUndulation(amplitude=0.0, angular_frequency=1.0, phase_shift=0.0)


def thrown(random: np.random.Generator) -> pp.World:
    """Two links that come down on a wall with one end first, aslant."""
    first, bend = random.uniform(0.2, 1.3), random.uniform(-0.3, 0.3)
    wall = pp.Wall(
        start=(-3.0, -0.05),
        end=(3.0, -0.05),
        thickness=0.1,
        friction=random.uniform(0.1, 1.5),
        restitution=random.uniform(0.3, 1.0),
    )
    start = pp.Start(
        link_angles=(first, first + bend),
        position=(0.0, 0.2 * np.sin(max(first, first + bend)) + 0.03),
        velocity=(random.uniform(-2.0, 2.0), -random.uniform(0.5, 2.0)),
        spin=random.uniform(-2.0, 2.0),
    )
    course = pp.Environment(ground=pp.Ground(friction=pp.Frictionless()), obstacles=[wall])
    return pp.World(ROBOT, course, LIMP, start)


def test_no_chain_gains_energy() -> None:
    random = np.random.default_rng(0)
    worlds = [thrown(random) for _ in range(300)]
    run = pp.simulate(worlds, 0.15, settings=pp.Settings(tolerance=1e-3), record=pp.Record(rate=1000.0))
    moving = 0.5 * LINK.mass * (run.link_velocity.values**2).sum(axis=(-1, -2))
    total = moving + 0.5 * LINK.inertia * (run.link_angular_velocity.values**2).sum(axis=-1)
    gain = np.diff(total, axis=1).max(axis=1) / total[:, 0]
    assert total[:, -1].min() > 0.0 and (total[:, -1] < 0.9 * total[:, 0]).mean() > 0.5  # they do hit the wall
    assert gain.max() < 0.01  # of its energy in a step, first order in dt; 32 of them gained up to 0.2
