"""Calls of what is there: robots, joints, obstacles, ground, friction, sensors, courses, catalogue, gaits, starts."""

from __future__ import annotations

import numpy as np

import pushpoint as pp
from campaigns.calls.table import CALLS, Call
from campaigns.calls.things import GAIT, PLANAR, wave

LINK = pp.PlanarLink(length=0.1, mass=0.5, inertia=1e-3, radius=0.03)
SPATIAL_LINK = pp.SpatialLink(length=0.1, mass=0.5, inertia=(1e-3, 1e-3, 1e-3), radius=0.03)
LAW = pp.Isotropic(0.2)
SQUARE = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
AREA = pp.courses.Rectangle(x=(0.0, 1.0), y=(0.0, 1.0))
OBSTACLE = {"friction": 0.1, "restitution": 0.2}
WAVE = {"angular_frequency": 2.0, "phase": 0.1, "soft_start": 0.5, "prescribed": False}

CALLS |= {
    "Axis": Call(pp.Axis, 0, PLANAR.axes[0].direction),
    "Box": Call(pp.Box, **OBSTACLE, center=(0, 0, 1), size=(1, 1, 1), yaw=0.1, pitch=0.2, roll=0.3),
    "Cardan": Call(pp.Cardan, yaw=pp.Motor(), pitch=pp.Motor(), axis_distance=0.01, first="yaw"),
    "Channel": Call(pp.Channel, noise=0.1, bias=0.1, quantum=0.01, rate=100.0, delay=0.01),
    "Elliptic": Call(pp.Elliptic, along=0.1, across=0.2, flow="associated"),
    "Environment": Call(pp.Environment, ground=pp.Ground(), obstacles=[pp.Peg(x=0, y=1, radius=0.1)]),
    "Frictionless": Call(pp.Frictionless),
    "Ground": Call(pp.Ground, friction=LAW, spin=0.01, gravity=9.0, regions=[], rolling=0.0, restitution=0.0, slope=0.1,
                   slope_direction=0.1, heights=None),
    "HeightField": Call(pp.HeightField, heights=np.zeros((3, 3)), spacing=0.1, origin=(0.0, 0.0)),
    "Hinge": Call(pp.Hinge, PLANAR.axes[0].direction, pp.Motor()),
    "Hull": Call(pp.Hull, ((0.0, 0.0), (1.0, 0.0)), 0.1),
    "Isotropic": Call(pp.Isotropic, 0.2),
    "Motor": Call(pp.Motor, stiffness=1.0, damping=0.1, torque_limit=2.0, speed_limit=3.0, backlash=0.01, lower=-1.0,
                  upper=1.0),
    "Peg": Call(pp.Peg, **OBSTACLE, x=0.5, y=0.2, radius=0.1, height=0.3),
    "Pitch": Call(pp.Pitch, pp.Motor()),
    "Wall": Call(pp.Wall, **OBSTACLE, start=(0, 0), end=(1, 0), thickness=0.01),
    "Yaw": Call(pp.Yaw, pp.Motor()),
    "PlanarLink": Call(pp.PlanarLink, length=0.1, mass=0.5, inertia=1e-3, radius=0.03, side_length=0.1, mass_offset=0.0,
                       supports=(pp.Support(offset=0.0),), wheels=(), contact_force="surface"),
    "PlanarRobot": Call(pp.PlanarRobot, links=(LINK, LINK), motors=pp.Motor(), name="r", source="s"),
    "PlanarRobot.uniform": Call(pp.PlanarRobot.uniform, 3, LINK, pp.Motor(), name="r", source="s"),
    "Polygon": Call(pp.Polygon, **OBSTACLE, vertices=SQUARE),
    "Rectangular": Call(pp.Rectangular, along=0.1, across=0.2),
    "Region": Call(pp.Region, vertices=SQUARE, friction=LAW),
    "Region.rectangle": Call(pp.Region.rectangle, x=(0.0, 1.0), y=(0.0, 1.0), friction=LAW),
    "RangeSensor": Call(pp.RangeSensor, link=0, position=(0.05, 0.0, 0.0), azimuth=0.3, elevation=0.1, reach=0.5),
    "Sensors": Call(pp.Sensors, joint_angle=pp.Channel(), range=pp.Channel(), seed=3, imu_link=0,
            rays=[pp.RangeSensor()], ray_range=pp.Channel()),
    "Skin": Call(pp.Skin, forward=0.1, backward=0.2, across=0.3, flow="associated"),
    "Solid": Call(pp.Solid, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), np.eye(3), 0.0, 0.0, 0.0, False),
    "SpatialLink": Call(pp.SpatialLink, length=0.1, mass=0.5, inertia=(1e-3, 1e-3, 1e-3), radius=0.03, side_length=0.1,
                        mass_offset=0.0, shape="round", wheels=()),
    "SpatialRobot": Call(pp.SpatialRobot, links=(SPATIAL_LINK, SPATIAL_LINK), joints=pp.Yaw(), name="r", source="s"),
    "SpatialRobot.uniform": Call(pp.SpatialRobot.uniform, 3, SPATIAL_LINK, pp.Yaw(), name="r", source="s"),
    "SpatialStart": Call(pp.SpatialStart, joint_angles=(0.0,) * 3, heading=0.1, link=1, position=(0, 0, 1),
                         velocity=(0, 0, 0), joint_rates=(0.0,) * 3),
    "Start": Call(pp.Start, link_angles=(0.0,) * 3, joint_angles=(0.0,) * 2, heading=0.1, link=1, position=(0, 0),
                  velocity=(0, 0), spin=0.1, joint_rates=(0.0,) * 2),
    "Ramp": Call(pp.Ramp, **OBSTACLE, foot=(0.5, 0.0), heading=0.1, length=1.0, rise=0.2, width=1.0, landing=0.5),
    "Pipe": Call(pp.Pipe, **OBSTACLE, start=(0.0, 0.0, 0.2), end=(1.0, 0.0, 0.2), radius=0.1, thickness=0.01),
    "Stairs": Call(pp.Stairs, **OBSTACLE, foot=(0.5, 0.0), heading=0.1, steps=3, rise=0.1, run=0.2, width=1.0,
            landing=0.5),
    "Support": Call(pp.Support, offset=0.0, share=0.5),
    "Wheels": Call(pp.Wheels, offset=0.01, axle_angle=0.1, rolling_resistance=0.02, side_limit=0.6, track=0.05,
                   radius=0.02, clearance=0.01),
    "Varying": Call(pp.Varying, law=LAW, stick_ratio=1.2, stribeck_speed=0.01, around=(1.0, 0.5)),
    "Viscous": Call(pp.Viscous, along=0.1, across=0.2),
    "catalogue.aiko": Call(pp.catalogue.aiko, 0.02),
    "inertia.cylinder": Call(pp.inertia.cylinder, 1.0, 0.1, 0.05),
    "inertia.capsule": Call(pp.inertia.capsule, 1.0, 0.1, 0.05),
    "inertia.box": Call(pp.inertia.box, 1.0, 0.1, 0.05, 0.04),
    "inertia.Moments": Call(pp.inertia.Moments, 1e-4, 2e-4, 2e-4),
    "courses.Disc": Call(pp.courses.Disc, x=0.0, y=0.0, radius=1.0),
    "courses.Posture": Call(pp.courses.Posture, robot=PLANAR, link_angles=[0.0] * 11, position=(0, 0), link=1,
            gap=0.01),
    "courses.Rectangle": Call(pp.courses.Rectangle, x=(0.0, 1.0), y=(0.0, 1.0)),
    "courses.channel": Call(pp.courses.channel, SQUARE[:3], width=0.2, thickness=0.01, tolerance=1e-3, **OBSTACLE),
    "courses.corridor": Call(pp.courses.corridor, (0, 0), (1, 0), width=0.2, thickness=0.01, **OBSTACLE),
    "courses.random_pegs": Call(pp.courses.random_pegs, density=5.0, radius=(0.01, 0.02), area=AREA, seed=1,
            clearance=0.0,
                                keep_out=pp.courses.Disc(x=0, y=0, radius=0.1), **OBSTACLE),
    "courses.sine": Call(pp.courses.sine, length=1.0, amplitude=0.1, wavelength=0.5, start=(0, 0), heading=0.1),
    "gaits.FunctionOfTime": Call(pp.gaits.FunctionOfTime, function=lambda t: np.zeros(10), rate=100.0,
            prescribed=False),
    "gaits.Hold": Call(pp.gaits.Hold, joint_angles=(0.1,) * 10, prescribed=False),
    "gaits.LateralUndulation": Call(pp.gaits.LateralUndulation, **WAVE, amplitude=0.3, phase_shift=-0.6, offset=0.1,
                                    envelope=(1.0, 0.5)),
    "gaits.Rolling": Call(pp.gaits.Rolling, **WAVE, amplitude=0.3, taper=0.1),
    "gaits.Sampled": Call(pp.gaits.Sampled, gait=GAIT, rate=50.0, hold=True, delay=0.1),
    "gaits.Sidewinding": Call(pp.gaits.Sidewinding, angular_frequency=2.0, yaw_amplitude=0.3, pitch_amplitude=0.1,
                              phase_shift=-0.6, pitch_lead=1.5, yaw_offset=0.0, release=0.1),
    "gaits.SinusLifting": Call(pp.gaits.SinusLifting, **WAVE, yaw_amplitude=0.3, pitch_amplitude=0.1, phase_shift=-0.6,
                               yaw_offset=0.0),
    "gaits.VerticalWave": Call(pp.gaits.VerticalWave, **WAVE, amplitude=0.3, phase_shift=-0.6, yaw_offset=0.1),
    "gaits.Swing": Call(pp.gaits.Swing, 0.1, 0.1, 0.1, 0.1, (1.0, 1.0), 2.0, (0.1,) * 10),
    "Gait.references": Call(GAIT.references, np.linspace(0, 1, 5), PLANAR),
    "Gait.bind": Call(GAIT.bind, PLANAR),
    "Wave.at": Call(lambda time: wave.make().at(time), np.linspace(0, 1, 5)),
    "register": Call(pp.register, "my-gait"),
    "goals.Beyond": Call(pp.goals.Beyond, rate=20.0, distance=0.5, direction=0.1),
    "goals.Travelled": Call(pp.goals.Travelled, rate=20.0, distance=0.5),
}  # fmt: skip
CALLS |= {
    f"catalogue.{name}": Call(getattr(pp.catalogue, name))
    for name in ("aiko_2008b", "aiko_planar", "holden2014", "liljeback2011", "liljeback2011_balls",
    "liljeback2011_centre",
                 "liljeback2014", "liljeback2014_planar", "acm_iii", "acm_iii_planar",
                 "yaw_pitch_16", "yaw_pitch_16_planar")
}  # fmt: skip
