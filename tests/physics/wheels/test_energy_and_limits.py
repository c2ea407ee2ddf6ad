"""Where the energy goes, wheels beside anisotropic friction, and batches of robots with and without wheels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp

ROLLING = 0.03
GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=3.0, phase_shift=-0.8)
SMOOTH = pp.Environment(ground=pp.Ground(friction=pp.Frictionless()))


def robot(side_limit: float | None) -> pp.PlanarRobot:
    """Eight links with one wheel each, in the middle; None: without."""
    wheels = () if side_limit is None else (wheel(side_limit),)
    link = pp.PlanarLink(length=0.1, mass=0.5, inertia=5e-4, radius=0.03, wheels=wheels)
    return pp.PlanarRobot.uniform(8, link, pp.Motor(stiffness=20.0, damping=0.5))


def wheel(side_limit: float) -> pp.Wheels:
    return pp.Wheels(rolling_resistance=ROLLING, side_limit=side_limit, track=0.0)


def undulate(driven: pp.PlanarRobot, ground: pp.Environment, dt: float) -> xr.Dataset:
    settings = pp.Settings(dt=dt, tolerance=1e-7)
    return pp.simulate(pp.World(driven, ground, GAIT), 2.0, settings=settings, record=pp.Record(rate=1 / dt))


class Balance(NamedTuple):
    """Energies [J]."""

    work: float
    gained: float
    rolling: float
    side: float

    @property
    def rest(self) -> float:
        return self.work - self.gained - self.rolling - self.side


def balance(run: xr.Dataset, dt: float) -> Balance:
    """Work of the motors, kinetic energy, and what the ground took along wheels and axles, step by step."""
    body = robot(None)
    v, omega, theta = run.link_velocity.values, run.link_angular_velocity.values, run.link_angle.values
    kinetic = 0.5 * (v**2).sum(axis=-1) @ body.column("mass") + 0.5 * omega**2 @ body.column("inertia")
    mean, middle = (v[1:] + v[:-1]) / 2, (theta[1:] + theta[:-1]) / 2
    along = np.stack((np.cos(middle), np.sin(middle)), axis=-1)
    left = np.stack((-along[..., 1], along[..., 0]), axis=-1)
    impulse = dt * run.ground_force.values[1:]
    lost = [-((impulse * way).sum(axis=-1) * (mean * way).sum(axis=-1)).sum() for way in (along, left)]
    return Balance(dt * run.joint_power.values[1:].sum(), kinetic[-1] - kinetic[0], *lost)


def test_energy_while_the_wheels_hold() -> None:
    """Work = kinetic energy + rolling loss. Side forces do none: what is left of both falls with dt squared."""
    found = [balance(undulate(robot(20.0), SMOOTH, dt), dt) for dt in (2e-3, 1e-3)]
    for each in found:
        assert each.rolling > 0.5 and each.work > 0.9  # [J]: there is something to balance
    assert abs(found[1].side) < 5e-6 * found[1].work and abs(found[1].rest) < 5e-6 * found[1].work
    assert found[0].side / found[1].side == pytest.approx(4.0, rel=0.15)
    assert found[0].rest / found[1].rest == pytest.approx(4.0, rel=0.15)


def test_energy_while_the_wheels_slip() -> None:
    """Work = kinetic energy + rolling loss + loss by side slip."""
    found = [balance(undulate(robot(0.3), SMOOTH, dt), dt) for dt in (2e-3, 1e-3)]
    assert min(found[1].side, found[1].rolling, found[1].gained) > 0.2  # [J]
    assert abs(found[1].rest) < 1e-6 * found[1].work
    assert found[0].rest / found[1].rest == pytest.approx(4.0, rel=0.3)


@pytest.mark.parametrize("side_limit", [5.0, 0.2])
def test_same_as_rectangular_friction(side_limit: float) -> None:
    """One wheel in the middle of a link and ground with two independent bounds are one law.

    The ground takes its directions at the midpoint of a step, which is first order; so is the difference.
    """
    law = pp.Rectangular(along=ROLLING, across=side_limit)
    ground = pp.Environment(ground=pp.Ground(friction=law))
    apart = []
    for dt in (2e-3, 1e-3):
        ways = [undulate(robot(side_limit), SMOOTH, dt), undulate(robot(None), ground, dt)]
        ends = [way.center_of_mass.values[-1] for way in ways]
        apart.append(np.linalg.norm(ends[0] - ends[1]))
    assert apart[1] < 2e-3 * np.linalg.norm(ends[0])
    assert apart[0] / apart[1] == pytest.approx(2.0, rel=0.15)


def test_a_lower_limit_never_takes_it_farther() -> None:
    """Speed over the side limit, all in one batch: it falls with the limit, and not by a jump."""
    limits = (1.0, 0.5, 0.25, 0.12, 0.06)
    worlds = [pp.World(robot(limit), SMOOTH, GAIT) for limit in limits]
    run = pp.simulate(worlds, 2.0)
    way = run.center_of_mass.sel(axis="x").values
    assert (np.diff(way[:, -1] - way[:, 0]) < 0.0).all()


def test_mixed_batches() -> None:
    """Robots with and without wheels, in one batch and each alone: the same to the last bit."""
    rough = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.4)))
    two = pp.Wheels(offset=-0.02, axle_angle=0.1), pp.Wheels(offset=0.03, side_limit=0.2)
    bare = robot(None)
    partly = replace(bare, links=(*bare.links[:3], replace(bare.links[3], wheels=two), *bare.links[4:]))
    robots = (bare, robot(0.5), partly)
    alike([pp.World(each, rough, GAIT) for each in robots])


def test_mixed_batches_in_space() -> None:
    wheeled = pp.catalogue.acm_iii()
    bare = replace(wheeled, links=tuple(replace(link, wheels=()) for link in wheeled.links))
    some = replace(wheeled, links=(*bare.links[:10], *wheeled.links[10:]))
    rough = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.4)))
    alike([pp.World(each, rough, GAIT) for each in (bare, wheeled, some)])


def alike(worlds: list[pp.World], **settings: Any) -> None:
    """Asserts that a batch does what its worlds do alone."""
    together = pp.simulate(worlds, 0.3, settings=pp.Settings(**settings))
    for number, world in enumerate(worlds):
        alone = pp.simulate(world, 0.3, settings=pp.Settings(**settings))
        np.testing.assert_array_equal(alone.center_of_mass.values, together.center_of_mass.values[number])
        np.testing.assert_array_equal(alone.link_velocity.values, together.link_velocity.values[number])
