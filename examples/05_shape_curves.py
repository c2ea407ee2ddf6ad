# %% [markdown]
# # Shape curves
#
# Draw where the body should be, as points in space, without a thought of joint angles. A curve runs through the points,
# a virtual robot lies along it, and its joint angles are the references of the real one. It works for any robot of
# yaw, pitch or cardan joints.
#
# **You will see** one cycle of a wave drawn by hand, what lifting does to it, how to steer, and references for the
# motors of a real robot.

# %%
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp

# %% [markdown]
# ## Draw a cycle
#
# The wave is drawn from above, and beside it how high the body is at each point. What is lifted does not rub: where in
# the wave that is decides where the robot goes. The next cycle begins where this one ends.

# %%
X = [0, 12, 24, 36, 48, 60, 72, 84, 96]  # forward [cm]
Y = [0, 17, 24, 17, 0, -17, -24, -17, 0]  # to the left
HEIGHTS = {
    "nowhere": [0, 0, 0, 0, 0, 0, 0, 0, 0],
    "where the wave goes to the left": [6, 5, 3, 1, 0, 1, 3, 5, 6],
    "where it goes to the right": [0, 1, 3, 5, 6, 5, 3, 1, 0],
}


def follower(heights: list[int]) -> pp.control.ShapeCurveFollower:
    """Follows the drawn curve at 0.5 m/s, with 30 commands per second."""
    segment = pp.planning.segment_from_points(
        np.array([X, Y, heights]).T / 100, "drawn by hand"
    )
    return pp.control.ShapeCurveFollower(
        motion=pp.planning.AlongCurve(segment=segment, speed=0.5)
    )


# %% [markdown]
# ## Let it go
#
# Whole time steps fit between two commands: 1200 steps and 30 commands per second.

# %%
robot = pp.catalogue.liljeback2014()
print(
    f"{robot.name}: {robot.n_links} links, {robot.n_joints} joints, "
    f"{robot.length:.2f} m"
)
floor = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.5)))
worlds = [pp.World(robot, floor, follower(heights)) for heights in HEIGHTS.values()]
runs = pp.simulate(worlds, duration=9.0, settings=pp.Settings(dt=1 / 1200))
for w, where in enumerate(HEIGHTS):
    moved = runs.center_of_mass[w, -1] - runs.center_of_mass[w, 0]
    print(
        f"lifted {where}: {float(moved[0]):+.2f} m ahead, {float(moved[1]):+.2f} m "
        "to the left"
    )

# %% [markdown]
# The picture has the drawn points, the curve with the virtual robot along it, and the simulated robot, for the second
# drawing.

# %%
chosen = follower(HEIGHTS["where the wave goes to the left"])
pp.plots.motion(
    chosen,
    robot,
    duration=9.0,
    times=(0, 4.5, 9),
    run=runs.isel(world=1),
    title="drawn by hand",
)

# %% [markdown]
# ## Steer it
#
# The points that come next can be turned. Two robots are turned from 3 s to 9 s by 22.5 degrees per second, 135
# degrees in all. What is printed is the direction of travel over each three seconds, from the x axis. Open loop, a
# robot turns by much less than its curve does.
#
# The last robot follows a `smooth` curve through the same points; the usual one is monotone between neighbours, as in
# the paper. The curve's shape alone moves the direction of travel by some degrees.

# %%
left, right = (
    pp.control.TurnSchedule(until=(3.0, 9.0), rates=(0.0, np.radians(rate)))
    for rate in (22.5, -22.5)
)
followers = {
    "not steered": chosen,
    "turned left": replace(chosen, steering=left),
    "turned right": replace(chosen, steering=right),
    "smooth curve": replace(chosen, motion=replace(chosen.motion, curve="smooth")),
}
worlds = [pp.World(robot, floor, each) for each in followers.values()]
steered = pp.simulate(worlds, duration=15.0, settings=pp.Settings(dt=1 / 1200))
for w, name in enumerate(followers):
    places = [
        steered.center_of_mass[w].sel(time=t, axis=["x", "y"]).values
        for t in range(0, 16, 3)
    ]
    directions = [
        f"{np.degrees(np.arctan2(way[1], way[0])):4.0f}"
        for way in np.diff(places, axis=0)
    ]
    print(f"{name:12} going toward", *directions, "deg")

# %%
figure, axes = plt.subplots(figsize=(5.0, 4.0), layout="constrained")
for w, name in enumerate(followers):
    axes.plot(*steered.center_of_mass[w].sel(axis=["x", "y"]).values.T, label=name)
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
axes.legend(frameon=False)
print("wrote", pp.plots.save_figure(figure, "out/steered.png"))

# %% [markdown]
# ## For a real robot
#
# The same drawing for another robot with limits on its joints, as references to be played on its motors. 2 m/s is too
# fast for it; the check says so before anything breaks.

# %%
other = pp.catalogue.yaw_pitch_16()
for speed in (2.0, 0.5):
    paced = replace(chosen, motion=replace(chosen.motion, speed=speed))
    references = pp.interchange.joint_references(
        paced, other, duration=9.0, rate=50.0
    )
    beyond = pp.interchange.limit_violations(references, other)
    largest = np.degrees(np.abs(references.angles).max())
    print(
        f"{other.name} at {speed} m/s: joints up to {largest:.0f} deg, "
        f"{len(beyond)} limits violated"
    )
file = pp.interchange.write_csv(references, "out/shape_curves.csv")
print(file.read_text(encoding="utf-8").splitlines()[0][:60], "...")

# %% [markdown]
# ## Try next
#
# - The drawing as a file is `examples/shape_curve.yaml`: `pushpoint run examples/shape_curve.yaml`.
# - Lift other parts of the wave. Can you make the robot go straight ahead?
# - A `pp.control.HeadingController` steers by where the robot really goes: `pushpoint run
#   liljeback2014/sidewinding-closed-loop`.
# - `pushpoint run liljeback2014/stairs` draws a body down a staircase, `liljeback2014/pipe` one around a pole.
# - Theory and limits are in [shape curves](../theory/shape-curves.md), hardware in [export to
#   hardware](../how-to/export-to-hardware.md). [Force mapping](06-force-mapping.ipynb) is the next tutorial.
