"""Feedback controllers on the event-driven model: what they measure and what they do, beside the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.event_driven import Feedback, hybrid_model, integrate

LINK = pp.PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02)
MOTOR = pp.Motor(stiffness=8.0, damping=0.3, torque_limit=0.5)
ROBOT = pp.PlanarRobot.uniform(3, LINK, MOTOR)
PLACE = pp.Environment(
    ground=pp.Ground(friction=pp.Viscous(along=1.0, across=3.0)),
    obstacles=[pp.Peg(x=0.06, y=0.05, radius=0.03, friction=0.2)],
)
START = pp.Start(link_angles=(0.0, 0.0, 0.0), velocity=(0.4, 0.0))


@dataclass(frozen=True, eq=False)
class Leaning(pp.Controller[np.ndarray]):
    """Bends the first joint, and the second by what it feels; remembers all that it saw."""

    rate: float = 50.0
    needs: frozenset[str] = frozenset({"pose"})
    seen: list[pp.Measurement] = field(default_factory=list)

    def memory(self) -> np.ndarray:
        return np.zeros(())

    def command(self, measurement: pp.Measurement, memory: np.ndarray) -> tuple[pp.Command, np.ndarray]:
        self.seen.append(measurement)
        felt = measurement.contact_normal_force.sum(axis=1)
        angle = np.stack((np.full_like(felt, -0.3), -0.2 - 0.02 * felt), axis=1)
        return pp.Command(joint_angle=angle), memory + 1


def event_driven(controller: Any, duration: float):
    drive = Feedback(robot=ROBOT, controller=controller, environment=PLACE)
    return integrate(hybrid_model(ROBOT, PLACE, drive), START, duration=duration)


def test_it_measures_what_the_engine_measures_and_goes_where_it_goes() -> None:
    here, there = Leaning(), Leaning()
    run = event_driven(here, 0.3)
    stepped = pp.simulate(pp.World(ROBOT, PLACE, there, START), 0.3, settings=pp.Settings(dt=1e-4, tolerance=1e-8))
    assert len(here.seen) == len(there.seen) == 15
    for name, allowed in {
        "joint_angle": 1e-4,
        "joint_rate": 5e-3,
        "joint_torque": 5e-3,
        "imu_angular_rate": 5e-3,
        "imu_heading": 1e-4,
        "center_of_mass": 5e-5,
        "link_angle": 1e-4,
    }.items():  # the engine's error at 0.1 ms, first order
        ours, theirs = (np.array([getattr(one, name)[0] for one in each.seen]) for each in (here, there))
        np.testing.assert_allclose(ours, theirs, atol=allowed, err_msg=name)
    felt, expected = (np.array([one.contact_normal_force[0] for one in each.seen]) for each in (here, there))
    assert np.abs(expected).max() > 1.0  # N: it touches
    np.testing.assert_allclose(felt, expected, atol=0.05)  # N, of up to 5; the force jumps where it detaches
    np.testing.assert_allclose(run.link_position[-1], stepped.link_position[-1], atol=5e-5)


def test_torques_stay_within_the_limit_of_the_motor() -> None:
    controller = Leaning()
    event_driven(controller, 0.2)
    torque = np.abs([one.joint_torque[0] for one in controller.seen])
    assert torque.max() == pytest.approx(0.5, abs=1e-9)  # N m: the servo asks for 2.4 at first


def test_loads_of_a_command_act() -> None:
    still = pp.gaits.LateralUndulation(amplitude=0.0, angular_frequency=0.0, phase_shift=0.0)
    pulled = pp.control.Loaded(controller=still, load=[(0.3, 0.1, 0.0)])
    free = pp.Environment()
    drive = Feedback(robot=ROBOT, controller=pulled)
    run = integrate(hybrid_model(ROBOT, free, drive), pp.Start(link_angles=(0.0,) * 3), duration=0.2)
    np.testing.assert_allclose(run.velocity[-1], [0.3 * 0.2, 0.1 * 0.2], atol=1e-9)  # force over mass, times time


def test_what_it_cannot_do_is_refused() -> None:
    gait = pp.gaits.LateralUndulation(amplitude=0.3, angular_frequency=1.0, phase_shift=0.5, prescribed=True)
    with pytest.raises(InvalidModel, match=r"drive.controller = .*, must be one that does not prescribe motion"):
        Feedback(robot=ROBOT, controller=gait)
    with pytest.raises(InvalidModel, match=r"drive.controller = 3, must be a gait or a Controller"):
        Feedback(robot=ROBOT, controller=3)  # type: ignore[arg-type]
