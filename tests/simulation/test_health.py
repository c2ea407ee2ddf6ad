"""What a run says against itself: totals of every world, and a sentence where they are beyond a limit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from oracles.segments import deepest_overlap
from oracles.spatial.pose import Pose
from pushpoint.simulation.health import Health, tolerance_of, warnings_about

GAIT = pp.gaits.LateralUndulation(amplitude=0.4, phase_shift=0.6, angular_frequency=2.0)
FLOOR = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.5)))
PLANAR = pp.World(pp.catalogue.aiko_planar(), FLOOR, GAIT)
HASTY = pp.Settings(max_iterations=1)
"""A solver that gives up at once."""
WELL = Health(
    steps=1000,
    unconverged_steps=0,
    largest_residual=0.0,
    deepest_penetration=0.0,
    deepest_self_overlap=0.0,
    largest_turn=0.0,
    refused_contacts=0,
    energy_gained=0.0,
    energy_taken=100.0,
)
TOLERANCE = tolerance_of(PLANAR, pp.Settings())
RADIUS = float(PLANAR.robot.column("radius").min())


def test_the_tolerance_is_a_share_of_what_gravity_gives_in_a_step() -> None:
    assert pytest.approx(1e-3 * 9.81 * 1e-3, rel=1e-12) == TOLERANCE


def test_totals_are_those_of_the_samples() -> None:
    run = pp.simulate(PLANAR, 1.0, settings=HASTY)
    (found,) = pp.health_of(run)
    assert run.attrs["status"] == "finished"  # it came to its end; how well is another matter
    assert found.steps == 1000 and found.unconverged_steps == int(run.unconverged.sum()) > 10
    assert found.largest_residual == float(run.solver_residual.max()) > 100.0 * TOLERANCE
    assert found.deepest_penetration == 0.0 and found.refused_contacts == 0
    for name in ("unconverged_steps", "largest_residual", "deepest_penetration", "refused_contacts"):
        assert run.attrs[name] == getattr(found, name)
    share = found.unconverged_steps / 10
    assert pp.warnings_of(run) == [
        f"{found.unconverged_steps} of 1000 steps ({share:.3g} %) are unconverged, more than 1 %",
        f"a force law is violated by up to {found.largest_residual:.3g} m/s, more than 100 times the tolerance of "
        f"{TOLERANCE:.3g} m/s",
    ]


def test_a_run_that_is_well_says_nothing() -> None:
    run = pp.simulate(PLANAR, 0.2)
    assert run.attrs["warnings"] == "" and pp.warnings_of(run) == []


def test_totals_count_what_no_sample_shows() -> None:
    # The only sample is that of the start; what happens after it is in the totals, as in a run that records it all.
    few, all_ = (
        pp.simulate(PLANAR, 0.4, settings=HASTY, record=pp.Record(rate=rate, variables=["unconverged"]))
        for rate in (2.0, 1000.0)
    )
    assert pp.health_of(few) == pp.health_of(all_)
    assert int(few.unconverged.sum()) < few.attrs["unconverged_steps"] == int(all_.unconverged.sum())


def test_worlds_of_a_batch_are_told_apart(tmp_path: Path) -> None:
    slippery = replace(PLANAR, environment=pp.Environment(ground=pp.Ground(friction=pp.Frictionless())))
    run = pp.simulate([slippery, PLANAR, PLANAR], 1.0, settings=HASTY)
    found = pp.health_of(run)
    assert [each.unconverged_steps > 10 for each in found] == [False, True, True]
    assert run.attrs["unconverged_steps"] == sum(each.unconverged_steps for each in found)
    unconverged, violated = pp.warnings_of(run)
    assert unconverged.startswith("world 1: ") and unconverged.endswith("more than 1 %; the same in 1 other world")
    assert violated.startswith("world 1: a force law is violated")
    stored = pp.load(pp.save(run, tmp_path / "run.nc"))
    assert pp.health_of(stored.isel(world=1)) == [found[1]] and pp.warnings_of(stored) == [unconverged, violated]


@pytest.mark.parametrize(
    ("at_limit", "beyond", "sentence"),
    [
        ({"unconverged_steps": 10}, {"unconverged_steps": 11}, "11 of 1000 steps (1.1 %) are unconverged"),
        ({"largest_residual": 99.9}, {"largest_residual": 100.1}, "a force law is violated by up to 0.000982 m/s"),
        ({"deepest_penetration": 0.099}, {"deepest_penetration": 0.101}, "more than a tenth of a link's radius of"),
        ({"deepest_penetration": 0.099}, {"deepest_penetration": 1.01}, "mm, more than a link's radius of"),
        ({"deepest_self_overlap": 0.099}, {"deepest_self_overlap": 0.101}, "two links overlapped by up to"),
        ({"largest_turn": 0.099}, {"largest_turn": 0.101}, "a link turned by up to 0.101 rad in one time step"),
        ({}, {"refused_contacts": 1}, "1 contacts were dropped"),
        (
            {"energy_gained": 9.9},
            {"energy_gained": 10.1},
            "contacts added 10.1 J to the robot, more than a tenth of what",
        ),
    ],
)
def test_limits(at_limit: dict[str, Any], beyond: dict[str, Any], sentence: str) -> None:
    units = {"largest_residual": TOLERANCE, "deepest_penetration": RADIUS, "deepest_self_overlap": RADIUS}
    states = [
        replace(WELL, **{name: value * units.get(name, 1) for name, value in each.items()})
        for each in (at_limit, beyond)
    ]
    said = [warnings_about([state], [PLANAR], pp.Settings()) for state in states]
    assert said[0] == [] and len(said[1]) == 1 and sentence in said[1][0]


def test_a_link_deeper_than_its_radius_in_stairs_is_said() -> None:
    # Thin links thrown at stairs with steps of 4 ms: they pass through more than they are thick within one.
    thick = pp.catalogue.aiko()
    thin = replace(thick, links=tuple(replace(link, radius=0.015) for link in thick.links))
    stairs = pp.Stairs(foot=(0.5, 0.0), steps=4, rise=0.15, run=0.3, friction=0.5)
    start = pp.SpatialStart(position=(0.3, 0.0, 1.2), velocity=(6.0, 0.0, -6.0))
    world = pp.World(thin, pp.Environment(ground=FLOOR.ground, obstacles=(stairs,)), GAIT, start)
    run = pp.simulate(world, 0.4, settings=pp.Settings(dt=4e-3), record=pp.Record(rate=125.0))
    (found,) = pp.health_of(run)
    assert run.attrs["status_code"] == "finished" and found.deepest_penetration > 0.015
    depth = f"{1e3 * found.deepest_penetration:.3g} mm"
    assert f"a link sank in by up to {depth}, more than a link's radius of 15 mm" in pp.warnings_of(run)


class TestRounding:
    def test_is_said_with_what_was_taken(self) -> None:
        run = pp.simulate(PLANAR, 1.0, settings=pp.Settings(dt=3e-3), record=pp.Record(rate=300.0))
        assert float(run.time[-1]) == pytest.approx(0.999) and float(run.time[1]) == pytest.approx(0.003)
        assert pp.warnings_of(run) == [
            "duration = 1 s is not a whole number of time steps of 0.003 s: rounded to 0.999 s",
            "record.rate = 300 Hz does not fit the time step: rounded to 333.333 Hz, a sample every 1 time steps of "
            "0.003 s",
        ]

    def test_an_end_between_samples_is_said(self) -> None:
        run = pp.simulate(PLANAR, 0.105)
        assert pp.warnings_of(run) == ["the last sample is at 0.1 s, before the end of the run at 0.105 s"]

    @pytest.mark.parametrize(
        ("duration", "dt", "rate"), [(0.3, 1e-3, 100.0), (0.1, 1.0 / 1200.0, 30.0), (0.7, 7e-4, 100.0 / 7)]
    )
    def test_round_off_is_not(self, duration: float, dt: float, rate: float) -> None:
        run = pp.simulate(PLANAR, duration, settings=pp.Settings(dt=dt), record=pp.Record(rate=rate))
        assert run.attrs["warnings"] == ""


def test_contacts_that_find_no_room_are_counted() -> None:
    # A plate on 40 peaks as high as each other: it holds sixteen contacts, and goes on without the others.
    heights = np.zeros((33, 33))
    heights[::2, ::2] = 0.05
    field = pp.HeightField(origin=(-0.8, -0.8), spacing=0.05, heights=heights)
    plate = pp.SpatialLink(length=0.75, mass=3.0, inertia=(0.1, 0.1, 0.1), radius=0.36, shape="square")
    world = pp.World(
        pp.SpatialRobot(links=(plate,), joints=()),
        pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.5), heights=field)),
        GAIT,
        pp.SpatialStart(position=(0.0, 0.0, 0.42)),
    )
    run = pp.simulate(world, 0.1, record=pp.Record(rate=100.0))
    assert run.attrs["status_code"] == "finished" and run.attrs["refused_contacts"] > 0
    assert json.loads(run.attrs["world_health"])[0]["refused_contacts"] == run.attrs["refused_contacts"]


class TestSimulator:
    def test_has_the_health_of_a_run(self) -> None:
        straight = pp.gaits.LateralUndulation(amplitude=0.0, phase_shift=0.6, angular_frequency=2.0)
        world = replace(PLANAR, controller=straight, start=pp.Start(velocity=(0.3, 0.1), spin=2.0))
        run = pp.simulate(world, 0.3, settings=HASTY)
        sim = pp.Simulator([world], settings=HASTY)
        for _ in range(30):
            sim.step(pp.Command(joint_angle=np.zeros((1, world.robot.n_joints))))
        assert sim.health == pp.health_of(run) and sim.health[0].unconverged_steps > 0
        assert sim.warnings == pp.warnings_of(run) != []

    def test_begins_anew_with_a_reset_or_a_restored_state(self) -> None:
        sim = pp.Simulator([PLANAR, PLANAR], settings=HASTY)
        bent = pp.Command(joint_angle=np.full((2, PLANAR.robot.n_joints), 0.3))
        sim.step(bent)
        kept = sim.state
        sim.step(bent)
        sim.reset(np.array([True, False]))
        assert [each.steps for each in sim.health] == [0, 20]
        assert [each.unconverged_steps > 0 for each in sim.health] == [False, True]
        sim.restore(kept)
        sim.step(bent)
        assert [each.steps for each in sim.health] == [10, 10]


def test_links_that_overlap_each_other_are_said() -> None:
    # Outer links that fold upon each other, at steps of 4 ms: they come nearer by 30 mm within one.
    link = pp.SpatialLink(length=0.2, mass=0.3, inertia=(1.2e-4, 1e-3, 1e-3), radius=0.02)
    robot = pp.SpatialRobot(links=(link,) * 3, joints=pp.Yaw(), self_contact=True)
    start = pp.SpatialStart(
        position=(0.0, 0.0, 2.0), joint_angles=(1.2, 1.2), joint_rates=(20.0, 20.0), angular_velocity=(0.0, 0.0, -20.0)
    )
    limp = pp.gaits.LateralUndulation(amplitude=0.0, phase_shift=0.0, angular_frequency=1.0)
    world = pp.World(robot, pp.Environment(ground=pp.Ground(gravity=0.0)), limp, start)
    run = pp.simulate(world, 0.2, settings=pp.Settings(dt=4e-3), record=pp.Record(rate=250.0))
    (found,) = pp.health_of(run)
    deepest = max(
        deepest_overlap(robot, Pose.of(place, turn))
        for place, turn in zip(run.link_position.values, run.link_orientation.values, strict=True)
    )
    assert found.deepest_penetration == 0.0
    assert (
        found.deepest_self_overlap == pytest.approx(deepest, rel=0.01) and deepest > 0.002
    )  # it is seen half a step on
    assert any(sentence.startswith("two links overlapped by up to") for sentence in pp.warnings_of(run))
