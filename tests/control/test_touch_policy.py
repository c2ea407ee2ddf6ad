"""The touch policy, against its formula written again world by world, and against continuous resolution."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from oracles.controllers import measured
from pushpoint.control import ContinuousResolution, TouchPolicy
from pushpoint.engine.batching import stack
from pushpoint.engine.signals import Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko, liljeback2011
from pushpoint.papers.registry import scenario
from pushpoint.simulation.driving import Controllers
from pushpoint.simulation.simulate import simulate

ROBOT = liljeback2011()
N = ROBOT.n_joints
LIMIT = math.radians(45)
FULL = TouchPolicy(
    amplitude=0.6, phase_shift=0.7, speed=0.1, gain=0.08, reflex_limit=0.9, head_share=0.4, heading_gain=0.1,
    head_angle=0.7, swing=0.2, longest_travel=0.5, neighbour_share=0.6, forward_bias=0.4,
    least_force=1.5, starvation_time=0.8, starved_amplitude=0.1, starved_phase_shift=-0.2, starved_speed=0.7,
    starved_head_angle=0.2, patience=6.0,
)  # fmt: skip
"""Every parameter matters."""


def seen(count: int, worlds: int, *, seed: int = 3, push: float = 6.0) -> list[Measurement]:
    """Measurements of robots that are touched here and there, and now and then not at all."""
    draw = np.random.default_rng(seed)
    touched = draw.uniform(size=(count, worlds, N + 1)) < 0.3
    touched[10:25] = False
    return [
        measured(
            N,
            time=[k / 20.0] * worlds,
            joint_angle=draw.uniform(-0.5, 0.5, (worlds, N)),
            contact_normal_force=touched[k] * draw.normal(0.0, push, (worlds, N + 1)),
            imu_heading=draw.uniform(-0.6, 0.6, worlds),
        )
        for k in range(count)
    ]


def asked(controller: Any, measurements: list[Measurement]) -> tuple[np.ndarray, list[Any]]:
    bound = controller.bind(ROBOT)
    memory = stack([bound.memory()] * len(measurements[0].time))
    references, memories = [], []
    for measurement in measurements:
        command, memory = bound.command(measurement, memory)
        references.append(command.joint_angle)
        memories.append(memory)
    return np.array(references), memories


def test_with_the_defaults_it_is_continuous_resolution_bit_for_bit() -> None:
    measurements = seen(80, 4)
    as_learned, _ = asked(TouchPolicy(), measurements)
    by_hand, _ = asked(ContinuousResolution(), measurements)
    np.testing.assert_array_equal(as_learned, by_hand)


def test_with_the_defaults_it_moves_through_a_course_like_continuous_resolution() -> None:
    world = scenario("liljeback2011/environment-1").world
    runs = [simulate(replace(world, controller=each), 2.0) for each in (TouchPolicy(), ContinuousResolution())]
    np.testing.assert_array_equal(runs[0].link_position, runs[1].link_position)


def test_references_follow_the_formula() -> None:
    """The formula at the head of the module, link by link; only phase, side and travel are taken from the memory."""
    measurements = seen(60, 1)
    references, memories = asked(FULL, measurements)
    c, s = FULL, 0.0
    for k, measurement in enumerate(measurements):
        force, joint = measurement.contact_normal_force[0], measurement.joint_angle[0]
        theta = [float(measurement.imu_heading[0])]
        for bend in joint[::-1]:
            theta.insert(0, theta[0] - float(bend))
        felt = [math.copysign(max(abs(f) - c.least_force, 0.0), f) for f in force]
        starved = 1.0 if sum(each != 0.0 for each in felt) <= 1 else 0.0
        s = starved + (s - starved) * math.exp(-1.0 / (c.rate * c.starvation_time))
        turn = []
        for f, angle in zip(felt, theta, strict=True):
            forward = -f * math.sin(angle)
            more = 0.0 if forward == 0.0 else math.copysign(c.forward_bias, forward)
            turn.append(-c.gain * f * math.cos(angle) * (1.0 + more))
        wide = [0.0, *turn, 0.0]
        spread = [wide[i] + c.neighbour_share * (wide[i - 1] + wide[i + 1]) / 2.0 for i in range(1, N + 2)]
        reflex = [min(max(spread[j + 1] - spread[j], -c.reflex_limit), c.reflex_limit) for j in range(N)]
        psi, side = float(memories[k].phase[0]), float(memories[k].side[0])
        amplitude, shift = c.amplitude + c.starved_amplitude * s, c.phase_shift + c.starved_phase_shift * s
        expected = [
            -amplitude * math.sin(psi - shift * (N - 1 - j)) - c.heading_gain * float(np.mean(theta)) + reflex[j]
            for j in range(N)
        ]
        expected[-1] = side * (c.head_angle + c.starved_head_angle * s) - theta[-2] + c.head_share * reflex[-1]
        np.testing.assert_allclose(references[k, 0], np.clip(expected, -LIMIT, LIMIT), atol=1e-12)
        assert float(memories[k].starvation[0]) == pytest.approx(s, abs=1e-12)


def test_starvation_grows_without_contact_and_fades_with_it() -> None:
    none, some = measured(N, time=[0.0]), measured(N, time=[0.0], contact_normal_force=np.full((1, N + 1), 9.0))
    _, memories = asked(replace(FULL, starvation_time=2.0), [none] * 40 + [some] * 40)
    s = np.array([float(each.starvation[0]) for each in memories])
    assert s[39] == pytest.approx(1.0 - math.exp(-1.0))  # 2 s at 20 Hz are one time constant
    assert s[79] == pytest.approx(s[39] * math.exp(-1.0))


def test_a_starved_wave_is_faster() -> None:
    free = [measured(N, time=[k / 20.0]) for k in range(400)]
    policy = replace(FULL, starved_phase_shift=0.0, starvation_time=0.05, patience=math.inf)
    _, memories = asked(policy, free)
    phase = np.array([float(each.phase[0]) for each in memories])
    # beta v / 2l at 20 Hz, once the starvation has settled
    np.testing.assert_allclose(np.diff(phase)[40:], 0.7 * (0.1 * 1.7) / 0.14 / 20.0)


def test_the_wave_slows_down_while_nothing_is_touched_and_goes_on_at_a_touch() -> None:
    free, touch = measured(N, time=[0.0]), measured(N, time=[0.0], contact_normal_force=np.full((1, N + 1), 9.0))
    policy = replace(FULL, starved_phase_shift=0.0, starved_speed=0.0, patience=4.0)
    _, memories = asked(policy, [touch] * 2 + [free] * 80 + [touch])
    moved = np.diff([float(each.phase[0]) for each in memories])
    assert moved[80] == pytest.approx(moved[0] * math.exp(-1.0))  # 80 commands at 20 Hz are the 4 s
    assert moved[81] == pytest.approx(moved[0])


def test_without_touch_the_wave_comes_to_rest() -> None:
    """Its whole way from then on is speed times patience, so that a wave that swims gets only so far."""
    _, memories = asked(replace(FULL, starved_speed=0.0, patience=2.0), [measured(N, time=[0.0])] * 600)
    way = float(memories[-1].travel[0])  # shorter than the longest stretch of a side, 0.5 m
    q = math.exp(-1.0 / (20.0 * 2.0))  # from one command to the next; the first command moves nothing yet
    assert way == pytest.approx(0.1 / 20.0 * q**2 / (1.0 - q)) and way < 0.1 * 2.0


def test_forces_below_the_least_are_not_felt() -> None:
    quiet = [replace(each, contact_normal_force=0 * each.contact_normal_force) for each in seen(30, 2)]
    noisy = [replace(each, contact_normal_force=each.contact_normal_force + 1.4) for each in quiet]
    np.testing.assert_array_equal(asked(FULL, quiet)[0], asked(FULL, noisy)[0])


def test_a_mirrored_robot_is_commanded_the_mirror_image() -> None:
    """Left and right are alike; only the first side of the head breaks the symmetry, so it is turned as well."""
    bound, draw = FULL.bind(ROBOT), np.random.default_rng(2)
    memory = stack([bound.memory()])
    mirror = memory._replace(side=-memory.side)
    for _ in range(30):
        angle, force = draw.uniform(-0.5, 0.5, (1, N)), draw.normal(0.0, 5.0, (1, N + 1))
        heading = draw.uniform(-0.6, 0.6, 1)
        both = []
        for sign, kept in ((1.0, memory), (-1.0, mirror)):
            shown = measured(
                N, time=[0.0], joint_angle=sign * angle, contact_normal_force=sign * force, imu_heading=sign * heading
            )
            both.append(bound.command(shown, kept))
        (left, memory), (right, mirror) = both
        np.testing.assert_allclose(left.joint_angle, -right.joint_angle, atol=1e-12)
        mirror = mirror._replace(phase=memory.phase + math.pi)  # the same wave, mirrored


def test_policies_that_differ_are_called_together_bit_for_bit() -> None:
    draw = np.random.default_rng(4)
    policies = [
        replace(FULL, gain=0.1 * draw.uniform(), neighbour_share=draw.uniform(), starvation_time=draw.uniform(0.2, 3))
        for _ in range(5)
    ]
    measurements = seen(40, 5)
    everywhere = np.ones(5, dtype=bool)
    start = scenario("liljeback2011/environment-1").world
    together = Controllers([replace(start, controller=each) for each in policies])
    assert len(together._groups) == 1
    found = np.array([together.ask(each, everywhere, lambda *_: None).joint_angle for each in measurements])
    for w, policy in enumerate(policies):
        alone = [
            replace(each, **{n: v[w : w + 1] for n, v in vars(each).items() if v is not None}) for each in measurements
        ]
        np.testing.assert_array_equal(found[:, w], asked(policy, alone)[0][:, 0])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("neighbour_share", math.nan),
        ("forward_bias", 1.1),
        ("starvation_time", 0.0),
        ("patience", 0.0),
        ("least_force", -1.0),
        ("starved_speed", -1.5),
        ("starved_amplitude", math.inf),
        ("amplitude", -0.1),
    ],
)
def test_what_cannot_work_is_refused(field: str, value: float) -> None:
    with pytest.raises(InvalidModel, match=rf"^controller\.{field} = "):
        TouchPolicy(**{field: value})


def test_it_is_for_planar_robots() -> None:
    with pytest.raises(InvalidModel, match=r"= 'SpatialRobot', must be a PlanarRobot$"):
        TouchPolicy().bind(aiko())


def test_it_has_few_parameters() -> None:
    assert len(fields(TouchPolicy)) - 1 <= 20  # without the rate
