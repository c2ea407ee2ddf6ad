"""Transeth2008b: lateral undulation and sidewinding in space, and what its model leaves out.

Translation. The paper's link 1 is the head, and its body axis e_z points to the tail: x = -e_z, y = -e_x, z = e_y of a
link. yaw[j] = -alpha_h,n-1-j and pitch[j] = +alpha_v,n-1-j, so (70) is our LateralUndulation with phase pi, and (70)
with (71) our Sidewinding; its link 6 is our link 5. The robot moves toward +x. The coefficient of rolling friction mu_V
is not printed (docs/proof/deviations.md).

What the model leaves out (VIII-F) are options of the sidewinding robot. The paper names eight and gives numbers for
three of them: 3-5 deg of backlash, 22 mm between the axes, 50-150 ms of delay. We use the middle of each range. The
other numbers are ours and are listed below. The third, the exoskeleton, is treated separately: the paper does not give
its shape, so several plausible shells are tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi, radians
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import LateralUndulation, Sampled, Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Varying
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.papers.writing import experiment, listed
from pushpoint.scenarios.scenario import Variation
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray

SOURCE = "Transeth2008b"
FRICTION = 0.2
ORTHOTROPIC = Elliptic(along=0.1, across=0.5)
ROLLING = 0.02
"""mu_V, our choice: the gaits are the same with 0.01 and with 0.1."""
ANGULAR_FREQUENCY_DEG, PHASE_SHIFT_DEG = 80.0, -50.0
RELEASE_DEG = 3.0
DURATION = 15.0
PERIOD = 4.5
"""Period of all its gaits [s]: 360 deg at 80 deg/s."""
FOUR_PERIODS = 4 * PERIOD
STRAIGHT = SpatialStart(joint_angles=(0.0,) * 20)
"""A straight body along x, at rest."""
MIDDLE_LINK = 5
LOADED = 0.5
"""Force above which a link counts as carried by the ground [N]; a link weighs 6.7 N."""


def undulation(amplitude_deg: float) -> LateralUndulation:
    """The motion pattern (70) alone, omega_h = 80 deg/s, delta_h = -50 deg."""
    return LateralUndulation(
        amplitude=radians(amplitude_deg),
        angular_frequency=radians(ANGULAR_FREQUENCY_DEG),
        phase_shift=radians(PHASE_SHIFT_DEG),
        phase=pi,
    )


def sidewinder() -> Sidewinding:
    """The motion patterns (70) and (71) of VIII-E: A_h = 30 deg, A_v = 10 deg, delta_0 = 90 deg; with soft start."""
    return Sidewinding(
        yaw_amplitude=-radians(30),
        pitch_amplitude=radians(10),
        angular_frequency=radians(ANGULAR_FREQUENCY_DEG),
        phase_shift=radians(PHASE_SHIFT_DEG),
        pitch_lead=radians(90),
        release=radians(RELEASE_DEG),
    )


def floor(friction: FrictionLaw) -> Environment:
    """Flat ground without obstacles."""
    return Environment(ground=Ground(friction=friction, rolling=ROLLING))


@experiment(SOURCE, "TB1", duration=DURATION)
def lateral_undulation_orthotropic() -> World:
    """Lateral undulation, less friction along the links: forward.

    Friction 0.1 along and 0.5 across the links; VIII-B, Fig. 6.
    """
    return World(aiko(), floor(ORTHOTROPIC), undulation(30.0))


@experiment(SOURCE, "TB2 TB9", duration=FOUR_PERIODS)
def lateral_undulation_isotropic(friction: float = FRICTION) -> World:
    """Lateral undulation with isotropic friction: slowly backward.

    VIII-D, Fig. 7.
    """
    return World(aiko(), floor(Isotropic(friction)), undulation(40.0))


@experiment(SOURCE, "TB4 TB5 TB6 TB7", duration=DURATION)
def sidewinding_scenario() -> World:
    """Sidewinding from a straight posture: to the left, along y.

    With a soft start; VIII-E, Figs 8-11.
    """
    return World(aiko(), floor(Isotropic(FRICTION)), sidewinder(), STRAIGHT)


FREE_PLAY_DEG = 4.0
TORQUE_LIMIT, NO_LOAD_SPEED = 4.0, 6.0
"""A motor of 6 W (VIII-C): a line from 4 N m at standstill to 6 rad/s without load has 6 W at half the speed.

