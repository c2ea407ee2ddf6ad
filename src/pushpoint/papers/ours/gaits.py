"""The gait library: one scenario per gait, most of them on the SEA Snake of Carnegie Mellon, and pattern generators."""

from __future__ import annotations

from math import pi, radians
from typing import Any

from pushpoint import gaits
from pushpoint.engine.controller import Controller
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.model.catalogue import aiko_planar, yaw_pitch_16
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic
from pushpoint.model.terrain import Pipe
from pushpoint.papers.transeth2008b.scenarios import ROLLING
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.world import World

GROUP = "gaits"
EVEN, SKIN = Isotropic(0.5), Elliptic(along=0.1, across=0.5)
"""Friction of the ground: the same in all directions, or less along the links, like a snake's skin. Our choice."""
STEADY = radians(120)
"""Angular frequency of the gaits on the ground [rad/s]: a cycle takes 3 s."""
WINDING: dict[str, Any] = {
    "yaw_amplitude": radians(50),
    "pitch_amplitude": radians(8),
    "angular_frequency": STEADY,
    "phase_shift": radians(-30),
    "soft_start": 1.0,
}
"""Sidewinding of the SEA Snake: one wave and a third over the body, with which it hardly turns. Our choice."""
POLE, GRIP = 0.1, 0.8
"""Radius of the pole [m] and its friction [-]."""
PIPE = 0.12
"""Inner radius of the pipe [m]."""


def on_ground(gait: Controller[Any], friction: FrictionLaw = EVEN) -> World:
    """The SEA Snake on level ground, straight along x at first."""
    robot = yaw_pitch_16()
    ground = Environment(ground=Ground(friction=friction, rolling=ROLLING))
    return World(robot, ground, gait, SpatialStart(joint_angles=(0.0,) * robot.n_joints))


@experiment("gait of Hirose 1993; robot of Carnegie Mellon", paper=GROUP, duration=13.0)
def lateral_undulation() -> World:
    """Lateral undulation in space: forward on a skin that slides along."""
    gait = gaits.LateralUndulation(
        amplitude=radians(35), angular_frequency=STEADY, phase_shift=radians(-22.5), soft_start=1.0
    )
    return on_ground(gait, SKIN)


@experiment("gait after Tesch et al. 2009", paper=GROUP, duration=13.0)
def sidewinding_scenario() -> World:
    """Sidewinding of the SEA Snake: to its left."""
    return on_ground(gaits.Sidewinding(**WINDING))


@experiment("gait after Tesch et al. 2009: linear progression", paper=GROUP, duration=13.0)
def vertical_wave_scenario() -> World:
    """A wave of the pitch joints from tail to head: forward, like a caterpillar."""
    gait = gaits.VerticalWave(amplitude=radians(25), angular_frequency=STEADY, phase_shift=radians(30), soft_start=1.0)
    return on_ground(gait)


@experiment("gait of Hirose 1993", paper=GROUP, duration=13.0)
def sinus_lifting() -> World:
    """Slithering with the bends lifted: forward on a skin."""
    gait = gaits.SinusLifting(
        yaw_amplitude=radians(35),
        pitch_amplitude=radians(3),
        angular_frequency=STEADY,
        phase_shift=radians(-22.5),
        soft_start=1.0,
    )
    return on_ground(gait, SKIN)


@experiment("gait of Mori and Hirose 2002", paper=GROUP, duration=13.0)
def rolling() -> World:
    """Lateral rolling: an arc that rolls to the left."""
    return on_ground(gaits.Rolling(amplitude=radians(12), angular_frequency=STEADY, soft_start=1.0))


@experiment("after the gait equation of Tesch et al. 2009; parameters are ours", paper=GROUP, duration=13.0)
def compound_serpenoid() -> World:
    """Two waves with frequencies of their own: pitch twice as fast as yaw."""
    gait = gaits.CompoundSerpenoid(
        yaw_amplitude=radians(35),
        pitch_amplitude=radians(10),
        angular_frequency=STEADY,
        pitch_angular_frequency=2 * STEADY,
        phase_shift=radians(-22.5),
        pitch_phase_shift=radians(-45),
        pitch_phase=pi / 2,
        soft_start=1.0,
    )
    return on_ground(gait)


