"""What can be chosen: published scenarios and files, robots of the catalogue, and kinds of controllers for a robot."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pushpoint.control.rails import OnRails
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.description.kinds import known_kinds
from pushpoint.description.shapes import uniform_section
from pushpoint.engine.controller import Controller
from pushpoint.errors import InvalidModel, PushpointError, StartOverlap
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.papers.registry import scenario, scenario_names
from pushpoint.scenarios.files import FILE_ENDINGS
from pushpoint.scenarios.scenario import Scenario, scenario_of
from pushpoint.simulation.live.live import Live, Moment
from pushpoint.simulation.storage import load
from pushpoint.worlds.world import World, check_world

RUN_ENDING = ".nc"
MOST_LINKS, MOST_FILES = 300, 200
"""Most links that a page draws in time, and files of a folder that are listed."""
POSES = ("link_position", "link_angle", "link_orientation", "center_of_mass")
"""What is recorded in any case: without it nothing can be seen when one looks back."""
OFF, OWN = "motors off", "as in the scenario"
USUAL = {
    "amplitude": math.radians(30.0),
    "yaw_amplitude": math.radians(30.0),
    "pitch_amplitude": math.radians(10.0),
    "angular_frequency": math.radians(80.0),
    "phase_shift": math.radians(-50.0),
}
"""Values of what a gait must be told, if the one before does not tell [SI]."""
CURVE_SPEED = 0.3
"""Speed along a shape curve that nobody has given [m/s]."""
BACK, MOST_BACK = 0.1, 200
"""Steps in which a robot that finds no room is moved back [body lengths], and how many [-]."""
AHEAD, ASIDE = 0.35, 0.15
"""Where a new obstacle stands: before the head, in body lengths, and beside [-]."""

Opened = tuple[Live, str, str]
"""A live simulation with the name and title of its scenario."""


def targets(folder: Path) -> list[str]:
    """All published scenarios, and the scenario files and runs of a folder."""
    endings = FILE_ENDINGS | {RUN_ENDING}
    files = sorted(each.name for each in folder.iterdir() if each.suffix.lower() in endings and each.is_file())
    return [*files[:MOST_FILES], *scenario_names()]


def open_target(target: str, folder: Path = Path()) -> Opened:
    """What a name, a scenario file or a run is, ready to go on. A run is repeated to its end, and so are edits."""
    if Path(target).suffix.lower() == RUN_ENDING:
        with load(folder / target) as run:
            found, last = scenario_of(run), float(run["time"][-1])
        between = found.record.steps(found.settings.dt) * found.settings.dt
        ended_there = found.duration - last < between  # after the last sample, and before there would be another
        return open_scenario(found, found.duration if ended_there else last)
    beside = os.path.join(folder, target)  # a Path raises for a name that is too long for a file
    named = scenario(beside if os.path.isfile(beside) else target)
    return open_scenario(named, named.duration if named.edits else 0.0)


def open_scenario(found: Scenario, last: float = 0.0) -> Opened:
    """A live simulation of a scenario with one world; up to a time [s] it is repeated with its edits."""
    if found.varies is not None:
        raise PushpointError(
            f"{found.name} has {len(found.experiment.worlds)} worlds; the studio shows scenarios of one"
        )
    if found.world.robot.n_links > MOST_LINKS:
        raise InvalidModel("robot.n_links", found.world.robot.n_links, f"at most {MOST_LINKS} in the studio")
    record = found.record
    if record.variables is not None:
        record = replace(record, also=(*record.also, *POSES))
    live = Live(found.world, settings=found.settings, record=record, name=found.name)
    step = round(last / found.settings.dt)
    if step or found.edits:
        edits = tuple(edit for edit in found.edits if edit.step <= step)
        live.restore(Moment(step=step, edits=edits))
    return live, found.name, found.title


def open_world(world: World, live: Live, name: str) -> Opened:
    """A live simulation of another world, with the settings of the one before."""
    return Live(world, settings=live.settings, record=live.record, name=name), name, ""


def with_links(robot: AnyRobot, count: int) -> AnyRobot:
    """The same robot with another number of links; they must all be equal."""
    if not 1 <= count <= MOST_LINKS:
        raise InvalidModel("robot.n_links", count, f"1 to {MOST_LINKS} in the studio")
    made: Any = robot
    between = made.joints if isinstance(robot, SpatialRobot) else made.motors
    if uniform_section(robot) is None or not between:
        raise InvalidModel("robot", robot.name, "one with equal links, to have more or fewer of them")
    period = next(p for p in range(1, len(between) + 1) if all(b == between[k % p] for k, b in enumerate(between)))
    parts = between[:period] if isinstance(robot, SpatialRobot) else between[:1]
    moved = parts if len(parts) > 1 else parts[0]
    return type(made).uniform(count, made.links[0], moved, name=f"{robot.name}-{count}", source=robot.source)


def with_robot(world: World, robot: AnyRobot) -> World:
    """The same world with another robot, which begins where the one before did, or as far behind as it needs to be."""
    starts = [world.start] if isinstance(robot, SpatialRobot) == world.spatial else []
    refused: PushpointError | None = None
    for start in (*starts, None):
        try:
            made = replace(world, robot=robot, start=start)
            check_world(made)
            return _moved_clear(made)
        except (StartOverlap, InvalidModel) as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _moved_clear(world: World) -> World:
    """The world, with its robot moved back along x until it overlaps nothing."""
    length = float(world.robot.column("length").sum())
    start: Any = world.start
    for number in range(MOST_BACK):
        x = start.position[0] - number * BACK * length
        moved = replace(world, start=replace(start, position=(x, *start.position[1:]))) if number else world
        with contextlib.suppress(StartOverlap):
            moved.pose()
            return moved
    world.pose()
    return world


def robot_named(name: str) -> AnyRobot:
    """A robot of the catalogue."""
    return ROBOTS[name]()


def controller_kinds() -> dict[str, type]:
    """All kinds of gaits and controllers by name that can be made from what is known."""
    return {name: kind for name, kind in known_kinds(Controller).items() if _can_be_made(kind)}


def _can_be_made(kind: Any) -> bool:
    return all(_has_value(each) for each in dataclasses.fields(kind) if each.init)


def _has_value(each: Any) -> bool:
    has_default = each.default is not dataclasses.MISSING or each.default_factory is not dataclasses.MISSING
    return has_default or each.name in USUAL or each.name in MAKERS


def controller_named(name: str, world: World, first: Any) -> Any:
    """A controller of a kind for a world; numbers that the one before has as well are kept."""
    if name == OFF:
        return None
    if name == OWN:
        return first
    kind: Any = known_kinds(Controller, name)[name]
    before = world.controller
    given: dict[str, Any] = {}
    for each in dataclasses.fields(kind):
        held = getattr(before, each.name, None)
        if each.name in USUAL:
            given[each.name] = held if isinstance(held, float) else USUAL[each.name]
        elif each.init and each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING:
            given[each.name] = MAKERS[each.name](world)
    return kind(**given)


def _planned_path(world: World) -> Any:
    """The path of the controller before, or a plan through the pegs from where the robot lies."""
    if isinstance(world.controller, OnRails):
        return world.controller.path
    raise PushpointError(
        "force mapping follows a planned path: choose the scenario pegs/planned-path, or plan one first"
    )


def _motion(world: World) -> Any:
    """Sidewinding along a shape curve."""
    from pushpoint.planning import AlongCurve, sidewinding

    robot: Any = world.robot
    if isinstance(world.controller, ShapeCurveFollower):
        return world.controller.motion
    return AlongCurve(segment=sidewinding(robot), speed=CURVE_SPEED)


MAKERS: dict[str, Callable[[World], Any]] = {"path": _planned_path, "motion": _motion}
"""What else a controller must be told, made for a world."""


def added(kind: str, environment: Environment, world: World, place: Any, heading: Any) -> Environment:
    """The environment with one more obstacle before the robot's head, at a place [m] ahead along a unit vector."""
    from pushpoint.model.environment import Wall
    from pushpoint.model.terrain import Box

    length = float(world.robot.column("length").sum())
    left = (-float(heading[1]), float(heading[0]))
    x = float(place[0]) + length * (AHEAD * float(heading[0]) + ASIDE * left[0])
    y = float(place[1]) + length * (AHEAD * float(heading[1]) + ASIDE * left[1])
    radius = 0.05 * length
    made: Any
    if kind == "peg":
        made = Peg(x=x, y=y, radius=radius)
    elif kind == "wall":
        end = (x + 0.5 * length * float(heading[0]), y + 0.5 * length * float(heading[1]))
        made = Wall(start=(x, y), end=end, thickness=0.5 * radius)
    else:
        made = Box(center=(x, y, 0.5 * radius), size=(2.0 * radius, 2.0 * radius, radius))
    return replace(environment, obstacles=(*environment.obstacles, made))
