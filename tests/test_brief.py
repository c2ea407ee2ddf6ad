"""What models print as: a screen at most, however large they are; and short ones as Python reads them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.brief import COLUMNS, LINES
from pushpoint.replays.replay import Shown

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
MOTOR = pp.Motor(stiffness=50.0, damping=1.0)
GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.0, phase_shift=-0.6)
FLAT = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3)))


def robot(n_links: int) -> pp.PlanarRobot:
    return pp.PlanarRobot.uniform(n_links, LINK, MOTOR, name="long")


def spatial(n_links: int) -> pp.SpatialRobot:
    link = pp.SpatialLink(length=0.1, mass=0.3, inertia=(1e-4, 3e-4, 3e-4), radius=0.03)
    return pp.SpatialRobot.uniform(n_links, link, pp.Cardan(yaw=MOTOR, pitch=MOTOR))


def mixed() -> pp.PlanarRobot:
    links = [pp.PlanarLink(length=0.1 + 0.001 * k, mass=0.3, inertia=3e-4, radius=0.03) for k in range(176)]
    return pp.PlanarRobot(links=links, motors=[pp.Motor(stiffness=float(k)) for k in range(175)])


def pegs(count: int) -> pp.Environment:
    return pp.Environment(obstacles=[pp.Peg(x=float(k), y=2.0, radius=0.1) for k in range(count)])


def hills() -> pp.HeightField:
    return pp.HeightField(heights=np.random.default_rng(1).random((300, 300)), spacing=0.1, origin=(0.0, 0.0))


def simulator() -> pp.Simulator:
    return pp.Simulator([pp.World(robot(176), FLAT, None)] * 3)


def follower() -> Any:
    points = [(0.01 * k, 0.1 * math.sin(0.1 * k), 0.0) for k in range(400)]
    return pp.control.ShapeCurveFollower(
        motion=pp.planning.AlongCurve(segment=pp.planning.segment_from_points(points), speed=0.5)
    )


def aligned() -> Any:
    curve = pp.planning.ShapeCurve(points=[(0, 0, 0), (0.5, 0.1, 0), (1.0, -0.1, 0), (1.5, 0, 0)])
    return pp.planning.align(pp.catalogue.liljeback2014(), curve, head=3.0)


LARGE: dict[str, tuple[Any, tuple[str, ...]]] = {
    "11 links": (lambda: robot(11), ("PlanarRobot", "'long'", "11 equal", "length=0.1", "stiffness=50.0")),
    "176 links": (lambda: robot(176), ("176 equal", "17.6 m", "52.8 kg")),
    "176 spatial links": (lambda: spatial(176), ("SpatialRobot", "176 equal", "175 equal", "Cardan(")),
    "176 different links": (mixed, ("176 PlanarLink", "175 Motor")),
    "a robot of the catalogue": (pp.catalogue.aiko, ("'aiko'", "11 ", "source")),
    "7,000 pegs": (lambda: pegs(7000), ("Environment", "7000 Peg")),
    "two kinds of obstacles": (
        lambda: pp.Environment(obstacles=[*pegs(40).obstacles, pp.Wall(start=(0, 0), end=(1, 1))]),
        ("40 Peg, 1 Wall",),
    ),
    "hills": (hills, ("HeightField", "(300, 300)")),
    "a ground of hills": (lambda: pp.Ground(heights=hills()), ("Ground", "(300, 300)")),
    "a polygon": (
        lambda: pp.Polygon(vertices=[(math.cos(a), math.sin(a)) for a in np.linspace(0, 6.2, 60)]),
        ("Polygon", "60"),
    ),
    "a world": (
        lambda: pp.World(robot(176), pegs(7000), GAIT),
        ("World", "176 equal links", "7000 obstacles", "LateralUndulation(", "amplitude=0.5"),
    ),
    "a scenario": (
        lambda: pp.scenario("transeth2008a/obstacle-aided"),
        ("Scenario", "transeth2008a/obstacle-aided", "10.0"),
    ),
    "an experiment": (lambda: pp.scenario("transeth2008a/obstacle-aided").experiment, ("Experiment", "duration")),
    "a sweep": (lambda: pp.scenario("transeth2008a/speed-over-friction"), ("Scenario", "7 World")),
    "a state": (lambda: simulator().state, ("State", "(3, 176)")),
    "a measurement": (lambda: simulator().reset(), ("Measurement", "(3, 175)")),
    "a command": (lambda: pp.Command(joint_angle=np.zeros((500, 175))), ("Command", "(500, 175)")),
    "a start": (lambda: pp.Start(link_angles=np.linspace(0.0, 1.0, 176)), ("Start", "176")),
    "health": (lambda: simulator().health[0], ("Health(", "unconverged_steps=0")),
    "an estimate": (lambda: pp.estimate(pp.World(robot(176), pegs(10), GAIT), 1.0), ("Estimate(",)),
    "a follower": (follower, ("ShapeCurveFollower",)),
    "torques": (lambda: pp.control.ConstantTorque(torque=np.linspace(0, 1, 175)), ("ConstantTorque", "175")),
    "a simulator": (simulator, ("Simulator of 3 worlds", "176 links", "100 Hz")),
    "a limp world": (lambda: pp.World(spatial(176), FLAT), ("World", "176 equal links")),
    "a yaw-first joint": (lambda: pp.Cardan(yaw=MOTOR, first="yaw"), ("Cardan(", "first='yaw'")),
    "a start by a link": (
        lambda: pp.SpatialStart(link=3, yaw_pitch_roll=(1.0, 0.2, 0.0), joint_angles=[0.1] * 350),
        ("SpatialStart", "350", "yaw_pitch_roll"),
    ),
    "an aligned robot": (aligned, ("Alignment", "joint_angles", "(17, 4)")),
    "an aligner": (lambda: pp.planning.Aligner(pp.catalogue.liljeback2014(), 4), ("Aligner of 1 poses", "17 links")),
    "joint references": (
        lambda: pp.interchange.joint_references(GAIT, robot(176), duration=1.0, rate=50.0),
        ("JointReferences", "(51, 175)"),
    ),
    "a reduced robot": (lambda: pp.reduced.reduce_robot(robot(40)), ("ReducedRobot", "mass")),
    "a page": (lambda: Shown("<html>" * 100_000), ("Shown",)),
    "settings": (pp.Settings, ("Settings(",)),
    "a path": (lambda: pp.mapping.Path(np.random.default_rng(1).random((900, 2))), ("Path",)),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_screen_holds_it(name: str) -> None:
    make, words = LARGE[name]
    text = repr(make())
    lines = text.splitlines()
    assert len(lines) <= LINES == 24 and max(map(len, lines)) <= COLUMNS == 120, text
    for word in words:
        assert word in text, text


SHORT = (
    MOTOR,
    LINK,
    pp.Peg(x=0.5, y=0.2, radius=0.1),
    pp.Isotropic(0.3),
    pp.Ground(friction=pp.Isotropic(0.3)),
    FLAT,
    GAIT,
    pp.Environment(obstacles=[pp.Peg(x=0.5, y=0.2, radius=0.1)]),
    pp.Start(heading=0.3),
)


@pytest.mark.parametrize("thing", SHORT, ids=lambda thing: type(thing).__name__)
def test_short_ones_are_read_by_python(thing: Any) -> None:
    names = {name: getattr(pp, name) for name in pp.__all__} | vars(pp.gaits) | {"inf": math.inf}
    assert eval(repr(thing), names) == thing
    assert max(map(len, repr(thing).splitlines())) <= COLUMNS


def test_one_line_stays_one_line() -> None:
    assert repr(FLAT.ground.friction) == "Isotropic(coefficient=0.3)"
    assert repr(pp.Start(heading=0.3)).startswith("Start(")
    assert repr(pp.Environment()) == "Environment()" and repr(pp.Motor()) == "Motor()"


def test_a_field_that_cannot_be_shown_does_not_stop_it() -> None:
    class Strange:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    world = pp.World(robot(3), FLAT)
    object.__setattr__(world, "controller", Strange())
    assert "a Strange" in repr(world)
