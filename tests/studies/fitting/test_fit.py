"""Fits to recordings whose parameters are known: intervals, what cannot be told apart, and what is left over."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.fit_coverage import CAMERA, ENCODER, SCENARIO, SPACE, fitted, recording

import pushpoint as pp
from pushpoint.errors import BadFile, InvalidModel, PushpointError
from pushpoint.studies.fitting.intervals import OPEN, intervals, not_told_apart, spread_of
from pushpoint.studies.fitting.least_squares import descend
from pushpoint.studies.fitting.prediction import predictions
from pushpoint.studies.optimising.space import Bounds
from pushpoint.worlds.recorded import channel_of, read_channels, write_channels


class TestLeastSquares:
    """A decay y = a exp(-b t), of which everything is known."""

    TIME = np.linspace(0.0, 3.0, 40)

    def residuals(self, values: np.ndarray) -> Any:
        def found(points: Any) -> np.ndarray:
            return np.array([values - 2.0 * a * np.exp(-3.0 * b * self.TIME) for a, b in points])

        return found

    def test_an_exact_curve_is_found_exactly(self) -> None:
        values = 2.0 * 0.6 * np.exp(-3.0 * 0.4 * self.TIME)
        found = descend(self.residuals(values), np.array([0.1, 0.9]))
        np.testing.assert_allclose(found.point, [0.6, 0.4], atol=1e-6)

    def test_derivatives_are_those_of_the_formula(self) -> None:
        found = descend(self.residuals(np.exp(-self.TIME)), np.array([0.5, 0.5]), turns=0)
        a, b, t = 0.5, 0.5, self.TIME
        exact = np.stack([-2.0 * np.exp(-3.0 * b * t), 6.0 * a * t * np.exp(-3.0 * b * t)], axis=1)
        np.testing.assert_allclose(found.jacobian, exact, atol=1e-4)  # central differences: (3 t h)^2 / 6

    def test_a_best_outside_the_range_is_held_at_its_end(self) -> None:
        values = 2.0 * 1.3 * np.exp(-3.0 * 0.4 * self.TIME)
        found = descend(self.residuals(values), np.array([0.3, 0.3]))
        assert found.point[0] == 1.0 and 0.0 < found.point[1] < 1.0

    def test_intervals_are_those_of_linear_regression(self) -> None:
        """A straight line: the textbook's standard error of its slope, and Student's t for 38 degrees of freedom."""
        t, random = self.TIME, np.random.default_rng(1)
        values = 0.2 + 0.5 * t + random.normal(0.0, 0.05, t.shape)

        def line(points: Any) -> np.ndarray:
            return np.array([values - (a + b * t) for a, b in points])

        found = descend(line, np.array([0.5, 0.5]))
        variance = found.cost / 38
        spread = spread_of(found.jacobian, variance)
        slope = intervals({"a": Bounds(low=0.0, high=1.0), "b": Bounds(low=0.0, high=1.0)}, found.point, spread, 38)[
            "b"
        ]
        textbook = math.sqrt(variance / ((t - t.mean()) ** 2).sum())
        assert slope.high - slope.value == pytest.approx(2.0244 * textbook, rel=1e-4)  # t of a table, 38 at 97.5 %
        assert slope.known

    def test_what_does_not_show_at_all_is_said_without_a_warning(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            spread = spread_of(np.stack([np.ones(40), np.zeros(40)], axis=1), 0.01)
            nothing = spread_of(np.zeros((40, 1)), 0.01)
        np.testing.assert_allclose(spread.correlation, np.eye(2), atol=1e-9)
        assert not_told_apart(["seen", "unseen"], spread) == [["unseen"]]
        assert not_told_apart(["unseen"], nothing) == [["unseen"]] and nothing.correlation == pytest.approx(1.0)

    def test_what_only_a_sum_shows_is_not_told_apart(self) -> None:
        jacobian = np.outer(np.linspace(1.0, 2.0, 50), [1.0, 1.0, 0.0]) * 10.0
        jacobian[:, 2] = 30.0
        spread = spread_of(jacobian, 1.0)
        assert not_told_apart(["a", "b", "c"], spread) == [["a", "b"]]
        assert math.sqrt(spread.covariance[2, 2]) < OPEN < math.sqrt(spread.covariance[0, 0])


@pytest.mark.parametrize("number", [100, 101])
def test_a_synthetic_recording_with_noise_delay_and_gaps(number: int) -> None:
    """Of five intervals of 95 % each, three and fewer hold the truth once in a thousand recordings."""
    row = fitted(number)
    assert sum(row["within"].values()) >= 4, row
    assert row["not_told_apart"] == []
    assert row["noise"]["joint_angle"] == pytest.approx(ENCODER, rel=0.15)  # of 480 samples: 3 % is one sigma
    assert row["noise"]["link_position"] == pytest.approx(CAMERA, rel=0.2)  # of 240 samples: 5 %
    assert row["likeness"] < 0.3


CREEPING = pp.Scenario(
    name="creeping",
    worlds=pp.World(
        pp.PlanarRobot.uniform(
            5,
            pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02),
            pp.Motor(stiffness=4.0, damping=0.0),
        ),
        pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3))),
        pp.gaits.LateralUndulation(amplitude=0.6, angular_frequency=0.7, phase_shift=-0.9),
    ),
    duration=8.0,
    settings=pp.Settings(dt=4e-3),
)


def test_friction_and_gain_of_a_creeping_robot_cannot_be_told_apart() -> None:
    """Without inertia, servos bend by torque over gain, and torque grows with friction: only their ratio shows."""
    times = np.arange(0.0, 8.0, 0.05)
    names = [f"joint_angle[{j}]" for j in range(4)]
    blank = pp.studies.Recorded(time=times, channels={name: np.zeros(len(times)) for name in names})
    truth = {"ground.friction.coefficient": 0.3, "robot.motor.stiffness": 4.0}
    (shown,) = predictions(CREEPING, blank, [truth])
    noisy = shown + np.random.default_rng(3).normal(0.0, 0.02, shown.shape)
    recorded = pp.studies.Recorded(time=times, channels=dict(zip(names, noisy, strict=True)))
    space = {
        "ground.friction.coefficient": Bounds(low=0.1, high=0.9, scale="log"),
        "robot.motor.stiffness": Bounds(low=1.3, high=12.0, scale="log"),
    }
    found = pp.studies.fit(recorded, CREEPING, space)
    assert [set(group) for group in found.not_told_apart] == [set(space)]
    assert any("cannot tell" in sentence for sentence in found.sentences())
    friction, gain = (found.parameters[name].value for name in space)
    assert friction / gain == pytest.approx(0.3 / 4.0, rel=0.1)  # what the recording does tell
    moved = pp.studies.fit(recorded, CREEPING, {"ground.friction.coefficient": (0.1, 0.9)})
    assert moved.not_told_apart == [] and moved.parameters["ground.friction.coefficient"].known


def test_a_scenario_that_lacks_something_is_told_by_its_residual() -> None:
    recorded, truth = recording(102)
    stiffness = {"robot.motor.stiffness": SPACE["robot.motor.stiffness"]}
    found = pp.studies.fit(recorded, SCENARIO, stiffness)  # without the delay
    assert not found.explained and any("is not noise" in sentence for sentence in found.sentences())
    assert found.residual.dims == ("channel", "time") and found.residual.shape == recorded.table.shape
    np.testing.assert_array_equal(np.isnan(found.residual), np.isnan(recorded.table))
    assert truth["delay"] > 0.0


def test_the_fitted_scenario_has_the_parameters() -> None:
    recorded, _truth = recording(103)
    found = pp.studies.fit(recorded, SCENARIO, {"ground.friction.along": (0.03, 0.4), "delay": (0.0, 0.2)})
    law = found.scenario.world.environment.ground.friction
    assert isinstance(law, pp.Elliptic) and law.along == found.parameters["ground.friction.along"].value
    assert found.document()["sentences"] == found.sentences()


class TestRecordings:
    def test_a_file_is_read_as_it_was_written(self, tmp_path: Path) -> None:
        recorded, _truth = recording(104)
        write_channels(recorded, tmp_path / "recording.csv")
        again = read_channels(tmp_path / "recording.csv")
        np.testing.assert_allclose(again.table, recorded.table, rtol=1e-8)
        assert list(again.channels) == list(recorded.channels)

    @pytest.mark.parametrize(
        "name", ["wiggle", "joint_angle", "joint_angle[x]", "joint_angle[1].x", "center_of_mass", "link_position[1]"]
    )
    def test_a_channel_that_no_run_has_is_refused(self, name: str) -> None:
        with pytest.raises(InvalidModel, match="recording: channel"):
            channel_of(name)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "must begin with a line"),
            ("x,y\n1,2\n", "among them 't'"),
            ("t,joint_angle[0]\n" + "0,a\n", "line 2: joint_angle"),
            ("t,joint_angle[0]\n" + "0,1\n" * 12, "increasing"),
            ("t,joint_angle[0]\n0,1\n1,2\n", "10 times or more"),
            ("t,wiggle\n" + "".join(f"{k},1\n" for k in range(12)), "such as joint_angle"),
        ],
    )
    def test_a_bad_file_is_one_sentence(self, tmp_path: Path, text: str, said: str) -> None:
        (tmp_path / "bad.csv").write_text(text)
        with pytest.raises(BadFile, match=said):
            pp.studies.fit(tmp_path / "bad.csv", SCENARIO, SPACE)

    def test_what_cannot_be_fitted_is_refused(self) -> None:
        recorded, _truth = recording(105)
        for parameters, said in (
            ({}, "space"),
            ({"ground.slipperiness": (0.0, 1.0)}, "unknown key 'slipperiness'"),
            ({"delay": (0.2, 0.1)}, "delay"),
        ):
            with pytest.raises(PushpointError, match=said):
                pp.studies.fit(recorded, SCENARIO, parameters)
        with pytest.raises(InvalidModel, match="a Recorded, or the path"):
            pp.studies.fit(3, SCENARIO, SPACE)
        far = pp.studies.Recorded(time=recorded.time, channels={"joint_angle[7]": recorded.table[0]})
        with pytest.raises(InvalidModel, match=r"joint_angle\[7\]"):
            pp.studies.fit(far, SCENARIO, SPACE)
        flat = pp.studies.Recorded(time=recorded.time, channels={"joint_angle[0]": np.zeros(len(recorded.time))})
        with pytest.raises(InvalidModel, match="something that moves"):
            pp.studies.fit(flat, SCENARIO, SPACE)
