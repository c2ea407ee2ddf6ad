"""Robots, friction laws and environments: what they refuse at birth, in which words, and what they keep."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.model.catalogue import ROBOTS, aiko_planar
from pushpoint.model.checks import declared, parts_of
from pushpoint.model.environment import STANDARD_GRAVITY, Environment, Ground, Peg
from pushpoint.model.friction import Elliptic, Frictionless, Isotropic, Rectangular, Skin, Varying, Viscous
from pushpoint.model.joints import Cardan
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support
from pushpoint.model.spatial_robot import SpatialLink
from pushpoint.model.terrain import Box, HeightField, Pipe, Ramp, Stairs

LINK = PlanarLink(length=0.1, mass=0.5, inertia=1e-3, radius=0.03)
PEG = Peg(x=0.1, y=0.2, radius=0.05)
ROUND = SpatialLink(length=0.1, mass=0.5, inertia=(1e-4, 2e-4, 2e-4), radius=0.03)
SQUARE = dataclasses.replace(ROUND, radius=2.0, shape="square")
VARYING = Varying(law=Isotropic(0.2))
BOX = Box(center=(0.0, 0.0, 0.1), size=(0.3, 0.2, 0.1))
RAMP = Ramp(foot=(1.0, 0.0), length=0.5, rise=0.1)
PIPE = Pipe(start=(0.0, 0.0, 0.2), end=(1.0, 0.0, 0.2), radius=0.1)
STAIRS = Stairs(foot=(1.0, 0.0), steps=3, rise=0.1, run=0.2)
FIELD = HeightField(heights=np.zeros((2, 3)), spacing=0.1)

POSITIVE = {"zero": 0.0, "negative": -0.1, "infinite": math.inf}
NON_NEGATIVE = {"negative": -1e-9, "infinite": math.inf}
FINITE = {"infinite": math.inf, "minus infinite": -math.inf}
SHARE = {"negative": -1e-9, "above one": 1.0 + 1e-9, "infinite": math.inf}
ALWAYS: dict[str, Any] = {
    "NaN": math.nan,
    "NumPy NaN": np.float64("nan"),
    "a word": "0.1",
    "true": True,
    "false": False,
    "complex": 0.1 + 0.1j,
    "a list": [0.1],
    "a dict": {},
}

FIELDS: list[tuple[Any, str, str, str, dict[str, float]]] = [
    (Support(offset=0.0), "offset", "support.offset", "[m]", FINITE),
    (Support(offset=0.0), "share", "support.share", "[-]", POSITIVE),
    (LINK, "length", "link.length", "[m]", POSITIVE),
    (LINK, "mass", "link.mass", "[kg]", POSITIVE),
    (LINK, "inertia", "link.inertia", "[kg m^2]", POSITIVE),
    (LINK, "radius", "link.radius", "[m]", POSITIVE),
    (LINK, "side_length", "link.side_length", "[m]", NON_NEGATIVE),
    (LINK, "mass_offset", "link.mass_offset", "[m]", FINITE),
    (Motor(), "stiffness", "motor.stiffness", "[N m/rad]", NON_NEGATIVE),
    (Motor(), "damping", "motor.damping", "[N m s/rad]", NON_NEGATIVE),
    (Motor(), "torque_limit", "motor.torque_limit", "[N m]", {"negative": -1e-9}),
    (Motor(torque_limit=1.0), "speed_limit", "motor.speed_limit", "[rad/s]", {"negative": -1e-9, "zero": 0.0}),
    (Motor(), "backlash", "motor.backlash", "[rad]", NON_NEGATIVE),
    (Motor(), "lower", "motor.lower", "[rad]", {}),
    (Motor(), "upper", "motor.upper", "[rad]", {}),
    (Isotropic(0.2), "coefficient", "friction.coefficient", "[-]", NON_NEGATIVE),
    (Elliptic(along=0.1, across=0.2), "along", "friction.along", "[-]", NON_NEGATIVE),
    (Elliptic(along=0.1, across=0.2), "across", "friction.across", "[-]", NON_NEGATIVE),
    (Skin(forward=0.1, backward=0.2, across=0.3), "forward", "friction.forward", "[-]", NON_NEGATIVE),
    (Skin(forward=0.1, backward=0.2, across=0.3), "backward", "friction.backward", "[-]", NON_NEGATIVE),
    (Skin(forward=0.1, backward=0.2, across=0.3), "across", "friction.across", "[-]", NON_NEGATIVE),
    (Rectangular(along=0.1, across=0.2), "along", "friction.along", "[-]", NON_NEGATIVE),
    (Rectangular(along=0.1, across=0.2), "across", "friction.across", "[-]", NON_NEGATIVE),
    (Viscous(along=0.1, across=0.2), "along", "friction.along", "[N s/m]", NON_NEGATIVE),
    (Viscous(along=0.1, across=0.2), "across", "friction.across", "[N s/m]", NON_NEGATIVE),
    (Ground(), "spin", "ground.spin", "[m]", NON_NEGATIVE),
    (Ground(), "gravity", "ground.gravity", "[m/s^2]", NON_NEGATIVE),
    (PEG, "x", "peg.x", "[m]", FINITE),
    (PEG, "y", "peg.y", "[m]", FINITE),
    (PEG, "radius", "peg.radius", "[m]", POSITIVE),
    (PEG, "friction", "peg.friction", "[-]", NON_NEGATIVE),
    (PEG, "restitution", "peg.restitution", "[-]", SHARE),
    (ROUND, "length", "link.length", "[m]", POSITIVE),
    (ROUND, "mass", "link.mass", "[kg]", POSITIVE),
    (ROUND, "radius", "link.radius", "[m]", POSITIVE),
    (ROUND, "side_length", "link.side_length", "[m]", NON_NEGATIVE),
    (ROUND, "mass_offset", "link.mass_offset", "[m]", FINITE),
    (SQUARE, "corner_radius", "link.corner_radius", "[m]", POSITIVE),
    (Cardan(), "axis_distance", "joint.axis_distance", "[m]", NON_NEGATIVE),
    (VARYING, "stick_ratio", "friction.stick_ratio", "[-]", NON_NEGATIVE),
    (VARYING, "stribeck_speed", "friction.stribeck_speed", "[m/s]", POSITIVE),
    (Ground(), "rolling", "ground.rolling", "[-]", NON_NEGATIVE),
    (Ground(), "restitution", "ground.restitution", "[-]", SHARE),
    (Ground(), "slope", "ground.slope", "[rad]", {"upright": math.pi / 2, "upside down": -math.pi / 2}),
    (Ground(), "slope_direction", "ground.slope_direction", "[rad]", FINITE),
    (BOX, "yaw", "box.yaw", "[rad]", FINITE),
    (BOX, "pitch", "box.pitch", "[rad]", FINITE),
    (BOX, "roll", "box.roll", "[rad]", FINITE),
    (BOX, "friction", "box.friction", "[-]", NON_NEGATIVE),
    (BOX, "restitution", "box.restitution", "[-]", SHARE),
    (STAIRS, "heading", "stairs.heading", "[rad]", FINITE),
    (STAIRS, "rise", "stairs.rise", "[m]", POSITIVE),
    (STAIRS, "run", "stairs.run", "[m]", POSITIVE),
    (STAIRS, "width", "stairs.width", "[m]", POSITIVE),
    (STAIRS, "landing", "stairs.landing", "[m]", POSITIVE),
    (STAIRS, "friction", "stairs.friction", "[-]", NON_NEGATIVE),
    (STAIRS, "restitution", "stairs.restitution", "[-]", SHARE),
    (PEG, "height", "peg.height", "[m]", FINITE),
    (RAMP, "heading", "ramp.heading", "[rad]", FINITE),
    (RAMP, "length", "ramp.length", "[m]", POSITIVE),
    (RAMP, "rise", "ramp.rise", "[m]", POSITIVE),
    (RAMP, "width", "ramp.width", "[m]", POSITIVE),
    (RAMP, "landing", "ramp.landing", "[m]", NON_NEGATIVE),
    (RAMP, "friction", "ramp.friction", "[-]", NON_NEGATIVE),
    (RAMP, "restitution", "ramp.restitution", "[-]", SHARE),
    (PIPE, "radius", "pipe.radius", "[m]", POSITIVE),
    (PIPE, "thickness", "pipe.thickness", "[m]", POSITIVE),
    (PIPE, "friction", "pipe.friction", "[-]", NON_NEGATIVE),
    (PIPE, "restitution", "pipe.restitution", "[-]", SHARE),
    (FIELD, "spacing", "height_field.spacing", "[m]", POSITIVE),
]
KINDS = (Support, PlanarLink, Motor, Isotropic, Elliptic, Skin, Rectangular, Viscous, Ground, Peg)
SPATIAL_KINDS = (SpatialLink, Cardan, Varying, Box, Stairs, Ramp, Pipe, HeightField)
NAMES = [f"{type(owner).__name__}.{field}" for owner, field, *_ in FIELDS]


def one_sentence(error: PushpointError, name: str, value: Any) -> None:
    """The words a user reads name the field, the value and what is allowed."""
    text = str(error)
    assert text.startswith(f"{name} = {value!r}, must be ")
    assert "\n" not in text and len(text) < 200


@pytest.mark.parametrize(("owner", "field", "name", "unit", "refused"), FIELDS, ids=NAMES)
@pytest.mark.parametrize("kind", ALWAYS)
def test_what_is_no_number_is_refused(
    owner: Any, field: str, name: str, unit: str, refused: dict[str, float], kind: str
) -> None:
    with pytest.raises(InvalidModel) as caught:
        dataclasses.replace(owner, **{field: ALWAYS[kind]})
    one_sentence(caught.value, name, ALWAYS[kind])
    assert (caught.value.field, str(caught.value).endswith(unit)) == (name, True)


@pytest.mark.parametrize(("owner", "field", "name", "unit", "refused"), FIELDS, ids=NAMES)
def test_out_of_range_is_refused(owner: Any, field: str, name: str, unit: str, refused: dict[str, float]) -> None:
    for value in refused.values():
        with pytest.raises(InvalidModel) as caught:
            dataclasses.replace(owner, **{field: value})
        one_sentence(caught.value, name, value)
        assert caught.value.value == value and unit in str(caught.value)


@pytest.mark.parametrize(("owner", "field", "name", "unit", "refused"), FIELDS, ids=NAMES)
def test_numbers_of_every_kind_become_floats(
    owner: Any, field: str, name: str, unit: str, refused: dict[str, float]
) -> None:
    for value in (1, 1.0, np.int64(1), np.float32(1.0), np.float64(1.0)):
        kept = getattr(dataclasses.replace(owner, **{field: value}), field)
        assert type(kept) is float and kept == 1.0


@pytest.mark.parametrize(("owner", "field", "name", "unit", "refused"), FIELDS, ids=NAMES)
def test_zero_is_allowed_where_it_makes_sense(
    owner: Any, field: str, name: str, unit: str, refused: dict[str, float]
) -> None:
    if "zero" not in refused:
        assert getattr(dataclasses.replace(owner, **{field: 0}), field) == 0.0


def is_number(hint: Any) -> bool:
    kind, _, _ = parts_of(hint)
    return kind is float


def test_every_numeric_field_of_the_model_is_listed_above() -> None:
    listed = {(type(owner), field) for owner, field, *_ in FIELDS}
    for kind in KINDS + SPATIAL_KINDS:
        numeric = {name for name, hint in declared(kind).items() if is_number(hint)}
        assert numeric == {field for owner, field in listed if owner is kind}


STRANGE: dict[str, Any] = {  # refused by every field alike
    "NumPy true": np.bool_(True),
    "a NumPy word": np.str_("0.1"),
    "no NumPy number": np.str_("heavy"),
    "NumPy complex": np.complex128(0.1 + 0.1j),
    "too large for a float": 10**400,
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_numbers_are_refused(kind: str) -> None:
    with pytest.raises(InvalidModel) as caught:
        dataclasses.replace(LINK, mass=STRANGE[kind])
    assert str(caught.value).startswith("link.mass = ") and caught.value.allowed.endswith("[kg]")


@pytest.mark.parametrize("law", [Elliptic(along=0.1, across=0.2), Skin(forward=0.1, backward=0.2, across=0.3)])
def test_flow_rule_is_one_of_two(law: Any) -> None:
    assert dataclasses.replace(law, flow="directional").flow == "directional"
    for value in ("Associated", "", None, 1):
        with pytest.raises(InvalidModel) as caught:
            dataclasses.replace(law, flow=value)
        assert str(caught.value) == f"friction.flow = {value!r}, must be one of 'associated', 'directional'"


WRONG: dict[str, Callable[[], Any]] = {
    "links are no links": lambda: PlanarRobot(links=("a", "b")),
    "links is a number": lambda: PlanarRobot(links=5),
    "links is one link": lambda: PlanarRobot(links=LINK),
    "uniform of no link": lambda: PlanarRobot.uniform(3, "link"),
    "motors are no motors": lambda: PlanarRobot(links=(LINK, LINK), motors=("a",)),
    "motors is a number": lambda: PlanarRobot(links=(LINK, LINK), motors=5.0),
    "supports are no supports": lambda: dataclasses.replace(LINK, supports=(0.1,)),
    "supports is a number": lambda: dataclasses.replace(LINK, supports=5),
    "supports is one support": lambda: dataclasses.replace(LINK, supports=Support(offset=0.0)),
    "friction is a number": lambda: Ground(friction=0.2),
    "friction is none": lambda: Ground(friction=None),
    "friction is a word": lambda: Ground(friction="isotropic"),
    "friction is a class": lambda: Ground(friction=Isotropic),
    "friction holds a number": lambda: Ground(friction=(Isotropic(0.2), 0.2)),
    "ground is a law": lambda: Environment(ground=Isotropic(0.2)),
    "ground is none": lambda: Environment(ground=None),
    "obstacles is one peg": lambda: Environment(obstacles=PEG),
    "obstacles hold a pair": lambda: Environment(obstacles=[PEG, (0.1, 0.2)]),
}


@pytest.mark.parametrize("case", WRONG)
def test_parts_of_another_kind_are_refused(case: str) -> None:
    with pytest.raises(InvalidModel) as caught:
        WRONG[case]()
    assert ", must be " in str(caught.value) and "\n" not in str(caught.value)


def test_the_stranger_among_obstacles_is_named() -> None:
    with pytest.raises(
        InvalidModel, match=r"^obstacles\[1\] = 'peg', must be a Peg, Wall, Polygon, Box, Stairs, Ramp or Pipe$"
    ):
        Environment(obstacles=[PEG, "peg"])


class TestRobot:
    @pytest.mark.parametrize("count", [0, 1, 5001])
    def test_two_to_five_thousand_links(self, count: int) -> None:
        with pytest.raises(InvalidModel) as caught:
            PlanarRobot(links=(LINK,) * count)
        assert str(caught.value) == f"robot.links = {count}, must be 2 to 5000 links"
        with pytest.raises(InvalidModel) as caught:
            PlanarRobot.uniform(count, LINK)
        assert str(caught.value) == f"robot.n_links = {count}, must be 2 to 5000 links"

    @pytest.mark.parametrize("count", [3.0, "3", True, None, math.nan])
    def test_number_of_links_is_whole(self, count: Any) -> None:
        with pytest.raises(InvalidModel) as caught:
            PlanarRobot.uniform(count, LINK)
        one_sentence(caught.value, "robot.n_links", count)

    @pytest.mark.parametrize("count", [2, 11, 5000])
    def test_uniform(self, count: int) -> None:
        motor = Motor(stiffness=3.0, damping=0.5, torque_limit=7.0)
        robot = PlanarRobot.uniform(count, LINK, motor, name="worm", source="a book")
        assert robot == PlanarRobot(links=(LINK,) * count, motors=(motor,) * (count - 1), name="worm", source="a book")
        assert (robot.n_links, robot.n_joints) == (count, count - 1)
        assert robot.mass == pytest.approx(0.5 * count) and robot.length == pytest.approx(0.1 * count)
        assert len(robot.motors) == count - 1 and set(robot.motors) == {motor}

    def test_a_motor_without_figures_does_nothing(self) -> None:
        assert PlanarRobot.uniform(2, LINK).motors == (Motor(stiffness=0.0, damping=0.0, torque_limit=math.inf),)

    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_one_motor_per_joint(self, count: int) -> None:
        with pytest.raises(InvalidModel) as caught:
            PlanarRobot(links=(LINK,) * 3, motors=(Motor(),) * count)
        assert str(caught.value) == f"robot.motors = {count}, must be 2 motors for 3 links, or one for all"

    def test_columns_run_from_tail_to_head(self) -> None:
        masses, limits = [0.1, 0.2, 0.4], [1.0, math.inf]
        robot = PlanarRobot(
            links=[dataclasses.replace(LINK, mass=mass) for mass in masses],
            motors=[Motor(torque_limit=limit) for limit in limits],
        )
        np.testing.assert_array_equal(robot.column("mass"), masses)
        np.testing.assert_array_equal(robot.motor_column("torque_limit"), limits)
        assert robot.mass == pytest.approx(0.7)
        assert isinstance(robot.links, tuple) and isinstance(robot.motors, tuple)

    def test_nothing_changes_after_birth(self) -> None:
        for owner, field in ((LINK, "mass"), (PlanarRobot.uniform(2, LINK), "name"), (PEG, "x"), (Ground(), "spin")):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(owner, field, 1.0)


class TestSupports:
    def test_default_is_one_point_under_the_centre_of_mass(self) -> None:
        assert dataclasses.replace(LINK, mass_offset=0.02, supports=None).supports == (Support(offset=0.02, share=1.0),)

    @given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=6))
    @settings(deadline=None, max_examples=30)
    def test_shares_sum_to_one(self, parts: list[float]) -> None:
        shares = [part / sum(parts) for part in parts]
        points = [Support(offset=0.01 * k, share=share) for k, share in enumerate(shares)]
        assert dataclasses.replace(LINK, supports=points).supports == tuple(points)
        points[0] = Support(offset=0.0, share=shares[0] + 1e-6)
        with pytest.raises(InvalidModel, match=r"^link\.supports: sum of shares = 1\.\d+, must be 1 \[-\]$"):
            dataclasses.replace(LINK, supports=points)

    def test_a_link_rests_on_something(self) -> None:
        with pytest.raises(InvalidModel, match=r"^link\.supports = \(\), must be at least one point$"):
            dataclasses.replace(LINK, supports=())

    def test_straight_side_is_the_link_unless_given(self) -> None:
        made = {"length": 0.1, "mass": 1.0, "inertia": 1e-3, "radius": 0.03}
        assert PlanarLink(**made).side_length == 0.1
        assert PlanarLink(**made, side_length=0.0).side_length == 0.0


class TestGround:
    def test_one_law_serves_all_links(self) -> None:
        assert Ground(friction=Isotropic(0.3)).laws(3) == (Isotropic(0.3),) * 3
        assert Ground().laws(2) == (Frictionless(), Frictionless())

    def test_one_law_per_link_keeps_its_order(self) -> None:
        laws = [Isotropic(0.1), Viscous(along=1.0, across=2.0), Skin(forward=0.1, backward=0.2, across=0.3)]
        assert Ground(friction=laws).laws(3) == tuple(laws)

    @pytest.mark.parametrize("count", [0, 2, 4])
    def test_laws_that_do_not_fit_the_robot(self, count: int) -> None:
        with pytest.raises(InvalidModel) as caught:
            Ground(friction=(Isotropic(0.1),) * count).laws(3)
        assert str(caught.value) == f"ground.friction = {count}, must be one law, or 3 laws for 3 links"

    def test_gravity_is_standard(self) -> None:
        assert Ground().gravity == STANDARD_GRAVITY == 9.81


def test_obstacles_are_kept_in_order() -> None:
    pegs = [Peg(x=float(k), y=0.0, radius=0.1) for k in range(3)]
    assert Environment(obstacles=iter(pegs)).obstacles == tuple(pegs)


def test_aiko_has_the_figures_of_the_paper() -> None:
    # Transeth2008a VIII-A: 11 links of 122 mm, 7.5 kg, 1.32e-3 kg m^2, half width 52.5 mm, K_P 800, K_D 2.
    robot = aiko_planar()
    assert (robot.n_links, robot.name) == (11, "aiko-planar") and robot.mass == pytest.approx(7.5)
    assert robot.length == pytest.approx(11 * 0.122)
    assert set(robot.column("inertia")) == {1.32e-3} and set(robot.column("radius")) == {0.0525}
    assert set(robot.motor_column("stiffness")) == {800.0} and set(robot.motor_column("damping")) == {2.0}
    assert ROBOTS["aiko-planar"]() == robot
