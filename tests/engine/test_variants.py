"""Variants of the kernels: which one a world gets, and that all of them do the same.

A variant leaves out what its worlds do not have. Where the arithmetic is the same, two variants differ by where the
compiler fuses multiplications and additions: by round-off per step. Cardan joints are eliminated in pairs in one of
them, which is another order of the same operations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import warp as wp

import pushpoint as pp
from pushpoint.bench.random_worlds import RandomWorld, random_case
from pushpoint.bench.violent_worlds import violent_planar_case
from pushpoint.bench.wide_worlds import wide_case, wide_planar_case
from pushpoint.engine.stepper import Stepper
from pushpoint.engine.variants import VARIANTS, variant_for
from pushpoint.gaits import WaveGait
from pushpoint.kernels.forms import FEATURES
from pushpoint.kernels.safeguard import FULL_NEWTON
from pushpoint.papers.registry import scenario, scenario_names
from pushpoint.worlds.world import World

TIGHT = 1e-9
ROUND_OFF = 1e-13  # of velocities after one step, in units of the fastest; double precision has 16 digits
OTHER_ORDER = 1e-10  # after one step solved to TIGHT by another elimination, likewise

SLITHER = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.6)


def robot_with(motor: pp.Motor, **changes: object) -> pp.PlanarRobot:
    """Six links with equal motors."""
    link = pp.PlanarLink(length=0.14, mass=1.0, inertia=1.6e-3, radius=0.04)
    return replace(pp.PlanarRobot.uniform(6, link, motor), **changes)  # type: ignore[arg-type]


PLANE = robot_with(pp.Motor(stiffness=50.0, damping=1.0))
ROUGH_GROUND = pp.Ground(friction=pp.Elliptic(along=0.1, across=0.5))


def stepper_of(worlds: Sequence[World], dt: float = 1e-3, tolerance: float = TIGHT, **form: object) -> Stepper:
    """Worlds at their starts, driven by their gaits."""
    robots, places = [world.robot for world in worlds], [world.environment for world in worlds]
    made = Stepper(robots, places, pp.Settings(tolerance=tolerance, dt=dt), **form)  # type: ignore[arg-type]
    made.load(made.initial([world.pose(k) for k, world in enumerate(worlds)]))
    controllers = [world.controller for world in worlds]
    waves = [control.wave(world.robot) for control, world in zip(controllers, worlds, strict=True)]
    made.use_waves(waves, [control.prescribed for control in controllers])
    return made


def largest_difference(one: Stepper, other: Stepper, states: int, between: int) -> float:
    """Of velocities after one step from the same states along a run, in units of the fastest [-].

    Steps in which Newton's method goes round in circles are left out. Their safeguard softens and stiffens lines, and
    later leaves penetrations as they are: in which iteration it ends hangs on the last bit.
    """
    worst = np.nan  # as long as no step was compared
    for _ in range(states):
        one.advance(between)
        state = one.state()
        found, iterations = [], 0
        for stepper in (one, other):
            stepper.forget(np.ones(stepper.n_worlds, dtype=bool))
            stepper.load(state)
            stepper.advance(1)
            iterations = max(iterations, int(stepper.totals("iterations").max()))
            found.append(stepper.state().v)
        if iterations <= int(FULL_NEWTON):
            apart = np.abs(found[0] - found[1]).max() / max(np.abs(state.v).max(), 0.1)
            worst = float(np.fmax(worst, apart))
    return worst


def off_by(world: World, dt: float, states: int, between: int, **form: object) -> tuple[float, float]:
    """The largest difference of a form from the general one, and what is allowed [-].

    Robots that lie flat have more contacts than they need, and Newton's method circles at TIGHT: there the default
    tolerance counts, 0.001 of what gravity adds to a velocity in a step.
    """
    found, allowed = np.nan, OTHER_ORDER
    for tolerance in (TIGHT, 1e-3):
        if np.isnan(found):
            allowed = OTHER_ORDER if tolerance == TIGHT else tolerance * 9.81 * dt / 0.1
            general = stepper_of([world], dt, tolerance, variant="general")
            found = largest_difference(general, stepper_of([world], dt, tolerance, **form), states, between)
    return found, allowed


def planar(**changes: object) -> World:
    place = pp.Environment(ground=changes.pop("ground", ROUGH_GROUND), obstacles=changes.pop("obstacles", ()))  # type: ignore[arg-type]
    return pp.World(changes.pop("robot", PLANE), place, changes.pop("controller", SLITHER))  # type: ignore[arg-type]


class TestChoice:
    """The leanest variant that has what a world needs."""

    @pytest.mark.parametrize("engine", VARIANTS)
    def test_there_are_few_and_the_last_ones_have_everything(self, engine: str) -> None:
        assert len(VARIANTS[engine]) <= 8
        assert VARIANTS[engine]["general"] == set(FEATURES) - {"details"}
        assert VARIANTS[engine]["detailed"] == set(FEATURES)

    @pytest.mark.parametrize("engine", VARIANTS)
    @pytest.mark.parametrize("feature", FEATURES)
    def test_a_variant_has_what_is_asked_for(self, engine: str, feature: str) -> None:
        assert feature in VARIANTS[engine][variant_for(engine, frozenset({feature}))]

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({}, "plain"),
            ({"obstacles": [pp.Peg(x=5.0, y=0.0, radius=0.1)]}, "plain"),
            ({"robot": robot_with(pp.Motor(stiffness=50.0, damping=1.0, torque_limit=3.0))}, "rich"),
            ({"robot": robot_with(pp.Motor(stiffness=50.0, damping=1.0, backlash=0.01))}, "rich"),
            ({"robot": robot_with(pp.Motor(stiffness=50.0, damping=1.0, upper=1.0))}, "rich"),
            ({"ground": pp.Ground(friction=pp.Viscous(along=1.0, across=3.0))}, "rich"),
            ({"ground": pp.Ground(friction=pp.Elliptic(along=0.1, across=0.5, flow="directional"))}, "rich"),
            ({"robot": replace(PLANE, self_contact=True)}, "general"),
        ],
    )
    def test_of_planar_worlds(self, changes: dict[str, object], expected: str) -> None:
        assert stepper_of([planar(**changes)]).variants == {expected: 1}

    def test_commands_count_too(self) -> None:
        stepper = stepper_of([planar(), planar()])
        torques = np.zeros((2, PLANE.n_joints))
        stepper.use_command(pp.Command(joint_torque=torques), 5)
        assert stepper.variants == {"rich": 2}
        pushed = np.zeros((2, PLANE.n_links, 3))
        pushed[1, 2, 0] = 1.0
        stepper.use_command(pp.Command(joint_angle=torques, link_load=pushed), 5)
        assert stepper.variants == {"plain": 1, "rich": 1}
        stepper.use_command(pp.Command(joint_angle=torques), 5)
        assert stepper.variants == {"plain": 2}


def test_a_world_moves_alike_whatever_is_beside_it() -> None:
    others = [
        planar(),
        planar(robot=replace(PLANE, self_contact=True)),
        planar(obstacles=[pp.Peg(x=0.2, y=0.1, radius=0.05)]),
    ]
    batch = stepper_of(others)
    batch.advance(300)
    for k, world in enumerate(others):
        alone = stepper_of([world])
        alone.advance(300)
        np.testing.assert_array_equal(batch.state().v[k], alone.state().v[0])


SHORT = {
    "transeth2008a/obstacle-aided": ROUND_OFF,
    "transeth2008b/sidewinding": OTHER_ORDER,
    "transeth2008b/lateral-undulation-orthotropic": OTHER_ORDER,
}


@pytest.mark.parametrize("name", SHORT)
def test_a_lean_variant_does_what_the_general_one_does(name: str) -> None:
    world = scenario(name).world
    assert "general" not in stepper_of([world]).variants
    found, allowed = off_by(world, 1e-3, 10, 37)
    assert found < min(allowed, SHORT[name])


def waving() -> list[str]:
    """Names of all scenarios whose gait the kernels evaluate."""
    return [name for name in scenario_names() if isinstance(scenario(name).world.controller, WaveGait)]


@pytest.mark.slow
@pytest.mark.parametrize("name", waving())
def test_all_variants_and_layouts_do_the_same(name: str) -> None:
    one = scenario(name)
    dt, world = one.settings.dt, one.world
    engine = "spatial" if isinstance(world.robot, pp.SpatialRobot) else "planar"
    (own,) = stepper_of([world], dt).variants
    enough = VARIANTS[engine][own]
    for variant, features in VARIANTS[engine].items():
        if features >= enough:
            for planes in (False, True):
                found, allowed = off_by(world, dt, 5, 61, variant=variant, planes=planes)
                assert found < allowed, (variant, planes)


def test_equal_robots_share_their_tables_in_planes() -> None:
    worlds = [planar(), planar(), planar()]
    shared = Stepper([w.robot for w in worlds], [worlds[0].environment] * 3, pp.Settings(), planes=True)
    assert len(shared._model.links) == PLANE.n_links
    assert len(shared._drive.motors) == PLANE.n_links
    apart = Stepper([w.robot for w in worlds], [w.environment for w in worlds], pp.Settings(), planes=True)
    assert len(apart._model.links) == PLANE.n_links * (
        1 if worlds[0].environment.ground is worlds[1].environment.ground else 3
    )


@pytest.mark.parametrize("n_worlds", [1, 2, 3, 7, 1000, 65536, 100_003])
def test_the_row_of_a_shared_table_is_exact(n_worlds: int) -> None:
    records = Stepper([PLANE], [pp.Environment(ground=ROUGH_GROUND)], pp.Settings())._records
    records.n_worlds, records.shared = n_worlds, True
    sharing = records.sharing
    places = np.concatenate([np.arange(3 * n_worlds), 2**31 - 1 - np.arange(1000)])
    rows = (places * sharing["row_factor"]) >> sharing["row_shift"]
    np.testing.assert_array_equal(rows, places // n_worlds)
    assert int(places.max()) * sharing["row_factor"] < 2**63  # the kernels' whole numbers have 64 bits


def test_planes_do_what_records_do() -> None:
    start = [replace(SLITHER, phase=phase) for phase in (0.0, 1.0, 2.0)]
    worlds = [planar(controller=gait, obstacles=[pp.Peg(x=0.2, y=0.1, radius=0.05)]) for gait in start]
    records, planes = (stepper_of(worlds, planes=planes) for planes in (False, True))
    assert largest_difference(records, planes, 10, 29) < ROUND_OFF
    assert wp.types.type_size_in_bytes(records._motion.links.dtype) > 8
    assert planes._motion.links_v.shape == (3 * PLANE.n_links,)


@pytest.mark.slow
@pytest.mark.parametrize("make", [random_case, wide_case, violent_planar_case, wide_planar_case])
def test_random_worlds_move_alike_in_their_own_variant(make: Callable[[int], RandomWorld]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(120):
        case = make(seed)
        if not isinstance(case.world.controller, WaveGait):
            continue
        own = stepper_of([case.world], case.dt)
        (variant,) = own.variants
        if variant == "general" or seen[variant] == 12:
            continue
        general = stepper_of([case.world], case.dt, variant="general")
        found = largest_difference(general, own, 4, 50)
        if general.running().all() and not np.isnan(found):
            assert found < OTHER_ORDER, (seed, variant)
            seen[variant] += 1
    assert sum(seen.values()) >= 5, seen  # most worlds with every option need the general one
