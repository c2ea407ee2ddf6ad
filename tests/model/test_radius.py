"""A link or peg without thickness is refused, and the sentence says why."""

from __future__ import annotations

import pytest

import pushpoint as pp

ROUND = {"length": 0.1, "mass": 0.5, "inertia": (1e-3, 1e-3, 1e-3)}
MADE = {
    "link.radius: planar": lambda r: pp.PlanarLink(length=0.1, mass=0.5, inertia=1e-3, radius=r),
    "link.radius: spatial": lambda r: pp.SpatialLink(**ROUND, radius=r),
    "link.corner_radius": lambda r: pp.SpatialLink(**ROUND, radius=0.03, shape="square", corner_radius=r),
    "peg.radius": lambda r: pp.Peg(x=0.0, y=0.0, radius=r),
    "wall.thickness": lambda r: pp.Wall(start=(0.0, 0.0), end=(1.0, 0.0), thickness=r),
}


@pytest.mark.parametrize("field", MADE)
@pytest.mark.parametrize("radius", [0.0, -0.01, 1e-12])
def test_nothing_without_a_surface(field: str, radius: float) -> None:
    with pytest.raises(pp.errors.InvalidModel) as refused:
        MADE[field](radius)
    said = str(refused.value)
    assert said.startswith(f"{field.partition(':')[0]} = {radius}, must be ")
    assert said.endswith("[m]: a line or a point has no surface to touch")


def test_in_a_file() -> None:
    with pytest.raises(pp.errors.PushpointError, match=r"robot\.link\.radius = 0, must be .*: a line or a point has"):
        pp.scenario("transeth2008a/flat", ["robot.link.radius=0"])
