# %% [markdown]
# # Force mapping
#
# Among pegs a robot can decide how hard to push on which one. A path is planned through a field of pegs and judged
# position by position beforehand. Then the robot drives along it by joint torques that a quadratic program finds 100
# times per second.
#
# **You will see** a random field, a plan and what it is worth, the drive, and the same path driven by plain servos.

# %%
from dataclasses import replace

import numpy as np

import pushpoint as pp

# %% [markdown]
# ## A field of pegs
#
# The tail begins at one end and the head must arrive at the other. The floor rubs the same in every direction:
# without pegs there is no way to get on. The motors have a torque limit and no servo; they do what torques they are
# told.

# %%
link = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
robot = pp.PlanarRobot.uniform(15, link, pp.Motor(torque_limit=4.0))
ends = (0.0, 0.0), (2.5, 0.0)  # the tail at first, the head at last [m]
area = pp.courses.Rectangle(x=(-0.3, 2.8), y=(-0.9, 0.9))
free = [pp.courses.Disc(x=x, y=y, radius=0.04) for x, y in ends]
pegs = pp.planning.peg_field(
    spacing=0.22, area=area, seed=1, friction=0.1, keep_out=free
)
field = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3)), obstacles=pegs)
print(f"{len(pegs)} pegs, none closer than 0.22 m to another")

# %% [markdown]
# ## The plan
#
# At every position of the robot along the path it is asked: can these pegs push the body on, within the torque limit?
# A position where they cannot is bad. `flaws` says in words what is wrong with a plan; this one has none.

# %%
plan = pp.planning.plan_path(robot, field, *ends)
print(
    f"planned: {plan.planned}; bad positions: {plan.bad:.0%}; flaws: {plan.flaws}"
)
print(
    f"{plan.path.length:.2f} m long, led along {len(plan.touches)} pegs, joints up "
    f"to {np.degrees(plan.bend):.0f} deg"
)
pp.plots.quality_along_path(plan.quality, plan.path, pegs, 4.0, name="the plan")

# %% [markdown]
# ## The drive
#
# The body travels the path's length less its own, at 0.1 m/s.

# %%
mapping = pp.control.ForceMappingController(path=plan.path, speed=0.1)
# The way, and 2 s to arrive [s]
duration = round((plan.path.length - robot.length) / 0.1 + 2.0, 1)
run = pp.simulate(pp.World(robot, field, mapping, mapping.start(robot)), duration)


def how_it_went(run) -> str:
    """How near the head came to the goal, and with which pushes and torques."""
    center, angle = (
        run.link_position.isel(time=-1, link=-1).values,
        float(run.link_angle.isel(time=-1, link=-1)),
    )
    tip = center + 0.05 * np.array([np.cos(angle), np.sin(angle)])
    left = float(np.hypot(*(tip - ends[1])))
    pushed = int((run.obstacle_load.max("time") > 0.1).sum())
    squared = float((run.joint_torque**2).sum("joint").mean())
    return (
        f"head {100 * left:.1f} cm from the goal after {duration} s; {pushed} pegs "
        "pushed, up to "
        f"{float(run.obstacle_load.max()):.0f} N; mean sum of squared torques "
        f"{squared:.2f} (N m)^2"
    )


print("force mapping:", how_it_went(run))

# %% [markdown]
# The lower panel shows that it stood still for two seconds on the way, before it got on.

# %%
pp.plots.course(run)

# %% [markdown]
# ## Beside servos
#
# Shape propagation sends the joint angles of a virtual robot on the same path to servos that know nothing of pegs.

# %%
# Tuned in benchmarks/pegs/trials.py.
servos = pp.Motor(stiffness=80.0, damping=4.0, torque_limit=4.0)
stiff = replace(robot, motors=servos)
follow = pp.control.ShapePropagation(path=plan.path, speed=0.1)
servo_run = pp.simulate(
    pp.World(stiff, field, follow, follow.start(stiff)), duration
)
print("force mapping:", how_it_went(run))
print("servos:       ", how_it_went(servo_run))

# %% [markdown]
# One drive says little. On hundreds of them the mapping arrives more often and with less torque, and both have their
# limits. The figures, and the theory, are in [force
# mapping](../theory/force-mapping.md#11-compared-with-plain-servos).
#
# ## Try next
#
# - Take other seeds, or a wider `spacing`. When does `plan.flaws` speak?
# - `pushpoint run pegs/planned-path` does all this from the command line, and `holden2014/program-as-printed` shows
#   why the paper's own program does not drive; [stability](../theory/force-mapping-stability.md) says what cures it.
# - A robot that does not know the pegs can [feel its way](07-feeling-the-way.ipynb).
