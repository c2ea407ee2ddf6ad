# %% [markdown]
# # Gaits in space
#
# A robot that can lift itself is a `SpatialRobot`; all else stays as it is. Its joints are `Cardan`, `Yaw` or `Pitch`,
# in any mixture, and its links are round or square. It meets slopes, bumps, boxes, stairs and pegs.
#
# **You will see** sidewinding and why it needs lifting, rolling, bumpy ground, and a vertical wave that climbs stairs,
# crosses planks, and falls over where they lie askew.

# %%
import numpy as np
from PIL import Image

import pushpoint as pp

# %% [markdown]
# ## Sidewinding
#
# The floor rubs the same in every direction, so undulation alone leads nowhere. Two waves run along the body, one
# sideways and one up and down, a quarter of a period apart. What lies on the floor stays there and carries the rest,
# which is lifted and set down farther to the side. How high should it lift itself?

# %%
LENGTH, RADIUS, MASS = 0.09, 0.035, 0.35  # of a link [m], [m], [kg]
across = MASS * (3 * RADIUS**2 + LENGTH**2) / 12  # a uniform cylinder [kg m^2]
link = pp.SpatialLink(
    length=LENGTH,
    mass=MASS,
    inertia=(MASS * RADIUS**2 / 2, across, across),
    radius=RADIUS,
)
motor = pp.Motor(stiffness=120.0, damping=0.5, torque_limit=8.0)
robot = pp.SpatialRobot.uniform(
    16, link, pp.Cardan(yaw=motor, pitch=motor), name="my-sidewinder"
)
print(
    f"{robot.name}: {robot.n_links} links, {robot.n_joints} motors, "
    f"{robot.length:.2f} m, {robot.mass:.1f} kg"
)


def sidewinding(lift: float) -> pp.gaits.Sidewinding:
    """One wave over nine joints, 2.4 s per turn; `lift`: amplitude of pitch [rad]."""
    return pp.gaits.Sidewinding(
        yaw_amplitude=np.radians(-35),  # < 0: bends to the right first
        pitch_amplitude=lift,
        angular_frequency=np.radians(150),
        phase_shift=np.radians(-40),
        pitch_lead=np.radians(90),  # pitch is a quarter of a turn ahead of yaw
        soft_start=1.0,  # from a straight body to the full waves [s]
    )


# %% [markdown]
# Four lifts, four worlds. A link counts as down if the floor carries it with more than a tenth of its weight.


# %%
def down(run) -> float:
    """Share of the links that are down, after the first period [-]."""
    carried = (
        run.ground_force.sel(axis="z", time=slice(2.4, None)) > 0.1 * MASS * 9.81
    )
    return float(carried.mean())


floor = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3), rolling=0.02))
straight = pp.SpatialStart(joint_angles=[0.0] * robot.n_joints)
lifts = [0, 5, 10, 15]  # [deg]
runs = pp.simulate(
    [
        pp.World(robot, floor, sidewinding(np.radians(lift)), straight)
        for lift in lifts
    ],
    duration=12.0,
)
for w, lift in enumerate(lifts):
    run = runs.isel(world=w)
    ahead, left, _ = (run.center_of_mass[-1] - run.center_of_mass[0]).values
    cost, torque = (
        float(pp.measures.cost_of_transport(run)),
        float(abs(run.joint_torque).max()),
    )
    print(
        f"pitch {lift:2d} deg: {left:5.2f} m to the left, {ahead:+5.2f} m ahead; "
        f"{down(run):4.0%} of the links down;",
        f"cost of transport {cost:.2f}; torques up to {torque:.1f} N m",
    )

# %% [markdown]
# Flat on the floor it goes nowhere; each lift tried takes it 1.5 m and more to the side at about the same cost. The
# cost of transport is motor work per weight and distance. Below is the run with 10 degrees, from above and from the
# side; lifted links are pale.

# %%
pp.plots.course(runs, world=lifts.index(10))

# %% [markdown]
# ## Rolling
#
# All joints bend the body into an arc, and the direction of the bend turns about the body's axis. The robot rolls
# sideways, about its own girth per turn.

# %%
rolling = pp.gaits.Rolling(
    amplitude=np.radians(5), angular_frequency=np.radians(180), soft_start=1.0
)
run = pp.simulate(pp.World(robot, floor, rolling, straight), 8.0)
ahead, left, _ = (run.center_of_mass[-1] - run.center_of_mass[0]).values
turns = 8.0 * rolling.angular_frequency / (2 * np.pi)
print(
    f"{turns:.0f} turns: {left:+.2f} m to the left, {ahead:+.2f} m ahead; its "
    f"girth is {2 * np.pi * RADIUS:.2f} m"
)

# %% [markdown]
# ## Bumps and a box
#
# The ground can be a height field, and boxes can lie on it. The sidewinder crosses random bumps of up to 2 cm until it
# meets a box of 6 cm, which holds it up. `rolling` is the resistance of the ground to rolling.

