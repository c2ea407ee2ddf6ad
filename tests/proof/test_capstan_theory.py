"""The law of the capstan for thick chains and polygons: against its own differential equations and limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pushpoint.proof.checks.capstan import exponent, polygon_exponent, polygon_forces

CASES = [(mu, a) for mu in (0.1, 0.5, 0.9) for a in (0.01, 0.2, 0.5)]


@pytest.mark.parametrize(("mu", "a"), CASES)
def test_exponent_solves_its_equation(mu: float, a: float) -> None:
    k = exponent(mu, a)
    assert mu * a * k**2 + k - mu * (1 - a) == pytest.approx(0.0, abs=1e-15)
    assert 0.0 < k < mu * (1 - a)


def test_thin_chains_have_the_law_of_a_thread() -> None:
    assert exponent(0.4, 0.0) == 0.4
    assert exponent(0.4, 1e-6) == pytest.approx(0.4 * (1 - 1e-6 * (1 + 0.4**2)), rel=1e-11)  # next order: a^2
    assert exponent(0.0, 0.3) == 0.0


@pytest.mark.parametrize(("mu", "a"), CASES)
def test_polygons_tend_to_the_smooth_chain_in_second_order(mu: float, a: float) -> None:
    errors = [abs(polygon_exponent(mu, a, half) / exponent(mu, a) - 1) for half in (0.02, 0.01, 0.005)]
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.01)


def test_polygon_of_a_thin_chain() -> None:
    w = math.tan(0.01)
    expected = 0.5 * (1 - 2 / 3 * (1 + 0.5**2) * w**2)
    assert polygon_exponent(0.5, 0.0, 0.01) == pytest.approx(expected, rel=1e-7)  # next order: w^4 = 1e-8


@pytest.mark.parametrize(("mu", "a"), [(0.3, 0.2), (0.8, 0.5)])
def test_link_by_link_balance_tends_to_the_differential_equations(mu: float, a: float) -> None:
    # T' = mu (1 - a) n, mu a n' = T - n from T = 1, n = 0; Q = mu a n.
    wrap = 2.0
    solved = solve_ivp(
        lambda phi, y: [mu * (1 - a) * y[1], (y[0] - y[1]) / (mu * a)], (0.0, wrap), [1.0, 0.0], rtol=1e-10, atol=1e-12
    )
    T, n = solved.y[:, -1]
    errors = []
    for count in (200, 400):
        forces = polygon_forces(mu, a, wrap / (2 * count), count)
        errors.append(abs(forces.ratio - math.hypot(T, mu * a * n)))
        assert forces.kink == pytest.approx(math.atan2(mu * a * n, T), rel=0.02)
    assert errors[1] < 0.6 * errors[0] < 0.01


@pytest.mark.parametrize(("mu", "a", "half"), [(0.3, 2e-4, 0.02), (0.5, 0.2, 0.07), (0.8, 0.5, 0.07)])
def test_every_link_is_in_balance(mu: float, a: float, half: float) -> None:
    # In plain vectors: forces at both joints and at the contact, moments about the link's middle on its axis.
    forces, rho = polygon_forces(mu, a, half, 12), 1.0
    for i, N in enumerate(forces.normal):
        middle = 2 * half * (i + 0.5)
        total, moment = np.zeros(2), 0.0
        axis = rho * np.array([math.cos(middle), math.sin(middle)])
        for joint, sign in ((i, -1.0), (i + 1, 1.0)):
            phi = 2 * half * joint
            out, along = np.array([math.cos(phi), math.sin(phi)]), np.array([-math.sin(phi), math.cos(phi)])
            push = sign * (forces.tangential[joint] * along + forces.radial[joint] * out)
            arm = rho / math.cos(half) * out - axis
            total += push
            moment += arm[0] * push[1] - arm[1] * push[0]
        out, along = axis / rho, np.array([-axis[1], axis[0]]) / rho
        push, arm = N * out - mu * N * along, -a * rho * out
        total += push
        moment += arm[0] * push[1] - arm[1] * push[0]
        scale = forces.tangential[i + 1]
        assert np.abs(total).max() < 1e-13 * scale and abs(moment) < 1e-13 * scale
        assert N > 0.0


def test_long_chains_grow_by_the_polygons_exponent() -> None:
    forces = polygon_forces(0.6, 0.3, 0.05, 200)
    grown = math.log(forces.tangential[-1] / forces.tangential[-2]) / 0.1
    assert grown == pytest.approx(polygon_exponent(0.6, 0.3, 0.05), rel=1e-12)
