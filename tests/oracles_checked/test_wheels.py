"""The kinematic model of wheels: its path keeps every axle from slipping, and it converges at its order."""

from __future__ import annotations

import numpy as np

from oracles.wheels import Axle, WheeledChain, one_round

CHAIN = WheeledChain((0.2, 0.15, 0.25, 0.1), (Axle(0, 0.05), Axle(1, 0.1, 0.2), Axle(3, 0.06, -0.3)))
SHAPE = one_round(np.array([0.7, -0.8, 0.4]), np.array([0.3, 0.2, 0.3]), np.array([0.0, 1.0, 2.0]), 2.0)
STEPS = 1000


def axle_points(pose: np.ndarray, t: float) -> np.ndarray:
    """Where the axles are, by adding up the links."""
    theta = pose[2] + np.concatenate(([0.0], np.cumsum(SHAPE(t)[0])))
    way = np.stack((np.cos(theta), np.sin(theta)), axis=-1)
    joints = pose[:2] + np.concatenate((np.zeros((1, 2)), np.cumsum(np.array(CHAIN.lengths)[:, None] * way, axis=0)))
    return np.array([joints[axle.link] + axle.ahead * way[axle.link] for axle in CHAIN.axles])


def test_axles_do_not_slip() -> None:
    path, h = CHAIN.path(SHAPE, 2.0, STEPS), 2.0 / STEPS
    for k in (125, 325, 500, 775):
        velocity = (axle_points(path[k + 1], (k + 1) * h) - axle_points(path[k - 1], (k - 1) * h)) / (2 * h)
        theta = path[k, 2] + np.concatenate(([0.0], np.cumsum(SHAPE(k * h)[0])))
        for axle, v in zip(CHAIN.axles, velocity, strict=True):
            side = theta[axle.link] + axle.turn + np.pi / 2
            slip = v @ [np.cos(side), np.sin(side)]
            assert abs(slip) < 1e-4 * np.linalg.norm(v) + 1e-5  # central differences: h^2/6 of the jerk
            assert np.linalg.norm(v) > 1e-3


def test_order_four() -> None:
    exact = CHAIN.path(SHAPE, 2.0, STEPS)[-1]
    coarse, fine = (np.abs(CHAIN.path(SHAPE, 2.0, n)[-1] - exact).max() for n in (40, 80))
    assert 12 < coarse / fine < 20  # 16 for Runge and Kutta's method


def test_singular_posture_is_told() -> None:
    arc = WheeledChain((0.2, 0.2, 0.2), tuple(Axle(k, 0.1) for k in range(3)))
    bent = one_round(np.array([0.5, 0.5]), np.zeros(2), np.zeros(2), 1.0)  # all axles meet in one point
    assert arc.worst_condition(bent, 1.0) > 1e12
