"""Published statements about the speed of lateral undulation, on wheels that hold and on viscous ground.

S. Hirose (1993): links do not slip sideways, and the body is a serpenoid curve. P. Liljeback, K. Y. Pettersen,
O. Stavdahl and J. T. Gravdahl, Experimental investigation of fundamental properties of snake robot locomotion (2010),
abstract: the mean forward speed is proportional to the squared amplitude of the joints, to their angular frequency and
to a function of their phase shift, and largest where that function is.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import j0

import pushpoint as pp

N, LENGTH, MASS = 10, 0.14, 1.0
ALONG, ACROSS = 1.0, 5.0
"""Viscous friction of a link [N s/m]."""


def speed(robot: pp.PlanarRobot, law: pp.FrictionLaw, joint: float, omega: float, shift: float, rounds: int) -> float:
    """Mean over the last two periods [m/s]."""
    period = 2 * math.pi / omega
    gait = pp.gaits.LateralUndulation(amplitude=joint, angular_frequency=omega, phase_shift=-shift, prescribed=True)
    run = pp.simulate(
        pp.World(robot, pp.Environment(ground=pp.Ground(friction=law)), gait), rounds * period,
        settings=pp.Settings(dt=period / 400), record=pp.Record(rate=20 / period),
    )  # fmt: skip
    way = run.center_of_mass.values
    return float(np.linalg.norm(way[-1] - way[-41]) / (2 * period))


def on_wheels(joint: float, omega: float, shift: float) -> float:
    length = 0.05
    wheels = pp.Wheels(rolling_resistance=0.0, side_limit=5.0, track=0.0)
    link = pp.PlanarLink(length=length, mass=0.7, inertia=6e-4, radius=0.05, wheels=(wheels,))
    return speed(pp.PlanarRobot.uniform(40, link), pp.Frictionless(), joint, omega, shift, 4)


@pytest.mark.parametrize(("joint", "shift"), [(0.3, 0.2395), (0.2, 0.3), (0.15, 0.2)])
def test_serpenoid_track(joint: float, shift: float) -> None:
    """v = omega l J0(alpha)/shift, alpha = joint/(2 sin shift/2); links are chords of the curve, hence shift^2/4."""
    expected = 2.0 * 0.05 / shift * j0(joint / (2 * math.sin(shift / 2)))
    assert on_wheels(joint, 2.0, shift) == pytest.approx(expected, rel=0.25 * shift**2)


def test_on_wheels_speed_is_proportional_to_frequency() -> None:
    slow, fast = (on_wheels(0.3, omega, 0.2395) / omega for omega in (0.5, 2.0))
    assert fast == pytest.approx(slow, rel=3e-3)  # kinematics, but for the slip of a chain that is not a curve


def on_viscous_ground(joint: float, omega: float, shift: float) -> float:
    link = pp.PlanarLink(length=LENGTH, mass=MASS, inertia=MASS * LENGTH**2 / 12, radius=0.05)
    return speed(pp.PlanarRobot.uniform(N, link), pp.Viscous(along=ALONG, across=ACROSS), joint, omega, shift, 12)


def phase_function(omega: float, shift: float) -> float:
    """Speed over squared amplitude for small amplitudes, derived by hand [m/s/rad^2].

    To first order the links move across by y and turn by theta, and the unknown motion of the tail follows from the
    balance of forces and moments. To second order friction pushes forward with (across - along) theta y_dot.
    """
    s, turns = 1j * omega, np.exp(-1j * shift * (N - 2 - np.arange(N - 1)))
    arms = LENGTH * (np.tri(N, k=-1) + np.eye(N) / 2)
    theta = np.concatenate(([0.0], np.cumsum(turns)))
    y, lever, a, inertia = arms @ theta, arms.sum(axis=1), MASS * s * s + ACROSS * s, MASS * LENGTH**2 / 12
    lhs = np.array([[a * N, a * lever.sum()], [a * lever.sum(), a * (lever**2).sum() + inertia * s * s * N]])
    place, turn = np.linalg.solve(lhs, -np.array([a * y.sum(), a * (lever * y).sum() + inertia * s * s * theta.sum()]))
    y, theta = y + place + lever * turn, theta + turn
    push = (ACROSS - ALONG) * 0.5 * np.real(np.conj(theta) * s * y).sum()
    return float(push / (ALONG * N))


def test_speed_grows_with_the_squared_amplitude() -> None:
    """The rest is of fourth order: halving the amplitude divides the relative difference by four."""
    exact = phase_function(2.0, 0.6)
    coarse, fine = (1.0 - on_viscous_ground(joint, 2.0, 0.6) / (joint**2 * exact) for joint in (0.1, 0.05))
    assert fine < 0.015 and coarse / fine == pytest.approx(4.0, rel=0.1)


def test_speed_is_proportional_to_frequency() -> None:
    slow, fast = (on_viscous_ground(0.1, omega, 0.6) / omega for omega in (0.5, 4.0))
    assert fast == pytest.approx(slow, rel=0.01)  # inertia is small beside friction


def test_fastest_phase_shift() -> None:
    """The phase shift that maximises the function maximises the speed."""
    shifts = np.linspace(0.3, 0.5, 5)
    finely = np.linspace(0.3, 0.5, 2001)
    found = np.polyfit(shifts, [on_viscous_ground(0.05, 2.0, float(shift)) for shift in shifts], 4)
    expected = finely[np.argmax([phase_function(2.0, float(shift)) for shift in finely])]
    assert 0.31 < expected < 0.49
    assert finely[np.polyval(found, finely).argmax()] == pytest.approx(expected, rel=0.01)
