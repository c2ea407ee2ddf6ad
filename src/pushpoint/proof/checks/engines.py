"""Models that were written separately agree: planar, spatial, reduced and event-driven."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians

import numpy as np
import xarray as xr

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.event_driven import SteadyTorque, hybrid_model, integrate
from pushpoint.gaits.lateral_undulation import LateralUndulation
from pushpoint.model.catalogue import aiko, aiko_2008b
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Elliptic, Viscous
from pushpoint.model.joints import Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.proof.check import Measured, checks_of
from pushpoint.proof.checks.bodies import convergence, four_uneven_links
from pushpoint.proof.checks.reduced_forces import forces_of_the_reduced_model
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

check = checks_of("engines")

MOTOR = Motor(stiffness=20.0, damping=0.2)
GAIT = LateralUndulation(amplitude=0.6, angular_frequency=6.0, phase_shift=-1.1, offset=0.2)
RADII = (8e-3, 4e-3, 2e-3)


def _pair() -> tuple[PlanarRobot, SpatialRobot]:
    """The same four links in the plane and in space; their straight sides end before the joints."""
    planar = tuple(replace(link, side_length=0.9 * link.length) for link in four_uneven_links())
    spatial = tuple(
        SpatialLink(
            length=link.length, mass=link.mass, inertia=(2e-4, link.inertia, link.inertia), radius=link.radius,
            side_length=link.side_length, mass_offset=link.mass_offset,
        )
        for link in planar
    )  # fmt: skip
    return PlanarRobot(links=planar, motors=MOTOR), SpatialRobot(links=spatial, joints=Yaw(MOTOR))


def _both(
    planar: PlanarRobot,
    spatial: SpatialRobot,
    place: Environment,
    gait: LateralUndulation,
    duration: float,
    settings: Settings,
) -> tuple[xr.Dataset, xr.Dataset]:
    """The same run in the plane and in space; the tail begins in the direction of the x axis."""
    first = gait.references(np.zeros(1), planar)[0][0]
    theta = np.concatenate(([0.0], np.cumsum(first)))
    angles = np.zeros(spatial.n_joints)
    angles[[axis.name == "yaw" for axis in spatial.axes]] = first
    lying = SpatialStart(joint_angles=tuple(angles), heading=float(theta.mean()))
    return (
        simulate(planar, place, gait, start=Start(link_angles=tuple(theta)), duration=duration, settings=settings),
        simulate(spatial, place, gait, start=lying, duration=duration, settings=settings),
    )


@check(
    "planar-spatial",
    expected_from="planar model = spatial model that lies flat",
    error_is="largest distance of a link in 1 s",
    tolerance=1e-8,
    unit="m",
    reason="contacts may creep by 1e-8 g dt = 1e-10 m/s and turn slim links by 60 /m of that: 6e-9 over 1 s",
)
def planar_is_spatial() -> Measured:
    """A gait on smooth ground: the spatial engine moves as the planar one."""
    flat, space = _both(*_pair(), Environment(), GAIT, 1.0, Settings(tolerance=1e-8))
    apart = np.abs(space.link_position.values[..., :2] - flat.link_position.values).max()
    return Measured(
        error=apart,
        values={
            "largest_turn_rad": np.ptp(flat.link_angle.values),
            "largest_rise_m": np.ptp(space.link_position.values[..., 2]),
        },
    )


@check(
    "planar-spatial-slim",
    expected_from="friction acts one radius below the axis; difference ∝ radius",
    error_is="deviation of the order from 1",
    tolerance=0.1,
    reason="nothing but the radius is left",
)
def slim_links() -> Measured:
    """A gait with friction: the difference of the engines vanishes with the radius of the links."""
    gait = LateralUndulation(amplitude=radians(30), angular_frequency=radians(80), phase_shift=radians(-50), phase=pi)
    place = Environment(ground=Ground(friction=Elliptic(along=0.1, across=0.5)))
    misses = []
    for radius in RADII:
        whole = aiko()
        slim = replace(whole, links=tuple(replace(link, radius=radius) for link in whole.links))
        ways = [
            run.center_of_mass.values[-1] - run.center_of_mass.values[0]
            for run in _both(aiko_2008b(), slim, place, gait, 4.5, Settings())
        ]
        misses.append(float(np.linalg.norm(ways[1][:2] - ways[0]) / np.linalg.norm(ways[0])))
    return convergence(
        RADII,
        misses,
        "distance of the centres of mass over the way [-]",
        {"miss_at_4_mm_1": misses[1]},
        x_label="radius of the links [m]",
    )


@check(
    "planar-reduced",
    expected_from="reduced model: M q'' + … = Jᵀ F with J q'' = −J' q'",
    error_is="largest difference of a force, the first-order part removed",
    tolerance=0.02,
    unit="N",
    reason="what is left is of second order, of forces of 2 to 20 N",
)
def planar_reduced() -> Measured:
    """Peg forces of 20 sliding robots with all contacts closed, extrapolated to dt = 0."""
    return forces_of_the_reduced_model()


@check(
    "planar-event-driven",
    expected_from="event-driven model in minimal coordinates",
    error_is="largest distance of a link",
    tolerance=2.5e-4,
    unit="m",
    reason="events are found up to one step late, at speeds of up to 1 m/s",
)
def event_driven() -> Measured:
    """Five links between two rough pegs, 0.3 s: the engine at 0.25 ms and the event-driven model."""
    robot = PlanarRobot.uniform(5, PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02))
    pegs = [Peg(x=x, y=y, radius=0.03, friction=0.2) for x, y in ((-0.18, 0.05), (0.22, -0.05))]
    place = Environment(ground=Ground(friction=Viscous(along=1.0, across=3.0)), obstacles=pegs)
    torque, start = (-0.5, -0.5, 0.5, 0.5), Start(link_angles=(0.0,) * 5, velocity=(0.2, 0.0))
    times = np.arange(16) * 0.02
    model = hybrid_model(robot, place, SteadyTorque(torque=torque))
    reference = integrate(model, start, duration=0.3, times=times)
    run = simulate(
        robot, place, ConstantTorque(torque=torque), start=start, duration=0.3, settings=Settings(dt=2.5e-4),
        record=Record(rate=50.0),
    )  # fmt: skip
    apart = np.linalg.norm(run.link_position.values - reference.link_position, axis=-1)
    moved = np.linalg.norm(reference.link_position[-1] - reference.link_position[0], axis=-1)
    return Measured(error=apart.max(), values={"largest_way_m": moved.max(), "events_1": len(reference.events)})