@experiment("gait after Gong, Hatton and Choset 2012", paper=GROUP, duration=25.0)
def conical_sidewinding() -> World:
    """Conical sidewinding: both waves larger at the head, which turns around the tail."""
    return on_ground(gaits.ConicalSidewinding(**WINDING, taper=0.4))


@experiment("gait after Astley et al. 2015; the formula of the radius is ours", paper=GROUP, duration=25.0)
def turning_sidewinding(radius: float = 1.0) -> World:
    """Sidewinding on a circle of 1 m: the yaw wave grows toward the head."""
    return on_ground(gaits.TurningSidewinding(**WINDING, radius=radius))


@experiment("gait after Tesch et al. 2009", paper=GROUP, duration=16.0)
def helical_rolling() -> World:
    """Helical rolling: a coiled body rolls about its own axis and moves across its coils."""
    gait = gaits.HelicalRolling(helix_radius=0.06, helix_rise=0.45, angular_frequency=STEADY, soft_start=2.0)
    return on_ground(gait)


@experiment("after Hirose 1993 and Tesch et al. 2009", paper=GROUP, duration=13.0)
def lifted_slithering() -> World:
    """Slithering with the tail lifted and held still.

    It starts bent: a straight body with its tail up would fall over.
    """
    gait = gaits.LiftedSlithering(
        amplitude=radians(35), angular_frequency=STEADY, phase_shift=radians(-22.5), lift=radians(30), lifted=4
    )
    return World(yaw_pitch_16(), Environment(ground=Ground(friction=SKIN, rolling=ROLLING)), gait)


@experiment("gait after Tesch et al. 2009; climbing outside", paper=GROUP, duration=8.0)
def pole_climbing() -> World:
    """A robot climbs a pole: wound around it, it rolls about its own axis."""
    gait = gaits.PipeCrawling(pipe_radius=POLE, helix_rise=0.12, angular_frequency=radians(180))
    pole = Peg(x=0.0, y=0.0, radius=POLE, friction=GRIP)
    return World(yaw_pitch_16(), Environment(ground=Ground(friction=EVEN), obstacles=[pole]), gait)


@experiment("gait after Rollinson and Choset 2016; crawling inside", paper=GROUP, duration=8.0)
def pipe_crawling() -> World:
    """A robot crawls through a pipe: a helix presses against its wall and rolls."""
    gait = gaits.PipeCrawling(
        pipe_radius=PIPE, helix_rise=0.4, angular_frequency=-radians(180), side="inside", squeeze=0.5
    )
    pipe = Pipe(start=(0.0, 0.0, 0.2), end=(2.5, 0.0, 0.2), radius=PIPE, friction=0.6)
    return World(yaw_pitch_16(), Environment(ground=Ground(friction=EVEN), obstacles=[pipe]), gait)


@experiment("model of Crespi and Ijspeert 2008", paper=GROUP, duration=16.0)
def pattern_generator() -> World:
    """A pattern generator steers: left from 5 s on, right from 8 s, faster from 11 s."""
    generator = gaits.PatternGenerator(
        angular_frequency=radians(120),
        amplitude=radians(35),
        phase_shift=radians(-40),
        changes=[
            gaits.PatternChange(time=5.0, offset=radians(7)),
            gaits.PatternChange(time=8.0, offset=radians(-7)),
            gaits.PatternChange(time=11.0, offset=0.0, angular_frequency=radians(240)),
        ],
    )
    return World(aiko_planar(), Environment(ground=Ground(friction=SKIN)), generator)


@experiment("model of Crespi and Ijspeert 2008, with a chain of pitch axes", paper=GROUP, duration=16.0)
def pattern_sidewinding() -> World:
    """A pattern generator sidewinds to the left, and to the right from 8 s on."""
    named = {"yaw_amplitude": "amplitude", "soft_start": ""}
    given = {named.get(key, key): value for key, value in WINDING.items() if named.get(key, key)}
    return on_ground(
        gaits.PatternGenerator(**given, changes=[gaits.PatternChange(time=8.0, pitch_lead=pi / 2)], coupling=30.0)
    )


SCENARIOS = listed(
    lateral_undulation,
    vertical_wave_scenario,
    sidewinding_scenario,
    conical_sidewinding,
    turning_sidewinding,
    sinus_lifting,
    lifted_slithering,
    rolling,
    helical_rolling,
    compound_serpenoid,
    pole_climbing,
    pipe_crawling,
    pattern_generator,
    pattern_sidewinding,
    paper=GROUP,
)
