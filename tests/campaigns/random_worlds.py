"""Random worlds from the whole space of options: what files can hold, planar and spatial.

Left out: height fields larger than 6 x 6, more than 8 links, force mapping (its paths must fit the pegs).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.errors import StartBeyondStop
from pushpoint.planning import AlongCurve, OnCurve, segment_from_points, sidewinding

Random = np.random.Generator


def some(random: Random, **options: Any) -> dict[str, Any]:
    """About half of the options; values that are functions are asked."""
    return {name: value() for name, value in options.items() if random.random() < 0.5}


def angle(random: Random, most: float = 1.0) -> float:
    """Any number of radians: not one that degrees were made for."""
    return float(random.uniform(-most, most))


def motor(random: Random) -> pp.Motor:
    limits = some(
        random,
        torque_limit=lambda: random.uniform(0.5, 9.0),
        backlash=lambda: random.uniform(0.0, 0.05),
        lower=lambda: -random.uniform(1.2, 2.5),
        upper=lambda: random.uniform(1.2, 2.5),
    )
    if "torque_limit" in limits and random.random() < 0.5:
        limits["speed_limit"] = random.uniform(2.0, 20.0)
    return pp.Motor(stiffness=random.uniform(0.0, 80.0), damping=random.uniform(0.0, 2.0), **limits)


def planar_link(random: Random) -> pp.PlanarLink:
    length = random.uniform(0.08, 0.15)
    shares = (0.25, 0.75)
    more = some(
        random,
        side_length=lambda: random.uniform(0.5, 1.0) * length,
        mass_offset=lambda: random.uniform(-0.01, 0.01),
        supports=lambda: [pp.Support(offset=angle(random, 0.04), share=share) for share in shares],
    )
    mass = random.uniform(0.2, 1.0)
    return pp.PlanarLink(length=length, mass=mass, inertia=mass * length**2 / 12, radius=0.03, **more)


def planar_robot(random: Random) -> pp.PlanarRobot:
    if random.random() < 0.2:
        return pp.catalogue.aiko_planar()
    count = int(random.integers(3, 8))
    if random.random() < 0.5:
        return pp.PlanarRobot.uniform(count, planar_link(random), motor(random), name=f"mine-{count}")
    links = tuple(planar_link(random) for _ in range(count))
    return pp.PlanarRobot(links=links, motors=tuple(motor(random) for _ in range(count - 1)), source="made up")


def spatial_link(random: Random) -> pp.SpatialLink:
    mass = random.uniform(0.2, 1.0)
    parts = random.uniform(1.0, 2.0, 3) * mass * 1e-3
    inertia = (parts[1] + parts[2], parts[0] + parts[2], parts[0] + parts[1])
    square = {"shape": "square", **some(random, corner_radius=lambda: random.uniform(0.002, 0.02))}
    more = square if random.random() < 0.4 else {}
    more |= some(random, side_length=lambda: random.uniform(0.02, 0.1), mass_offset=lambda: angle(random, 0.01))
    return pp.SpatialLink(length=random.uniform(0.1, 0.15), mass=mass, inertia=inertia, radius=0.03, **more)


def joint(random: Random) -> Any:
    kind = random.integers(3)
    if kind == 0:
        more = some(random, axis_distance=lambda: random.uniform(0.0, 0.02))
        return pp.Cardan(yaw=motor(random), pitch=motor(random), **more)
    return pp.Yaw(motor(random)) if kind == 1 else pp.Pitch(motor(random))


def spatial_robot(random: Random) -> pp.SpatialRobot:
    if random.random() < 0.3:
        return [pp.catalogue.aiko, pp.catalogue.liljeback2014][int(random.integers(2))]()
    count = int(random.integers(2, 7))
    touching = some(random, self_contact=lambda: True, self_friction=lambda: random.uniform(0.0, 0.5))
    links = tuple(spatial_link(random) for _ in range(count))
    return pp.SpatialRobot(links=links, joints=tuple(joint(random) for _ in range(count - 1)), **touching)


def law(random: Random, *, spatial: bool) -> pp.FrictionLaw:
    a, b, c = random.uniform(0.05, 0.6, 3)
    flow = str(random.choice(["associated", "directional"]))
    laws = [
        pp.Frictionless(),
        pp.Isotropic(a),
        pp.Elliptic(along=a, across=b, flow=flow),  # type: ignore[arg-type]
        pp.Skin(forward=a, backward=b, across=c, flow=flow),  # type: ignore[arg-type]
        pp.Rectangular(along=a, across=b),
        pp.Viscous(along=a, across=b),
    ]
    chosen = laws[int(random.integers(len(laws)))]
    if not spatial or random.random() < 0.6:
        return chosen
    more = some(random, stick_ratio=lambda: random.uniform(1, 2), around=lambda: random.uniform(0.5, 1.5, 4).tolist())
    return pp.Varying(law=chosen, **more)


def ground(random: Random, n_links: int, *, spatial: bool) -> pp.Ground:
    region = pp.Region(vertices=[(0.0, 0.0), (1.0, 0.1), (0.4, 1.0)], friction=law(random, spatial=spatial))
    laws: Any = law(random, spatial=spatial)
    if random.random() < 0.2:
        laws = tuple(law(random, spatial=spatial) for _ in range(n_links))
    more = some(random, spin=lambda: random.uniform(0, 0.01), regions=lambda: [region])
    if spatial:
        more |= some(random, rolling=lambda: random.uniform(0, 0.1), restitution=lambda: random.uniform(0, 0.5))
        shape = random.integers(3)
        if shape == 1:
            more |= {"slope": angle(random, 0.3), "slope_direction": angle(random, 3.0)}
        elif shape == 2:
            more["heights"] = pp.HeightField(heights=0.05 * random.random((6, 5)), spacing=0.5, origin=(-1.5, -1.2))
    return pp.Ground(friction=laws, gravity=random.uniform(8.0, 10.0), **more)


def obstacle(random: Random, *, spatial: bool) -> Any:
    x, y = random.uniform(2.5, 4.0), random.uniform(-2.0, 2.0)
    more = some(random, friction=lambda: random.uniform(0, 0.5), restitution=lambda: random.uniform(0, 0.9))
    peg = pp.Peg(x=x, y=y, radius=random.uniform(0.02, 0.2), **more)
    if spatial:
        turns = some(random, yaw=lambda: angle(random, 3), pitch=lambda: angle(random), roll=lambda: angle(random))
        box = pp.Box(center=(x, y, 0.1), size=random.uniform(0.05, 0.3, 3).tolist(), **turns, **more)
        stairs = pp.Stairs(foot=(x, y), heading=angle(random, 3), steps=3, rise=0.1, run=0.25, **more)
        return [peg, box, stairs][int(random.integers(3))]
    wall = pp.Wall(start=(x, y), end=(x + 0.5, y + 0.3), thickness=0.02, **more)
    return [peg, wall, pp.Polygon(vertices=[(x, y), (x + 1, y), (x, y + 1)], **more)][int(random.integers(3))]


def wave(random: Random, *, spatial: bool) -> Any:
    same = {"angular_frequency": angle(random, 3.0), **some(random, soft_start=lambda: random.uniform(0, 1))}
    shifted = same | {"phase_shift": angle(random), **some(random, phase=lambda: angle(random, 3.0))}
    envelope = some(random, envelope=lambda: random.uniform(0.5, 1.0, 3).tolist(), offset=lambda: angle(random, 0.1))
    lateral = pp.gaits.LateralUndulation(amplitude=angle(random, 0.6), **shifted, **envelope)
    if not spatial:
        return lateral
    two = {"yaw_amplitude": angle(random, 0.5), "pitch_amplitude": angle(random, 0.2)}
    gaits = [
        lateral,
        pp.gaits.Sidewinding(**two, **shifted),
        pp.gaits.VerticalWave(amplitude=angle(random, 0.3), **shifted),
        pp.gaits.Rolling(amplitude=angle(random, 0.3), taper=angle(random), **same),
        pp.gaits.SinusLifting(**two, **shifted),
    ]
    return gaits[int(random.integers(len(gaits)))]


def controller(random: Random, robot: Any, *, spatial: bool) -> Any:
    kind = random.integers(7)
    if kind == 0:
        return pp.gaits.Sampled(gait=wave(random, spatial=spatial), rate=50.0, hold=bool(random.integers(2)), delay=0.1)
    if kind == 1:
        return pp.control.ConstantTorque(torque=random.uniform(-0.5, 0.5, robot.n_joints).tolist())
    if kind == 2 and not spatial:
        follower = pp.control.LeaderFollower(head_angle=random.uniform(0.2, 1.2), speed=random.uniform(0.03, 0.1))
        return pp.control.HybridController(follower=follower, gain=random.uniform(0.01, 0.1))
    if kind == 3 and not spatial:
        return pp.control.ContinuousResolution(amplitude=random.uniform(0.1, 0.9), gain=angle(random))
    if kind in (4, 5) and spatial:
        return follower_of(random, robot)
    return wave(random, spatial=spatial)


def follower_of(random: Random, robot: pp.SpatialRobot) -> Any:
    rolls = some(random, roll=lambda: angle(random), roll_rate=lambda: angle(random))
    curve = str(random.choice(["pchip", "smooth"]))
    long = 3.0 * robot.length
    if random.random() < 0.3:
        motion: Any = OnCurve(points=[(-long, 0.2, 0.0), (0.0, 0.0, 0.0), (0.3, 0.05, 0.0)], curve=curve, **rolls)
        return pp.control.ShapeCurveFollower(motion=motion)
    drawn = segment_from_points([(0.0, 0.0, 0.0), (0.4, 0.1, 0.02), (0.9, 0.0, 0.0)], name="drawn")
    segment = drawn if random.random() < 0.5 else sidewinding(robot)
    steering = [
        pp.control.TurnSchedule(until=(1.0, 2.5), rates=(angle(random), angle(random))),
        pp.control.TurnSchedule(until=(1.0,), rates=(angle(random), angle(random))),
        pp.control.HeadingController(direction=angle(random, 3.0)),
    ]
    raised = pp.control.TurnSchedule(until=(0.5,), rates=(0.5, -0.2), axis=(0.1, -1.0, 0.2))
    steering += [raised, pp.control.CombinedSteering(steerings=(steering[0], raised))]
    motion = AlongCurve(segment=segment, speed=0.5, phase=float(random.random()), curve=curve, **rolls)
    more = {} if random.random() < 0.5 else {"steering": steering[int(random.integers(len(steering)))]}
    return pp.control.ShapeCurveFollower(motion=motion, **more)


def channel(random: Random) -> pp.Channel:
    return pp.Channel(
        **some(random, noise=lambda: random.uniform(0, 0.1), bias=lambda: angle(random), delay=lambda: 0.1)
    )


def sensors(random: Random, *, spatial: bool) -> pp.Sensors:
    names = ["joint_angle", "joint_rate", "joint_torque", "imu_heading", "imu_tilt" if spatial else "range"]
    found = some(random, **{name: (lambda: channel(random)) for name in names})
    return pp.Sensors(**found, seed=int(random.integers(1 << 40)))


def start(random: Random, robot: Any, *, spatial: bool) -> Any:
    if random.random() < 0.5:
        return None
    if spatial:
        more = some(random, velocity=lambda: random.uniform(-1, 1, 3).tolist(), heading=lambda: angle(random, 3.0))
        return pp.SpatialStart(position=(0.1, -0.2, 2.0), **more)
    joints = random.uniform(-0.3, 0.3, robot.n_joints).tolist()
    more = some(random, joint_angles=lambda: joints, heading=lambda: angle(random, 3.0), spin=lambda: angle(random))
    return pp.Start(position=(angle(random, 0.1), angle(random, 0.1)), **more)


def random_world(seed: int) -> pp.World:
    """A world of this seed; every second one is spatial."""
    random, spatial = np.random.default_rng(seed), bool(seed % 2)
    robot: Any = spatial_robot(random) if spatial else planar_robot(random)
    obstacles = [obstacle(random, spatial=spatial) for _ in range(int(random.integers(4)))]
    course = pp.Environment(ground=ground(random, robot.n_links, spatial=spatial), obstacles=obstacles)
    told = controller(random, robot, spatial=spatial)
    world = pp.World(robot, course, told, start(random, robot, spatial=spatial), sensors(random, spatial=spatial))
    try:
        world.pose()
    except StartBeyondStop:  # a wave may begin beyond the stops: then straight, which none of them forbids
        straight = [0.0] * robot.motor_column("lower").size
        kind: Any = partial(pp.SpatialStart, position=(0.1, -0.2, 2.0)) if spatial else pp.Start
        return replace(world, start=kind(joint_angles=straight))
    except pp.errors.PushpointError:  # others are not simulated, only written and read
        pass
    return world