# %%
bumps = pp.HeightField(
    heights=0.02 * np.random.default_rng(3).random((30, 30)),
    spacing=0.15,
    origin=(-2.2, -1.0),
)
rough = pp.Ground(friction=pp.Isotropic(0.4), rolling=0.02, heights=bumps)
box = pp.Box(center=(0.0, 0.8, 0.03), size=(0.8, 0.3, 0.06), yaw=0.2, friction=0.4)
course = pp.Environment(ground=rough, obstacles=[box])
run = pp.simulate(
    pp.World(robot, course, sidewinding(np.radians(10)), straight), 10.0
)
print(
    "moved by",
    (run.center_of_mass[-1] - run.center_of_mass[0]).values.round(2),
    "m (ahead, left, up)",
)
print(
    "links on the ground: "
    f"{float((run.ground_force.sel(axis='z') > 0.5).mean()):.0%} of the time"
)
load = run.obstacle_load.sel(obstacle=0)
print(
    f"the box was touched for {float((load > 0).mean()):.0%} of the time, with up "
    f"to {float(load.max()):.0f} N"
)
Image.open(pp.still(run, "out/bumps.png", time=7.0, width=800)).copy()

# %% [markdown]
# ## Stairs and planks
#
# A wave that lifts and lowers the body runs along it from tail to head and carries the robot forward: over low stairs,
# and over planks of random size that lie square across its way. But a round body in an upright wave stands on a line,
# and nothing steers it. Where the planks lie a little askew they tip it over, and on its side the wave leads nowhere.

# %%
FRICTION = 0.6
climber = pp.catalogue.aiko()  # 11 links with cardan joints, 1.34 m, 7.5 kg
wave = pp.gaits.VerticalWave(
    amplitude=np.radians(35),
    angular_frequency=np.radians(150),
    # Above zero: the wave runs from tail to head, and the robot with it.
    phase_shift=np.radians(60),
    soft_start=1.0,
)


def stairs(rise: float) -> list[pp.Stairs]:
    """Four steps that begin in front of the head [m]."""
    return [
        pp.Stairs(foot=(0.85, 0.0), steps=4, rise=rise, run=0.3, friction=FRICTION)
    ]


def planks(askew: float, seed: int = 0) -> list[pp.Box]:
    """Planks of 5 to 20 cm by 1 to 5 cm, each turned by up to `askew` [rad]."""
    random = np.random.default_rng(seed)
    laid, x = [], 0.8
    while x < 2.5:
        gap, width, height = random.uniform((0.05, 0.05, 0.01), (0.25, 0.20, 0.05))
        x += gap + width
        yaw = askew * random.uniform(-1.0, 1.0)
        size = (width, 1.2, 2 * height)  # half of it below the ground
        laid.append(
            pp.Box(
                center=(x - width / 2, 0.0, 0.0),
                size=size,
                yaw=yaw,
                friction=FRICTION,
            )
        )
    return laid


courses = {
    "stairs of 3 cm": stairs(0.03),
    "stairs of 5 cm": stairs(0.05),
    "stairs of 8 cm": stairs(0.08),
    "planks, square": planks(0.0),
    "planks, askew": planks(np.radians(10)),
    "flat ground": [],
}
ground = pp.Ground(friction=pp.Isotropic(FRICTION), rolling=0.02)
start = pp.SpatialStart(joint_angles=[0.0] * climber.n_joints, position=(0.0, 0.0))
worlds = [
    pp.World(climber, pp.Environment(ground=ground, obstacles=course), wave, start)
    for course in courses.values()
]
runs = pp.simulate(worlds, duration=20.0)

# %%
for w, name in enumerate(courses):
    run = runs.isel(world=w)
    way = (run.center_of_mass[-1] - run.center_of_mass[0]).values
    w0, i, j, k = run.link_orientation.isel(
        time=-1, link=climber.n_links // 2
    ).values
    # How far the link's left side is out of the level [deg]
    roll = np.degrees(np.arcsin(abs(2 * (j * k + w0 * i))))
    load = float(run.obstacle_load.max()) if courses[name] else 0.0
    print(
        f"{name:15} {way[0]:5.2f} m ahead, {100 * way[2]:3.0f} cm up; middle link "
        f"rolled by {roll:2.0f} deg; obstacles",
        f"loaded with up to {load:3.0f} N; unconverged steps: "
        f"{int(run.unconverged.sum())}",
    )

# %%
pp.plots.course(runs, world=list(courses).index("stairs of 5 cm"))

# %%
askew = list(courses).index("planks, askew")
Image.open(
    pp.still(runs, "out/askew.png", world=askew, time=20.0, width=800)
).copy()

# %% [markdown]
# ## Try next
#
# - `SinusLifting` lifts the bends of an undulating body; robots with yaw axes also take `LateralUndulation`.
# - `pp.Varying` friction depends on slip speed (the Stribeck effect) and on the side on which a link lies. Put it
#   under the sidewinder.
# - `pushpoint run spatial/rubble` sidewinds onto sixty random boxes.
# - To draw a motion instead of computing it, go on with [shape curves](05-shape-curves.ipynb). The model is in [the
#   spatial model](../theory/spatial.md).
