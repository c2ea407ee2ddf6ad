"""Shape curves.

Draw where the body shall be, as points in space, and get joint references for your robot, without a thought of joint
angles. Here one cycle of a wave is drawn from above, and beside it how high the body is at each point. What is lifted
does not rub: where in the wave that is decides where the robot goes.
"""

from dataclasses import replace

import numpy as np

import pushpoint as pp
from pushpoint import planning
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.interchange.joint_references import joint_references, limit_violations, write_csv

X = [0, 12, 24, 36, 48, 60, 72, 84, 96]  # forward [cm]; the next cycle begins where this one ends
Y = [0, 17, 24, 17, 0, -17, -24, -17, 0]  # to the left
HEIGHTS = {
    "nowhere": [0, 0, 0, 0, 0, 0, 0, 0, 0],
    "where the wave goes to the left": [6, 5, 3, 1, 0, 1, 3, 5, 6],
    "where it goes to the right": [0, 1, 3, 5, 6, 5, 3, 1, 0],
}

robot = pp.catalogue.liljeback2014()
floor = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.5)))


def follower(heights: list[int]) -> ShapeCurveFollower:
    """Sends the joint angles of a virtual robot that runs along the drawn curve at 0.5 m/s, 30 times a second."""
    segment = planning.segment_from_points(np.array([X, Y, heights]).T / 100, "drawn by hand")
    return ShapeCurveFollower(motion=planning.AlongCurve(segment=segment, speed=0.5))


print(f"{robot.name}: {robot.n_links} links, {robot.n_joints} joints, {robot.length:.2f} m")
worlds = [pp.World(robot, floor, follower(heights)) for heights in HEIGHTS.values()]
runs = pp.simulate(worlds, duration=9.0, settings=pp.Settings(dt=1 / 1200))  # whole steps between commands
for w, where in enumerate(HEIGHTS):
    moved = runs.center_of_mass[w, -1] - runs.center_of_mass[w, 0]
    print(f"lifted {where}: {float(moved[0]):+.2f} m ahead, {float(moved[1]):+.2f} m to the left")

# The same drawing for another robot, a real one with limits, to be played on its motors.
other, chosen = pp.catalogue.yaw_pitch_16(), follower(HEIGHTS["where the wave goes to the left"])
for speed in (2.0, 0.5):
    paced = replace(chosen, motion=replace(chosen.motion, speed=speed))
    references = joint_references(paced, other, duration=9.0, rate=50.0)
    beyond = limit_violations(references, other)
    largest = np.degrees(np.abs(references.angles).max())
    print(f"{other.name} at {speed} m/s: joints up to {largest:.0f} deg, {len(beyond)} limits violated")
print("wrote", write_csv(references, "out/shape_curves.csv"))

figure = pp.plots.motion(chosen, robot, duration=9.0, times=(0, 4.5, 9), run=runs.isel(world=1), title="drawn by hand")
print("wrote", pp.plots.save_figure(figure, "out/shape_curves.png"))
