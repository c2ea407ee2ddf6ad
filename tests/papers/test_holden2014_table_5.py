"""Holden2014, Table V against the paper's equations (1)-(15), written out here once more and without the library.

The oracle is the paper's text alone: K_l, D and A_l as defined in II-D, printed state, torques and forces. Rounding is
propagated by drawing what the tables have cut off.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pushpoint.papers.holden2014.table_5 import SPIN_LAWS, STEEPNESS, force_rest, moment_rest

N = 20
WAVE = [0.8631, 0.4144, -0.2731, -0.8777, -1.1165, -0.8777, -0.2731, 0.4144, 0.8631]
THETA = np.array([0.8631, *WAVE, *WAVE, 0.8631])
RATE = np.fromstring(
    "0.4655 0.0616 -0.4594 -1.0177 -1.0615 -0.3505 1.0203 0.9696 0.7274 0.2561 "
    "-0.6099 -1.0676 -1.2700 -0.4941 1.2480 1.4646 1.2580 0.7426 0.2983 -0.1065",
    sep=" ",
)
P_DOT = np.array([0.1625, 0.0244])
U = np.fromstring(
    "1.029 3.217 3.939 1.014 -2.644 -4.500 -1.728 1.192 3.131 3.776 "
    "2.408 0.228 -2.836 -4.117 -1.922 0.300 1.898 2.191 1.250",
    sep=" ",
)
F_C = np.array([-25.450, 50.577, -18.634, 27.276, -11.920])
MASS, INERTIA = np.array([1.0] * 19 + [2.0]), np.array([1e-3] * 19 + [1.5e-3])
TOUCHED, GAMMA = np.array([3, 6, 10, 14, 18]) - 1, np.array([-1, 1, -1, 1, -1])
CONTROLLED = np.array([1, 3, 4, 6, 7, 10, 11, 14, 15, 18, 19]) - 1
D = np.eye(N - 1, N) - np.eye(N - 1, N, 1)
A_L = 0.0233 * np.eye(N - 1, N) + np.eye(N - 1, N, 1) * np.array([0.0617] * 19 + [0.0628])
K_L = A_L.T @ np.linalg.inv(D @ D.T) @ D
PRINTED = (THETA, RATE, P_DOT, U, F_C)
LAST_DIGIT = (1e-4, 1e-4, 1e-4, 1e-3, 1e-3)

Tables = tuple[np.ndarray, ...]


def frictions(tables: Tables, sign: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, ...]:
    """x and y of ground friction, then of the obstacle forces (22), on all links [N]."""
    theta, rate, p_dot, _, f_c = tables
    s, c = np.sin(theta), np.cos(theta)
    x_dot, y_dot = K_L.T @ (s * rate) + p_dot[0], -K_L.T @ (c * rate) + p_dot[1]  # (3), (4)
    speed = np.hypot(x_dot, y_dot)
    rub = -0.3 * MASS * 9.81 * sign(speed) / speed
    mu = -0.3 * GAMMA * sign((c * x_dot + s * y_dot)[TOUCHED])  # (20), (21)
    f_x, f_y = np.zeros((2, N))
    f_x[TOUCHED], f_y[TOUCHED] = (mu * c[TOUCHED] - s[TOUCHED]) * f_c, (mu * s[TOUCHED] + c[TOUCHED]) * f_c
    return rub * x_dot, rub * y_dot, f_x, f_y


def forces_left(tables: Tables, sign: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """(14), (15) with p_ddot of (50), (51) and the gains of Table IV [N]."""
    r_x, r_y, f_x, f_y = frictions(tables, sign)
    wish = np.array([1.0, 0.0]) - tables[2]
    return np.array([(r_x + f_x).sum(), (r_y + f_y).sum()]) - MASS.sum() * wish


def moments_left(
    tables: Tables, sign: Callable[[np.ndarray], np.ndarray], tau: np.ndarray, links: np.ndarray = CONTROLLED
) -> np.ndarray:
    """(13) with theta_ddot of (52) for the controlled links; the others turn as leaves least [N m]."""
    theta, rate, _, u, _ = tables
    r_x, r_y, f_x, f_y = frictions(tables, sign)
    S, C, M = np.diag(np.sin(theta)), np.diag(np.cos(theta)), np.diag(MASS)
    inner = K_L @ (np.eye(N) - np.outer(MASS, np.ones(N)) / MASS.sum())
    coupling = K_L @ M @ K_L.T
    M_theta = np.diag(INERTIA) + S @ coupling @ S + C @ coupling @ C
    rest = D.T @ u - (S @ coupling @ C - C @ coupling @ S) @ rate**2 + tau
    rest += S @ inner @ (r_x + f_x) - C @ inner @ (r_y + f_y) + M_theta[:, links] @ rate[links]
    free = np.delete(M_theta, links, axis=1)
    return rest - free @ np.linalg.lstsq(free, rest)[0]


def smooth(v: np.ndarray) -> np.ndarray:
    return np.tanh(30.0 * v)


def viscous(rate: np.ndarray) -> np.ndarray:
    return -0.1 * MASS * 9.81 * rate


def rounding(left: Callable[[Tables], np.ndarray]) -> float:
    """Size of the rest that the cut digits alone make: root mean square of its norm over draws."""
    random = np.random.default_rng(5)
    draws = []
    for _ in range(200):
        drawn = tuple(
            table + digit * random.uniform(-0.5, 0.5, table.shape)
            for table, digit in zip(PRINTED, LAST_DIGIT, strict=True)
        )
        draws.append(np.sum((left(drawn) - left(PRINTED)) ** 2))
    return float(np.sqrt(np.mean(draws)))


def test_the_library_measures_what_the_paper_writes() -> None:
    np.testing.assert_allclose(force_rest(None), forces_left(PRINTED, np.sign), atol=1e-9)  # N; the same sums
    np.testing.assert_allclose(force_rest(STEEPNESS), forces_left(PRINTED, smooth), atol=1e-9)
    ours = moment_rest(STEEPNESS, SPIN_LAWS["viscous: mu m g w"])
    np.testing.assert_allclose(ours, moments_left(PRINTED, smooth, viscous(RATE)), atol=1e-9)  # N m


def test_forces_balance_with_a_smoothed_sign_and_not_with_a_sharp_one() -> None:
    cut = rounding(lambda tables: forces_left(tables, smooth))
    assert np.linalg.norm(forces_left(PRINTED, smooth)) < cut  # 0.0018 N of 0.008 N: nothing is left to explain
    assert np.linalg.norm(forces_left(PRINTED, np.sign)) > 5 * cut  # 0.096 N: the table was not made with sign(v)


def test_the_steepness_is_30() -> None:
    steepness = np.linspace(20.0, 60.0, 401)
    left = [np.linalg.norm(forces_left(PRINTED, lambda v, k=k: np.tanh(k * v))) for k in steepness]
    assert steepness[int(np.argmin(left))] == pytest.approx(30.0, abs=0.5)  # s/m; digits move it by about 1


def test_what_remains_is_in_the_moments() -> None:
    cut = rounding(lambda tables: moments_left(tables, smooth, viscous(tables[1])))
    assert np.linalg.norm(moments_left(PRINTED, smooth, viscous(RATE))) > 50 * cut  # 0.16 N m of 0.0016 N m


def test_no_reading_of_the_rotational_friction_closes_them() -> None:
    rest = {name: float(np.sqrt(np.mean(moment_rest(STEEPNESS, law) ** 2))) for name, law in SPIN_LAWS.items()}
    near = {name for name, left in rest.items() if left < 0.04}  # N m rms over 20 links
    assert near == {"viscous: mu m g w", "viscous, the same for all: mu g w"}
    assert min(rest.values()) > 0.03 and min(left for name, left in rest.items() if name not in near) > 0.08


def test_the_table_was_made_with_the_links_that_it_names() -> None:
    # i - 1 in place of i + 1, and the head in place of the tail: what the text says. Only the printed rows fit.
    def left(links: np.ndarray) -> float:
        return float(np.sqrt(np.mean(moments_left(PRINTED, smooth, viscous(RATE), links) ** 2)))

    behind = np.array([1, 3, 2, 6, 5, 10, 9, 14, 13, 18, 17]) - 1
    head = np.array([20, 3, 4, 6, 7, 10, 11, 14, 15, 18, 19]) - 1
    assert left(CONTROLLED) < 0.04 < 0.15 < min(left(behind), left(head))  # N m rms
