"""Stability of force mapping along a path, its causes, and how it compares with driving; prints JSON.

    python benchmarks/posture_stability.py linear     # eigenvalues, identity, thresholds: a minute
    python benchmarks/posture_stability.py engine     # the course of holden2014/closed-loop driven: minutes
    python benchmarks/posture_stability.py robust     # time steps, rates, what is not known: minutes
    python benchmarks/posture_stability.py courses    # other courses, certificate beside driving: many minutes
    python benchmarks/posture_stability.py plans      # paths planned through fields of pegs, seeds 0 to 5: a minute
    python benchmarks/posture_stability.py figures    # docs/images/posture-*.png

docs/theory/force-mapping-stability.md says what the figures mean.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from math import radians, sqrt
from pathlib import Path as File
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from pushpoint.control import ForceMappingController
from pushpoint.engine.settings import Settings
from pushpoint.mapping import (
    MappingWeights,
    Path,
    PathStability,
    RailCosts,
    Travel,
    least_stiffness,
    path_stability,
)
from pushpoint.mapping.path_stability import FIRM, _Held, _positions
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.papers.holden2014.courses import disturbed, fifteen_links, flank_pegs, sine_path
from pushpoint.papers.holden2014.decay import MovingGoal
from pushpoint.papers.registry import scenario
from pushpoint.planning.pegs.paths import plan_path
from pushpoint.reduced import GroundFriction, reduce_robot
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.tracking import tracking
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

LOOP = scenario("holden2014/closed-loop")
ROBOT, PATH, PEGS = LOOP.world.robot, LOOP.world.controller.path, LOOP.world.environment.obstacles
MODEL, GROUND = reduce_robot(ROBOT), GroundFriction.of(LOOP.world.environment.ground)
HEAD = ROBOT.length + np.linspace(0.0, 2.0, 60)
SMOOTH = tuple(replace(peg, friction=0.0) for peg in PEGS)
PAPER = MappingWeights()
MOST_OFFSET, MOST_STRAY, LEAST_WAY = 0.5, 1.0, 0.9
"""A path is certified if nothing grows and links settle within the first [rad]; it is driven if links stay within the
second [rad] and the head comes this share of the way asked for. Chosen before the courses were run."""


def law(stiffness: float, k_p: float = 400.0) -> MappingWeights:
    return MappingWeights(posture=stiffness / k_p)


def spread(values: Any) -> dict[str, float]:
    """Least, median and largest."""
    array = np.asarray(values, dtype=float)
    return {"least": float(array.min()), "median": float(np.median(array)), "most": float(array.max())}


def places(mu: float = 0.3, pegs: Sequence[Peg] = PEGS, speed: float = 0.1, head: np.ndarray = HEAD) -> list[_Held]:
    ground = replace(GROUND, coefficient=mu)
    return [held for held in _positions(Travel(MODEL, ground, PATH, pegs, head, speed), PAPER) if held is not None]


def fastest(K: np.ndarray, V: np.ndarray) -> float:
    n = len(K)
    return float(np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [K, V]])).real.max())


def null_space(held: _Held) -> np.ndarray:
    """G: what torques that the wish does not feel do to the free coordinates."""
    A = held.closed.per_torque[0]
    A_e = A[[*held.links, -2, -1]]
    return np.asarray(held.tangent.T @ held.mass_matrix[0] @ A @ (np.eye(A.shape[1]) - np.linalg.pinv(A_e) @ A_e))


def causes() -> dict[str, Any]:
    """Growth of the paper's law, by stiffness alone and by damping alone, over the load."""
    found: dict[str, Any] = {}
    for mu in (0.1, 0.2, 0.4, 0.8):
        slopes = [held.linearised(PAPER, FIRM) for held in places(mu, SMOOTH)]
        creep = [held.linearised(PAPER, FIRM) for held in places(mu, SMOOTH, 1e-6)]
        found[f"mu {mu}"] = {
            "whole": spread([fastest(K, V) for _, K, V in slopes]),
            "K alone": spread([fastest(K, 0.0 * V) for _, K, V in slopes]),
            "K alone, creeping": spread([fastest(K, 0.0 * V) for _, K, V in creep]),
            "V alone": spread([np.linalg.eigvals(V).real.max() for _, _, V in slopes]),
            "odd number of buckling directions": float(np.mean([np.linalg.det(-K) < 0.0 for _, K, _ in slopes])),
        }
    return found


