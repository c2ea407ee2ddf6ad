"""Joint references for hardware: values against closed forms, limits against hand counts, the file as others read."""

from __future__ import annotations

from math import asin, ceil, cos, degrees, pi, radians, sin
from pathlib import Path

import numpy as np
import pandas
import pytest

from pushpoint import planning
from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import HeadingController
from pushpoint.engine.controller import Gait
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.gaits import FunctionOfTime, LateralUndulation, Sampled
from pushpoint.interchange import column_names, joint_references, limit_violations, write_csv
from pushpoint.model.catalogue import aiko, aiko_planar, liljeback2014
from pushpoint.model.joints import Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.planning.curves.motion import AlongCurve, OnCurve

LIMIT = radians(45.0)
LINK = SpatialLink(length=0.1, mass=0.5, inertia=(1e-3, 1e-3, 1e-3), radius=0.03)


def two_joints(**limits: float) -> SpatialRobot:
    """A pitch joint without limits behind a yaw joint with the given ones."""
    return SpatialRobot.uniform(3, LINK, (Pitch(Motor()), Yaw(Motor(**limits))), name="two-joints")


class Asked(Gait):
    """A gait of angles that a function gives, without rates, or with rates of zero."""

    def __init__(self, function, zeros=False):
        self.function, self.zeros = function, zeros

    def references(self, time, robot):
        angles = np.array([self.function(t) for t in time], dtype=float)
        return angles, np.zeros_like(angles) if self.zeros else None


def test_a_gait_gives_its_own_angles_and_rates():
    robot = aiko_planar()
    gait = LateralUndulation(amplitude=0.6, angular_frequency=2.0, phase_shift=-0.8, offset=0.1)
    found = joint_references(gait, robot, duration=2.0, rate=50.0)
    assert found.times == pytest.approx(np.arange(101) / 50.0, abs=1e-15)
    assert (found.names, found.link_behind) == (("yaw",) * 10, tuple(range(10)))
    for row, joint in ((0, 0), (17, 9), (100, 4)):
        phase = 2.0 * row / 50.0 - 0.8 * (9 - joint)  # the gait's formula, by hand: k counts from the head
        assert found.angles[row, joint] == pytest.approx(0.1 + 0.6 * sin(phase), abs=1e-12)
        assert found.rates[row, joint] == pytest.approx(1.2 * cos(phase), abs=1e-12)


@pytest.mark.parametrize(
    "gait",
    [
        Asked(lambda t: (0.3 * t * t, -0.1 * t)),
        Asked(lambda t: (0.3 * t * t, -0.1 * t), zeros=True),
        Sampled(gait=FunctionOfTime(function=lambda t: np.array((0.3 * t * t, -0.1 * t))), rate=10.0, hold=True),
    ],
    ids=["none", "zero", "held"],
)
def test_rates_that_a_gait_does_not_give_are_differences_exact_for_parabolas(gait):
    found = joint_references(gait, two_joints(), duration=1.0, rate=20.0)
    assert found.rates[1:-1, 0] == pytest.approx(0.6 * found.times[1:-1], abs=1e-12)
    assert found.rates[[0, -1], 0] == pytest.approx([0.6 * 0.025, 0.6 * 0.975], abs=1e-12)  # mean of the outer periods
    assert found.rates[:, 1] == pytest.approx(np.full(21, -0.1), abs=1e-12)


@pytest.mark.parametrize(("duration", "rates"), [(0.05, [0.0]), (0.1, [3.0, 3.0])])
def test_one_or_two_rows_have_rates_too(duration, rates):
    found = joint_references(Asked(lambda t: (3.0 * t, 0.0)), two_joints(), duration=duration, rate=10.0)
    assert found.rates[:, 0] == pytest.approx(rates, abs=1e-12)


def test_a_rolling_follower_gives_the_alignment_at_each_row():
    robot = liljeback2014()
    curve = planning.rolling_arc(robot).curve()
    follower = ShapeCurveFollower(motion=OnCurve(points=curve.points, head=2.0, roll_rate=1.5))
    found = joint_references(follower, robot, duration=1.0, rate=50.0)
    expected = planning.align(robot, curve, 2.0, 1.5 * np.arange(51) / 50.0, allow_short=True).joint_angles
    assert found.angles == pytest.approx(expected, abs=1e-12)
    slope = (expected[11] - expected[9]) * 25.0  # two rows, 0.04 s
    assert found.rates[10] == pytest.approx(slope, abs=1e-12) and abs(slope).max() > 0.1


