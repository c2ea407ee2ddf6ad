"""Your own robot on your own course.

A snake with a thin tail, a heavy head and small, imperfect servos crawls through a corridor, past a block and over a
patch of ice. Angles are in radians, everything else in SI units; a value that makes no sense is refused by a sentence.
"""

import numpy as np

import pushpoint as pp


def link(length: float, radius: float, density: float = 700.0) -> pp.PlanarLink:
    """A uniform cylinder [m], [kg/m^3]."""
    mass = density * np.pi * radius**2 * length
    return pp.PlanarLink(length=length, mass=mass, inertia=mass * (3 * radius**2 + length**2) / 12, radius=radius)


# From tail to head: six links that grow thicker, seven equal ones and a head.
tail = [link(0.08, radius) for radius in np.linspace(0.015, 0.028, 6)]
robot = pp.PlanarRobot(
    links=(*tail, *[link(0.08, 0.03)] * 7, link(0.10, 0.035)),
    motors=pp.Motor(
        stiffness=20.0,  # [N m/rad]
        damping=0.2,  # [N m s/rad]
        torque_limit=1.2,  # at standstill [N m] ...
        speed_limit=6.0,  # ... falling to zero at this joint rate [rad/s]
        backlash=np.radians(1.0),
        lower=np.radians(-60),
        upper=np.radians(60),
    ),
    name="my-snake",
)

scales = pp.Skin(forward=0.15, backward=0.35, across=0.6)  # glides forward, grips sideways
ice = pp.Region.rectangle(x=(0.9, 1.3), y=(-0.6, 0.6), friction=pp.Isotropic(0.03))
course = pp.Environment(
    ground=pp.Ground(friction=scales, regions=[ice]),
    obstacles=[
        *pp.courses.corridor((-0.8, 0.0), (0.7, 0.0), width=0.18, friction=0.1),
        pp.Wall(start=(0.7, -0.1), end=(1.2, -0.5), thickness=0.02, friction=0.1),
        pp.Polygon(vertices=[(1.6, -0.05), (2.0, 0.25), (1.6, 0.30)], friction=0.1),
    ],
)
gait = pp.gaits.LateralUndulation(
    amplitude=np.radians(30), angular_frequency=np.radians(180), phase_shift=np.radians(-45), soft_start=0.5
)

run = pp.simulate(robot, course, gait, duration=15.0)

print(f"{robot.name}: {robot.n_links} links, {robot.length:.2f} m, {1e3 * robot.mass:.0f} g")
x = run.center_of_mass.sel(axis="x")
for place, begin, end in (("in the corridor", 0.1, 0.5), ("on the ice", 0.9, 1.3), ("beyond it", 1.5, 1.9)):
    there = x.time[(x > begin) & (x < end)]
    print(f"{place:16} x = {begin} to {end} m: {100 * (end - begin) / float(there[-1] - there[0]):5.1f} cm/s")
torque, limit = float(abs(run.joint_torque).max()), robot.motors[0].torque_limit
late = float(np.degrees(abs(run.joint_reference - run.joint_angle).max()))
print(f"torques up to {torque:.2f} of {limit:.2f} N m; joints up to {late:.1f} deg behind their references")
print(f"largest contact force on a link: {float(np.sqrt((run.obstacle_force**2).sum('axis')).max()):.1f} N")
print("wrote", pp.plots.save_figure(pp.plots.course(run), "out/your_own_robot.png"))
