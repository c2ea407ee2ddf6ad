"""The gait library: compound waves, sidewinding that turns, lifted slithering and helices, each against geometry."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.special import j0

import pushpoint as pp
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.gaits.wound import coil_of, reach
from pushpoint.papers.ours import gaits as library

SNAKE = pp.catalogue.yaw_pitch_16()
YAW, PITCH = ([a for a, axis in enumerate(SNAKE.axes) if axis.name == name] for name in ("yaw", "pitch"))
K = np.array([SNAKE.n_links - 2 - axis.link_behind for axis in SNAKE.axes])
TIME = np.linspace(0.0, 6.0, 61)
TWO: dict[str, Any] = {
    "yaw_amplitude": 0.5, "pitch_amplitude": 0.2, "angular_frequency": 2.0, "phase_shift": -0.4,
}  # fmt: skip


class TestCompoundSerpenoid:
    def test_is_two_waves_of_their_own(self) -> None:
        gait = pp.gaits.CompoundSerpenoid(
            **TWO, phase=0.3, pitch_angular_frequency=3.0, pitch_phase_shift=-0.9, pitch_phase=-1.1, yaw_offset=0.1,
            pitch_offset=-0.05, yaw_envelope=(1.0, 0.5), pitch_envelope=(0.0, 1.0),
        )  # fmt: skip
        found, _ = gait.references(TIME, SNAKE)
        for a, (axis, k) in enumerate(zip(SNAKE.axes, K, strict=True)):
            along = axis.link_behind / 15
            if axis.name == "yaw":
                expected = 0.1 + (1 - 0.5 * along) * 0.5 * np.sin(2.0 * TIME - 0.4 * k + 0.3)
            else:
                expected = -0.05 + along * 0.2 * np.sin(3.0 * TIME - 0.9 * k - 1.1)
            np.testing.assert_allclose(found[:, a], expected, atol=1e-12)

    def test_contains_sidewinding(self) -> None:
        one = pp.gaits.Sidewinding(**TWO, phase=0.2, yaw_offset=0.1)
        same = pp.gaits.CompoundSerpenoid(**TWO, phase=0.2, pitch_phase=0.2 - math.pi / 2, yaw_offset=0.1)
        np.testing.assert_array_equal(same.references(TIME, SNAKE), one.references(TIME, SNAKE))

    def test_kernels_have_both_frequencies(self) -> None:
        gait = pp.gaits.CompoundSerpenoid(**TWO, pitch_angular_frequency=5.0, soft_start=0.3)
        start = pp.SpatialStart(position=(0.0, 0.0, 9.0))
        run = pp.simulate(SNAKE, pp.Environment(), gait, duration=1.0, start=start)
        np.testing.assert_allclose(run.joint_reference, gait.references(run.time.values, SNAKE)[0], atol=1e-13)

    def test_period_is_that_of_both_waves(self) -> None:
        def period(first: float, second: float | None) -> float:
            fields = TWO | {"angular_frequency": first, "pitch_angular_frequency": second}
            return pp.gaits.CompoundSerpenoid(**fields).period

        assert period(2.0, None) == pytest.approx(math.pi)
        assert period(2.0, 3.0) == pytest.approx(2 * math.pi)
        assert period(-0.2, 0.1) == pytest.approx(20 * math.pi)
        assert period(0.0, 2.0) == pytest.approx(math.pi)
        assert period(1.0, math.sqrt(2)) == math.inf and period(0.0, None) == math.inf

    def test_one_multiplier_is_refused(self) -> None:
        with pytest.raises(pp.errors.InvalidModel, match=r"^gait\.pitch_envelope = .*, must be two or more multipl"):
            pp.gaits.CompoundSerpenoid(**TWO, pitch_envelope=(1.0,))


class TestTurning:
    def test_conical_sidewinding_tapers_both_waves(self) -> None:
        gait = pp.gaits.ConicalSidewinding(**TWO, taper=0.5)
        plain = pp.gaits.Sidewinding(**TWO)
        grown = 1.0 + 0.5 * (2.0 * np.array([axis.link_behind for axis in SNAKE.axes]) / 15 - 1.0)
        np.testing.assert_allclose(
            gait.references(TIME, SNAKE)[0], grown * plain.references(TIME, SNAKE)[0], atol=1e-14
        )

    def test_the_wave_is_in_proportion_to_the_distance_from_the_centre(self) -> None:
        gait = pp.gaits.TurningSidewinding(**TWO, radius=3.0)
        alpha = 0.5 / (2 * math.sin(0.4))  # two joints between yaw axes, 0.4 rad each
        half = SNAKE.length * j0(alpha) / 2
        swing = np.ptp(gait.references(np.linspace(0.0, gait.period, 200), SNAKE)[0], axis=0)[YAW] / 2
        behind = np.array([axis.link_behind for axis in SNAKE.axes])[YAW]
        distance = 3.0 + half * (2 * behind / 15 - 1)
        np.testing.assert_allclose(swing, 0.5 * distance / 3.0, rtol=2e-4)  # 200 samples: 1 - cos(pi / 200)
        assert replace(gait, radius=-3.0).taper(SNAKE) == pytest.approx(-gait.taper(SNAKE))

    @pytest.mark.slow
    @pytest.mark.parametrize("radius", [2.0, -2.0])
    def test_the_robot_turns_to_that_side_on_about_that_circle(self, radius: float) -> None:
        world = pp.scenario("gaits/turning-sidewinding").world
        gait = replace(world.controller, radius=radius)
        run = pp.simulate(replace(world, controller=gait), 22.0)
        ends = np.arange(1, 8) * gait.period
        links, places = (run[name].interp(time=ends).values for name in ("link_position", "center_of_mass"))
        heading = np.unwrap(np.arctan2(*(links[:, -1] - links[:, 0]).T[1::-1]))
        found = np.linalg.norm(np.diff(places, axis=0), axis=1).mean() / np.diff(heading).mean()
        assert found / radius == pytest.approx(0.85, abs=0.2)  # slip, and what the wave turns by itself

    def test_a_wide_turn_is_almost_straight(self) -> None:
        wide, straight = pp.gaits.TurningSidewinding(**TWO, radius=1e6), pp.gaits.Sidewinding(**TWO)
        np.testing.assert_allclose(wide.references(TIME, SNAKE)[0], straight.references(TIME, SNAKE)[0], atol=1e-6)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"radius": 0.0}, r"^gait\.radius = 0\.0, must be not 0 \[m\]$"),
            ({"radius": 0.2}, r"^gait\.radius = 0\.2, must be at least 0\.\d+ \[m\] to either side"),
            ({"yaw_amplitude": 2.0}, r"^gait\.yaw_amplitude = 2\.0, must be such that the links swing by less than"),
            ({"yaw_amplitude": 0.0}, r"^gait\.yaw_amplitude = 0\.0, must be such that"),
            ({"phase_shift": 0.0}, r"^gait\.yaw_amplitude = 0\.5, must be such that"),
        ],
    )
    def test_refused_in_one_sentence(self, change: dict[str, float], words: str) -> None:
        with pytest.raises(pp.errors.InvalidModel, match=words):
            pp.gaits.TurningSidewinding(**TWO | {"radius": 3.0} | change).wave(SNAKE)

    def test_a_robot_without_yaw_axes_is_refused(self) -> None:
        link = SNAKE.links[1]
        pitching = pp.SpatialRobot.uniform(4, link, pp.Pitch())
        with pytest.raises(pp.errors.InvalidModel, match=r"^robot = .*, must be one with two or more yaw axes, evenly"):
            pp.gaits.TurningSidewinding(**TWO, radius=3.0).wave(pitching)


class TestLiftedSlithering:
    FIELDS: ClassVar[dict[str, Any]] = {"amplitude": 0.4, "angular_frequency": 2.0, "phase_shift": -0.4, "lift": 0.6}

    @pytest.mark.parametrize("end", ["tail", "head"])
    @pytest.mark.parametrize("lifted", [3, 4, 6])
    def test_the_end_is_lifted_level_and_still(self, end: str, lifted: int) -> None:
        gait = pp.gaits.LiftedSlithering(**self.FIELDS, end=end, lifted=lifted, offset=0.05)
        found, rate = gait.references(TIME, SNAKE)
        order = 1 if end == "tail" else -1
        joints = [axis.link_behind for axis in SNAKE.axes][::order]
        angle, rate = found[:, ::order], rate[:, ::order]
        assert joints[0] in (0, 15)
        assert not angle[:, [j for j in range(lifted - 1) if j in self.places("yaw", order)]].any()
        assert np.abs(rate[:, lifted + 1 :]).max() > 0.1 and not rate[:, : lifted - 1].any()
        bends = angle[0, self.places("pitch", order)]
        assert sorted(bends[bends != 0.0]) == pytest.approx([-0.6, 0.6]) and bends.sum() == pytest.approx(0.0)

    @staticmethod
    def places(name: str, order: int) -> list[int]:
        return [a for a, axis in enumerate(SNAKE.axes[::order]) if axis.name == name]

    @pytest.mark.parametrize("end", ["tail", "head"])
    def test_it_rises(self, end: str) -> None:
        gait = pp.gaits.LiftedSlithering(**self.FIELDS | {"amplitude": 0.0}, end=end, lifted=6)
        places, frames = link_poses(SNAKE, np.zeros(3), np.array([1.0, 0, 0, 0]), gait.first_reference(SNAKE))
        level = 10 if end == "tail" else 5  # a link that lies on the ground
        z = ((places - places[level]) @ rotation_of(frames[level]))[:, 2][:: 1 if end == "tail" else -1]
        np.testing.assert_allclose(z[8:], 0.0, atol=1e-12)
        # Between the two bends lie two or three links of 0.064 m.
        assert z[0] == pytest.approx(z[1], abs=1e-12) and 2 * 0.064 * math.sin(0.6) - 1e-12 <= z[0]
        assert z[0] <= 4 * 0.064 * math.sin(0.6)

    def test_too_many_links_are_refused(self) -> None:
        with pytest.raises(pp.errors.InvalidModel, match=r"^gait\.lifted = 16, must be at most 15 links of 17$"):
            pp.gaits.LiftedSlithering(**self.FIELDS, lifted=16).wave(SNAKE)


class TestHelices:
    @pytest.mark.parametrize(("radius", "rise"), [(0.2, 0.15), (0.2, -0.15), (0.3, 0.3)])
    @pytest.mark.parametrize("phase", [0.0, 0.8, 2.0])
    def test_the_body_is_a_helix_of_that_radius_and_rise(self, radius: float, rise: float, phase: float) -> None:
        gait = pp.gaits.HelicalRolling(helix_radius=radius, helix_rise=rise, angular_frequency=1.0, phase=phase)
        coil = coil_of(SNAKE, gait.first_reference(SNAKE))
        height = (coil.places - coil.center) @ coil.axis
        across = coil.places - coil.center - np.outer(height, coil.axis)
        found = np.linalg.norm(across, axis=1)
        # The middles of straight links lie inside the arc: by up to 0.128^2 / 8 R, 5 % at 0.2 m.
        assert found.mean() == pytest.approx(radius, rel=0.05) and np.ptp(found) < 0.05 * radius
        x, y = across[0] / found[0], np.cross(coil.axis, across[0] / found[0])
        turn = np.unwrap(np.arctan2(across @ y, across @ x))
        per_turn = 2 * math.pi * np.polyfit(turn, height, 1)[0]
        assert per_turn == pytest.approx(rise, rel=0.1)

    def test_the_rolling_gait_is_the_limit_of_a_wide_helix(self) -> None:
        # A circle: yaw = A cos(w t), pitch = -A sin(w t), A the bend from one yaw axis to the next.
        ring = pp.gaits.HelicalRolling(helix_radius=1.0, helix_rise=0.0, angular_frequency=1.5)
        rolling = pp.gaits.Rolling(amplitude=0.128, angular_frequency=1.5)
        np.testing.assert_allclose(ring.references(TIME, SNAKE), rolling.references(TIME, SNAKE), atol=1e-12)

    @pytest.mark.parametrize("rise", [0.12, -0.2])
    def test_a_world_starts_wound_around_its_peg_and_touches_it(self, rise: float) -> None:
        peg = pp.Peg(x=0.3, y=-0.2, radius=0.1, friction=0.8)
        gait = pp.gaits.PipeCrawling(pipe_radius=0.1, helix_rise=rise, angular_frequency=1.5)
        world = pp.World(SNAKE, pp.Environment(obstacles=[peg]), gait)
        pose = world.pose()
        run = pp.simulate(world, 0.001)
        places = run.link_position.isel(time=0).values
        assert np.hypot(places[:, 0] - 0.3, places[:, 1] + 0.2).min() > 0.1 + 0.02
        coil = coil_of(SNAKE, pose["angle"])
        assert reach(SNAKE, coil)[0] == pytest.approx(0.1, abs=1e-6)
        assert places[-1, 2] > places[0, 2] > 0.05  # the head is up

    def test_without_a_peg_the_start_is_the_usual_one(self) -> None:
        gait = pp.gaits.PipeCrawling(pipe_radius=0.1, helix_rise=0.12, angular_frequency=1.5)
        assert pp.World(SNAKE, pp.Environment(), gait).start == pp.SpatialStart()

    def test_squeeze_is_tighter_outside_and_wider_inside(self) -> None:
        def bend(side: str, squeeze: float) -> float:
            gait = pp.gaits.PipeCrawling(
                pipe_radius=0.2, helix_rise=0.1, angular_frequency=1.0, side=side, squeeze=squeeze
            )
            return float(np.abs(gait.references(TIME, SNAKE)[0]).max())

        assert bend("outside", 0.2) > bend("outside", 0.0) and bend("inside", 0.2) < bend("inside", 0.0)

    def test_a_helix_too_tight_for_the_joints_is_refused(self) -> None:
        gait = pp.gaits.HelicalRolling(helix_radius=0.01, helix_rise=0.0, angular_frequency=1.0)
        with pytest.raises(
            pp.errors.InvalidModel, match=r"^gait\.helix_radius = 0\.01, must be so wide that .* \[m\]$"
        ):
            gait.wave(SNAKE)

    def test_a_pole_too_thin_to_hold_on_to_is_refused(self) -> None:
        peg = pp.Peg(x=0.0, y=0.0, radius=0.01)
        gait = pp.gaits.PipeCrawling(pipe_radius=0.01, helix_rise=0.0, angular_frequency=1.0)
        with pytest.raises(pp.errors.InvalidModel, match=r"^gait\.pipe_radius = 0\.01, must be one around which this"):
            pp.World(SNAKE, pp.Environment(obstacles=[peg]), gait)

    def test_a_planar_robot_is_refused(self) -> None:
        gait = pp.gaits.HelicalRolling(helix_radius=0.3, helix_rise=0.1, angular_frequency=1.0)
        with pytest.raises(pp.errors.InvalidModel, match=r"^robot = .*, must be one with two or more pitch axes, even"):
            gait.wave(pp.catalogue.aiko_planar())

    def test_a_pipe_too_narrow_for_the_body_is_refused(self) -> None:
        gait = pp.gaits.PipeCrawling(pipe_radius=0.02, helix_rise=0.1, angular_frequency=1.0, side="inside")
        words = r"^gait\.pipe_radius = 0\.02, must be more than 0\.0255, the radius of a link \[m\]$"
        with pytest.raises(pp.errors.InvalidModel, match=words):
            gait.wave(SNAKE)

    @pytest.mark.slow
    def test_climbing_tends_to_pure_rolling_as_links_get_shorter(self) -> None:
        # Straight links roll as if they were thicker, by half of what their middles lie inside the arc, d^2 / 16 R.
        pole = pp.Environment(obstacles=[pp.Peg(x=0.0, y=0.0, radius=0.1, friction=0.8)])
        excess = []
        for n in (25, 49):
            length, mass, radius = 1.2 / n, 3.6 / n, 0.0255
            inertia = mass * (3 * radius**2 + length**2) / 12
            link = pp.SpatialLink(
                length=length, mass=mass, inertia=(mass * radius**2 / 2, inertia, inertia), radius=radius
            )
            motor = pp.Motor(stiffness=3.0 * n, damping=0.06 * n)
            robot = pp.SpatialRobot.uniform(n, link, (pp.Pitch(motor), pp.Yaw(motor)))
            gait = pp.gaits.PipeCrawling(pipe_radius=0.1, helix_rise=0.12, angular_frequency=1.5, clearance=0.5)
            run = pp.simulate(pp.World(robot, pole, gait), 2 * gait.period)
            z = run.center_of_mass.sel(axis="z")
            climbed = float(z.isel(time=-1) - z.interp(time=gait.period)) / gait.period
            excess.append(climbed / gait.speed(robot) - 1.0)
            predicted = (2 * length) ** 2 / (16 * 0.1255) / radius
            assert excess[-1] == pytest.approx(predicted, rel=0.15)  # sizes of order s^2
        assert 0.0 < excess[1] < 0.3 * excess[0]  # second order in the length of a link: 0.26


def test_scenarios_of_the_library_go_through_a_file(tmp_path: Any) -> None:
    for name in ("pole-climbing", "pipe-crawling", "turning-sidewinding", "lifted-slithering", "pattern-generator"):
        build = library.SCENARIOS[f"gaits/{name}"]
        path = tmp_path / f"{name}.yaml"
        pp.write_scenario(build(), path)
        again = pp.scenario(path)
        assert again.world.controller == build().world.controller, name
        pose, same = build().world.pose(), again.world.pose()
        for part, value in pose.items():
            np.testing.assert_allclose(same[part], value, atol=1e-12, err_msg=f"{name}: {part}")
