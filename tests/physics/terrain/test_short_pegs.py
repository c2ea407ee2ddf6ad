"""Pegs that end: a link lies on one, balances, tips over its rim and slides across without catching."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from oracles.controllers import Always

G = 9.81
RADIUS, HALF, HIGH = 0.03, 0.15, 0.2
TURN = 8e-3
"""Moment of inertia of a link across its axis [kg m^2]."""
HOLD = Always(pp.Command())


def rod(shape: str = "round") -> pp.SpatialRobot:
    """One long link of 1 kg."""
    link = pp.SpatialLink(length=2 * HALF, mass=1.0, inertia=(1e-3, TURN, TURN), radius=RADIUS, shape=shape)  # type: ignore[arg-type]
    return pp.SpatialRobot(links=(link,), joints=())


def peg_at(x: float, radius: float = 0.05, friction: float = 0.5) -> pp.Peg:
    """A peg that ends at HIGH."""
    return pp.Peg(x=x, y=0.0, radius=radius, height=HIGH, friction=friction)


def laid(pegs: list[pp.Peg], seconds: float, shape: str = "round", **start: object) -> xr.Dataset:
    """A link laid down at x = y = 0 on whatever is there."""
    begin = pp.SpatialStart(**{"position": (0.0, 0.0), **start})  # type: ignore[arg-type]
    return pp.simulate(pp.World(rod(shape), pp.Environment(obstacles=pegs), HOLD, begin), seconds)


class TestBalance:
    @pytest.mark.parametrize("shape", ["round", "square"])
    @pytest.mark.parametrize(("radius", "off"), [(0.05, 0.0), (0.05, 0.045), (0.02, 0.015)])
    def test_centre_above_the_top_rests(self, shape: str, radius: float, off: float) -> None:
        run = laid([peg_at(off, radius)], 0.5, shape)
        np.testing.assert_allclose(run.link_position[:, 0, 2], HIGH + RADIUS, atol=5e-6)  # the closed gap, and rounding
        assert float(run.obstacle_load[-1, 0]) == pytest.approx(G, rel=1e-4)  # 1 kg
        np.testing.assert_allclose(run.link_orientation[-1, 0], [1.0, 0.0, 0.0, 0.0], atol=1e-4)
        assert float(run.unconverged.max()) == 0.0

    @pytest.mark.parametrize("shape", ["round", "square"])
    def test_centre_beyond_the_rim_tips(self, shape: str) -> None:
        # A frictionless rim carries N upward at a lever d: m a = N - m g, I alpha = N d, a = -d alpha.
        d = 0.02
        run = laid([peg_at(-0.05 - d, friction=0.0)], 0.04, shape)
        alpha = G * d / (TURN + d**2)
        pitch = 2 * np.arcsin(float(run.link_orientation[-1, 0, 2]))
        assert pitch == pytest.approx(alpha * 0.04**2 / 2, rel=0.03)  # rad: the lever grows as it turns

    def test_a_square_link_tips_on_a_peg_narrower_than_itself(self) -> None:
        # Across the link the rim is 0.01 m from its middle: it rolls to that side.
        peg = replace(peg_at(0.0, 0.02, friction=0.0), y=0.03)
        run = laid([peg], 0.03, "square")
        d = 0.01
        alpha = G * d / (1e-3 + d**2)
        roll = 2 * np.arcsin(float(run.link_orientation[-1, 0, 1]))
        assert roll == pytest.approx(alpha * 0.03**2 / 2, rel=0.05)


class TestSlide:
    @pytest.mark.parametrize("shape", ["round", "square"])
    def test_level_tops_do_not_catch_a_link(self, shape: str) -> None:
        pegs = [peg_at(0.11 * k, 0.04, friction=0.0) for k in range(-3, 12)]
        run = laid(pegs, 1.0, shape, velocity=(0.7, 0.0, 0.0))
        np.testing.assert_allclose(run.link_velocity[:, 0, 0], 0.7, rtol=0, atol=1e-3)  # m/s: a corner dips by 1 um
        np.testing.assert_allclose(run.link_position[:, 0, 2], HIGH + RADIUS, rtol=0, atol=1e-5)

    @pytest.mark.parametrize("shape", ["round", "square"])
    def test_a_bed_of_narrow_pegs_carries_it(self, shape: str) -> None:
        # More rims than a link has room for contacts.
        pegs = [peg_at(0.035 * k, 0.012, friction=0.3) for k in range(-10, 11)]
        run = laid(pegs, 0.3, shape)
        np.testing.assert_allclose(run.link_position[:, 0, 2], HIGH + RADIUS, rtol=0, atol=1e-5)
        assert float(run.obstacle_load[-1].sum()) == pytest.approx(G, rel=1e-3)

    def test_a_link_that_slides_off_gains_nothing(self) -> None:
        run = laid([peg_at(0.0, 0.1, friction=0.0)], 0.35, velocity=(0.6, 0.1, 0.0))
        speed = 0.5 * (run.link_velocity[:, 0] ** 2).sum("axis") + G * run.link_position[:, 0, 2]
        spin = 0.5 * TURN * (run.link_angular_velocity[:, 0, 1:] ** 2).sum("axis")
        roll = 0.5 * 1e-3 * run.link_angular_velocity[:, 0, 0] ** 2
        energy = (speed + spin + roll).values
        aloft = run.link_position[:, 0, 2].values > 0.12
        assert np.diff(energy[aloft]).max() < 1e-4  # J between samples of 10 ms
        assert energy[aloft][-1] > energy[0] - 5e-3  # a smooth way over the rim takes little
        assert float(run.penetration.max()) < 1e-4

    def test_from_the_side_it_is_the_endless_peg(self) -> None:
        def stopped(height: float | None) -> xr.Dataset:
            begin = pp.SpatialStart(position=(-0.4, 0.01), velocity=(0.8, 0.0, 0.0))
            place = pp.Environment(obstacles=[pp.Peg(x=0.0, y=0.0, radius=0.1, height=height, friction=0.2)])
            return pp.simulate(pp.World(rod(), place, HOLD, begin), 0.4)

        np.testing.assert_allclose(stopped(0.3).link_position, stopped(None).link_position, rtol=0, atol=1e-6)


def test_planar_robots_do_not_notice_the_height() -> None:
    world = pp.scenario("transeth2008a/obstacle-aided").world
    low = [replace(peg, height=0.01) for peg in world.environment.obstacles]  # type: ignore[call-arg]
    lowered = replace(world, environment=replace(world.environment, obstacles=low))
    np.testing.assert_array_equal(pp.simulate(lowered, 0.2).link_position, pp.simulate(world, 0.2).link_position)


def test_worlds_of_different_solids_in_one_batch() -> None:
    solids: list[pp.Obstacle] = [
        peg_at(0.0),
        pp.Ramp(foot=(-0.5, 0.0), length=1.0, rise=0.2, friction=0.5),
        pp.Pipe(start=(-1.0, 0.0, 0.2), end=(1.0, 0.0, 0.2), radius=0.1, friction=0.5),
        pp.Box(center=(0.0, 0.0, 0.1), size=(0.4, 0.4, 0.2), friction=0.5),
    ]
    worlds = [
        pp.World(rod(), pp.Environment(obstacles=[solid]), HOLD, pp.SpatialStart(position=(0.0, 0.0)))
        for solid in solids
    ]
    together = pp.simulate(worlds, 0.2)
    for k, world in enumerate(worlds):
        np.testing.assert_array_equal(together.link_position[k], pp.simulate(world, 0.2).link_position)
