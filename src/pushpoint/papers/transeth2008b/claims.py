"""What Transeth2008b claims about its experiments and how each claim is measured; its figures, from our runs."""

from __future__ import annotations

import time
from math import atan, cos, radians, sin
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.papers.reported import reported
from pushpoint.papers.transeth2008a.claims import COUNTED, IN_WORDS, PATH
from pushpoint.papers.transeth2008b.scenarios import (
    FRICTION,
    FRICTIONS,
    MINOR,
    PERIOD,
    SHELLS,
    SOURCES,
    error_effects,
    lateral_undulation_isotropic as undulating,
    loaded_links,
    shell_effects,
    sidewinding_scenario,
    way,
)
from pushpoint.papers.writing import (
    SIMULATION_ONLY,
    Figures,
    claim,
    positions_shown,
    scene,
    scenes_shown,
    shown,
    sweep_shown,
    verdict,
)
from pushpoint.scenarios.claim import Verdict
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray as xr

PAPER = "transeth2008b"
PAPER_DT = 2.5e-4
"""VIII-A: 4000 steps per second [s]."""
PAPER_COST = {
    name: 60.0 * float(reported("transeth2008b")[f"cost-{name}"].column("time")[0])
    for name in ("sidewinding", "undulation")
}
"""Computing time per simulated time [s/s], VIII-E."""
BRICK_FRICTION = 0.2
FOREMOST = tuple(name for name in SOURCES if name[0] in "1245")
"""Errors that the paper considers the most important in sidewinding, except the exoskeleton (TB10)."""


@claim(
    "VIII-B, Fig. 6",
    tolerance="link 6 advances 1.70 to 1.86 m in 15 s, and the slowest of three periods covers more than 0.9 of the "
    "distance of the fastest",
)
def TB1(lateral_undulation_orthotropic: xr.Dataset) -> Verdict:
    """with less friction along than across the links, lateral undulation moves the robot steadily forward"""
    x = lateral_undulation_orthotropic.center_of_mass.sel(axis="x")
    per_period = np.diff(x.sel(time=np.arange(4) * PERIOD, method="nearest").values)
    speed = float(x.sel(time=3 * PERIOD, method="nearest") - x[0]) / (3 * PERIOD)
    steadiness = float(per_period.min() / per_period.max())
    dx, dy, _ = way(lateral_undulation_orthotropic)
    good = 1.70 < dx < 1.86 and steadiness > 0.9
    return verdict(good, link_6_dx_m=dx, link_6_dy_m=dy, speed_cm_per_s=speed * 100, slowest_over_fastest=steadiness)


def whole_period_speed(run: xr.Dataset) -> np.ndarray:
    """Forward speed of the centre of mass from the start to the end of the last whole period [m/s], per world."""
    x = run.center_of_mass.sel(axis="x")
    end = int(float(run.time[-1]) / PERIOD + 1e-6) * PERIOD
    return np.asarray((x.sel(time=end, method="nearest") - x.isel(time=0)).values / end)


@claim("VIII-D, Fig. 7", tolerance="the centre of mass moves at -1.4 to -0.8 cm/s over whole gait periods")
def TB2(lateral_undulation_isotropic: xr.Dataset) -> Verdict:
    """with isotropic friction the same gait moves the robot slowly backward, in the direction of the body wave"""
    speed = float(whole_period_speed(lateral_undulation_isotropic))
    return verdict(-0.014 < speed < -0.008, speed_cm_per_s=speed * 100)


@claim(
    "VIII-D",
    tolerance="reproduced: with each coefficient from 0.05 to 0.8 within 5 % of the speed at 0.2, the measured one; "
    "approximate: -1.4 to -0.8 cm/s with each",
    recorded="approximate",
    reason="the robot creeps backward about as fast with every coefficient, but 7 % slower with half the measured one "
    "and 9 % faster with twice as much",
)
def TB3(speed_over_friction: xr.Dataset) -> Verdict:
    """with isotropic friction the value of the coefficient has no noticeable effect"""
    found = whole_period_speed(speed_over_friction)
    off = np.abs(found / found[FRICTIONS.index(FRICTION)] - 1.0).max()
    near = bool(np.all((found > -0.014) & (found < -0.008)))
    speeds = {f"at_{mu:g}_cm_per_s": speed * 100 for mu, speed in zip(FRICTIONS, found, strict=True)}
    return verdict(bool(off < 0.05) and near, near, **speeds, largest_effect_percent=100 * off)


@claim("VIII-E, Figs 9 to 11", tolerance="link 6 goes 1.275 to 1.335 m along y and less than 0.1 m along x in 15 s")
def TB4(sidewinding: xr.Dataset) -> Verdict:
    """sidewinding from a straight posture with a soft start moves the robot along y"""
    dx, dy, _ = way(sidewinding)
    return verdict(abs(dy - 1.305) < 0.03 and abs(dx) < 0.1, link_6_dx_m=dx, link_6_dy_m=dy)


