"""Sidewinding.

A robot with cardan joints on a smooth floor that rubs alike in every direction, where undulation alone leads nowhere.
Two waves run along its body, one sideways and one up and down, a quarter of a period apart: what lies on the floor
stays there and carries the rest, which is lifted and set down farther to the side. How high should it lift itself?
"""

import numpy as np

import pushpoint as pp

LENGTH, RADIUS, MASS = 0.09, 0.035, 0.35  # of a link [m], [m], [kg]
across = MASS * (3 * RADIUS**2 + LENGTH**2) / 12  # a uniform cylinder [kg m^2]
link = pp.SpatialLink(length=LENGTH, mass=MASS, inertia=(MASS * RADIUS**2 / 2, across, across), radius=RADIUS)
motor = pp.Motor(stiffness=120.0, damping=0.5, torque_limit=8.0)
robot = pp.SpatialRobot.uniform(16, link, pp.Cardan(yaw=motor, pitch=motor), name="my-sidewinder")
floor = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3), rolling=0.02))


def gait(lift: float) -> pp.gaits.Sidewinding:
    """One wave over nine joints, 2.4 s per turn; `lift` is the amplitude of the pitch angles [rad]."""
    return pp.gaits.Sidewinding(
        yaw_amplitude=np.radians(35),
        pitch_amplitude=lift,
        angular_frequency=np.radians(150),
        phase_shift=np.radians(-40),
        soft_start=1.0,  # from a straight body to the full waves [s]
    )


def down(run) -> float:
    """Share of the links that the floor carries with more than a tenth of their weight, after the first period [-]."""
    carried = run.ground_force.sel(axis="z", time=slice(2.4, None)) > 0.1 * MASS * 9.81
    return float(carried.mean())


print(f"{robot.name}: {robot.n_links} links, {robot.n_joints} motors, {robot.length:.2f} m, {robot.mass:.1f} kg")
lifts = [0, 5, 10, 15]  # [deg]
straight = pp.SpatialStart(joint_angles=[0.0] * robot.n_joints)
worlds = [pp.World(robot, floor, gait(np.radians(lift)), straight) for lift in lifts]
runs = pp.simulate(worlds, duration=12.0)
for w, lift in enumerate(lifts):
    run = runs.isel(world=w)
    ahead, left, _ = (run.center_of_mass[-1] - run.center_of_mass[0]).values
    cost, torque = float(pp.measures.cost_of_transport(run)), float(abs(run.joint_torque).max())
    print(
        f"pitch {lift:2d} deg: {left:5.2f} m to the left, {ahead:+5.2f} m ahead; {down(run):4.0%} of the links on the",
        f"floor; cost of transport {cost:.2f}; torques up to {torque:.1f} N m",
    )
print("wrote", pp.plots.save_figure(pp.plots.course(runs.isel(world=lifts.index(10))), "out/sidewinding.png"))
