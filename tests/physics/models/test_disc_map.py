"""The maps onto friction sets: nearest points, so idempotent and non-expansive; and what repeating them leads to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from oracles.cones import directional_force, project, semi_axes
from oracles.engine import apply_law, disc_projection, interval_projection
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Rectangular, Skin

MICRO = 1e-12  # what is smaller is taken for zero: squares must not underflow
NUMBERS = st.floats(min_value=-1e6, max_value=1e6).map(lambda x: x if abs(x) > MICRO else 0.0)
POINTS = hnp.arrays(float, (20, 2), elements=NUMBERS)
BOUNDS = st.floats(min_value=0.0, max_value=1e6).map(lambda x: x if x > MICRO else 0.0)
EPSILON = 1e-15  # relative: a few roundings
SIMPLE = settings(deadline=None, max_examples=100)


@SIMPLE
@given(POINTS, BOUNDS)
def test_disc_map_is_the_nearest_point_and_idempotent(y: np.ndarray, bound: float) -> None:
    z = disc_projection(y, bound)
    size = np.hypot(*y.T)
    assert (np.hypot(*z.T) <= bound * (1 + 4 * EPSILON)).all()
    np.testing.assert_array_equal(z[size <= bound * (1 - EPSILON)], y[size <= bound * (1 - EPSILON)])
    # Outside, the nearest point lies on the ray from the centre.
    np.testing.assert_allclose(np.hypot(*(y - z).T), np.maximum(size - bound, 0.0), atol=4 * EPSILON * size.max())
    np.testing.assert_allclose(disc_projection(z, bound), z, rtol=4 * EPSILON)


@SIMPLE
@given(POINTS, POINTS, BOUNDS)
def test_disc_map_is_non_expansive(a: np.ndarray, b: np.ndarray, bound: float) -> None:
    before = np.hypot(*(a - b).T)
    after = np.hypot(*(disc_projection(a, bound) - disc_projection(b, bound)).T)
    assert (after <= before + 8 * EPSILON * bound).all()


@SIMPLE
@given(hnp.arrays(float, 20, elements=NUMBERS), hnp.arrays(float, 20, elements=NUMBERS), BOUNDS)
def test_interval_map_is_the_nearest_point_idempotent_and_non_expansive(
    a: np.ndarray, b: np.ndarray, bound: float
) -> None:
    z = interval_projection(a, bound)
    np.testing.assert_array_equal(z, np.clip(a, -bound, bound))
    np.testing.assert_array_equal(interval_projection(z, bound), z)
    assert (np.abs(z - interval_projection(b, bound)) <= np.abs(a - b)).all()


LAWS: dict[str, FrictionLaw] = {
    "disc": Isotropic(0.4),
    "ellipse": Elliptic(along=0.1, across=0.5),
    "ellipse, directional": Elliptic(along=0.1, across=0.5, flow="directional"),
    "skin": Skin(forward=0.1, backward=0.3, across=0.5),
    "skin, directional": Skin(forward=0.1, backward=0.3, across=0.5, flow="directional"),
    "skin, free forward": Skin(forward=0.0, backward=0.3, across=0.5),
    "rectangle": Rectangular(along=0.1, across=0.5),
}
NORMAL_FORCE = 2.0


@pytest.mark.parametrize("name", LAWS)
@SIMPLE
@given(z=POINTS)
def test_map_of_a_law_leads_into_its_set_and_rests_there(name: str, z: np.ndarray) -> None:
    law, still = LAWS[name], np.zeros((20, 2))
    inside, P = apply_law(law, NORMAL_FORCE, z, still)
    nearest = np.array([project(law, p, NORMAL_FORCE) for p in P])
    np.testing.assert_allclose(P, nearest, atol=1e-12)  # N: an admissible force is its own Euclidean projection
    again, P_again = apply_law(law, NORMAL_FORCE, inside, still)
    np.testing.assert_allclose(again, inside, rtol=4 * EPSILON)
    np.testing.assert_allclose(P_again, P, rtol=4 * EPSILON)


@pytest.mark.parametrize("name", LAWS)
@SIMPLE
@given(a=POINTS, b=POINTS, gamma=hnp.arrays(float, 2, elements=st.floats(min_value=-1.0, max_value=1.0)))
def test_map_of_a_law_is_non_expansive_at_equal_slip(
    name: str, a: np.ndarray, b: np.ndarray, gamma: np.ndarray
) -> None:
    # In the coordinates in which the set is a disc. The skin changes coordinates at zero force along: same side only.
    if name.startswith("skin"):
        a, b, gamma = -np.abs(a) - 2.0, -np.abs(b) - 2.0, np.abs(gamma)
    slip = np.tile(gamma, (20, 1))
    mapped = [apply_law(LAWS[name], NORMAL_FORCE, z, slip)[0] for z in (a, b)]
    before, after = np.hypot(*(a - b).T), np.hypot(*(mapped[0] - mapped[1]).T)
    assert (after <= before * (1 + 4 * EPSILON) + 1e-9).all()  # N: round-off of numbers up to 1e6


@pytest.mark.parametrize("name", LAWS)
def test_steady_slip_leads_to_the_force_of_the_flow_rule(name: str) -> None:
    law, random = LAWS[name], np.random.default_rng(4)
    z, gamma = random.normal(size=(100, 2)), random.normal(size=(100, 2))
    _, P = apply_law(law, NORMAL_FORCE, z, gamma, rounds=20_000)
    for force, slip in zip(P, gamma, strict=True):
        if getattr(law, "flow", "") == "directional":
            expected = directional_force(law, slip, NORMAL_FORCE)
        elif isinstance(law, Rectangular):
            expected = -NORMAL_FORCE * np.array([law.along, law.across]) * np.sign(slip)
        else:
            # The point of the ellipse whose outward normal is -slip: -N S^2 v/|S v|.
            behind, ahead, across = semi_axes(law)
            S = np.array([behind if slip[0] > 0 else ahead, across])
            expected = -NORMAL_FORCE * S**2 * slip / np.hypot(*(S * slip))
        np.testing.assert_allclose(force, expected, atol=1e-9)  # N: 20000 contractions, the slowest by slip S^2/bound