def identity() -> dict[str, float]:
    """How exactly a servo in the null space adds -S (k xi + d xi_dot), and how definite S is."""
    off, least = [], []
    for held in places(0.3, SMOOTH):
        Z, B, G = held.tangent, MODEL.torque_map, null_space(held)
        A = held.closed.per_torque[0]
        A_e = A[[*held.links, -2, -1]]
        S = Z.T @ B @ (np.eye(A.shape[1]) - np.linalg.pinv(A_e) @ A_e) @ B.T @ Z
        off.append(float(np.abs(G @ B.T @ Z - S).max() / np.abs(S).max()))
        least.append(float(np.linalg.eigvalsh((S + S.T) / 2).min()))
    return {"largest relative miss": max(off), "least eigenvalue of S": min(least)}


def thresholds() -> dict[str, Any]:
    """Least stiffness over what it is made of and over the load."""
    ways = {
        f"k_p {k_p:g}": replace(FIRM, posture_stiffness=k_p, posture_damping=2.0 * sqrt(k_p))
        for k_p in (25.0, 100.0, 400.0, 1600.0)
    }
    travel = Travel(MODEL, GROUND, PATH, PEGS, HEAD)
    of_gains = {name: spread(least_stiffness(travel, gains)) for name, gains in ways.items()}
    of_load, static = {}, {}
    for mu in (0.075, 0.15, 0.3, 0.6, 1.2):
        ground = replace(GROUND, coefficient=mu)
        of_load[f"mu {mu}"] = spread(least_stiffness(Travel(MODEL, ground, PATH, SMOOTH, HEAD)))
        edges = []
        for held in places(mu, SMOOTH, 1e-6):
            G = null_space(held)
            values = np.linalg.eigvals(np.linalg.solve(G @ G.T, held.linearised(PAPER, FIRM)[1]))
            edges.append(float(values.real[np.abs(values.imag) < 1e-6 * np.abs(values)].max(initial=0.0)))
        static[f"mu {mu}"] = spread(edges)
    return {"rough pegs, over k_p": of_gains, "smooth pegs, over load": of_load, "static, smooth, creeping": static}


def over_a_wave(weights: MappingWeights, count: int = 400) -> float:
    """Growth over one wave, hand-overs included: the flows of the positions one after another [1/s]."""
    x = PATH.points[:, 0]
    wave = float(np.interp(x[0] + 0.55, x, _arcs(PATH)))  # arc length of one wave: the course repeats after it
    head = ROBOT.length + 0.1 + np.linspace(0.0, wave, count, endpoint=False)
    held = places(head=head)
    dt = wave / count / 0.1
    total = np.eye(2 * held[0].left)
    for here, there in zip(held, [*held[1:], held[0]], strict=True):
        _, K, V = here.linearised(weights, FIRM)
        n = len(K)
        system = np.block([[np.zeros((n, n)), np.eye(n)], [K, V]])
        values, vectors = np.linalg.eig(system * dt)
        flow = (vectors * np.exp(values) @ np.linalg.inv(vectors)).real
        carried = there.tangent.T @ there.mass_matrix[0] @ here.tangent
        total = np.kron(np.eye(2), carried) @ flow @ total
    return float(np.log(np.abs(np.linalg.eigvals(total)).max()) / (dt * count))


def _arcs(path: Path) -> np.ndarray:
    return np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(path.points, axis=0), axis=1))))


def growths() -> dict[str, Any]:
    """Growth and offset along the course, law by law."""
    laws: dict[str, MappingWeights | RailCosts] = {"paper": PAPER}
    laws |= {f"stiffness {k:g}": law(k) for k in (4.0, 8.0, 12.0, 40.0, 160.0)}
    laws |= {f"rails {form}, {p}": RailCosts(form=form, posture=p) for form in ("free", "eliminated")
             for p in (None, 0.0, 0.1, 0.4)}  # fmt: skip
    found = {}
    for name, weights in laws.items():
        one = path_stability(Travel(MODEL, GROUND, PATH, PEGS, HEAD), weights)
        grows = int((one.growth > 0.0).sum())
        found[name] = {"growth": spread(one.growth), "grows at": grows, "offset_rad": float(one.offset.max())}
    thrown = [held.closed.acceleration(held.torque(PAPER, FIRM))[0] for held in places()]
    free = [np.abs(np.delete(q[:-2], held.links)).max() for q, held in zip(thrown, places(), strict=True)]
    found["paper"]["free links thrown at rad_per_s2"] = spread(free)
    found["paper"]["free coordinates"] = spread([held.left for held in places()])
    return found


def unbounded() -> dict[str, float]:
    """Largest rate of a link by the least torques that fulfil the wish, where pegs may pull: no bound is to blame."""
    loop = MovingGoal.of(0.0, 0.1)

    def flow(t: float, x: np.ndarray) -> np.ndarray:
        problem = loop.problem(t, x)
        torque = np.linalg.lstsq(problem.A_e, problem.b_e)[0]
        return np.concatenate((x[22:], problem.closed.acceleration(torque)))

    times = np.array((0.05, 0.1, 0.2, 0.3))
    found = solve_ivp(flow, (0.0, times[-1]), loop.start(), t_eval=times, rtol=1e-5, atol=1e-7)
    return {f"rad_per_s after {t:g} s": float(np.abs(x[22:42]).max()) for t, x in zip(found.t, found.y.T, strict=True)}