The gearing is not printed. The planar robot also has 4 N m.
"""
AXIS_DISTANCE = 0.022
STICK_RATIO, STRIBECK_SPEED = 1.5, 0.01
"""Ratio of friction at standstill to that in motion, and speed at which the extra friction fades [m/s]: our choice."""
VARNISH = (1.0, *(0.5,) * 11)
"""Half the friction beyond 30 deg of roll, where the varnish is not worn: our choice."""
DELAY = 0.1
MASS_SPREAD, INERTIA_SPREAD, OFFSET_SPREAD = 0.05, 0.2, 0.005
"""Masses off by up to 5 %, inertias by 20 %, centres of mass by 5 mm along the link: our choice."""
SEED = 2008
COMMANDED_AT = 100.0


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Which sources of error are switched on; the numbers are those of VIII-F."""

    free_play: bool = False
    """1) Backlash of the joints."""
    weak_motors: bool = False
    """2) Motors that saturate."""
    axes_apart: bool = False
    """4) A distance between yaw and pitch axes."""
    stribeck: bool = False
    """5) The Stribeck effect."""
    worn_varnish: bool = False
    """6) Friction that depends on the roll angle."""
    late: bool = False
    """7) A delay of the start."""
    seed: int | None = None
    """8) Wrong masses, inertias and centres of mass, drawn from this seed."""

    @property
    def robot(self) -> SpatialRobot:
        """Aiko with the errors of the robot."""
        robot = aiko(axis_distance=AXIS_DISTANCE if self.axes_apart else 0.0)
        limits: dict[str, Any] = {"backlash": radians(FREE_PLAY_DEG)} if self.free_play else {}
        if self.weak_motors:
            limits |= {"torque_limit": TORQUE_LIMIT, "speed_limit": NO_LOAD_SPEED}
        chain: Sequence[Any] = robot.chain
        joints = tuple(
            replace(joint, **{hinge.name: replace(hinge.motor, **limits) for hinge in joint.hinges}) for joint in chain
        )
        links = robot.links
        if self.seed is not None:
            random = np.random.default_rng(self.seed)
            links = tuple(_uncertain(link, random) for link in links)
        return replace(robot, links=links, joints=joints)

    @property
    def friction(self) -> FrictionLaw:
        """The friction law with the errors of the ground."""
        if not (self.stribeck or self.worn_varnish):
            return Isotropic(FRICTION)
        return Varying(
            law=Isotropic(FRICTION),
            stick_ratio=STICK_RATIO if self.stribeck else 1.0,
            stribeck_speed=STRIBECK_SPEED,
            around=VARNISH if self.worn_varnish else (1.0,),
        )

    @property
    def controller(self) -> Any:
        """The gait, possibly late."""
        return Sampled(gait=sidewinder(), rate=COMMANDED_AT, delay=DELAY) if self.late else sidewinder()

    @property
    def world(self) -> World:
        """Sidewinding with these errors, from a straight posture along x, at rest."""
        return World(self.robot, floor(self.friction), self.controller, STRAIGHT)


def _uncertain(link: SpatialLink, random: np.random.Generator) -> SpatialLink:
    mass, inertia, offset = random.uniform(-1.0, 1.0, 3)
    return replace(
        link,
        mass=link.mass * (1 + MASS_SPREAD * mass),
        inertia=tuple(part * (1 + INERTIA_SPREAD * inertia) for part in link.inertia),
        mass_offset=OFFSET_SPREAD * offset,
    )


ALL = Errors(free_play=True, weak_motors=True, axes_apart=True, stribeck=True, worn_varnish=True, late=True, seed=SEED)
SOURCES: Mapping[str, Errors] = {
    "none": Errors(),
    "1 free play, 4 deg": Errors(free_play=True),
    "2 motors of 6 W": Errors(weak_motors=True),
    "4 axes 22 mm apart": Errors(axes_apart=True),
    "5 Stribeck effect": Errors(stribeck=True),
    "6 worn varnish": Errors(worn_varnish=True),
    "7 start 100 ms late": Errors(late=True),
    "8 uncertain parameters": Errors(seed=SEED),
    "all of these": ALL,
}
"""Sources of error, by the numbers of VIII-F."""


def way(run: xarray.Dataset, link: int = MIDDLE_LINK) -> np.ndarray:
    """Displacement of the centre of one link from start to end, x, y, z [m]; one row per world."""
    path = run.link_position.sel(link=link)
    return np.asarray(path.isel(time=-1).values - path.isel(time=0).values)