@claim(
    "VIII-E",
    tolerance="after the first period the ground never carries half of the links or more, with more than 0.5 N each",
)
def TB5(sidewinding: xr.Dataset) -> Verdict:
    """in sidewinding most of the body is lifted from the ground at any time"""
    loaded, links = loaded_links(sidewinding), sidewinding.sizes["link"]
    most, mean = int(loaded.max()), float(loaded.mean())
    return verdict(most < links / 2, mean_links_down=mean, most_links_down=most, links=links)


def soft_start_rule(times: np.ndarray, joint: int, name: str) -> tuple[np.ndarray, float]:
    """Reference of one axis [rad] and its release [s], by (70), (71) and the rule of VIII-E, on a grid of times.

    Computed from the paper's formula, in its numbering; it shares nothing with the gait of the run.
    """
    i = 10 - joint
    if name == "yaw":
        angle, sign = radians(30) * np.sin(radians(80) * times + (i - 1) * radians(-50)), -1.0
    else:
        angle, sign = radians(10) * np.sin(radians(80) * times + (i - 1) * radians(-50) + radians(90)), 1.0
    first = int(np.argmax(np.abs(angle) <= radians(3)))
    return np.where(np.arange(times.size) >= first, sign * angle, 0.0), float(times[first])


@claim(
    "VIII-E, Fig. 8",
    tolerance="references within 1e-3 rad of the rule, all angles zero at first, then yaw axes swing by more than 27 "
    "deg and pitch axes by more than 9 deg",
)
def TB6(sidewinding: xr.Dataset) -> Verdict:
    """from the straight posture, each axis waits at zero until its reference first comes within 3 deg of it"""
    spacing = 1e-4
    times = np.arange(0.0, 2 * PERIOD, spacing)
    sampled = np.rint(sidewinding.time.sel(time=slice(None, 2 * PERIOD - 2 * spacing)).values / spacing).astype(int)
    gap, releases = 0.0, []
    for k, (joint, name) in enumerate(zip(sidewinding.link_behind.values, sidewinding.joint_axis.values, strict=True)):
        rule, release = soft_start_rule(times, int(joint), str(name))
        found = sidewinding.joint_reference.isel(joint=k).values[: sampled.size]
        # At the sample of a release, either side of the jump is right.
        clear = np.abs(times[sampled] - release) > 1.5 * spacing
        gap = max(gap, float(np.abs(found - rule[sampled])[clear].max()))
        releases.append(release)
    straight = float(np.abs(sidewinding.joint_angle.isel(time=0)).max())
    swing = np.abs(sidewinding.joint_angle.sel(time=slice(PERIOD, None))).max("time")
    yaw, pitch = (float(swing[sidewinding.joint_axis.values == name].min()) for name in ("yaw", "pitch"))
    good = gap < 1e-3 and straight == 0.0 and yaw > radians(27) and pitch > radians(9)
    return verdict(
        good,
        reference_gap_rad=gap,
        first_bend_rad=straight,
        axes_that_wait=sum(release > 0 for release in releases),
        last_release_s=max(releases),
        least_yaw_swing_deg=float(np.degrees(yaw)),
        least_pitch_swing_deg=float(np.degrees(pitch)),
    )


def _seconds_per_second(name: str, duration: float = 4.5) -> float:
    """Computing time per simulated time at the paper's time step, without start-up [s/s]."""
    chosen = sidewinding_scenario() if name == "sidewinding" else undulating()
    rollout = chosen.with_changes(duration=duration, dt=PAPER_DT).rollout()
    begun = time.perf_counter()
    while not rollout.finished:
        rollout.advance()
    return (time.perf_counter() - begun) / duration


@claim(
    "VIII-E",
    tolerance="approximate: both more than 100 times faster than the paper's; reproduced: sidewinding costs more as "
    "well",
    recorded="approximate",
    reason="compiled code is hundreds of times faster, on other machines; but here the sidewinder, with few links on "
    "the ground at a time, costs less than the undulating robot",
)
def TB7() -> Verdict:
    """a simulated second of sidewinding costs 7.1 minutes, one of lateral undulation 1.3; sidewinding costs more
    because it is more complex, and compiled code would be much faster"""
    # The best of three, in turns, so that other work on the machine affects both equally.
    for name in PAPER_COST:
        _seconds_per_second(name, 0.1)  # compiles the kernels if necessary
    rounds = [{name: _seconds_per_second(name) for name in PAPER_COST} for _ in range(3)]
    ours = {name: min(each[name] for each in rounds) for name in PAPER_COST}
    faster = {name: PAPER_COST[name] / ours[name] for name in PAPER_COST}
    cost, fast = ours["sidewinding"] / ours["undulation"], min(faster.values()) > 100
    measured = {f"{name}_ms_per_s": 1e3 * seconds for name, seconds in ours.items()}
    measured |= {f"{name}_times_faster": ratio for name, ratio in faster.items()}
    return verdict(fast and cost > 1, fast, **measured, sidewinding_over_undulation=cost)


