"""An exported world in MuJoCo beside the same world here: how far the paths are apart."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.errors import Bounds, InvalidModel, MissingExtra, SimulationFailed
from pushpoint.interchange.references import joint_references
from pushpoint.interchange.report import Translated
from pushpoint.interchange.robots.mjcf.writing import START, exported, model_of
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes
from pushpoint.model.checks import above, check_fields, real
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.scenarios.scenario import Scenario
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

SAMPLES = 200
"""Samples per period [-]."""
WITHOUT_PERIOD = 1.0
"""Time that counts as one period of a controller that has none [s]."""

MOST_PERIODS = 1000
Periods = Annotated[float, Bounds("-", low=0.0, above=True, high=MOST_PERIODS)]
"""A number of periods [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BesideMujoco:
    """The paths of one world in both simulators."""

    __repr__ = brief

    period: Annotated[float, above(0, "s")]
    """Period of the gait [s]."""
    times: Annotated[np.ndarray, real("s"), Axes("n_times")]
    """Times of the samples [s], shape (n_times,)."""
    path: Annotated[np.ndarray, real("m"), Axes("n_times", 2)]
    """The centre of mass here [m], shape (n_times, 2)."""
    mujoco_path: Annotated[np.ndarray, real("m"), Axes("n_times", 2)]
    """The centre of mass in MuJoCo [m], shape (n_times, 2)."""
    turned: Annotated[np.ndarray, real("rad"), Axes("n_times")]
    """How much farther the robot has turned in MuJoCo than here [rad], shape (n_times,): the mean over its links."""

    def __post_init__(self) -> None:
        check_fields(self, "beside")

    @property
    def distance(self) -> np.ndarray:
        """Distance between the paths [m], shape (n_times,)."""
        return np.asarray(np.linalg.norm(self.mujoco_path - self.path, axis=1))

    @checked_arguments
    def predicted(self, periods: Periods) -> float:
        """How far the paths may be apart after so many periods [m], judged by the first; an estimate, not a bound.

        If each period misses by as much as the first, distances add up, n d, and so do turns: where the robot heads
        another way by k e after k periods, a period of length l misses by k e l more. Together n d + n (n - 1) / 2 e l,
        with the largest d and e of the first period. One period more is counted, since the first begins at rest. Where
        later periods are unlike the first, as after a soft start, it says too little.
        """
        first = int(np.searchsorted(self.times, self.period * (1 - 1e-9)))
        first = min(first, len(self.times) - 1)
        missed, turn = (float(np.abs(each[: first + 1]).max()) for each in (self.distance, self.turned))
        way = max(float(np.linalg.norm(path[first] - path[0])) for path in (self.path, self.mujoco_path))
        count = periods + 1
        return count * missed + count * (count - 1) / 2 * turn * way

    @property
    def law(self) -> Translated:
        """The entry of a report about the path."""
        way = 1e3 * float(np.linalg.norm(self.path[-1] - self.path[0]))
        ten = 1e3 * self.predicted(10)
        how = f"apart after {self.times[-1]:.3g} s and {way:.3g} mm of way; about {ten:.3g} mm after ten periods"
        return Translated(law="path", kept="approximated", how=how, error=1e3 * float(self.distance[-1]), unit="mm")


@checked_arguments
def run_beside_mujoco(thing: World | Scenario, *, periods: Periods = 1.0) -> BesideMujoco:
    """Runs a world here and its exported file in MuJoCo, and compares the paths.

        beside = pp.interchange.run_beside_mujoco(pp.scenario("transeth2008b/sidewinding"))
        print(f"{1e3 * beside.distance[-1]:.1f} mm apart, about {1e3 * beside.predicted(5):.1f} mm after 5 periods")

    Args:
        thing: A world, or a scenario of one world, whose controller is a gait.
        periods: How many periods of the gait to run; a controller without a period runs for as many seconds.

    Raises:
        MissingExtra: MuJoCo is not installed.
    """
    mujoco = mujoco_module()
    given = exported(thing)
    world, dt = given.world, given.dt
    if world.controller is None:
        raise InvalidModel("world.controller", None, "a gait: both sides need the same joint references")
    period = world.controller.period or WITHOUT_PERIOD
    steps = max(1, round(periods * period / dt))
    every = max(1, round(period / SAMPLES / dt))
    told = joint_references(world.controller, world.robot, duration=steps * dt, rate=1.0 / dt)
    control = _control(world.robot, told.angles, told.rates)
    settings = replace(thing.settings, on_failure="raise") if isinstance(thing, Scenario) else None
    more: dict[str, Any] = {} if settings is None else {"settings": settings}
    run = simulate(world, steps * dt, record=Record(rate=1.0 / (every * dt)), **more)
    model = mujoco.MjModel.from_xml_string(ET.tostring(model_of(given), encoding="unicode"))
    path, turns = _driven(mujoco, model, control, round(dt / model.opt.timestep), every)
    count = min(len(path), run.sizes["time"])
    here = run.center_of_mass.values[:count, :2]
    return BesideMujoco(
        period=period,
        times=run.time.values[:count],
        path=here,
        mujoco_path=path[:count, :2],
        turned=turns[:count] - turns[0] - (_headings(run)[:count] - _headings(run)[0]),
    )


def mujoco_module() -> Any:
    """MuJoCo, or MissingExtra."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("a run in MuJoCo", "bench") from None
    return mujoco


def _control(robot: AnyRobot, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """What the actuators are told at every step: a servo its angle, ahead by its rate; a damper its rate."""
    stiffness, damping = (robot.motor_column(name) for name in ("stiffness", "damping"))
    ahead = np.divide(damping, stiffness, out=np.zeros_like(damping), where=stiffness > 0.0)
    servo = angles + ahead * rates
    return np.asarray(np.where(stiffness > 0.0, servo, np.where(damping > 0.0, rates, 0.0)))


def _driven(mujoco: Any, model: Any, control: np.ndarray, parts: int, every: int) -> tuple[np.ndarray, np.ndarray]:
    """Centres of mass and mean headings of a run in MuJoCo, at the start and after every so many steps."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(START).id)
    mujoco.mj_forward(model, data)
    places, turns = [np.array(data.subtree_com[0])], [_directions(data)]
    for step, told in enumerate(control[:-1]):
        data.ctrl[:] = told
        mujoco.mj_step(model, data, parts)
        if (step + 1) % every == 0:
            places.append(np.array(data.subtree_com[0]))
            turns.append(_directions(data))
    if any(warning.number for warning in data.warning) or not np.isfinite(places).all():
        raise SimulationFailed("MuJoCo could not run the exported file to its end: it warned of numbers that blew up")
    return np.array(places), _unwrapped(np.array(turns))


def _directions(data: Any) -> np.ndarray:
    """Directions of the links on the ground, from tail to head, one after the other [rad]."""
    forward = data.xmat[1:].reshape(-1, 3, 3)[:, :, 0]
    return np.arctan2(forward[:, 1], forward[:, 0])


def _unwrapped(turns: np.ndarray) -> np.ndarray:
    return np.asarray(np.unwrap(turns, axis=0).mean(axis=1))


def _headings(run: Any) -> np.ndarray:
    """Mean direction of the links on the ground at every sample [rad]."""
    if "link_orientation" in run:
        forward = rotation_of(run.link_orientation.values)[..., 0]
        return _unwrapped(np.arctan2(forward[..., 1], forward[..., 0]))
    return _unwrapped(run.link_angle.values)