def loaded_links(run: xarray.Dataset) -> xarray.DataArray:
    """How many links the ground carries over time, once the gait is under way."""
    return (run.ground_force.sel(axis="z", time=slice(PERIOD, None)) > LOADED).sum("link")


def error_effects(runs: xarray.Dataset) -> dict[str, np.ndarray]:
    """The effects in each world: arrays of shape (n_worlds,), each name with its unit.

    The displacement is that of link 6 from start to end; `right of y` is its direction. The body's turn is the mean
    heading of the links over the last period, clockwise.
    """
    x, y, _ = way(runs).T
    w, i, j, k = (runs.link_orientation.sel(quaternion=part) for part in ("w", "x", "y", "z"))
    heading = np.arctan2(2 * (w * k + i * j), 1 - 2 * (j**2 + k**2))
    last = heading.sel(time=slice(float(runs.time[-1]) - PERIOD, None)).mean(("link", "time"))
    return {
        "distance [m]": np.hypot(x, y),
        "direction right of y [deg]": np.degrees(np.arctan2(x, y)),
        "body turned right [deg]": -np.degrees(last.values),
        "links on the ground": loaded_links(runs).mean("time").values,
    }


@experiment(SOURCE, duration=DURATION)
def sidewinding_realistic() -> World:
    """Sidewinding with backlash, weak motors and more.

    The effects that the model leaves out: it gets less far, and to the right (VIII-F).
    """
    return ALL.world


SCENARIOS = listed(
    lateral_undulation_orthotropic, lateral_undulation_isotropic, sidewinding_scenario, sidewinding_realistic
)

FRICTIONS = (0.05, 0.1, 0.2, 0.4, 0.8)


@experiment(
    f"{SOURCE}, VIII-D",
    "TB3",
    varies=Variation(parameter="friction of the ground", unit="1", values=FRICTIONS),
    duration=FOUR_PERIODS,
    record=Record(rate=50.0),
)
def speed_over_friction() -> list[World]:
    """Lateral undulation over isotropic friction: always backward."""
    return [lateral_undulation_isotropic(friction).world for friction in FRICTIONS]


@experiment(
    f"{SOURCE}, VIII-F",
    "TB8",
    varies=Variation.labelled("source of error", tuple(SOURCES), error_effects),
    duration=DURATION,
    record=Record(rate=50.0),
)
def sidewinding_errors() -> list[World]:
    """Sidewinding with what the model leaves out, one by one.

    And all together: distance and heading after 15 s.
    """
    return [errors.world for errors in SOURCES.values()]


LINK, REACH = aiko().links[0].length, 0.0393
SHELLS: Mapping[str, Mapping[str, Any]] = {
    "as printed": {},
    "round, as long as the link": {"side_length": LINK},
    "round, half as long": {"side_length": REACH},
    "square, round edges": {"shape": "square", "corner_radius": 0.0525 / 2},
    "square, sharp edges": {"shape": "square", "corner_radius": 0.0525 / 10},
}
"""Possible shells around a link, as changes of the printed one: round, 52.5 mm in radius, with a side of 78.6 mm."""

MINOR = {name: errors for name, errors in SOURCES.items() if name[0] in "678"}
"""Errors that the paper does not count among the most important ones in sidewinding."""


def shell_effects(runs: xarray.Dataset) -> dict[str, np.ndarray]:
    """The effects of each shell, and how far it moved the end point of link 6; see error_effects."""
    ends, found = way(runs)[:, :2], error_effects(runs)
    shown = ("distance [m]", "body turned right [deg]", "links on the ground")
    return {"end moved by [cm]": 100.0 * np.linalg.norm(ends - ends[0], axis=1)} | {name: found[name] for name in shown}


@experiment(
    f"{SOURCE}, VIII-F",
    "TB10",
    varies=Variation.labelled("shell, or a minor error", (*SHELLS, *MINOR), shell_effects),
    duration=DURATION,
    record=Record(rate=50.0),
)
def sidewinding_shells() -> list[World]:
    """Sidewinding with other shells around the links.

    The paper does not give their shape. Minor errors are shown for comparison.
    """
    robot, plain = aiko(), Errors().world
    shells = [tuple(replace(link, **shell) for link in robot.links) for shell in SHELLS.values()]
    inside = [replace(plain, robot=replace(robot, links=links)) for links in shells]
    return [*inside, *(errors.world for errors in MINOR.values())]


SWEEPS = listed(speed_over_friction, sidewinding_errors, sidewinding_shells)
