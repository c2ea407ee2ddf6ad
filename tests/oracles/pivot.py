"""Two links whose centres of mass lie in the joint between them: a joint that is one turning mass, at every angle.

No force acts in the joint, so that the links turn by the joint's torque tau alone, one by tau/I_0 back, one by tau/I_1
forth: the joint rate grows by tau/I with 1/I = 1/I_0 + 1/I_1.
"""

from __future__ import annotations

import numpy as np

from oracles.engine import stepper_in_poses
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.stepper import Stepper
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

REAR = PlanarLink(length=0.2, mass=1.0, inertia=4e-3, radius=0.02, mass_offset=0.1)
FRONT = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.02, mass_offset=-0.1)
INERTIA = 1.0 / (1.0 / REAR.inertia + 1.0 / FRONT.inertia)
"""What the joint rate feels [kg m^2]."""


def pivot(
    motor: Motor, *, angle: float = 0.0, rate: float = 0.0, dt: float = 1e-3, ground: Ground = Ground(gravity=0.0)
) -> Stepper:
    """One joint at an angle [rad] and rate [rad/s]."""
    robot = PlanarRobot(links=(REAR, FRONT), motors=motor)
    pose = Start(joint_angles=(angle,), joint_rates=(rate,)).pose(robot)
    return stepper_in_poses([robot], [Environment(ground=ground)], [pose], Settings(dt=dt, tolerance=1e-6))


def joint(stepper: Stepper) -> tuple[float, float]:
    """Angle [rad] and rate [rad/s] of the joint."""
    state = stepper.state()
    return float(np.diff(state.theta[0])[0]), float(np.diff(state.omega[0])[0])


def watch(stepper: Stepper, steps: int) -> dict[str, np.ndarray]:
    """Angles [rad], rates [rad/s] and torques [N m] after each of the next steps; `other` follows from the motion."""
    dt, first = stepper.settings.dt, int(stepper.state().step[0])
    before, turned = joint(stepper), stepper.totals("motor")[0]
    stepper.new_samples(first + steps + 1, 1)
    stepper.advance(steps)
    seen = {name: values[0, first + 1 :] for name, values in stepper.samples().items() if name != "load_on"}
    rate = np.diff(seen["omega"])[:, 0]
    motor = np.diff(seen["motor"][:, 0], prepend=turned) / dt
    other = INERTIA * np.diff(rate, prepend=before[1]) / dt - motor
    found = {"angle": np.diff(seen["theta"])[:, 0], "rate": rate, "motor": motor, "other": other}
    stepper.new_samples(1, 0)
    return found