def test_the_rate_takes_the_place_of_the_followers_own():
    robot = liljeback2014()
    follower = ShapeCurveFollower(motion=AlongCurve(segment=planning.sidewinding(robot), speed=0.5))
    slow, fast = (joint_references(follower, robot, duration=1.0, rate=rate) for rate in (30.0, 90.0))
    assert (len(slow.times), len(fast.times)) == (31, 91)
    # The head's way is the same in three steps as in one; each finds its place on the curve to some 1e-10.
    assert fast.angles[::3] == pytest.approx(slow.angles, abs=1e-8)
    assert np.array_equal(slow.angles, follower.virtual(robot, 1.0)[1].joint_angles)


def test_a_cardan_gives_two_joints():
    robot = aiko()
    follower = ShapeCurveFollower(motion=AlongCurve(segment=planning.sidewinding(liljeback2014()), speed=0.5))
    found = joint_references(follower, robot, duration=0.2, rate=30.0)
    assert found.names[:4] == ("pitch", "yaw", "pitch", "yaw")
    assert found.link_behind[:4] == (0, 0, 1, 1)
    assert column_names(found)[:3] == ["time_s", "joint_0_pitch_deg", "joint_1_yaw_deg"]


def closed_loop() -> ShapeCurveFollower:
    motion = AlongCurve(segment=planning.sidewinding(liljeback2014()), speed=0.5)
    return ShapeCurveFollower(motion=motion, steering=HeadingController(direction=0.0))


@pytest.mark.parametrize(
    ("controller", "robot", "sentence"),
    [
        (ConstantTorque(torque=[1.0] * 16), liljeback2014(), "controller = 'ConstantTorque', must be a gait or a sha"),
        (3, liljeback2014(), "controller = 'int', must be a gait"),
        (closed_loop(), liljeback2014(), r"follower.steering = a HeadingController, must be one that does not"),
        (closed_loop(), aiko_planar(), "robot = 'aiko-planar', must be a spatial robot"),
        (
            Asked(lambda t: (0.0, np.nan if t > 0.45 else t)),
            two_joints(),
            r"Asked.references: angles\[5, 1\] = nan",
        ),
        (Asked(lambda t: (0.0,)), two_joints(), r"Asked.references: angles = \(11, 1\), must be of shape \(11, 2"),
        (
            Asked(lambda t: (0.0, 0.0)),
            "aiko",
            "robot = 'aiko', must be a PlanarRobot or",
        ),
    ],
    ids=["torque", "number", "feedback", "planar", "nan", "count", "name"],
)
def test_what_has_no_references_is_refused_in_a_sentence(controller, robot, sentence):
    with pytest.raises(InvalidModel, match=f"^{sentence}") as caught:
        joint_references(controller, robot, duration=1.0, rate=10.0)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"duration": 0.0}, "duration = 0.0, must be finite and > 0"),
        ({"duration": float("inf")}, "duration = inf, must be finite"),
        ({"rate": float("nan")}, "rate = nan, must be finite and > 0"),
        ({"rate": -30.0}, "rate = -30.0, must be"),
        ({"duration": 1e9}, "duration = 1000000000.0, must be such that 10 rows per second make fewer than"),
    ],
)
def test_rates_and_durations_are_checked(changes, sentence):
    with pytest.raises(InvalidModel, match=f"^{sentence}"):
        joint_references(Asked(lambda t: (0.0, 0.0)), two_joints(), **({"duration": 1.0, "rate": 10.0} | changes))


def test_a_sine_beyond_both_end_stops_and_too_fast():
    amplitude, omega, rate = radians(60.0), pi, 500.0
    robot = two_joints(lower=-LIMIT, upper=LIMIT, speed_limit=2.0, torque_limit=1.0)
    sine = Asked(lambda t: (sin(omega * t), amplitude * sin(omega * t)))
    found = joint_references(sine, robot, duration=2.0, rate=rate)
    below, above, fast = limit_violations(found, robot)
    assert {(each.joint, each.name, each.link_behind) for each in (below, above, fast)} == {(1, "yaw", 1)}
    assert [(each.quantity, each.above) for each in (below, above, fast)] == [
        ("angle", False), ("angle", True), ("speed", True),
    ]  # fmt: skip
    crossing = asin(LIMIT / amplitude) / omega  # 60 deg sin(pi t) reaches 45 deg
    for each, half in ((above, 0.0), (below, 1.0)):
        assert each.excess == pytest.approx(radians(15.0), abs=1e-12)  # the peaks at 0.5 and 1.5 s are rows
        assert each.first_time == pytest.approx(half + ceil(crossing * rate) / rate, abs=1e-12)
        assert each.duration == pytest.approx(1.0 - 2.0 * crossing, abs=2.0 / rate)  # rows at both ends
    assert fast.excess == pytest.approx(amplitude * omega - 2.0, rel=1e-4)  # mean over a row against the slope
    assert fast.first_time == 0.0


