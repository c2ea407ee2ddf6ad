# %% [markdown]
# # A first slither
#
# A published robot lies on a floor that grips sideways and lets it glide forward, as a snake's scales do. A wave runs
# along its body from head to tail, and the robot moves.
#
# **You will see** how a robot, a floor and a gait become a run, how to ask the run for numbers with units, and a
# picture of it.

# %%
import numpy as np

import pushpoint as pp

robot = pp.catalogue.aiko_planar()
print(
    f"{robot.n_links} links, {robot.length:.2f} m long, {robot.mass:.1f} kg; from "
    f"{robot.source}"
)
print("published robots:", *pp.catalogue.ROBOTS)

# %% [markdown]
# ## The floor and the gait
#
# `Skin` has three friction coefficients: sliding forward, backward and across. Angles are in radians, everything else
# in SI units. The phase shift is negative: each joint does what the joint in front of it did a moment before, so the
# wave runs from the head to the tail.

# %%
floor = pp.Ground(friction=pp.Skin(forward=0.1, backward=0.3, across=0.5))
gait = pp.gaits.LateralUndulation(
    amplitude=np.radians(40),
    angular_frequency=np.radians(80),
    phase_shift=np.radians(-50),
)

# %% [markdown]
# ## Nine seconds
#
# They are two periods of the gait. The result is an `xarray.Dataset`; each variable knows its unit.

# %%
run = pp.simulate(robot, pp.Environment(ground=floor), gait, duration=9.0)

# Of the centre of mass, over whole periods [m/s]
forward, left = pp.measures.mean_velocity(run).values
print(
    f"mean velocity: {100 * forward:.1f} cm/s forward, {100 * abs(left):.1f} cm/s "
    "sideways"
)
print(f"largest motor torque: {float(abs(run.joint_torque).max()):.2f} N m")
print(
    f"cost of transport: {float(pp.measures.cost_of_transport(run)):.2f} (motor "
    "work per weight and distance)"
)

# %%
head = run.link_position.isel(link=-1)  # the last link is the head, link 0 the tail
print(
    f"the head went from x = {float(head[0, 0]):.2f} to {float(head[-1, 0]):.2f} "
    f"{head.attrs['units']}"
)
print(run.joint_torque.attrs)

# %% [markdown]
# These are all the variables of the run. Forces and torques are means over the recording interval, 10 ms.

# %%
print(*run.data_vars)

# %% [markdown]
# ## Look at it
#
# Four moments of the run, and below them how far the centre of mass came over time. The floor is bare, so there are no
# contact forces to draw.

# %%
pp.plots.course(run)

# %% [markdown]
# ## Keep it
#
# The file opens in any program that reads NetCDF, and `pp.load("out/first_slither.nc")` gives the same Dataset back.

# %%
print("wrote", pp.save(run, "out/first_slither.nc"))
print("wrote", pp.plots.save_figure(pp.plots.course(run), "out/first_slither.png"))

# %% [markdown]
# ## Try next
#
# - Change the sign of `phase_shift`: which way does the robot go?
# - Replace the floor by `pp.Isotropic(0.2)`, which rubs the same in every direction. Why does the robot hardly move?
# - [Your own robot and course](02-your-own-robot-and-course.ipynb) is the next tutorial.
#
# How the floor's friction is modelled stands in [the planar model](../theory/planar.md); how to choose a wave in
# [tuning a gait](../how-to/tune-a-gait.md).