@claim(
    "VIII-E, VIII-F",
    tolerance="approximate: with all errors less than 0.98 of the distance and more than 5 deg further to the right; "
    "reproduced: each of errors 1, 2, 4, 5 moves the end more than each of 6, 7, 8 as well",
    recorded="approximate",
    reason="with all errors the robot gets less far and turns to the right, but free play does that alone: motors of 4 "
    "N m, the distance between the axes and the Stribeck effect each move its end less than the worn varnish does",
)
def TB8(sidewinding_errors: xr.Dataset) -> Verdict:
    """what the model leaves out explains why the real robot sidewinds less far and turns to the right; free play,
    saturated motors, the distance between the axes and the Stribeck effect matter most"""
    found, ends = error_effects(sidewinding_errors), way(sidewinding_errors)[:, :2]
    place = {name: k for k, name in enumerate(SOURCES)}
    distance, turn = found["distance [m]"], found["body turned right [deg]"]
    none, together = place["none"], place["all of these"]
    moved = {name: float(np.linalg.norm(ends[k] - ends[none])) for name, k in place.items()}
    explained = distance[together] < 0.98 * distance[none] and turn[together] > turn[none] + 5.0
    ordered = min(moved[name] for name in FOREMOST) > max(moved[name] for name in MINOR)
    return verdict(
        explained and ordered,
        explained,
        distance_without_m=distance[none],
        distance_with_all_m=distance[together],
        turned_right_without_deg=turn[none],
        turned_right_with_all_deg=turn[together],
        **{f"end_moved_by_{name[0]}_cm": 100 * moved[name] for name in (*FOREMOST, *MINOR)},
    )


@claim(
    "VIII-F, 3",
    tolerance="reproduced: each of four plausible shells moves the end of the path more than each of errors 6, 7, 8; "
    "approximate: some of them do",
    recorded="approximate",
    reason="the shape of the exoskeleton is not printed: a shell as long as the link and one with sharp edges move the "
    "end by more than 10 cm, which of the other errors only free play does, but one with round edges by less than 4 cm",
)
def TB10(sidewinding_shells: xr.Dataset) -> Verdict:
    """the shape of the exoskeleton, which the model simplifies, is one of the things that matter most in sidewinding"""
    moved = shell_effects(sidewinding_shells)["end moved by [cm]"]
    shells, minor = moved[1 : len(SHELLS)], float(moved[len(SHELLS) :].max())
    names = [f"end_moved_{name.replace(',', '').replace(' ', '_')}_cm" for name in list(SHELLS)[1:]]
    found = dict(zip(names, shells, strict=True))
    return verdict(bool((shells > minor).all()), bool(shells.max() > minor), most_by_errors_6_7_8_cm=minor, **found)


def block_on_slope(coefficient: float, share: float, speed: float = 0.0) -> World:
    """A brick lying flat on a slope of `share` times the friction angle, pushed across the slope [m/s]."""
    mass, length, width = 1.0, 0.2, 0.1
    across = mass * (length**2 + width**2) / 12
    brick = SpatialLink(
        length=length, mass=mass, inertia=(mass * width**2 / 6, across, across), radius=width / 2, shape="square"
    )
    slope = share * atan(coefficient)
    ground = Ground(friction=Isotropic(coefficient), slope=slope)
    # The slope rises along x; turning by -slope about y lays the brick on it, then it is turned on the slope by 0.3.
    tilt, turn = (cos(slope / 2), -sin(slope / 2)), (cos(0.15), sin(0.15))
    orientation = (tilt[0] * turn[0], tilt[1] * turn[1], tilt[1] * turn[0], tilt[0] * turn[1])
    start = SpatialStart(orientation=orientation, velocity=(0.0, speed, 0.0))
    return World(SpatialRobot(links=(brick,), joints=()), Environment(ground=ground), ConstantTorque(torque=()), start)


