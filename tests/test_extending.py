"""Kinds of one's own: a gait, a controller, a friction law and an obstacle, defined here and nowhere in the package.

Each is used from Python and from a scenario file, complained about with the line, drawn, and given back by a run.
"""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.model import kinds
from pushpoint.model.checks import above, check_fields


@dataclass(frozen=True, kw_only=True)
class Flap(pp.Gait):
    """All joints swing together."""

    amplitude: float
    """How far [rad]."""
    frequency: Annotated[float, above(0, "Hz")] = 0.5
    """How often [Hz]."""

    def __post_init__(self) -> None:
        check_fields(self, "gait")

    def references(self, time: np.ndarray, robot: Any) -> tuple[np.ndarray, np.ndarray]:
        """The same angle in every joint."""
        w = 2 * np.pi * self.frequency
        swing, rate = self.amplitude * np.sin(w * time), self.amplitude * w * np.cos(w * time)
        return np.outer(swing, np.ones(robot.n_joints)), np.outer(rate, np.ones(robot.n_joints))


class Count(NamedTuple):
    """What the controller below remembers."""

    commands: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Stiff(pp.Controller[Count]):
    """Pulls every joint back to straight."""

    gain: float = 0.5
    """Share of the angle that is left [-]."""
    rate: float = 50.0
    """Commands per second [Hz]."""

    def memory(self) -> Count:
        """Nothing commanded yet."""
        return Count(np.array(0))

    def command(self, measurement: pp.Measurement, memory: Count) -> tuple[pp.Command, Count]:
        """A share of the present angle."""
        assert isinstance(memory, Count)  # the type is kept from one command to the next
        return pp.Command(joint_angle=self.gain * measurement.joint_angle), Count(memory.commands + 1)


@dataclass(frozen=True, kw_only=True)
class Carpet(pp.FrictionLaw):
    """Easy along the pile, hard against it: an ellipse made from one number."""

    pile: float
    """Friction coefficient along the link [-]; three times as much across."""

    def __post_init__(self) -> None:
        if not self.pile >= 0:
            raise InvalidModel("friction.pile", self.pile, ">= 0", unit="-")

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """For sliding forward, backward and across: the half-axes of an ellipse [-]."""
        return self.pile, self.pile, 3 * self.pile


@dataclass(frozen=True, kw_only=True)
class Cross(pp.Obstacle):
    """Two walls that cross each other."""

    x: float
    """Middle [m]."""
    y: float
    """Middle [m]."""
    arm: Annotated[float, above(0, "m")]
    """Length of an arm [m]."""
    friction: float = 0.0
    """Coulomb coefficient [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""

    def __post_init__(self) -> None:
        check_fields(self, "cross")

    @property
    def walls(self) -> Sequence[pp.Wall]:
        """What it looks like in obstacles of the package."""
        more = {"thickness": 0.02, "friction": self.friction, "restitution": self.restitution}
        return (
            pp.Wall(start=(self.x - self.arm, self.y), end=(self.x + self.arm, self.y), **more),
            pp.Wall(start=(self.x, self.y - self.arm), end=(self.x, self.y + self.arm), **more),
        )

    @property
    def hulls(self) -> Any:
        """Two thick segments."""
        return tuple(hull for wall in self.walls for hull in wall.hulls)


MINE = {"test-flap": Flap, "test-stiff": Stiff, "test-carpet": Carpet, "test-cross": Cross}


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    """Known as long as these tests last: other tests count the kinds of the package."""
    for name, kind in MINE.items():
        pp.register(name)(kind)
    yield
    for name, kind in MINE.items():
        kinds.forget(name, kind)


LINK = pp.PlanarLink(length=0.1, mass=0.5, inertia=5e-4, radius=0.03)
ROBOT = pp.PlanarRobot.uniform(5, LINK, pp.Motor(stiffness=50.0, damping=1.0))
FILE = """\
robot: {n_links: 5, link: {length: 0.1, mass: 0.5, inertia: 5e-4, radius: 0.03}, motor: {stiffness: 50, damping: 1}}
ground:
  friction:
    law: test-carpet
    pile: 0.1
obstacles:
  - {x: 0.6, y: 0.4, radius: 0.05}
  - kind: test-cross
    x: 0.5
    y: -0.5
    arm: 0.1
controller:
  kind: test-flap
  amplitude_deg: 30
