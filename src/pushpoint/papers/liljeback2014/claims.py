"""What Liljeback2014 claims about its motion planning and how each claim is measured; its figures, from our runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint import plots
from pushpoint.papers.writing import Figures, Material, claim, shown, sweep_shown, verdict
from pushpoint.scenarios.claim import Verdict
from pushpoint.simulation.provenance import experiment_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from pushpoint.planning.curves.alignment import Alignment
    from pushpoint.planning.curves.curve import ShapeCurve
    from pushpoint.scenarios.scenario import Scenario

PAPER = "liljeback2014"
LINK = 0.08
"""Length of its robot's links [m]."""
STAIR_RMS = 0.15
"""How far the robot may be from the virtual one on the stairs, rms [m]."""
LOOK_AHEADS = (1.0, 1.25, 1.5, 1.75, 2.0)
"""Look-ahead distances that the paper recommends, in links [-]."""
TOO_SHORT = (0.5, 0.75)
_C = np.sqrt(0.5)
TURNED = np.array([[_C, -_C, 0.0], [_C, _C, 0.0], [0.0, 0.0, 1.0]])
FRAMES = (np.eye(3), np.eye(3), TURNED, TURNED)
"""Frames of Example 5: the last two of four segments are turned by 45 deg."""


def built(name: str) -> Scenario:
    """A scenario of the paper, for checks that need no run."""
    from pushpoint.papers.registry import scenario

    return scenario(f"{PAPER}/{name}")


def cycle_directions(run: xr.Dataset, period: float) -> np.ndarray:
    """Direction of travel of the centre of mass in each whole cycle [rad]."""
    ends = np.arange(int(float(run.time[-1]) / period + 1e-6) + 1) * period
    places = run.center_of_mass.sel(time=ends, method="nearest").values
    way = np.diff(places, axis=0)
    return np.arctan2(way[:, 1], way[:, 0])


def cycle_velocity(run: xr.Dataset, period: float, skip: int = 1) -> np.ndarray:
    """Mean velocity over whole cycles after the first ones [m/s], shape (3,)."""
    count = int(float(run.time[-1]) / period + 1e-6)
    ends = np.array([skip, count]) * period
    places = run.center_of_mass.sel(time=ends, method="nearest")
    times = places.time.values
    return np.asarray((places.values[1] - places.values[0]) / (times[1] - times[0]))


def distance_from_curve(pose: Alignment, curve: ShapeCurve) -> np.ndarray:
    """How far the joints and ends of an aligned robot are from the curve [m], any leading dimensions."""
    from scipy.spatial import cKDTree

    near = cKDTree(curve.at(np.linspace(0.0, curve.end, 400 * int(curve.end) + 1)))
    return np.asarray(near.query(pose.joint_points)[0])


@claim(
    "III-D, Example 4, Fig. 4(b)",
    tolerance="every joint within 50 mm, half a link, of the curve, and the simulated joints within 0.1 deg of the "
    "aligned ones",
)
def LA1(alignment_6: xr.Dataset) -> Verdict:
    """a robot with N = 6 joints is aligned along a shape curve with a look-ahead of two links"""
    chosen = built("alignment-6")
    follower: Any = chosen.world.controller
    pose = follower.first_pose(chosen.world.robot)
    off = distance_from_curve(pose, follower.motion.drawn)
    held = np.abs(alignment_6.joint_angle.values[-1] - pose.joint_angles).max()
    return verdict(
        off.max() < 0.5 * 0.1 and held < np.radians(0.1),
        farthest_joint_mm=1e3 * off.max(),
        rms_mm=1e3 * np.sqrt((off**2).mean()),
        largest_angle_deg=np.degrees(np.abs(pose.joint_angles).max()),
        held_within_deg=np.degrees(held),
    )


@claim("III-E, Example 5, Fig. 4(c)", tolerance="directions of 0, 0, 45 and 45 deg, each within 1e-9 deg")
def LA2() -> Verdict:
    """of four copies of a segment the last two go 45 deg to the left once the shape frame is turned by 45 deg"""
    from pushpoint.planning.curves.segments import concatenated

    segment = built("segments").world.controller.motion.segment
    points = concatenated(segment, FRAMES)
    ways = np.diff(points[:: len(segment.steps)], axis=0)
    angles = np.degrees(np.arctan2(ways[:, 1], ways[:, 0]))
    good = np.abs(angles - [0.0, 0.0, 45.0, 45.0]).max() < 1e-9 and len(points) == 4 * len(segment.steps) + 1
    return verdict(good, **{f"cycle_{k + 1}_deg": angle for k, angle in enumerate(angles)})


