"""Measures of whole batches: the same as world by world, positive work, and runs that were joined."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint import measures
from pushpoint.errors import InvalidModel

ROBOT = pp.catalogue.aiko_planar()
GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=6.0, phase_shift=-0.7, soft_start=0.3)
RECORD = pp.Record(rate=50.0, also=("ground_friction_power",))


def ground(along: float, gravity: float = 9.81) -> pp.Environment:
    return pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=along, across=0.5), gravity=gravity))


def batch_of(*frequencies: float) -> list[pp.World]:
    """Worlds that differ in gait, friction and gravity, so that no world can be measured as another."""
    return [
        pp.World(ROBOT, ground(0.05 * (1 + w), 9.81 - w), replace(GAIT, angular_frequency=omega))
        for w, omega in enumerate(frequencies)
    ]


WORLDS = batch_of(5.0, 6.5, 9.0)


@pytest.fixture(scope="module")
def batch() -> xr.Dataset:
    return pp.simulate(WORLDS, 3.0, record=RECORD)


@pytest.fixture(scope="module")
def runs() -> list[xr.Dataset]:
    """The same worlds, each simulated alone."""
    return [pp.simulate(world, 3.0, record=RECORD) for world in WORLDS]


def batchable() -> list[str]:
    """All public measures of a run that need no path or curve to follow."""
    single = {"gait_period", "whole_periods", "averaging_window", "per_motor", "summary", "notes"}  # of one world
    elsewhere = {"cross_track_error", "course_error", "settling_distance", "curve_fit"}  # have tests of their own
    needs_more = {"energy_budget"}
    public = (name for name in vars(measures) if inspect.isfunction(getattr(measures, name)))
    return sorted(set(public) - single - elsewhere - needs_more)


@pytest.mark.parametrize("name", sorted(measures.MEASURES))
def test_the_measures_of_a_summary_take_whole_batches(name: str, batch: xr.Dataset, runs: list[xr.Dataset]) -> None:
    """Studies ask for them by name; world by world they took longer than the simulation."""
    find = measures.MEASURES[name].find
    found = np.asarray(find(batch), dtype=float)
    assert found.shape == (len(runs),)
    np.testing.assert_allclose(found, [float(find(run)) for run in runs], rtol=1e-12, atol=1e-15)  # other order of sums


@pytest.mark.parametrize("name", batchable())
def test_a_batch_is_measured_like_its_worlds_alone(name: str, batch: xr.Dataset, runs: list[xr.Dataset]) -> None:
    """Simulated and measured alone, each world gives the same: nothing of a neighbour gets in."""
    measure = getattr(measures, name)
    found, alone = measure(batch), [measure(run) for run in runs]
    for part in found.data_vars if isinstance(found, xr.Dataset) else (None,):
        together = found if part is None else found[part]
        assert together.dims[0] == "world"
        for w, one in enumerate(alone):
            expected = (one if part is None else one[part]).values
            got = together.isel(world=w).values
            np.testing.assert_allclose(got[..., : expected.size] if got.ndim else got, expected, rtol=1e-12)


@pytest.mark.parametrize("name", batchable())
def test_part_of_a_batch_keeps_its_own_worlds(name: str, batch: xr.Dataset) -> None:
    whole, part = getattr(measures, name)(batch), getattr(measures, name)(batch.isel(world=[2, 0]))
    for each in whole.data_vars if isinstance(whole, xr.Dataset) else (None,):
        a, b = (whole, part) if each is None else (whole[each], part[each])
        np.testing.assert_array_equal(a.isel(world=[2, 0]).values, b.values)


class TestPositiveWork:
    def made(self, power: Any, gravity: float = 10.0) -> xr.Dataset:
        """A run of two joints with such powers [W] at 1 s intervals that goes 4 m along x."""
        power = np.asarray(power, dtype=float)
        time = np.arange(len(power), dtype=float)
        center = np.stack([4.0 * time / time[-1], 0.0 * time], axis=-1)
        data = {"joint_power": (("time", "joint"), power), "center_of_mass": (("time", "axis"), center)}
        link = pp.PlanarLink(length=0.1, mass=0.5, inertia=1e-3, radius=0.02)
        world = pp.World(pp.PlanarRobot.uniform(3, link), ground(0.1, gravity), replace(GAIT, angular_frequency=0.0))
        run = pp.simulate(world, 0.1)
        return xr.Dataset(data, {"time": time, "axis": ["x", "y"]}, run.attrs)

    def test_what_a_motor_absorbs_does_not_count(self) -> None:
        run = self.made([[9.0, 9.0], [3.0, -1.0], [-2.0, 2.0]])  # the first sample repeats a mean, and is no interval
        assert float(measures.motor_work(run)) == pytest.approx(2.0)
        assert float(measures.positive_work(run)) == pytest.approx(5.0)

    def test_cost_of_transport_by_it(self) -> None:
        run = self.made([[9.0, 9.0], [3.0, -1.0], [-2.0, 2.0]])
        weight = 1.5 * 10.0
        assert float(measures.cost_of_transport(run)) == pytest.approx(2.0 / (weight * 4.0))
        assert float(measures.positive_cost_of_transport(run)) == pytest.approx(5.0 / (weight * 4.0))

    def test_mean_power_net_and_positive(self) -> None:
        run = self.made([[9.0, 9.0], [3.0, -1.0], [-2.0, 2.0]])
        assert float(measures.mean_power(run)) == pytest.approx(1.0)
        assert float(measures.mean_power(run, positive=True)) == pytest.approx(2.5)

    def test_is_never_below_the_net_work(self, batch: xr.Dataset) -> None:
        assert (measures.positive_work(batch) >= measures.motor_work(batch)).all()

    def test_no_power_is_unknown_at_the_start(self, batch: xr.Dataset) -> None:
        for name in ("joint_power", "ground_friction_power"):
            assert np.isfinite(batch[name].isel(time=0)).all(), name


class TestLastPeriods:
    """The window begins between two samples, where a straight line joins them."""

    def test_by_hand(self) -> None:
        world = pp.World(ROBOT, ground(0.1), replace(GAIT, angular_frequency=2 * math.pi / 0.25))
        run = pp.simulate(world, 1.0, record=pp.Record(rate=10.0))
        time = run.time.values
        x = np.interp(time, [0.0, 0.4, 0.5, 0.6, 1.0], [0.0, 4.0, 6.0, 9.0, 19.0])
        power = np.repeat(np.where(time > 0.55, 2.0, 1.0)[:, None], ROBOT.n_joints, axis=1)
        run = run.assign(
            center_of_mass=(("time", "axis"), np.stack([x, 0 * x], axis=-1)), joint_power=(("time", "joint"), power)
        )
        one, two = (measures.mean_velocity(run, periods=n).values[0] for n in (1, 2))
        assert one == pytest.approx((19.0 - 12.75) / 0.25)  # from 0.75 s, half-way between samples
        assert two == pytest.approx((19.0 - 6.0) / 0.5)
        assert float(measures.mean_power(run, periods=2)) == pytest.approx(2.0 * ROBOT.n_joints)

    def test_more_periods_than_there_are_is_refused(self, batch: xr.Dataset) -> None:
        with pytest.raises(InvalidModel, match="periods = 9"):
            measures.mean_velocity(batch, periods=9)

    def test_without_a_period_it_is_refused(self) -> None:
        run = pp.simulate(pp.World(ROBOT, ground(0.1)), 0.1)
        with pytest.raises(InvalidModel, match="periods"):
            measures.mean_velocity(run, periods=1)


class TestJoined:
    """`pp.concat` keeps the description of every world; what `xr.concat` makes is refused."""

    def test_measures_of_joined_runs_are_those_of_each(self, runs: list[xr.Dataset], batch: xr.Dataset) -> None:
        joined = pp.concat(runs)
        assert pp.world_of(joined) == tuple(WORLDS)
        for name in ("mean_velocity", "cost_of_transport", "drag_efficiency"):
            expected = np.array([getattr(measures, name)(run).values for run in runs])
            np.testing.assert_allclose(getattr(measures, name)(joined).values, expected, rtol=1e-12)
        xr.testing.assert_allclose(joined, batch)  # bit for bit is not promised of a lone world and one in a batch

    def test_batches_and_parts_of_them(self, batch: xr.Dataset, runs: list[xr.Dataset]) -> None:
        joined = pp.concat([batch.isel(world=[2, 1]), runs[0], batch.isel(world=1)])
        assert joined.world.values.tolist() == [0, 1, 2, 3]
        assert pp.world_of(joined) == tuple(WORLDS[w] for w in (2, 1, 0, 1))
        assert len(pp.health_of(joined)) == 4
        expected = measures.cost_of_transport(batch).values[[2, 1, 0, 1]]
        np.testing.assert_allclose(measures.cost_of_transport(joined).values, expected, rtol=1e-12)

    def test_obstacles_and_terrain_of_every_world_are_kept(self) -> None:
        peg = pp.Peg(x=3.0, y=0.0, radius=0.1)
        several = [pp.Environment(obstacles=obstacles) for obstacles in ((), (peg,), (peg, replace(peg, x=4.0)))]
        joined = pp.concat([pp.simulate(pp.World(ROBOT, place, GAIT), 0.1) for place in several])
        assert [len(world.environment.obstacles) for world in pp.world_of(joined)] == [0, 1, 2]
        assert joined.obstacle_count.values.tolist() == [0, 1, 2] and joined.sizes["obstacle"] == 2
        snake = pp.catalogue.aiko()
        fields = [pp.HeightField(heights=np.full((4, 4), h), spacing=2.0, origin=(-3.0, -3.0)) for h in (0.0, -0.1)]
        hills = [pp.World(snake, pp.Environment(ground=pp.Ground(heights=field))) for field in fields]
        joined = pp.concat([pp.simulate(world, 0.02) for world in (*hills, hills[0])])
        lows = [float(world.environment.ground.heights.heights[0, 0]) for world in pp.world_of(joined)]
        assert lows == [0.0, -0.1, 0.0]

    def test_a_joined_run_is_saved_and_read(self, runs: list[xr.Dataset], tmp_path: Any) -> None:
        pp.save(pp.concat(runs), tmp_path / "joined.nc")
        assert pp.world_of(pp.load(tmp_path / "joined.nc")) == tuple(WORLDS)

    def test_runs_that_do_not_fit_are_refused(self, runs: list[xr.Dataset]) -> None:
        longer = pp.simulate(WORLDS[0], 3.5, record=RECORD)
        finer = pp.simulate(WORLDS[0], 3.0, record=RECORD, settings=pp.Settings(dt=5e-4))
        fewer = pp.simulate(WORLDS[0], 3.0, record=pp.Record(rate=50.0))
        shorter = pp.simulate(replace(WORLDS[0], robot=pp.catalogue.liljeback2011()), 3.0, record=RECORD)
        for other, word in ((longer, "duration"), (finer, "settings"), (fewer, "record"), (shorter, "links")):
            with pytest.raises(InvalidModel, match=rf"runs\[1\].*{word}"):
                pp.concat([runs[0], other])
        with pytest.raises(InvalidModel, match="runs"):
            pp.concat([])

    def test_what_xarray_joins_is_refused(self, runs: list[xr.Dataset], batch: xr.Dataset) -> None:
        """Each of these has the description of the first run alone, and was measured by it."""
        other = pp.simulate(batch_of(7.0, 8.0, 4.0), 3.0, record=RECORD)
        by_hand = {
            "single runs": xr.concat(runs, "world"),
            "single runs, numbered": xr.concat(runs, xr.Variable("world", [0, 1, 2])),
            "batches": xr.concat([batch, other], "world"),
            "parts": xr.concat([batch.isel(world=[0]), other.isel(world=[1])], "world"),
            "worlds": xr.concat(
                [batch.isel(world=0), other.isel(world=1)], "world", coords="minimal", compat="override"
            ),
            "renumbered": xr.concat([batch, other], "world").assign_coords(world=np.arange(6)),
            "a world without its number": batch.isel(world=2, drop=True),
        }
        for name, joined in by_hand.items():
            with pytest.raises(InvalidModel, match=r"pp\.concat|isel"):
                measures.mean_velocity(joined)
                pytest.fail(name)
