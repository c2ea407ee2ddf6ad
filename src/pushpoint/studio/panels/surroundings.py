"""The ground, the motors, the obstacles, and what was picked in the scene with the forces on it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.errors import PushpointError
from pushpoint.model.friction import FrictionLaw
from pushpoint.model.kinds import name_of
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.simulation.live.live import Live
from pushpoint.studio import choices
from pushpoint.studio.panels.controls import Complaint, Sliders, by_viewer
from pushpoint.studio.runner import Published, Runner
from pushpoint.studio.stage.scene import Picked, StudioScene
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import viser

KINDS = {False: ("peg", "wall"), True: ("peg", "box")}
"""Obstacles that can be added, in the plane and in space."""
NOTHING = "Click a link or an obstacle to read its forces. Drag a link to push it, an obstacle to move it."


class Surroundings:
    """Friction and motors."""

    def __init__(self, server: viser.ViserServer, runner: Runner) -> None:
        gui = server.gui
        with gui.add_folder("ground friction"):
            self._friction = Sliders(server, runner, "ground", friction_of, put_friction)
            self._ground_complaint = Complaint(gui, runner, "ground")
        with gui.add_folder("motors", expand_by_default=False):
            self._motor = Sliders(server, runner, "motors", lambda world: first_motor(world.robot), put_motor)
            self._motor_complaint = Complaint(gui, runner, "motors")

    def show(self, shown: Published) -> None:
        """Shows the numbers as they are."""
        self._friction.show(shown.world, (shown.loaded,))
        self._motor.show(shown.world, (shown.loaded,))
        self._ground_complaint.show()
        self._motor_complaint.show()


class PickedPanel:
    """What was clicked: its forces, and for an obstacle its numbers; obstacles are added and removed here."""

    def __init__(self, server: viser.ViserServer, runner: Runner, scene: StudioScene) -> None:
        gui, self._runner, self._scene = server.gui, runner, scene
        self._words = gui.add_markdown(NOTHING)
        self._sliders = Sliders(server, runner, "picked", self._obstacle, self._put_obstacle)
        self._add = gui.add_button_group("add", ("peg", "wall", "box"))
        self._add.on_click(by_viewer(lambda event: self._add_one(event.target.value)))
        gui.add_button("remove the picked obstacle").on_click(by_viewer(lambda _event: self._remove()))
        self._complaint = Complaint(gui, runner, "picked")

    def show(self, shown: Published) -> None:
        """Shows the forces on what is picked."""
        picked = self._scene.picked
        words = words_of(shown, picked)
        if self._words.content != words:
            self._words.content = words
        self._sliders.show(shown.world, (shown.loaded, picked.obstacle))
        self._complaint.show()

    def _obstacle(self, world: World) -> Any:
        number = self._scene.picked.obstacle
        obstacles = world.environment.obstacles
        return None if number is None or number >= len(obstacles) else obstacles[number]

    def _put_obstacle(self, live: Live, obstacle: Any) -> None:
        number = self._scene.picked.obstacle
        if number is not None:
            environment = live.world.environment
            others = [obstacle if k == number else each for k, each in enumerate(environment.obstacles)]
            live.change(environment=dataclasses.replace(environment, obstacles=others))

    def _add_one(self, kind: str) -> None:
        def add(live: Live) -> None:
            world, look = live.world, live.look()
            if kind not in KINDS[world.spatial]:
                where = "in space" if world.spatial else "in the plane"
                raise PushpointError(f"a {kind} does not stand {where}; take a {' or a '.join(KINDS[world.spatial])}")
            head = look.link_position[-1]
            live.change(environment=choices.added(kind, world.environment, world, head, look.heading))

        self._runner.post("picked", add)

    def _remove(self) -> None:
        number = self._scene.picked.obstacle
        self._scene.picked = Picked()

        def remove(live: Live) -> None:
            if number is None:
                raise PushpointError("no obstacle is picked: click one")
            environment = live.world.environment
            rest = [each for k, each in enumerate(environment.obstacles) if k != number]
            live.change(environment=dataclasses.replace(environment, obstacles=rest))

        self._runner.post("picked", remove)


def words_of(shown: Published, picked: Picked) -> str:
    """The forces on what is picked."""
    look = shown.look
    if picked.link is not None and picked.link < len(look.link_position):
        k = picked.link
        joint = f", motor before it {look.joint_torque[k]:.3f} N m" if k < len(look.joint_torque) else ""
        return (
            f"**link {k}**: obstacles {_newtons(look.obstacle_force[k])}, ground {_newtons(look.ground_force[k])}, "
            f"push {_newtons(look.pushes[k])}{joint}"
        )
    if picked.obstacle is not None and picked.obstacle < len(look.obstacle_load):
        kind = name_of(type(shown.world.environment.obstacles[picked.obstacle]))
        return f"**obstacle {picked.obstacle}** ({kind}): {look.obstacle_load[picked.obstacle]:.3f} N in all"
    return NOTHING


def _newtons(force: np.ndarray) -> str:
    return f"{np.linalg.norm(np.nan_to_num(force)):.3f} N"


def friction_of(world: World) -> Any:
    """The law of the ground, if one holds for the whole robot."""
    law = world.environment.ground.friction
    return law if isinstance(law, FrictionLaw) else None


def put_friction(live: Live, law: Any) -> None:
    """Puts another law in the place of that of the ground."""
    environment = live.world.environment
    ground = dataclasses.replace(environment.ground, friction=law)
    live.change(environment=dataclasses.replace(environment, ground=ground))


def first_motor(robot: AnyRobot) -> Motor | None:
    """The motor next to the tail; None without joints."""
    motors: Any = robot.motors
    return motors[0] if motors else None


def put_motor(live: Live, motor: Motor) -> None:
    """What differs from the first motor is changed in all of them."""
    robot = live.world.robot
    before = first_motor(robot)
    names = [each.name for each in dataclasses.fields(Motor)]
    told = {name: getattr(motor, name) for name in names if getattr(motor, name) != getattr(before, name)}
    if isinstance(robot, SpatialRobot):
        live.change(robot=dataclasses.replace(robot, joints=tuple(_with_motors(each, told) for each in robot.chain)))
    else:
        motors: Any = robot.motors
        changed = tuple(dataclasses.replace(each, **told) for each in motors)
        live.change(robot=dataclasses.replace(robot, motors=changed))


def _with_motors(joint: Any, told: dict[str, Any]) -> Any:
    """A joint whose motors are told something else."""
    held = {each.name: getattr(joint, each.name) for each in dataclasses.fields(joint)}
    motors = {name: each for name, each in held.items() if isinstance(each, Motor)}
    return dataclasses.replace(joint, **{name: dataclasses.replace(each, **told) for name, each in motors.items()})
