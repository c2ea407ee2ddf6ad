"""The checks of contact laws themselves: brute-force nearest points, closed forms of slip."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles import cones
from pushpoint.model.friction import Elliptic, FrictionLaw, Frictionless, Isotropic, Rectangular, Skin, Viscous

Array = NDArray[np.float64]

SETS: list[FrictionLaw] = [
    Isotropic(0.3),
    Elliptic(along=0.2, across=0.7),
    Elliptic(along=0.0, across=0.7),
    Elliptic(along=0.4, across=0.0),
    Elliptic(along=1e-6, across=1.0),
    Skin(forward=0.1, backward=0.5, across=0.3),
    Skin(forward=0.0, backward=0.5, across=0.3),
    Skin(forward=0.1, backward=0.5, across=0.0),
    Rectangular(along=0.2, across=0.6),
]


def boundary(law: FrictionLaw, normal: float) -> Array:
    """Many points of the set's boundary."""
    s = np.linspace(-math.pi, math.pi, 200_001)
    behind, ahead, across = cones.semi_axes(law)
    if isinstance(law, Rectangular):
        u = np.linspace(-1.0, 1.0, 20_001)
        one = np.ones_like(u)
        square = np.concatenate([np.column_stack(p) for p in ((u, one), (u, -one), (one, u), (-one, u))])
        return np.asarray(normal * square * np.array([ahead, across]))
    along = np.where(np.cos(s) < 0, behind, ahead)
    return normal * np.column_stack([along * np.cos(s), across * np.sin(s)])


class TestCones:
    @pytest.mark.parametrize("law", SETS, ids=str)
    def test_projection_is_the_nearest_point(self, law: FrictionLaw) -> None:
        rng = np.random.default_rng(1)
        edge = boundary(law, 5.0)
        for point in rng.normal(scale=4.0, size=(40, 2)):
            nearest = cones.project(law, point, 5.0)
            gap = float(np.min(np.hypot(*(edge - point).T)))
            distance = float(np.hypot(*(nearest - point)))
            if distance > 0.0:
                assert distance == pytest.approx(gap, abs=1e-6)  # spacing of the sampled boundary
                assert np.min(np.hypot(*(edge - nearest).T)) < 1e-3
            np.testing.assert_allclose(cones.project(law, nearest, 5.0), nearest, atol=1e-12)

    @pytest.mark.parametrize("law", SETS, ids=str)
    def test_associated_slip_maximises_dissipation(self, law: FrictionLaw) -> None:
        rng = np.random.default_rng(2)
        edge = boundary(law, 5.0)
        for slip in rng.normal(size=(25, 2)):
            force = edge[np.argmin(edge @ slip)]  # -gamma in the normal cone: p minimises p . gamma over the set
            assert cones.cone_residual(law, force, slip, 5.0) < 1e-3  # spacing of the sampled boundary
            size = 5.0 * max(cones.semi_axes(law))
            assert cones.cone_residual(law, -force, slip, 5.0) > 0.1 * size

    def test_closed_forms_of_associated_slip(self) -> None:
        gamma, N = np.array([0.3, -0.4]), 2.0
        assert cones.cone_residual(Isotropic(0.5), -0.5 * N * gamma / 0.5, gamma, N) < 1e-15
        S = np.array([0.2, 0.7])  # ellipse: p = -N S^2 gamma / |S gamma|
        force = -N * S**2 * gamma / np.hypot(*(S * gamma))
        assert cones.cone_residual(Elliptic(along=0.2, across=0.7), force, gamma, N) < 1e-14
        assert cones.cone_residual(Skin(forward=0.2, backward=9.0, across=0.7), force, gamma, N) < 1e-14
        assert cones.cone_residual(Skin(forward=9.0, backward=0.2, across=0.7), force, gamma, N) > 1e-2
        assert cones.cone_residual(Rectangular(along=0.2, across=0.7), -N * S * np.sign(gamma), gamma, N) < 1e-15

    def test_directional_slip_and_its_difference_from_associated(self) -> None:
        gamma, N = np.array([-0.3, 0.4]), 2.0
        force = -N * np.array([0.5, 0.7]) * gamma / 0.5
        skin = Skin(forward=0.1, backward=0.5, across=0.7, flow="directional")
        assert cones.cone_residual(skin, force, gamma, N) < 1e-15
        assert cones.cone_residual(skin, force, -gamma, N) > 0.1
        assert cones.cone_residual(Skin(forward=0.1, backward=0.5, across=0.7), force, gamma, N) > 1e-2
        assert cones.cone_residual(skin, [0.0, 1.5], [0.0, 0.0], N) == pytest.approx(0.1)  # 0.1 N outside the set

    @pytest.mark.parametrize("law", [Isotropic(0.3), Skin(forward=0.1, backward=0.5, across=0.3, flow="directional")])
    def test_stick_forgives_round_off_but_not_creep(self, law: FrictionLaw) -> None:
        assert cones.cone_residual(law, [0.1, 0.1], [1e-15, 1e-15], 2.0) < 1e-11
        assert cones.cone_residual(law, [0.1, 0.1], [1e-3, 0.0], 2.0) > 0.1
        assert cones.cone_residual(law, [0.1, 0.1], [0.0, 0.0], 0.0) == pytest.approx(math.hypot(0.1, 0.1))

    def test_laws_without_a_set(self) -> None:
        assert cones.cone_residual(Frictionless(), [3.0, 4.0], [1.0, 0.0], 2.0) == 5.0
        assert cones.cone_residual(Viscous(along=2.0, across=3.0), [-2.0, -6.0], [1.0, 2.0], 0.0) == 0.0

    def test_arrays_give_one_residual_per_contact(self) -> None:
        forces = np.array([[0.0, 0.0], [-0.6, 0.0], [0.6, 0.0]])
        residual = cones.cone_residual(Isotropic(0.3), forces, [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], [2.0, 2.0, 2.0])
        np.testing.assert_allclose(residual, [0.0, 0.0, 0.6])

    def test_peg_contact(self) -> None:
        np.testing.assert_allclose(
            cones.unilateral_residual([2.0, 0.0, 2.0, -1.0], [0.0, 3.0, 0.5, 0.0]), [0, 0, 0.5, 1]
        )
        np.testing.assert_allclose(cones.coulomb_residual([0.4, -0.6, 0.6], [0.0, 0.2, 0.2], 0.6), [0.0, 0.0, 0.6])
        assert cones.coulomb_residual(0.1, 0.0, 0.0) == pytest.approx(0.1)