def look_ahead_quality(links: float) -> dict[str, float]:
    """How well a robot fits the sidewinding curve with a look-ahead of this many links: distance and joint jumps."""
    from pushpoint.model.catalogue import liljeback2014
    from pushpoint.planning import ShapeCurve, align, concatenated, sidewinding

    robot = liljeback2014()
    segment = sidewinding(robot)
    curve = ShapeCurve(concatenated(segment, np.tile(np.eye(3), (4, 1, 1))))
    cycle = np.linspace(curve.arc_length(16.0), curve.arc_length(24.0), 401)
    pose = align(robot, curve, curve.at_arc_length(cycle), look_ahead=links * LINK, allow_overshoot=True)
    off = distance_from_curve(pose, curve)
    jump = np.degrees(np.diff(pose.joint_angles, axis=0))
    jump = np.abs((jump + 180.0) % 360.0 - 180.0).max()  # half a turn is the same in both directions
    return {"rms_mm": 1e3 * float(np.sqrt((off**2).mean())), "largest_jump_deg": float(jump)}


@claim(
    "III-D, Remark 3",
    tolerance="from 1 to 2 links rms below 40 mm, half a link, and no joint jumps by 10 deg; at 0.5 and 0.75 links a "
    "joint jumps by more than 45 deg",
)
def LA3() -> Verdict:
    """the alignment does well with a look-ahead between one and two links and overshoots below one"""
    # Below one link, joints jump as links reach beyond their reference points.
    good = {links: look_ahead_quality(links) for links in LOOK_AHEADS}
    short = {links: look_ahead_quality(links) for links in TOO_SHORT}
    holds = max(one["largest_jump_deg"] for one in good.values()) < 10.0
    holds = holds and max(one["rms_mm"] for one in good.values()) < 1e3 * LINK / 2
    breaks = min(one["largest_jump_deg"] for one in short.values()) > 45.0
    measured = {
        f"{name[: -len(unit) - 1]}_at_{links:g}_links_{unit}": one[name]
        for links, one in (good | short).items()
        for name, unit in (("rms_mm", "mm"), ("largest_jump_deg", "deg"))
    }
    return verdict(holds and breaks, **measured)


@claim(
    "IV-B, Figs 6, 7",
    tolerance="unsteered 0.28 to 0.38 m/s, of which more than 0.15 m/s along y; steering turns the last cycle by 10 to "
    "112.5 deg",
)
def LA4(sidewinding: xr.Dataset) -> Verdict:
    """the robot sidewinds, and turning the shape frame steers it counter-clockwise"""
    # More to the left, after the frame has turned, than the same robot without steering.
    from pushpoint.control.steering import STRAIGHT

    follower: Any = built("sidewinding").world.controller
    dt, period = experiment_of(sidewinding).settings.dt, follower.period
    unsteered = built("sidewinding").with_changes(controller=replace(follower, steering=STRAIGHT), dt=dt).run()
    before = cycle_velocity(unsteered, period)
    turn = np.degrees(cycle_directions(sidewinding, period)[-1] - cycle_directions(unsteered, period)[-1])
    good = before[1] > 0.15 and 0.28 < np.hypot(*before[:2]) < 0.38 and 10.0 < turn < 112.5
    return verdict(
        good,
        speed_m_per_s=np.hypot(*before[:2]),
        speed_along_y_m_per_s=before[1],
        turned_by_steering_deg=turn,
        frame_turned_deg=112.5,
    )


@claim("IV-C, Fig. 8", tolerance="faster than 0.2 m/s along -x, and slower than 0.02 m/s along y")
def LA5(vertical_wave: xr.Dataset) -> Verdict:
    """vertical waves of the body propel the robot"""
    velocity = cycle_velocity(vertical_wave, built("vertical-wave").world.controller.period)
    good = velocity[0] < -0.2 and abs(velocity[1]) < 0.02
    return verdict(good, speed_along_x_m_per_s=velocity[0], speed_along_y_m_per_s=velocity[1])


@claim("IV-D, Fig. 9", tolerance="0.18 to 0.30 m per turn along y, and less than a quarter of that along x")
def LA6(lateral_rolling: xr.Dataset) -> Verdict:
    """turning the bent body about its own curve rolls it sideways"""
    period = built("lateral-rolling").world.controller.period
    per_turn = cycle_velocity(lateral_rolling, period) * period
    good = 0.18 < per_turn[1] < 0.30 and abs(per_turn[0]) < 0.25 * per_turn[1]
    return verdict(good, per_turn_y_m=per_turn[1], per_turn_x_m=per_turn[0])


