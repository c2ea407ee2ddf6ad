"""Bodies, steady commands and runs that the checks share, and the same bodies in MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import xarray as xr

from pushpoint.engine.controller import Controller, Gait
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command, Measurement, joined_command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.event_driven import Servo, SteadyTorque, Trajectory, hybrid_model, integrate
from pushpoint.model.environment import STANDARD_GRAVITY, Environment, Ground
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

G = STANDARD_GRAVITY
CAPSULE = SpatialLink(
    length=0.122, mass=0.68, inertia=(2.35e-4, 9.63e-4, 9.63e-4), radius=0.0525, side_length=0.0786
)  # fmt: skip
SQUARE_BAR = SpatialLink(
    length=0.2, mass=1.0, inertia=(1.7e-3, 4.2e-3, 4.2e-3), radius=0.05, side_length=0.18, shape="square"
)
ROUND = SpatialRobot(links=(CAPSULE,), joints=())
"""Much like a link of Aiko."""
BLOCK = SpatialRobot(links=(SQUARE_BAR,), joints=())
"""It slides and does not roll."""


@dataclass(frozen=True)
class Steady(Controller[None]):
    """Gives the same command at every turn."""

    order: Command = field(default_factory=Command)
    """The command of one world; default: motors, where there are any, hold a straight robot."""
    rate: float = 10.0
    """Commands per second [Hz]."""

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """The command, for every world."""
        return joined_command([(slice(None), self.order)], len(measurement.time)), memory


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


def stepped(
    worlds: World | Sequence[World],
    duration: float,
    *,
    dt: float = 1e-3,
    tolerance: float = 1e-3,
    rate: float = 100.0,
    variables: Sequence[str] | None = None,
) -> xr.Dataset:
    """A run in steps of `dt` [s], solved to a tolerance [-] and recorded `rate` times per second."""
    settings, record = Settings(dt=dt, tolerance=tolerance), Record(rate=rate, variables=variables)
    return simulate(worlds, duration, settings=settings, record=record)


def moving(theta: np.ndarray, rate: np.ndarray, velocity: np.ndarray, **place: Any) -> Start:
    """A start with these link angles [rad] and rates [rad/s] and the velocity of the centre of mass [m/s]."""
    spin, joint_rates = float(rate[0]), tuple(np.diff(rate))
    return Start(link_angles=tuple(theta), velocity=tuple(velocity), spin=spin, joint_rates=joint_rates, **place)


def event_driven(world: World, duration: float, times: np.ndarray) -> Trajectory:
    """The same planar world, driven by a gait or by constant torques, in the event-driven model."""
    robot, controller = cast(PlanarRobot, world.robot), world.controller
    follows = isinstance(controller, Gait)
    drive = Servo(robot=robot, gait=controller) if follows else SteadyTorque(torque=controller.torque)
    model = hybrid_model(robot, world.environment, drive)
    return integrate(model, cast(Start, world.start), duration=duration, times=times)


def slide_on(
    robot: SpatialRobot, ground: Ground, duration: float, heading: float = 0.0, gap: float = 0.0, **motion: Any
) -> xr.Dataset:
    """One link left to itself on a plane, or a gap [m] above it, pointing to `heading` in it; every step recorded.

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
    position = tuple(normal * (robot.links[0].radius + gap))
    start = SpatialStart(orientation=orientation, position=position, **motion)
    return stepped(World(robot, Environment(ground=ground), Steady(), start), duration, tolerance=1e-6, rate=1000.0)


class Mujoco:
    """Something in MuJoCo, as a user writes it first: with MuJoCo's own defaults."""

    DT = 1e-3
    """Time step [s]."""
    SETTLES = 0.5
    """Time for a body to sink to its rest before anything is measured [s]."""
    OPTION = f'<option timestep="{DT}" cone="elliptic" integrator="implicitfast"'
    """How MuJoCo computes; lacks gravity and the end."""
    NOTE = "MuJoCo's default contacts, elliptic friction cones, implicitfast integrator, steps of 1 ms"
    """The same in words."""

    def __init__(self, mujoco: Any, text: str) -> None:
        self._step = mujoco.mj_step
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def go(self, duration: float) -> np.ndarray:
        """Runs on; returns the velocities of its first body at every step [m/s], shape (n_steps, 3)."""
        found = []
        for _ in range(round(duration / self.DT)):
            self._step(self.model, self.data)
            found.append(np.array(self.data.qvel[:3]))
        return np.array(found)

    def push(self, velocity: Sequence[float], spin: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        """Gives a body, settled, a velocity [m/s] and an angular velocity in its own axes [rad/s]."""
        self.go(self.SETTLES)
        self.data.qvel[:] = (*velocity, *spin)

    @staticmethod
    def body(
        mujoco: Any,
        robot: SpatialRobot,
        friction: float,
        *,
        slope: float = 0.0,
        rolling: float = 0.0,
        gap: float = 0.0,
        solref: str = "0.02 1",
    ) -> Mujoco:
        """The link of a robot on a plane; a slope [rad] is tilted gravity, rolling friction torque over force [m]."""
        (link,) = robot.links
        half, r = robot.column("side_length")[0] / 2, link.radius
        box, capsule = f'"box" size="{half} {r} {r}"', f'"capsule" size="{r}" fromto="{-half} 0 0 {half} 0 0"'
        contact = f'condim="6" friction="{friction} 0 {rolling}" solref="{solref}"'
        text = f"""<mujoco>
          {Mujoco.OPTION} gravity="{-G * math.sin(slope)} 0 {-G * math.cos(slope)}"/>
          <worldbody>
            <geom type="plane" size="0 0 1" {contact}/>
            <body pos="0 0 {r + gap}"><freejoint/>
              <inertial pos="0 0 0" mass="{link.mass}" diaginertia="{" ".join(map(str, link.inertia))}"/>
              <geom type={box if link.shape == "square" else capsule} {contact}/>
            </body>
          </worldbody>
        </mujoco>"""
        return Mujoco(mujoco, text)

    @property
    def place(self) -> np.ndarray:
        """Where the centre of the first body is [m]."""
        return np.array(self.data.qpos[:3])