def linear() -> dict[str, Any]:
    floquet = {"paper": over_a_wave(PAPER), "stiffness 160": over_a_wave(law(160.0))}
    return {"along the course": growths(), "causes": causes(), "identity": identity(), "least stiffness": thresholds(),
            "growth over a wave": floquet, "unbounded law": unbounded()}  # fmt: skip


def driven(
    robot: PlanarRobot, environment: Environment, controller: Any, duration: float, dt: float = 1e-3
) -> dict[str, float]:
    """One run on the engine: way, largest angle of a link off the path, squared torques, share of feasible wishes."""
    world = World(robot, environment, controller, controller.start(robot))
    names = ("link_angle", "center_of_mass", "joint_torque", "obstacle_load", "controller_mode")
    variables = names if controller.program else names[:-1]
    settings = Settings(dt=dt)
    run = simulate([world], duration=duration, settings=settings, record=Record(rate=100.0, variables=variables)).isel(
        world=0
    )
    found = tracking(run, robot, controller)
    feasible = float(run.controller_mode.mean()) if controller.program else 1.0
    return {
        "way_m": found.advance,
        "links_off_rad": float(found.shape_error.max()),
        "squared_torque": found.squared_torque,
        "hardest_push_N": float(found.peg_force[1:].max()),
        "feasible": feasible,
    }


def engine() -> dict[str, Any]:
    base = LOOP.world.controller
    ways: dict[str, dict[str, Any]] = {
        f"stiffness {k:g}": {"program": law(k)} for k in (0.0, 2.0, 4.0, 8.0, 12.0, 40.0, 160.0)
    }
    ways |= {"rails": {}}
    ways |= {f"rails {form}, {p}": {"costs": RailCosts(form=form, posture=p)} for form in ("free", "eliminated")
             for p in (0.0, 0.1, 0.4)}  # fmt: skip
    return {name: driven(ROBOT, LOOP.world.environment, replace(base, **way), 20.0) for name, way in ways.items()}


def robust() -> dict[str, Any]:
    """The program with 160 N m/rad, and as printed, at other time steps; then with what it does not know, 10 s each."""
    place = LOOP.world.environment
    held, printed = (replace(LOOP.world.controller, program=weights) for weights in (law(160.0), PAPER))
    found = {}
    for dt in (2.5e-4, 1e-3, 2e-3):
        found[f"160 N m/rad, dt {1e3 * dt:g} ms"] = driven(ROBOT, place, held, 10.0, dt)
        found[f"as printed, 6 s, dt {1e3 * dt:g} ms"] = driven(ROBOT, place, printed, 6.0, dt)
    for rate in (50.0, 200.0):
        found[f"{rate:g} Hz"] = driven(ROBOT, place, replace(held, rate=rate), 10.0)
    for share in (0.65, 1.35):
        ground = replace(GROUND, coefficient=share * GROUND.coefficient)
        found[f"ground thought {share:g} of what it is"] = driven(ROBOT, place, replace(held, ground=ground), 10.0)
    found["rough pegs thought smooth"] = driven(ROBOT, place, replace(held, pegs=SMOOTH), 10.0)
    for seed in range(3):
        moved = disturbed(place, PATH, 0.015, seed, clear=1.5)
        found[f"pegs up to 15 mm off, {seed}"] = driven(ROBOT, moved, replace(held, pegs=PEGS), 10.0)
    return found


def random_links() -> PlanarRobot:
    """Fifteen links of random lengths, masses and centres of mass."""
    rng, links = np.random.default_rng(1), []
    for _ in range(15):
        length, mass, off = rng.uniform(0.07, 0.13), rng.uniform(0.15, 0.6), rng.uniform(-0.2, 0.2)
        body = {"length": length, "mass": mass, "inertia": mass * length**2 / 12, "mass_offset": off * length}
        links.append(PlanarLink(**body, radius=0.03))
    return PlanarRobot(links=tuple(links), motors=Motor(torque_limit=4.0), name="uneven-links")