def off_virtual(run: xr.Dataset, chosen: Scenario) -> np.ndarray:
    """Distance of every link from its place in the virtual robot [m], shape (time, link)."""
    times, poses = chosen.world.controller.virtual(chosen.world.robot, chosen.duration)
    middles = (poses.joint_points[:, 1:] + poses.joint_points[:, :-1]) / 2
    sample = np.clip(np.searchsorted(times, run.time.values + 1e-9) - 1, 0, len(times) - 1)
    return np.asarray(np.linalg.norm(run.link_position.values - middles[sample], axis=-1))


@claim(
    "IV-E, Fig. 10", tolerance="rms distance of the links from the virtual robot below 0.15 m, and more than 0.6 m down"
)
def LA7(stairs: xr.Dataset) -> Verdict:
    """a staircase pattern propagated along the body makes the robot climb down a staircase"""
    rms = np.sqrt((off_virtual(stairs, built("stairs")) ** 2).mean())
    way = stairs.center_of_mass.values[-1] - stairs.center_of_mass.values[0]
    return verdict(rms < STAIR_RMS and way[2] < -0.6, rms_from_virtual_m=rms, down_m=-way[2], forward_m=way[0])


@claim(
    "III-E",
    tolerance="way 2: 0.25 to 0.40 m/s, of which more than 0.15 m/s along y; way 3 has its joint angles within 10 deg "
    "rms",
)
def LA8(moving_points: xr.Dataset) -> Verdict:
    """motion comes from moving along the curve, from moving its points, or from both"""
    # Way 2 travels like way 1; way 3, half the motion from each, has the same joint angles as way 2.
    from pushpoint.papers.liljeback2014.scenarios import SPEED, travelling_points

    chosen = built("moving-points")
    follower: Any = chosen.world.controller
    velocity = cycle_velocity(moving_points, follower.period)
    speed = np.hypot(*velocity[:2])
    half = replace(follower.motion, moving=travelling_points(SPEED / 2), speed=SPEED / 2)
    two, three = (each.virtual(chosen.world.robot, 1.0)[1] for each in (follower, replace(follower, motion=half)))
    apart = np.degrees(np.sqrt(((two.joint_angles - three.joint_angles) ** 2).mean()))
    good = velocity[1] > 0.15 and 0.25 < speed < 0.40 and apart < 10.0
    return verdict(good, speed_m_per_s=speed, speed_along_y_m_per_s=velocity[1], way_3_from_way_2_rms_deg=apart)


def _examples_4_and_5(material: Material) -> Figure:
    aligned, segment = built("alignment-6").world, built("segments").world.controller.motion.segment
    curve, pose = aligned.controller.motion.drawn, aligned.controller.first_pose(aligned.robot)
    return plots.concatenation(curve, pose, segment, list(FRAMES), title="Examples 4 and 5")


FIGURES: Figures = (
    ("fig-4", "As Fig. 4", "LA1 LA2",
     "A curve through four points, six joints aligned along it, and a segment repeated four times, the last two turned "
     "by 45°. The points of the paper's curve are not printed.",
     _examples_4_and_5),
    ("look-ahead", "Remark 3", "LA3",
     "Sidewinding over the look-ahead distance, with dynamics; the paper says it in words.",
     sweep_shown(f"{PAPER}/look-ahead")),
    ("fig-6", "As Figs 6 and 7", "LA4",
     "Sidewinding: segment, shape curve, path of the middle link, and the simulated robot; the paper's is simulated "
     "with ODE.",
     shown("shape", f"{PAPER}/sidewinding")),
    ("fig-8", "As Fig. 8", "LA5", "Vertical waves; the paper's is simulated.",
     shown("shape", f"{PAPER}/vertical-wave")),
    ("fig-9", "As Fig. 9", "LA6", "Lateral rolling; the paper's is simulated.",
     shown("shape", f"{PAPER}/lateral-rolling")),
    ("fig-10", "As Fig. 10", "LA7", "Down a staircase; the paper's is simulated.", shown("shape", f"{PAPER}/stairs")),
    ("iii-e", "III-E", "LA8",
     "Way 2: the points move, the robot stays where it is on the curve; the paper has no such figure.",
     shown("shape", f"{PAPER}/moving-points")),
)  # fmt: skip