def test_a_reference_at_its_limit_is_no_violation():
    robot = two_joints(lower=-LIMIT, upper=LIMIT, speed_limit=LIMIT, torque_limit=1.0)
    sine = Asked(lambda t: (2.0 * sin(t), LIMIT * sin(t)))
    assert limit_violations(joint_references(sine, robot, duration=7.0, rate=100.0), robot) == []


def test_a_jump_between_two_rows_counts_in_full():
    robot = two_joints(speed_limit=6.0, torque_limit=1.0)
    jump = Asked(lambda t: (0.0, 0.1 if t > 0.295 else 0.0))
    found = joint_references(jump, robot, duration=1.0, rate=100.0)
    assert abs(found.rates).max() == pytest.approx(5.0)  # the central difference sees half of 0.1 rad in 10 ms
    (fast,) = limit_violations(found, robot)
    assert fast.excess == pytest.approx(4.0)
    assert (fast.first_time, fast.duration) == (pytest.approx(0.29), pytest.approx(0.01))
    assert str(fast) == (
        f"joint 1 (yaw, in front of link 1): speed above {degrees(6.0):g} deg/s by up to {degrees(4.0):.3g} deg/s, "
        "first at 0.290 s, for 0.01 s in all"
    )


def test_without_limits_nothing_is_violated_and_another_robot_is_refused():
    found = joint_references(Asked(lambda t: (100.0 * t, 0.0)), two_joints(), duration=1.0, rate=10.0)
    assert limit_violations(found, two_joints()) == []
    with pytest.raises(InvalidModel, match=r"^robot = 'liljeback2014', must be the one whose 2 joints"):
        limit_violations(found, liljeback2014())


def test_the_file_is_read_alike_by_numpy_and_pandas(tmp_path: Path):
    found = joint_references(
        Asked(lambda t: (sin(3.0 * t), -1e-14 - t / 7.0)), two_joints(), duration=1.0, rate=30.0
    )  # fmt: skip
    file = write_csv(found, tmp_path / "deep" / "table.csv")
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "time_s,joint_0_pitch_deg,joint_1_yaw_deg" and len(lines) == 32
    assert lines[1] == "0.000000000,0.000000000,0.000000000"  # no sign on a zero, no exponent
    values = np.genfromtxt(file, delimiter=",", names=True)
    table = pandas.read_csv(file)
    assert list(table.columns) == list(values.dtype.names)
    for joint, name in enumerate(("joint_0_pitch_deg", "joint_1_yaw_deg")):
        assert values[name] == pytest.approx(found.angles[:, joint] * 180.0 / pi, abs=6e-10)  # nine decimals
        assert np.array_equal(values[name], table[name].to_numpy())
    assert values["time_s"] == pytest.approx(np.arange(31) / 30.0, abs=6e-10)


def test_radians_by_choice(tmp_path: Path):
    found = joint_references(Asked(lambda t: (t, -t)), two_joints(), duration=1.0, rate=2.0)
    file = write_csv(found, tmp_path / "table.csv", radians=True)
    assert file.read_text(encoding="utf-8").splitlines() == [
        "time_s,joint_0_pitch_rad,joint_1_yaw_rad",
        "0.000000000,0.000000000,0.000000000",
        "0.500000000,0.500000000,-0.500000000",
        "1.000000000,1.000000000,-1.000000000",
    ]


def test_a_folder_is_no_file(tmp_path: Path):
    found = joint_references(Asked(lambda t: (t, -t)), two_joints(), duration=1.0, rate=2.0)
    with pytest.raises(BadFile, match="cannot be written"):
        write_csv(found, tmp_path)
    assert list(tmp_path.iterdir()) == []