duration: 0.3
"""


def world(controller: Any) -> pp.World:
    course = pp.Environment(
        ground=pp.Ground(friction=Carpet(pile=0.1)),
        obstacles=[pp.Peg(x=0.6, y=0.4, radius=0.05), Cross(x=0.5, y=-0.5, arm=0.1)],
    )
    return pp.World(ROBOT, course, controller)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "mine.yaml").write_text(FILE, encoding="utf-8")
    return tmp_path / "mine.yaml"


@pytest.mark.parametrize("controller", [Flap(amplitude=0.5), Stiff()], ids=["gait", "controller"])
def test_own_kinds_are_simulated_drawn_and_given_back(controller: Any) -> None:
    mine = world(controller)
    run = pp.simulate(mine, 0.3)
    assert run.attrs["status_code"] == "finished"
    assert pp.world_of(run) == mine
    again = pp.scenario_of(run).run()
    assert all(np.array_equal(run[name], again[name], equal_nan=True) for name in run.data_vars)
    figure = pp.plots.course(run)
    assert figure.axes


def test_a_file_holds_them(course: Path, tmp_path: Path) -> None:
    read = pp.scenario(str(course))
    assert read.world == world(Flap(amplitude=np.radians(30)))
    written = pp.write_scenario(read, tmp_path / "again.yaml")
    assert pp.scenario(str(written)).world == read.world
    assert read.run().attrs["status_code"] == "finished"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("pile: 0.1", "pile: -1", "5: ground.friction.pile = -1, must be >= 0 [-]"),
        ("pile: 0.1", "pyle: 1", "5: ground.friction: unknown key 'pyle'; did you mean pile"),
        ("arm: 0.1", "arm: 0", "11: obstacles[1].arm = 0, must be finite and > 0 [m]"),
        ("    arm: 0.1\n", "", "8: obstacles[1].arm is missing, must be given"),
        ("test-flap", "test-flop", "13: controller.kind: unknown kind 'test-flop'; did you mean test-flap"),
        ("amplitude_deg: 30", "amplitude: 30", "14: controller: unknown key 'amplitude'; did you mean amplitude_deg"),
        ("amplitude_deg: 30", "amplitude_deg: wide", "14: controller.amplitude_deg = 'wide', must be a number"),
        (
            "amplitude_deg: 30",
            "amplitude_deg: 30\n  frequency: 0",
            "15: controller.frequency = 0, must be finite",
        ),
    ],
)
def test_one_sentence_with_the_line(course: Path, old: str, new: str, sentence: str) -> None:
    course.write_text(FILE.replace(old, new), encoding="utf-8")
    with pytest.raises(BadFile) as caught:
        pp.scenario(str(course))
    assert str(caught.value).removeprefix(f"{course}:").startswith(sentence)


def test_the_law_and_the_obstacle_do_what_they_are_made_of() -> None:
    mine, gait = world(Flap(amplitude=0.5)), Flap(amplitude=0.5)
    plain = pp.Environment(
        ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=3 * 0.1)),
        obstacles=[mine.environment.obstacles[0], *mine.environment.obstacles[1].walls],  # type: ignore[attr-defined]
    )
    near = dataclasses.replace(mine, start=pp.Start(position=(0.5, -0.43)))
    for one, other in ((mine, pp.World(ROBOT, plain, gait)),):
        assert np.array_equal(pp.simulate(one, 0.5).link_position, pp.simulate(other, 0.5).link_position)
    with pytest.raises(pp.errors.StartOverlap, match="obstacle 1"):
        pp.simulate(near, 0.1)


def test_names_are_refused_that_cannot_be() -> None:
    with pytest.raises(InvalidModel, match="register: name = 'My Gait'"):
        pp.register("My Gait")
    with pytest.raises(InvalidModel, match="a class derived from one of"):
        pp.register("test-nothing")(int)
    with pytest.raises(InvalidModel, match="Peg is already called that"):
        pp.register("peg")(Cross)


def test_the_command_line_imports_a_module_of_ones_own(course: Path, tmp_path: Path) -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    names = "".join(f'pp.register("{name}")({kind.__name__})\n' for name, kind in MINE.items())
    (tmp_path / "my_kinds.py").write_text(source.partition("MINE = ")[0] + names, encoding="utf-8")
    command = [sys.executable, "-m", "pushpoint", "--import", "my_kinds", "check", course.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "mine.yaml: fine: 5 links, 0.3 s\n"), done.stderr
    alone = subprocess.run([*command[:3], *command[5:]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert alone.returncode == 1 and "unknown kind 'test-flap'" in alone.stderr and "Traceback" not in alone.stderr
