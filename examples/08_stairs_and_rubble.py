"""Stairs and rubble.

A wave that lifts and lowers the body runs along it from tail to head and carries the robot forward: over low stairs,
and over planks of random size that lie square across its way. But a round body in an upright wave stands on a line, and
nothing steers it. Where the planks lie a little askew they tip it over, and on its side the wave leads nowhere.
"""

import numpy as np

import pushpoint as pp

FRICTION = 0.6
robot = pp.catalogue.aiko()  # 11 links with cardan joints, 1.34 m, 7.5 kg
gait = pp.gaits.VerticalWave(
    amplitude=np.radians(35),
    angular_frequency=np.radians(150),
    phase_shift=np.radians(60),  # > 0: the wave runs from tail to head, and the robot with it
    soft_start=1.0,
)


def stairs(rise: float) -> list[pp.Stairs]:
    """Four steps that begin in front of the head [m]."""
    return [pp.Stairs(foot=(0.85, 0.0), steps=4, rise=rise, run=0.3, friction=FRICTION)]


def planks(askew: float, seed: int = 0) -> list[pp.Box]:
    """Planks of 5 to 20 cm by 1 to 5 cm at random distances, each turned by up to `askew` [rad]."""
    random = np.random.default_rng(seed)
    laid, x = [], 0.8
    while x < 2.5:
        gap, width, height = random.uniform((0.05, 0.05, 0.01), (0.25, 0.20, 0.05))
        x += gap + width
        laid.append(
            pp.Box(
                center=(x - width / 2, 0.0, 0.0),  # half of it below the ground
                size=(width, 1.2, 2 * height),
                yaw=askew * random.uniform(-1.0, 1.0),
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
start = pp.SpatialStart(joint_angles=[0.0] * robot.n_joints, position=(0.0, 0.0))
worlds = [pp.World(robot, pp.Environment(ground=ground, obstacles=course), gait, start) for course in courses.values()]
runs = pp.simulate(worlds, duration=20.0)

for w, name in enumerate(courses):
    run = runs.isel(world=w)
    way = (run.center_of_mass[-1] - run.center_of_mass[0]).values
    w0, i, j, k = run.link_orientation.isel(time=-1, link=robot.n_links // 2).values
    roll = np.degrees(np.arcsin(abs(2 * (j * k + w0 * i))))  # of the link's left side, out of the level
    torque = float(abs(run.joint_torque).max())
    print(
        f"{name:15} {way[0]:5.2f} m ahead, centre of mass {100 * way[2]:3.0f} cm higher; middle link rolled by",
        f"{roll:2.0f} deg; torques up to {torque:.0f} N m; unconverged steps: {int(run.unconverged.sum())}",
    )
print("wrote", pp.plots.save_figure(pp.plots.course(runs), "out/stairs.png"))  # of a batch, the first world