def other_courses() -> dict[str, tuple[PlanarRobot, Environment, Path]]:
    """Robots, waves, steepness, ground and pegs that differ from the course above."""

    def course(robot: PlanarRobot, wave: float, steep: float, ground: float, friction: float) -> tuple:
        radius, angle = float(robot.column("radius").max()), radians(steep)
        pegs = flank_pegs(radius, wave=wave, steepest=angle, friction=friction)
        return robot, Environment(ground=Ground(friction=Isotropic(ground)), obstacles=pegs), sine_path(wave, angle)

    fifteen = fifteen_links()
    return {
        "fifteen links": course(fifteen, 0.7, 43.0, 0.2, 0.0),
        "fifteen links, rough": course(fifteen, 0.7, 43.0, 0.4, 0.2),
        "fifteen links, flat": course(fifteen, 0.8, 36.0, 0.2, 0.0),
        "uneven links": course(random_links(), 0.7, 43.0, 0.2, 0.0),
        "paper, light": course(ROBOT, 0.55, 43.0, 0.1, 0.3),
        "paper, heavy": course(ROBOT, 0.5, 45.0, 0.35, 0.2),
        "paper, steep": course(ROBOT, 0.55, 50.0, 0.3, 0.1),
    }


def courses() -> dict[str, Any]:
    """Certificate beside driving, 10 s each."""
    table: dict[str, Any] = {}
    for name, (robot, environment, path) in other_courses().items():
        model, ground = reduce_robot(robot), GroundFriction.of(environment.ground)
        head = robot.length + np.linspace(0.0, 1.0, 40)
        travel = Travel(model, ground, path, environment.obstacles, head)
        least = float(least_stiffness(travel).max())
        for share in (0.0, 0.3, 3.0, 20.0):
            weights = law(share * least)
            told = path_stability(travel, weights)
            controller = ForceMappingController(path=path, program=weights)
            run = driven(robot, environment, controller, 10.0)
            table[f"{name}, {share:g} of {least:.3g} N m/rad"] = run | judged(told, run) | {
                "growth_per_s": told.worst, "offset_rad": float(told.offset.max())}  # fmt: skip
            print(json.dumps({f"{name}, {share:g}": table[f"{name}, {share:g} of {least:.3g} N m/rad"]}), flush=True)
    pairs = [(one["certified"], one["driven"]) for one in table.values()]
    counts = {f"certified {c}, driven {d}": pairs.count((c, d)) for c in (True, False) for d in (True, False)}
    return {"runs": table, "counts": counts}


def plans() -> dict[str, Any]:
    """The certificate of planned paths, for the mapping on rails and for the program with a posture."""
    from pushpoint.papers.ours.pegs import GOAL, START, field

    robot, found = fifteen_links(), {}
    for seed in range(6):
        environment = field(seed, 6.8)
        plan = plan_path(robot, environment, START, GOAL, seed=seed)
        travel = Travel(
            reduce_robot(robot),
            GroundFriction.of(environment.ground),
            plan.path,
            plan.pegs,
            plan.quality.head[::6],
        )
        laws: dict[str, MappingWeights | RailCosts] = {"rails": RailCosts(), "posture 0.4": MappingWeights(posture=0.4)}
        for name, weights in laws.items():
            told = path_stability(travel, weights)
            found[f"seed {seed}, {name}"] = {
                "worst_per_s": told.worst,
                "offset_rad": float(told.offset.max()),
                "nothing left free at": float((told.growth == -np.inf).mean()),
            }
    return found


def judged(told: PathStability, run: dict[str, float]) -> dict[str, bool]:
    way = 0.1 * (10.0 - 0.25)  # the soft start takes half of its half second
    return {
        "certified": bool(told.stable and told.offset.max() < MOST_OFFSET),
        "driven": bool(run["way_m"] > LEAST_WAY * way and run["links_off_rad"] < MOST_STRAY),
    }


def figures() -> dict[str, str]:
    """Growth along the course, law by law, and over the stiffness for several loads."""
    from pushpoint import plots

    folder = File(__file__).resolve().parents[1] / "docs" / "images"
    fine = ROBOT.length + np.linspace(0.0, 1.25, 150)
    laws = {"the paper's law": PAPER} | {f"{k:g} N m/rad": law(k) for k in (4.0, 40.0, 160.0)}
    lines = {name: path_stability(Travel(MODEL, GROUND, PATH, PEGS, fine), weights) for name, weights in laws.items()}
    drawn = {"posture-growth.png": plots.growth_along_path(lines, name="holden2014/closed-loop")}
    for name, figure in drawn.items():
        plots.save_figure(figure, folder / name)
    return {name: str((folder / name).name) for name in drawn}


if __name__ == "__main__":
    parts = {
        "linear": linear,
        "engine": engine,
        "robust": robust,
        "courses": courses,
        "plans": plans,
        "figures": figures,
    }
    chosen = sys.argv[1] if len(sys.argv) > 1 else "linear"
    print(json.dumps(parts[chosen](), indent=1))
