"""Law by law, what MuJoCo keeps of a world."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from pushpoint.interchange.report import Translated
from pushpoint.interchange.robots.mjcf.links import follows
from pushpoint.interchange.robots.mjcf.softness import creeping, sinking
from pushpoint.interchange.robots.mjcf.surroundings import bilinear_error, stave_error
from pushpoint.model.friction import FrictionLaw
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.worlds.world import World


def laws_of(world: World, dt: float, *, alone: bool) -> Iterator[Translated]:
    """The entries of the report about an MJCF file; a robot alone has neither ground nor start."""
    yield from _body_laws(world)
    yield from _motor_laws(world)
    yield from _contact_laws(world, dt)
    if not alone:
        yield from _friction_laws(world, dt)
        yield from _ground_laws(world)
        yield from _obstacle_laws(world)
        yield from _start_laws(world)


def _exact(law: str, how: str = "") -> Translated:
    return Translated(law=law, kept="exact", how=how)


def _approximated(law: str, how: str, error: float | None = None, unit: str = "") -> Translated:
    return Translated(law=law, kept="approximated", how=how, error=error, unit=unit)


def _lost(law: str, how: str, error: float | None = None, unit: str = "") -> Translated:
    return Translated(law=law, kept="lost", how=how, error=error, unit=unit)


def _body_laws(world: World) -> Iterator[Translated]:
    robot = world.robot
    yield _exact("masses, lengths, centres of mass")
    if isinstance(robot, SpatialRobot):
        yield _exact("inertias")
        if any(joint.axis_distance for joint in robot.chain):
            yield _exact("two-axis joints with an offset", "two hinges of one body, each at its place")
        corners = [float(link.corner_radius or 0.0) for link in robot.links if link.shape == "square"]
        if corners:
            how = "boxes with sharp corners; distance of the corners"
            yield _approximated("square links", how, (3**0.5 - 1) * max(corners) * 1e3, "mm")
        if len(corners) < robot.n_links:
            yield _exact("round links", "capsules")
    else:
        yield _exact("inertias about the vertical axis")
        yield _approximated("inertias about other axes", "those of a box; they do not act, for the root cannot tilt")
        yield _exact("motion in the plane", "the root slides along x, y and z and turns about z")
        if any(link.contact_force == "centre" for link in robot.links):
            yield _lost("obstacles that push at centres of mass", "they push at the surface")
    if any(link.wheels for link in robot.links):
        how = "skids: friction along and across in an ellipse, not in a rectangle"
        yield _approximated("wheels", how, (2**0.5 - 1) * 100, "% of the force, at most")
    if robot.self_contact:
        yield _approximated("contact of links with each other", "soft; neighbours do not touch")


def _motor_laws(world: World) -> Iterator[Translated]:
    motors: tuple[Motor, ...] = tuple(world.robot.motors)  # type: ignore[arg-type]
    if any(motor.stiffness or motor.damping for motor in motors):
        yield _exact("servos", "with ctrl = reference angle + kv / kp * reference rate")
    if any(isfinite(motor.torque_limit) for motor in motors):
        yield _exact("torque limits", "forcerange")
    if any(isfinite(motor.lower) or isfinite(motor.upper) for motor in motors):
        yield _approximated("end stops", "soft limits of the joints")
    if any(isfinite(motor.speed_limit) for motor in motors):
        yield _lost("torque-speed lines", "the torque limit is the same at all speeds")
    play = max((motor.backlash for motor in motors), default=0.0)
    if play:
        yield _lost("backlash", "gears have no play", play, "rad")


def _contact_laws(world: World, dt: float) -> Iterator[Translated]:
    gravity = world.environment.ground.gravity
    how = "soft contacts; how far one sinks in under the weight that lies on it"
    yield _approximated("contacts that cannot be entered", how, sinking(world.robot, gravity, dt) * 1e3, "mm")


def _friction_laws(world: World, dt: float) -> Iterator[Translated]:
    ground, robot = world.environment.ground, world.robot
    laws = ground.laws(robot.n_links)
    most = max((max(law.coefficients) for law in laws if law.kind in ("cone", "rectangle")), default=0.0)
    if most:
        how = "soft friction creeps; speed of one contact at its limit"
        speed = creeping(robot, most, ground.gravity, dt) * 1e3
        yield _approximated("friction that sticks (set-valued)", how, speed, "mm/s")
    plane = ground.heights is None
    round_links = all(follows(f"link{k}", robot) for k in range(robot.n_links)) or not world.spatial
    for law in dict.fromkeys(laws):
        yield from _law(law, turns=plane and round_links)
    if ground.regions:
        count = float(len(ground.regions))
        yield _lost("patches of other friction", "the law outside them holds everywhere", count, "patches")
    if ground.spin:
        yield _exact("friction against turning on the spot", "torsional friction")
    if ground.rolling:
        yield _approximated("rolling friction", "its arm is the mean radius of the links")


def _law(law: FrictionLaw, *, turns: bool) -> Iterator[Translated]:
    forward, backward, across = law.coefficients
    if law.kind == "none":
        return
    if law.kind == "viscous":
        yield _lost("viscous friction", "there is none")
        return
    mean = (forward + backward) / 2
    if forward != backward:
        size = abs(backward - forward) / (2 * mean) * 100
        yield _lost("forward friction other than backward", "their mean in both directions", size, "%")
    if mean != across:
        if not turns:
            size = abs(across - mean) / max(across + mean, 1e-300) * 100
            yield _lost("friction along other than across", "boxes, balls and rough ground have their mean", size, "%")
        elif law.kind == "rectangle":
            size = (2**0.5 - 1) * 100
            yield _approximated("independent friction along and across", "an ellipse, not a rectangle", size, "%")
        else:
            how = "its axes are exact; soft, as all friction"
            yield _approximated("friction along other than across (ellipse)", how)
    if law.flow == "directional":
        yield _approximated("direction of slip", "slip is normal to the set of forces, not against them")
    if law.varies:
        more = (law.stick_ratio - 1) * 100
        yield _lost("friction that changes with slip speed or side", "that at high speed", more, "%")


def _ground_laws(world: World) -> Iterator[Translated]:
    ground = world.environment.ground
    yield _exact("gravity and slope" if ground.slope else "gravity")
    if ground.heights is not None:
        error = bilinear_error(ground.heights) * 1e3
        yield _approximated("heights of the ground", "two triangles for each square of the grid", error, "mm")
        yield _lost("ground beyond the grid", "there is none")
    most = max((ground.restitution, *(each.restitution for each in world.environment.obstacles)))
    if most:
        yield _lost("restitution", "contacts are damped critically", most, "-")


def _obstacle_laws(world: World) -> Iterator[Translated]:
    obstacles = world.environment.obstacles
    if not obstacles:
        return
    yield _exact("obstacles", f"{len(obstacles)} fixed geoms with their friction")
    tubes = [solid for each in obstacles if world.spatial for solid in each.solids if solid.inner]
    if tubes:
        yield _approximated("round pipes", "rings of flat pieces", max(map(stave_error, tubes)) * 1e3, "mm")


def _start_laws(world: World) -> Iterator[Translated]:
    pose = world.pose()
    yield _exact("posture and place at the start", "the key frame 'start'")
    if any(abs(pose[name]).max(initial=0.0) > 0.0 for name in ("v", "omega")):
        yield _lost("velocity at the start", "the key frame is at rest")
    if world.controller is None:
        yield _exact("motors that are off", "actuation is disabled")
    else:
        yield _lost("controller", "references go to ctrl from outside")
