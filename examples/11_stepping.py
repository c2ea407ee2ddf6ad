# %% [markdown]
# # Stepping
#
# A `Simulator` waits for commands: one command in, one measurement out, as learning and hand-written control loops
# want it. Arrays have a leading world axis.
#
# **You will see** imperfect sensors, a state that is kept and restored, and sixteen robots that search for a fast
# gait, each going back to the start on its own.

# %%
import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp

# %% [markdown]
# ## Sensors and state
#
# A measurement has joint angles, rates and torques, contact forces, an IMU and ranges to obstacles. They are perfect
# unless a `Channel` gives them noise, bias, rounding, a rate or a delay. Here a bent robot straightens itself by what
# it measures.

# %%
robot = pp.catalogue.yaw_pitch_16_planar()  # 9 links, 1.17 m, motors of 7 N m
floor = pp.Ground(friction=pp.Skin(forward=0.1, backward=0.2, across=0.4))
course = pp.Environment(
    ground=floor, obstacles=[pp.Peg(x=0.0, y=0.05, radius=0.05)]
)
sensors = pp.Sensors(
    joint_angle=pp.Channel(noise=0.002, delay=0.02), range=pp.Channel(), seed=7
)
start = pp.Start(link_angles=np.radians(np.linspace(-20, 20, robot.n_links)))
# 100 commands per second.
simulator = pp.Simulator(
    [pp.World(robot, course, start=start, sensors=sensors)], rate=100.0
)

measured = simulator.reset()
print(
    f"at first: joints bent by {np.degrees(measured.joint_angle[0]).round(1)} deg"
)
print(f"nearest obstacle of each link: {measured.range[0].round(2)} m")
hardest = 0.0  # contact force on a link, toward its left or right [N]
for _ in range(100):
    wanted = 0.5 * measured.joint_angle  # any function of what is measured
    measured = simulator.step(pp.Command(joint_angle=wanted))
    hardest = max(hardest, float(abs(measured.contact_normal_force).max()))
print(
    f"after 1 s: {np.degrees(measured.joint_angle[0]).round(1)} deg; the peg "
    f"pushed with up to {hardest:.0f} N"
)
print("warnings:", *simulator.warnings or ["none"])

# %% [markdown]
# `state` holds everything, and `restore` goes on from there, bit for bit.

# %%
kept = simulator.state
once = simulator.step(pp.Command(joint_angle=np.full((1, robot.n_joints), 0.2)))
simulator.restore(kept)
again = simulator.step(pp.Command(joint_angle=np.full((1, robot.n_joints), 0.2)))
print(f"the same again: {bool((once.link_angle == again.link_angle).all())}")

# %% [markdown]
# `reset` can put another world in the place of one that is over: another course, start, ground, or a robot with other
# masses and motors. Nothing is built again, and the world acts as in a new simulator, to the last bit. `most_obstacles`
# makes room for courses with more obstacles than the first one. Worlds that are not `active` stand still.

# %%
simulator = pp.Simulator(
    [pp.World(robot, pp.Environment(ground=floor))] * 3,
    rate=50.0,
    most_obstacles=2,
)
simulator.reset()
slippery = pp.Environment(
    ground=pp.Ground(friction=pp.Isotropic(0.1)),
    obstacles=[pp.Peg(x=x, y=0.15, radius=0.05) for x in (-0.2, 0.2)],
)
second = np.array([False, True, False])
simulator.reset(second, worlds=[pp.World(robot, slippery)])
bent = pp.Command(joint_angle=np.full((3, robot.n_joints), 0.2))
measured = simulator.step(bent, active=second)
print(f"time of each world: {measured.time} s")

# %% [markdown]
# ## A search
#
# Each of sixteen robots tries a wave for two periods, notes its speed, and goes back to the start alone, with another
# wave, while the others go on. Waves are drawn at random.

# %%
N = 16  # robots
RATE, SECONDS = 50.0, 40.0  # commands per second [Hz], simulated time [s]
random = np.random.default_rng(4)
simulator = pp.Simulator(
    [pp.World(robot, pp.Environment(ground=floor))] * N, rate=RATE
)


def new_waves(count: int) -> np.ndarray:
    """Amplitude [rad], frequency [rad/s] and phase shift [rad], shape (count, 3)."""
    return np.radians(
        random.uniform((10.0, 60.0, -100.0), (60.0, 240.0, -20.0), (count, 3))
    )


waves = new_waves(N)
tried = []  # the wave and its speed, of every trial
measured = simulator.reset()
for _ in range(round(SECONDS * RATE)):
    amplitude, frequency, shift = waves.T[:, :, None]
    t = measured.time[:, None]  # since each robot's own start [s]
    # From straight to the full wave in half a second.
    swelling = np.minimum(1.0, t / 0.5)
    phase = frequency * t + np.arange(robot.n_joints)[::-1] * shift
    measured = simulator.step(
        pp.Command(joint_angle=swelling * amplitude * np.sin(phase))
    )

    over = measured.time >= 2.0 * (2.0 * np.pi / waves[:, 1])
    if over.any():
        speed = np.hypot(*measured.center_of_mass[over].T) / measured.time[over]
        tried += [
            (*wave, each) for wave, each in zip(waves[over], speed, strict=True)
        ]
        waves[over] = new_waves(int(over.sum()))
        measured = simulator.reset(mask=over)

# %%
amplitude, frequency, shift, speed = np.array(
    sorted(tried, key=lambda trial: -trial[3])
).T
print(
    f"{N} robots, {SECONDS:g} s each: {len(speed)} trials, "
    f"{100 * np.median(speed):.1f} cm/s in the median; the best:"
)
print("speed       amplitude  frequency   phase shift")
for k in range(5):
    angles = np.degrees((amplitude[k], frequency[k], shift[k]))
    print(
        f"{100 * speed[k]:4.1f} cm/s  {angles[0]:5.0f} deg  {angles[1]:5.0f} deg/s "
        f" {angles[2]:5.0f} deg"
    )

# %%
figure, axes = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
dots = axes.scatter(
    np.degrees(shift), np.degrees(amplitude), c=100 * speed, cmap="viridis"
)
axes.set(
    xlabel="phase shift [deg]", ylabel="amplitude [deg]", title="every wave tried"
)
figure.colorbar(dots, label="speed [cm/s]")
print("wrote", pp.plots.save_figure(figure, "out/search.png"))

# %% [markdown]
# ## Try next
#
# - Let the waves near the best one be tried more often than others.
# - Give the search obstacles; `pp.Simulator` takes any worlds with the same kind of robot.
# - `simulator.contact_problem()` exports a time step as a contact problem of its own ([contact
#   problems](../theory/contact-problems.md)).
