"""The published experiments of Liljeback2014: each claim gets the verdict on record, at three time steps."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from pushpoint.bench.mujoco import MujocoPeer
from pushpoint.bench.mujoco.spatial import SpatialJob
from pushpoint.control.steering import HeadingController
from pushpoint.engine.settings import Settings
from pushpoint.model.catalogue import liljeback2014
from pushpoint.papers.liljeback2014.claims import STAIR_RMS, cycle_directions, cycle_velocity, off_virtual
from pushpoint.papers.liljeback2014.scenarios import STEP, SWEEPS, TOWARD_DEG, floor, sidewinder
from pushpoint.papers.liljeback2014.terrain import down_stairs
from pushpoint.papers.registry import scenario, scenario_names
from pushpoint.papers.writing import Material, figures_of
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

STEPS = (1 / 3600, 1 / 1200, 1 / 600)
KINEMATIC = {"LA1", "LA2", "LA3"}
"""Claims about curves and alignment: the time step has no part in them."""
NAMES = [name for name in scenario_names() if name.startswith("liljeback2014/")]
CLAIMS = {claim.id: claim for name in NAMES for claim in scenario(name).claims}
CLAIMS |= {build().claims[0].id: build().claims[0] for build in SWEEPS.values()}
EXPECTED = {f"LA{number}" for number in range(1, 9)}
HEIGHT = 0.08 / 3  # m: k_z of IV-B
PERIOD = 1.4009 / 0.5  # s: the cycle's length of paper-notes at the paper's speed


@cache
def run_of(name: str, dt: float) -> Any:
    return scenario(name).with_changes(dt=dt).run()


def wrapped_deg(angle: np.ndarray | float) -> np.ndarray:
    """Angles in radians as degrees in [-180, 180)."""
    return (np.degrees(angle) + 180.0) % 360.0 - 180.0


def test_every_claim_of_this_paper_is_encoded() -> None:
    assert set(CLAIMS) == EXPECTED


@pytest.mark.parametrize(
    ("name", "dt"), [(name, dt) for name in sorted(EXPECTED) for dt in STEPS if name not in KINEMATIC or dt == STEPS[1]]
)
def test_claim_gets_its_recorded_verdict(name: str, dt: float) -> None:
    found = CLAIMS[name].evaluate(lambda scenario_name: run_of(scenario_name, dt))
    assert found.verdict == CLAIMS[name].recorded, found.measured


def test_sidewinding_goes_to_the_left_and_with_its_height_reversed_to_the_right() -> None:
    robot = liljeback2014()
    worlds = [World(robot, floor(), sidewinder(height=height)) for height in (HEIGHT, -HEIGHT)]
    runs = simulate(worlds, duration=14.0, settings=STEP)
    left, right = (cycle_velocity(runs.isel(world=w), PERIOD) for w in (0, 1))
    assert left[1] > 0.1 and right[1] < -0.1
    for velocity in (left, right):
        assert np.hypot(*velocity[:2]) == pytest.approx(0.33, abs=0.05)  # m/s, paper-notes


MORE_TARGETS = [pytest.param(each, marks=pytest.mark.slow) for each in (90.0, -30.0)]  # ten seconds each


@pytest.mark.parametrize("target_deg", [TOWARD_DEG, *MORE_TARGETS])
def test_closed_loop_travels_where_it_is_told_from_any_phase(target_deg: float) -> None:
    robot = liljeback2014()
    steering = HeadingController(direction=np.radians(target_deg))
    worlds = [World(robot, floor(), sidewinder(steering=steering, phase=k / 5)) for k in range(5)]
    runs = simulate(worlds, duration=45.0, settings=STEP)
    for w in range(5):
        last = cycle_directions(runs.isel(world=w), PERIOD)[-3:]
        mean = np.angle(np.exp(1j * last).mean())
        assert abs(wrapped_deg(mean - np.radians(target_deg))) < 15.0, (w, np.degrees(last))


def test_open_loop_drifts_where_the_closed_loop_holds() -> None:
    """What the feedback is for: without it the direction is lost over the same time."""
    run = simulate(liljeback2014(), floor(), sidewinder(), duration=45.0, settings=STEP)
    found = cycle_directions(run, PERIOD)
    assert abs(wrapped_deg(found[-1] - found[0])) > 30.0


def test_stairs_keep_the_robot_on_its_virtual_one_and_a_held_reference_where_it_is() -> None:
    chosen = scenario("liljeback2014/stairs")
    assert np.sqrt((off_virtual(run_of(chosen.name, STEPS[1]), chosen) ** 2).mean()) < STAIR_RMS
    follower = chosen.world.controller
    held = replace(follower, motion=replace(follower.motion, speed=0.0))
    run = simulate(replace(chosen.world, controller=held), duration=4.0, settings=STEP)
    lain = run.link_position.sel(time=slice(1.0, None))  # it is put down above the steps and falls into place first
    moved = np.linalg.norm(lain.values - lain.values[0], axis=-1)
    assert moved.max() < 0.01  # m


@pytest.mark.parametrize(("friction", "follows"), [(0.6, True), (0.8, True), (1.0, False)])
def test_friction_window_of_the_stairs(friction: float, follows: bool) -> None:
    """Within a window the pattern stays on the steps; above it the body is caught at the noses and stays behind."""
    chosen = down_stairs(friction)
    rms = np.sqrt((off_virtual(chosen.run(), chosen) ** 2).mean())
    assert (rms < STAIR_RMS) == follows


def test_pipe_is_climbed_and_stairs_are_not() -> None:
    up = run_of("liljeback2014/pipe", STEPS[1]).center_of_mass.sel(axis="z")
    assert float(up[-1] - up.sel(time=2.0, method="nearest")) > 0.4  # m in 6 s
    stairs = run_of("liljeback2014/stairs-up", STEPS[1]).center_of_mass.sel(axis="z")
    assert float(stairs[-1] - stairs[0]) < 0.1  # as its title says


def test_mujoco_goes_the_same_way_with_the_same_references() -> None:
    pytest.importorskip("mujoco")
    robot, follower, dt = liljeback2014(), sidewinder(), STEP.dt
    n_steps = round(5 * PERIOD / dt)
    world = World(robot, floor(), follower)
    pose = world.pose()
    references, rates = follower.references(np.arange(n_steps) * dt, robot)
    job = SpatialJob(
        robot=robot,
        environment=floor(),
        center_of_mass=pose["center"],
        tail_orientation=pose["tail"],
        joint_angle=pose["angle"],
        joint_reference=references,
        joint_reference_rate=rates,
        period=PERIOD,
        dt=dt,
    )
    peer = MujocoPeer(job, "discrete").run(n_steps).mean_velocity
    ours = cycle_velocity(simulate([world], duration=5 * PERIOD, settings=Settings(dt=dt)).isel(world=0), PERIOD, 0)
    assert np.hypot(*ours[:2]) == pytest.approx(np.hypot(*peer[:2]), rel=0.2)
    ahead = [np.degrees(np.arctan2(v[1], v[0])) for v in (ours, peer)]
    assert ahead[0] == pytest.approx(ahead[1], rel=0.2)


def test_figure_4_shows_curve_alignment_and_segments_without_a_run() -> None:
    (found,) = [each for each in figures_of("liljeback2014") if each.key == "liljeback2014-fig-4"]
    drawn = found.build(Material(run_of=lambda name: pytest.fail(name), verdicts={}))
    titles = [axes.get_title(loc) for axes in drawn.axes for loc in ("left", "center")]
    assert {"(a)  a curve through 4 points", "(d)  repeated 4 times"} <= set(titles)
