"""Shapes of bodies: masses against MuJoCo and closed forms, the fit of a link against the distance of the surfaces."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from pushpoint.interchange.robots.fitting import fit_link
from pushpoint.interchange.robots.frames import ORIGIN, Frame, about_axis, along
from pushpoint.interchange.robots.shapes import Shape

SIZES = {
    "sphere": (0.03,),
    "capsule": (0.02, 0.05),
    "cylinder": (0.02, 0.05),
    "box": (0.05, 0.02, 0.03),
    "ellipsoid": (0.05, 0.02, 0.03),
}
AXES = np.eye(3)
LYING = Frame(along(np.array([1.0, 0.0, 0.0])), np.zeros(3))
"""Along x."""


@pytest.mark.parametrize("kind", SIZES)
def test_masses_are_those_of_mujoco(kind: str) -> None:
    size = " ".join(map(str, SIZES[kind]))
    geom = f'<geom type="{kind}" size="{size}" density="1234"/>'
    text = f"<mujoco><worldbody><body><freejoint/>{geom}</body></worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    found = Shape(kind, ORIGIN, SIZES[kind]).filled(None, 1234.0)
    assert found.mass == pytest.approx(model.body_mass[1], rel=1e-12)
    assert np.sort(np.diag(found.inertia)) == pytest.approx(np.sort(model.body_inertia[1]), rel=1e-12)


def box_mesh(half: np.ndarray) -> Shape:
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [corners[[a, b, c]] for q in quads for a, b, c in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))]
    place = Frame(about_axis(np.array([0.0, 0.6, 0.8]), 0.7), np.array([0.1, -0.2, 0.3]))
    return Shape("mesh", place, (), corners, np.array(faces))


@pytest.mark.parametrize("inside_out", [False, True])
def test_a_mesh_of_a_box_weighs_like_the_box(inside_out: bool) -> None:
    half = np.array([0.05, 0.02, 0.03])
    mesh = box_mesh(half)
    if inside_out:
        assert mesh.faces is not None
        mesh = Shape("mesh", mesh.frame, (), mesh.corners, mesh.faces[:, ::-1])
    found = mesh.filled(None, 1000.0)
    whole = Shape("box", mesh.frame, tuple(half)).filled(None, 1000.0)
    assert found.mass == pytest.approx(whole.mass, rel=1e-12)
    assert found.center == pytest.approx(whole.center, abs=1e-12)
    assert found.inertia == pytest.approx(whole.inertia, abs=1e-15)


def test_a_capsule_is_found_again() -> None:
    fit = fit_link([Shape("capsule", LYING, (0.02, 0.05))], AXES, np.zeros(3))
    assert (fit.shape, fit.radius, fit.side_length) == ("round", pytest.approx(0.02), pytest.approx(0.1))
    assert fit.misfit <= 1e-15


def test_a_cylinder_is_a_quarter_of_its_radius_away() -> None:
    """With ends that stand out by r - e, the rim is sqrt(e^2 + r^2) - r away; both are least at e = 3/4 r."""
    fit = fit_link([Shape("cylinder", LYING, (0.02, 0.05))], AXES, np.zeros(3))
    assert fit.misfit == pytest.approx(0.02 / 4, rel=0.01)  # among a finite number of directions


def test_the_corners_of_a_box_are_rounded() -> None:
    fit = fit_link([Shape("box", ORIGIN, (0.05, 0.02, 0.02))], AXES, np.zeros(3))
    assert fit.shape == "square" and fit.radius == pytest.approx(0.02)
    assert fit.misfit == pytest.approx((3**0.5 - 1) * 0.002, rel=1e-9)  # corners rounded by a tenth of half the width


def test_two_balls_and_a_cylinder_between_them_are_a_capsule() -> None:
    balls = [Shape("sphere", Frame(AXES, np.array([x, 0, 0])), (0.02,)) for x in (-0.05, 0.05)]
    fit = fit_link([*balls, Shape("cylinder", LYING, (0.02, 0.05))], AXES, np.zeros(3))
    assert fit.shape == "round" and fit.side_length == pytest.approx(0.1) and fit.misfit <= 1e-15
