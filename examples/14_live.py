# %% [markdown]
# # A robot that is changed while it moves
#
# What does a snake robot do if somebody moves a peg in front of it, speeds up its wave or pushes its tail? A live
# simulation goes on while its world is changed, and it remembers every change.
#
# **You will see** a robot whose gait and course change on the way, the way back in time, and a scenario file that
# repeats all of it bit for bit.

# %%
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp

# %% [markdown]
# ## Begin
#
# A live simulation needs a world. It advances by as many time steps as you say.

# %%
scenario = pp.scenario("transeth2008a/obstacle-aided")
live = pp.Live(
    scenario.world, settings=scenario.settings, name="changed-on-the-way"
)
live.advance(3000)
print(f"after {live.time:g} s it moves at {100 * live.look().speed:.0f} cm/s")

# %% [markdown]
# ## Change the gait
#
# A faster wave: plainly put in place of the other, its references would jump by 63 degrees. The gait goes on in phase,
# and what is left of the difference fades within half a second.

# %%
gait = live.world.controller
live.change(controller=replace(gait, angular_frequency=np.radians(115.0)))
live.advance(1500)
print(f"with a faster wave: {100 * live.look().speed:.0f} cm/s")

# %% [markdown]
# ## Change the course
#
# A peg moves aside. One in the robot's way is refused, and nothing changes.

# %%
course = live.world.environment
pegs = list(course.obstacles)
pegs[-1] = replace(pegs[-1], y=pegs[-1].y + 0.3)
live.change(environment=replace(course, obstacles=pegs))
x, y = live.look().center_of_mass
try:
    onto = [*pegs, pp.Peg(x=x, y=y, radius=0.1)]
    live.change(environment=replace(course, obstacles=onto))
except pp.errors.EditOverlap as error:
    print(f"refused: link {error.link} is where obstacle {error.obstacle} would be")

# %% [markdown]
# ## Push a link
#
# The tail is pushed to the left for a fifth of a second.

# %%
live.push(0, (0.0, 100.0), duration=0.2)
live.advance(500)
print(
    f"{len(live.edits)} changes so far: {[type(edit).__name__ for edit in live.edits]}"
)

# %% [markdown]
# ## Back, and another way
#
# Half a second ago the tail was pushed. What if it was not? Going back drops what came later.

# %%
pushed = live.look().link_position[0]
then = live.state
live.go_to(live.time - 0.5)
live.advance(500)
apart = np.hypot(*(live.look().link_position[0] - pushed)[:2])
print(f"without the push the tail is {1000 * apart:.1f} mm elsewhere")
live.restore(then)

# %% [markdown]
# ## Keep it
#
# The run is a Dataset like every other. Its description has the changes, so that a scenario file repeats it.

# %%
run = live.dataset()
file = pp.write_scenario(pp.scenario_of(run), "out/changed-on-the-way.yaml")
again = pp.scenario(file).run()
print("the same bits:", bool((again.joint_torque == run.joint_torque).all()))

figure, axes = plt.subplots(figsize=(6.0, 2.8), layout="constrained")
axes.plot(
    run.time, np.degrees(run.joint_reference.isel(joint=5)), label="reference"
)
axes.plot(run.time, np.degrees(run.joint_angle.isel(joint=5)), label="angle")
for edit in live.edits:
    axes.axvline(edit.step * live.settings.dt, color="0.6", linewidth=0.8)
axes.set(xlabel="time [s]", ylabel="joint 5 [deg]", xlim=(2.0, live.time))
axes.legend(frameon=False)
print("wrote", pp.plots.save_figure(figure, "out/live.png"))
live.close()

# %% [markdown]
# ## Try next
#
# - Put the faster wave in place with `over=0` and look at `joint_torque`.
# - Switch the motors off with `live.change(controller=None)`, and on again.
# - All about it: [change a running simulation](../how-to/change-a-running-simulation.md).
