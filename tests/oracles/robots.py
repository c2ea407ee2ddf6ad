"""Small robots that the tests of the references and of the engine share."""

from __future__ import annotations

import numpy as np

from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support


def uneven_robot(motor: Motor | None = None) -> PlanarRobot:
    """Four links that differ in everything."""
    links = tuple(
        PlanarLink(length=length, mass=mass, inertia=inertia, radius=0.02, mass_offset=offset, supports=supports)
        for length, mass, inertia, offset, supports in (
            (0.10, 0.4, 5e-4, 0.010, None),
            (0.15, 0.9, 2e-3, -0.020, (Support(offset=-0.05, share=0.3), Support(offset=0.06, share=0.7))),
            (0.08, 0.3, 3e-4, 0.000, None),
            (0.12, 0.7, 1e-3, 0.015, None),
        )
    )
    return PlanarRobot(links=links, motors=motor or Motor())


def uneven_links(seed: int = 1) -> PlanarRobot:
    """Fifteen links of equal radius but random lengths, masses and centres of mass, about as light."""
    rng = np.random.default_rng(seed)
    links = []
    for _ in range(15):
        length, mass, offset = rng.uniform(0.07, 0.13), rng.uniform(0.15, 0.6), rng.uniform(-0.2, 0.2)
        inertia = mass * length**2 / 12
        links.append(PlanarLink(length=length, mass=mass, inertia=inertia, radius=0.03, mass_offset=offset * length))
    return PlanarRobot(links=tuple(links), motors=Motor(torque_limit=4.0), name="uneven-links", source="ours, random")
