"""Bodies, steady commands and runs that the checks share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.engine.controller import Controller
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.model.environment import STANDARD_GRAVITY, Environment, Ground
from pushpoint.model.planar_robot import PlanarLink
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.proof.check import Measured, Plot, curve
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

G = STANDARD_GRAVITY

ROUND = SpatialRobot(
    links=(
        SpatialLink(length=0.122, mass=0.68, inertia=(2.35e-4, 9.63e-4, 9.63e-4), radius=0.0525, side_length=0.0786),
    ),
    joints=(),
)
"""A capsule, much like a link of Aiko."""
ROUNDNESS = 2.35e-4 / (0.68 * 0.0525**2)
"""I/(m r^2) of the capsule about its axis [-]."""
BLOCK = SpatialRobot(
    links=(
        SpatialLink(
            length=0.2, mass=1.0, inertia=(1.7e-3, 4.2e-3, 4.2e-3), radius=0.05, side_length=0.18, shape="square"
        ),
    ),
    joints=(),
)
"""A square bar: it slides and does not roll."""


IDLE = Command()
"""Motors that hold a straight robot, where there are motors."""


@dataclass(frozen=True)
class Steady(Controller[None]):
    """Gives the same command at every turn."""

    order: Command = IDLE
    """The command of one world."""
    rate: float = 10.0
    """Commands per second [Hz]."""

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """The command, for every world."""

        def repeated(values: np.ndarray | None) -> np.ndarray | None:
            return None if values is None else np.broadcast_to(values, (len(measurement.time), *np.shape(values)))

        given = {name: repeated(getattr(self.order, name)) for name in ("joint_angle", "joint_torque", "link_load")}
        return Command(prescribed=self.order.prescribed, **given), memory


def four_uneven_links() -> tuple[PlanarLink, ...]:
    """Four links that differ in length, mass, inertia and the place of their centre of mass."""
    return tuple(
        PlanarLink(length=length, mass=mass, inertia=inertia, radius=0.02, mass_offset=offset)
        for length, mass, inertia, offset in (
            (0.11, 0.45, 6e-4, 0.012),
            (0.16, 0.85, 2e-3, -0.018),
            (0.09, 0.35, 3e-4, 0.000),
            (0.13, 0.75, 1e-3, 0.010),
        )
    )


def lie(robot: SpatialRobot, ground: Ground, heading: float = 0.0, gap: float = 0.0, **motion: Any) -> SpatialStart:
    """On the plane through the origin, pointing to `heading` in it; a gap [m] above it.

    The plane rises along x. Turning the world's z axis onto its normal is a turn by -slope about y.
    """
    tilt, turn = -ground.slope / 2, heading / 2
    orientation = (
        math.cos(tilt) * math.cos(turn),
        math.sin(tilt) * math.sin(turn),
        math.sin(tilt) * math.cos(turn),
        math.cos(tilt) * math.sin(turn),
    )
    normal = np.array([-math.sin(ground.slope), 0.0, math.cos(ground.slope)])
    return SpatialStart(orientation=orientation, position=tuple(normal * (robot.links[0].radius + gap)), **motion)


def slide_on(robot: SpatialRobot, ground: Ground, start: SpatialStart, duration: float, dt: float = 1e-3) -> xr.Dataset:
    """One link left to itself on a plane, every step recorded."""
    return simulate(
        robot, Environment(ground=ground), Steady(), start=start, duration=duration,
        settings=Settings(dt=dt, tolerance=1e-6), record=Record(rate=1 / dt),
    )  # fmt: skip


def relative(found: Any, expected: Any) -> float:
    """Largest relative deviation [-]."""
    return float(np.max(np.abs(np.asarray(found) / np.asarray(expected) - 1.0)))


def order_of(steps: Any, errors: Any) -> float:
    """Slope of the errors over the steps in a double logarithmic plot: the order [-]."""
    return float(np.polyfit(np.log(np.asarray(steps)), np.log(np.asarray(errors)), 1)[0])


def convergence(
    steps: Any,
    errors: Any,
    y_label: str,
    values: Mapping[str, float],
    *,
    x: Any = None,
    x_label: str = "time step [s]",
    order: int = 1,
) -> Measured:
    """How far from an order errors fall with the steps, drawn over the steps or over `x`."""
    h, along = np.asarray(steps), np.asarray(steps if x is None else x)
    found = order_of(h, errors)
    plot = Plot(
        title=f"Order {found:.2f}",
        x_label=x_label,
        y_label=y_label,
        curves=(
            curve(f"{('first', 'second')[order - 1]} order", along, errors[-1] * (h / h[-1]) ** order, expected=True),
            curve("pushpoint", along, errors),
        ),
        log_x=True,
        log_y=True,
    )
    return Measured(error=abs(found - order), values={"order_1": found, **values}, plot=plot)