@claim(
    "V-B.2",
    tolerance="slower than 1e-12 m/s at 0.999 of the friction angle; when sliding, friction within 5e-6 (over mu N) of "
    "opposite to the slip; at time steps of 0.25, 1 and 2 ms",
)
def TB9() -> Verdict:
    """set-valued friction has a true stick phase, and isotropic friction is opposite to the sliding velocity"""
    # A brick a thousandth below and half above the friction angle, the second pushed off sideways at 1 m/s.
    found = [_brick(dt) for dt in (2.5e-4, 1e-3, 2e-3)]
    rest, stray = (max(values) for values in zip(*found, strict=True))
    # The solver's tolerance, as a velocity, is 1e-6 g dt; friction has mu g dt to give.
    good = rest < 1e-12 and stray < 1e-6 / BRICK_FRICTION
    return verdict(good, resting_speed_m_per_s=rest, force_off_opposite=stray)


def _brick(dt: float) -> tuple[float, float]:
    """Speed of the resting brick after 1 s [m/s], and largest relative error of the sliding one's friction.

    The error is the distance from -mu N v/|v|, divided by mu N.
    """
    from pushpoint.simulation.simulate import simulate

    share = 1.5
    worlds = [block_on_slope(BRICK_FRICTION, 0.999), block_on_slope(BRICK_FRICTION, share, 1.0)]
    settings, record = Settings(dt=dt, tolerance=1e-6), Record(rate=1 / dt)
    runs = simulate(worlds, duration=1.0, settings=settings, record=record).isel(link=0)
    resting, sliding = (runs.isel(world=w) for w in range(2))
    slope = share * atan(BRICK_FRICTION)
    normal = np.array([-sin(slope), 0.0, cos(slope)])
    force, velocity = sliding.ground_force.values[1:], sliding.link_velocity.values[1:]
    pressing = (force @ normal)[:, None]
    opposite = -BRICK_FRICTION * pressing * velocity / np.linalg.norm(velocity, axis=1, keepdims=True)
    aside = np.linalg.norm(force - pressing * normal - opposite, axis=1) / (BRICK_FRICTION * pressing[:, 0])
    return float(np.linalg.norm(resting.link_velocity[-1])), float(aside.max())


UNDULATION, SIDEWINDING = f"{PAPER}/lateral-undulation", f"{PAPER}/sidewinding"
LEFT_OUT = {"with what the model leaves out (TB8)": f"{SIDEWINDING}-realistic"}
WHOLE = "the body at the start and after 15 s"

FIGURES: Figures = (
    ("fig-6", "As Fig. 6", "TB1",
     "Path of the middle link with orthotropic friction; simulated in the paper as well.",
     scenes_shown(f"{UNDULATION}-orthotropic", PATH, COUNTED,
                  scene(WHOLE, f"{UNDULATION}-orthotropic", times=(0.0, 15.0), link=5))),
    ("fig-7", "As Fig. 7", "TB2", f"Position of the middle link with isotropic friction. {SIMULATION_ONLY}",
     positions_shown(f"{UNDULATION}-isotropic", 5, COUNTED, {"simulated": f"{UNDULATION}-isotropic"})),
    ("speed-over-friction", "VIII-D", "TB3", IN_WORDS, sweep_shown(f"{PAPER}/speed-over-friction")),
    ("fig-8", "As Fig. 8", "TB6", "Postures during the soft start.",
     scenes_shown(SIDEWINDING, "start-up, seen from above", "", *(
         scene(f"{time:g} s", SIDEWINDING, times=(time,), until=2.6) for time in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
     ), columns=2)),
    ("fig-9", "As Fig. 9", "TB4", f"Sidewinding at 0, 5, 10 and 15 s; pale links are lifted. {SIMULATION_ONLY}",
     shown("course", SIDEWINDING, times=(0.0, 5.0, 10.0, 15.0))),
    ("fig-10", "As Fig. 10", "TB4 TB8",
     "Path of the middle link; where the paper draws the real robot, ours is a model with the errors of TB8.",
     scenes_shown(SIDEWINDING, PATH, COUNTED,
                  scene(WHOLE, SIDEWINDING, LEFT_OUT, times=(0.0, 15.0), link=5, label="the model"))),
    ("fig-11", "As Fig. 11", "TB4 TB8", "The same over time. Both curves are simulated.",
     positions_shown(SIDEWINDING, 5, COUNTED, {"the model": SIDEWINDING} | LEFT_OUT)),
    ("contacts", "VIII-E", "TB5",
     "Which links the ground carries while the robot sidewinds; the paper has no such figure.",
     shown("contacts", SIDEWINDING)),
    ("effects", "VIII-F", "TB8",
     "What each source of error does to distance and heading; the paper discusses it in words.",
     sweep_shown(f"{SIDEWINDING}-errors")),
    ("shells", "VIII-F, 3", "TB10",
     "What other shells around the links do; the paper names the exoskeleton and does not model it.",
     sweep_shown(f"{SIDEWINDING}-shells")),
)  # fmt: skip
