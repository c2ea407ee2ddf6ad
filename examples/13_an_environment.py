# %% [markdown]
# # An environment
#
# Robots that learn meet their task as a Gymnasium environment: an observation in, an action out, a reward for it.
#
# **You will see** what an observation and a reward are made of, 64 worlds that learn a wave by trial and error in a few
# seconds, and the result as a controller in an ordinary simulation. It needs the extra `learn`, but no library of
# neural networks; [Train a policy](../how-to/train-a-policy.md) goes on with these.

# %%
import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp
import pushpoint.envs  # registers the environments

# %% [markdown]
# ## One world
#
# In `pushpoint/Slither-v0` a snake robot lies on flat ground and is asked for a velocity. An action has four numbers
# from -1 to 1: amplitude, frequency, phase shift and bend of a travelling wave. Zeros are the wave in the middle of
# all.

# %%
env = gymnasium.make("pushpoint/Slither-v0", render_mode="rgb_array")
seen, info = env.reset(seed=1)
rows = env.unwrapped.rows
print(f"{len(rows)} rows: {', '.join(rows[:4])} ... {rows[-1]}")
print(f"asked: {info['asked_speed']:.2f} m/s at {info['asked_direction']:+.2f} rad")
for _ in range(100):
    seen, reward, terminated, truncated, info = env.step(np.zeros(4))
terms = ", ".join(f"{k} {v:+.4f}" for k, v in info["reward_terms"].items())
print(f"after 5 s: reward {reward:.3f} = {terms}")
print(f"the velocity is off by {info['velocity_error']:.2f} m/s")

# %%
plt.figure(figsize=(6.4, 3.6))
plt.imshow(env.render())
plt.axis("off")
plt.show()

# %% [markdown]
# ## Many worlds
#
# `make_vec` steps many worlds at once, in one process. Here every world tries five numbers of its own for ten seconds:
# a wave, and how much it bends to the left per velocity that is asked for to the left of the head. All are asked for
# 0.2 m/s straight ahead. After each round the next numbers are drawn around the best quarter: the cross-entropy
# method, the simplest way of learning.

# %%
envs = gymnasium.make_vec(
    "pushpoint/Slither-v0", 64, speed=(0.2, 0.2), direction=(0.0, 0.0)
)


def actions_of(numbers, seen):
    """A wave whose bend depends on the second row, asked_left."""
    action = numbers[:, :4].copy()
    action[:, 3] += numbers[:, 4] * seen[:, 1]
    return action


random = np.random.default_rng(0)
mean, spread = np.zeros(5), np.array([0.4, 0.4, 0.4, 0.4, 4.0])
for turn in range(8):
    tried = random.normal(mean, spread, (64, 5))
    seen, _ = envs.reset(seed=100 * turn)
    earned = np.zeros(64)
    for _ in range(200):
        seen, reward, *_ = envs.step(actions_of(tried, seen))
        earned += reward
    best = tried[np.argsort(earned)[-16:]]
    mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
    print(f"round {turn}: mean reward per step {earned.mean() / 200:.2f}")
print("wave", mean[:4].round(2), f"and {mean[4]:.1f} of bend per m/s")

# %% [markdown]
# ## What was learned, as a controller
#
# A policy is a small network, and these five numbers are one: a single linear layer. `policy_from` makes a controller
# of it. This one meets grounds on which it was never tried.

# %%
task = envs.unwrapped.task
weights = np.zeros((4, len(rows)))
weights[3, 1] = mean[4]
policy = pp.envs.policy_from(
    task, [(weights, mean[:4])], size=0.2, source="example 13"
)
for factor in (0.5, 1.0, 2.0):
    law = pp.Elliptic(along=0.1 * factor, across=0.5 * factor)
    ground = pp.Environment(ground=pp.Ground(friction=law))
    run = pp.simulate(pp.World(task.usual_robot, ground, policy), 10.0)
    vx, vy = pp.measures.mean_velocity(run).values
    print(f"friction x {factor}: {vx:.2f} m/s ahead, {vy:+.2f} m/s to the left")

# %% [markdown]
# ## Not two episodes alike
#
# What a robot meets outside is never quite what it was trained on. `randomised` draws friction, masses and motors anew
# for every episode, and `sensors` adds noise and delay to what is observed. A seed gives the same episodes again, to
# the last bit.

# %%
varied = gymnasium.make_vec(
    "pushpoint/Slither-v0",
    4,
    randomised={"friction": (0.5, 2.0), "mass": (0.9, 1.1)},
    sensors={"joint_angle": {"noise": 0.01}, "imu_heading": {"delay": 0.05}},
)
seen, info = varied.reset(seed=7)
print("friction x", info["drawn"]["friction"].round(2))
again, _ = varied.reset(seed=7)
print("the same again:", np.array_equal(seen, again))

# %% [markdown]
# ## Try next
#
# - Ask for other directions: `direction=(-0.5, 0.5)`. Do the five numbers still do?
# - `gymnasium.make_vec("pushpoint/PegField-v0", 64)`: among pegs, a wave alone earns nothing.
# - Neural networks, videos and other libraries: [train a policy](../how-to/train-a-policy.md).
