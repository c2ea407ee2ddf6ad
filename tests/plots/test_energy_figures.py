"""The figures of the energy and of the forces on obstacles show what was recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.errors import PushpointError


@cache
def run() -> xr.Dataset:
    return pp.scenario("records/energy").with_changes(duration=1.0).run()


def panel(figure: object, label: str) -> object:
    return next(axes for axes in figure.axes if axes.get_label() == label)  # type: ignore[attr-defined]


class TestEnergyBalance:
    def test_given_is_what_is_stored_and_taken(self) -> None:
        balance = pp.measures.energy_budget(run())
        assert set(balance) == {"motors", "ground_friction", "obstacle_friction", "impacts", "kinetic", "rest"}
        assert all(float(balance[name][0]) == 0.0 for name in balance)
        parts = sum(balance[name] for name in balance if name not in ("motors",))
        np.testing.assert_allclose(parts, balance.motors, rtol=0, atol=1e-12)
        assert float(np.abs(balance.rest).max()) < 1e-4 * float(balance.motors[-1])
        assert float(balance.motors[-1]) == pytest.approx(float(pp.measures.motor_work(run())), rel=1e-12)
        assert (np.diff(balance.ground_friction) > 0.0).all()

    def test_of_a_batch_by_world(self) -> None:
        scenario = pp.scenario("records/energy")
        lighter = replace(scenario.world, environment=pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.1))))
        both = pp.simulate([scenario.world, lighter], 0.3, record=scenario.record)
        balance = pp.measures.energy_budget(both)
        assert balance.motors.dims == ("world", "time")
        alone = pp.measures.energy_budget(pp.simulate(lighter, 0.3, record=scenario.record))
        for name in alone:
            np.testing.assert_allclose(balance[name][1], alone[name], rtol=0, atol=1e-12, err_msg=str(name))

    def test_without_the_records_it_says_which_are_missing(self) -> None:
        with pytest.raises(PushpointError, match=r"a list with normal_power, which an energy balance needs"):
            pp.measures.energy_budget(run().drop_vars("normal_power"))


class TestEnergyFigure:
    def test_layers_end_at_the_line_of_the_motors(self) -> None:
        figure = pp.plots.energy(run())
        above = panel(figure, "energy")
        tops = [layer.get_paths()[0].vertices[:, 1].max() for layer in above.collections]  # type: ignore[attr-defined]
        line = next(line for line in above.lines if line.get_label() == "motors")  # type: ignore[attr-defined]
        assert max(tops) == pytest.approx(line.get_ydata()[-1], rel=0.02)
        header = " ".join(text.get_text() for text in panel(figure, "header").texts)  # type: ignore[attr-defined]
        assert "the balance lacks" in header and "obstacle friction" in header

    def test_needs_its_records(self) -> None:
        with pytest.raises(PushpointError, match="kinetic_energy, which the figure of the energy needs"):
            pp.plots.energy(run().drop_vars("kinetic_energy"))


class TestObstacleForces:
    def test_arrows_are_the_mean_forces(self) -> None:
        figure = pp.plots.obstacle_forces(run())
        arrows = panel(figure, "map").collections  # type: ignore[attr-defined]
        whole = next(each for each in arrows if str(each.get_label()).startswith("mean force"))
        mean = run().obstacle_reaction[1:].mean("time").values
        shown = np.stack([whole.U, whole.V], axis=-1)
        largest = mean[np.argmax(np.linalg.norm(mean, axis=1))]
        arrow = shown[np.argmax(np.linalg.norm(shown, axis=1))]
        np.testing.assert_allclose(arrow / np.linalg.norm(arrow), largest / np.linalg.norm(largest), rtol=1e-9)

    def test_of_a_run_in_space(self) -> None:
        box = pp.Box(center=(0.0, -0.15, 0.1), size=(0.4, 0.1, 0.2))
        world = replace(pp.scenario("transeth2008b/sidewinding").world, environment=pp.Environment(obstacles=[box]))
        found = pp.simulate(world, 0.3, record=pp.Record(also=["obstacle_reaction", "obstacle_friction"]))
        assert panel(pp.plots.obstacle_forces(found), "map")

    def test_without_obstacles_there_is_nothing_to_show(self) -> None:
        bare = pp.simulate(
            pp.scenario("transeth2008a/flat").world,
            0.1,
            record=pp.Record(also=["obstacle_reaction", "obstacle_friction"]),
        )
        with pytest.raises(PushpointError, match="run: obstacles = 0, must be at least 1"):
            pp.plots.obstacle_forces(bare)


def nothing_known_after_the_start() -> xr.Dataset:
    """A run that diverged before its second sample."""
    cut = run().isel(time=slice(0, 3)).copy(deep=True)
    for values in cut.data_vars.values():
        if "time" in values.dims and values.dtype.kind == "f":
            values[dict(time=slice(1, None))] = np.nan
    for name in ("obstacle_reaction", "obstacle_friction"):
        cut[name][:] = np.nan
    return cut


@pytest.mark.parametrize("short", [lambda: run().isel(time=[0]), nothing_known_after_the_start])
def test_a_run_that_ended_at_once_is_drawn(short: Callable[[], xr.Dataset]) -> None:
    assert panel(pp.plots.energy(short()), "energy")
    assert panel(pp.plots.obstacle_forces(short()), "map")
