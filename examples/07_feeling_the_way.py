# %% [markdown]
# # Feeling the way
#
# A robot that does not know the obstacles can move through them by touch. It follows its head until it is jammed,
# feels where the pegs push, and turns its links so that they push it on. The paper is Liljeback2011 (P. Liljebäck, K.
# Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl, *Experimental Investigation of Obstacle-Aided Locomotion with a Snake
# Robot*, IEEE Transactions on Robotics 27 (4), 2011).
#
# **You will see** three controllers on one course: without touch, with jams resolved as they come, and with resolution
# all the time; then a small comparison on random courses.

# %%
import matplotlib.pyplot as plt

import pushpoint as pp
from pushpoint.studies.comparison import ControllerComparison, compare
from pushpoint.studies.controllers import controller_of
from pushpoint.studies.places import random_place

# %% [markdown]
# ## Three controllers
#
# The first environment of the paper has five pegs. *Leader-following* alone sends the head to and fro, and every joint
# repeats what the joint in front of it did. The *hybrid* controller adds jam detection and jam resolution. The
# *continuous* one is ours: a wave that never stops, and the reflex on top of it at every command.

# %%
names = {
    "leader-following": "liljeback2011/environment-1-leader-follower",
    "hybrid": "liljeback2011/environment-1",
    "continuous": "liljeback2011/environment-1-continuous",
}
runs = {
    label: pp.scenario(name).with_changes(duration=60.0).run()
    for label, name in names.items()
}
for label, run in runs.items():
    head = run.link_position.isel(link=-1).sel(axis="x")
    touched = int((run.obstacle_load.max("time") > 0.1).sum())
    way, hardest = float(head[-1] - head[0]), float(run.obstacle_load.max())
    print(
        f"{label:16} head {way:.2f} m further after 60 s; {touched} of 5 pegs "
        f"touched, with up to {hardest:.0f} N"
    )

# %%
figure, axes = plt.subplots(figsize=(7.2, 2.6), layout="constrained")
for label, run in runs.items():
    head = run.link_position.isel(link=-1).sel(axis="x")
    axes.plot(run.time, head - head[0], label=label)
axes.set(xlabel="time [s]", ylabel="way of the head along x [m]")
axes.legend(frameon=False)
print("wrote", pp.plots.save_figure(figure, "out/three_controllers.png"))

# %% [markdown]
# Without jam resolution the robot is soon stuck. Here is how the hybrid one goes.

# %%
pp.plots.course(runs["hybrid"])

# %% [markdown]
# ## What the hybrid controller did
#
# A result of a controller with modes tells which was active. A jam is a joint off its reference by more than an angle;
# if it lasts, it is resolved for a moment with the forces felt when the resolution began.

# %%
mode = runs["hybrid"].controller_mode
meanings = mode.attrs["flag_meanings"].split()
for number, meaning in enumerate(meanings):
    print(f"{meaning:18} {float((mode == number).mean()):4.0%} of the time")
resolving = mode == meanings.index("jam-resolution")
begun = int((resolving & ~resolving.shift(time=1, fill_value=False)).sum())
print(f"{begun} jams were resolved")
pp.plots.modes(runs["hybrid"])

# %% [markdown]
# ## On random courses
#
# Motion is chaotic after the first touches, so single runs mean little. A comparison takes controllers through the
# same courses. Passed means that the head came 0.7 m further, half of the robot's length. Four courses and 60 s are
# far too few for a verdict; they show how it is done.

# %%
asked = ControllerComparison(
    controllers={name: controller_of(name) for name in ("continuous", "hybrid")},
    places=[random_place(seed) for seed in range(4)],
    duration=60.0,
)
found = compare(asked)
for name in asked.controllers:
    told = found.summary(name)
    low, high = told["success_95"]
    print(
        f"{name:10} passed {told['passed']} of {told['trials']}; 95 % interval of "
        f"its success: {low:.2f} to {high:.2f}"
    )

# %% [markdown]
# ## Try next
#
# - `pushpoint compare continuous hybrid --courses 20 --seed 1000` does the same in earnest; of 100 courses that it was
#   not tuned on, the continuous controller passes 65 and the hybrid one 7 with the paper's parameters
#   ([results](../theory/touch.md#8-results-on-courses-never-seen)).
# - `pushpoint run liljeback2011/environment-3` is the course on which the hybrid controller, as reconstructed, stops.
# - Theory and tuning are in [feeling the way](../theory/touch.md), and what differs from the paper in
#   [deviations](../proof/deviations.md#liljeback2011).
# - [Many worlds](08-many-worlds.ipynb) is the next tutorial.
