"""The law of the capstan: thin chains by Euler and Eytelwein, thick ones and polygons by the corrected exponent.

The same chain in MuJoCo has the same links, masses, hold-back force and heavy head. The peg is a sphere whose middle
lies in the plane of the chain, for which MuJoCo has exact contacts with capsules. The chain hangs on the heavy head as
a tree; what the head loses of its speed is the tension ahead of the peg.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.proof.check import Check, Measured, MujocoCase, Plot, checks_of, curve
from pushpoint.proof.checks.bodies import relative
from pushpoint.proof.checks.capstan_chain import (
    HEAD_MASS,
    HOLD,
    PEG_RADIUS,
    SLOW,
    CapstanChain,
    draw,
    exponent,
    fitted_exponent,
    polygon_exponent,
    posture,
)

MUJOCO_DT = 1e-3
SETTLE, LOOK = 0.3, 0.7
"""Time to sink into the peg, and time over which the mean is taken [s]."""
NOTE = (
    "48 links per half turn, mean over 0.7 s; MuJoCo's default contacts, elliptic friction cones, implicitfast "
    "integrator, steps of 1 ms"
)


def tension_ratio(mujoco: Any, chain: CapstanChain, mu: float) -> float:
    """Tension ahead of the peg over that behind it [-]."""
    model = mujoco.MjModel.from_xml_string(_mjcf(chain, mu))
    data = mujoco.MjData(model)
    pose, robot = chain.world(mu).pose(), chain.robot
    data.qpos[:2] = link_positions(robot, pose["center"], pose["theta"])[-1]
    data.qpos[2:] = np.concatenate((pose["theta"][-1:], -np.diff(pose["theta"])[::-1]))
    data.qvel[:2] = pose["v"][-1]
    data.qvel[2:] = np.concatenate((pose["omega"][-1:], -np.diff(pose["omega"])[::-1]))
    data.xfrc_applied[model.body("link0").id, 1] = -HOLD
    for _ in range(round(SETTLE / MUJOCO_DT)):
        mujoco.mj_step(model, data)
    before = np.array(data.qvel[:2])
    for _ in range(round(LOOK / MUJOCO_DT)):
        mujoco.mj_step(model, data)
    return float(np.linalg.norm(data.qvel[:2] - before) / LOOK * HEAD_MASS / HOLD)


def _mjcf(chain: CapstanChain, mu: float) -> str:
    """The chain as a tree from the head to the tail, each joint at the rear end of the link ahead."""
    links, length = chain.robot.links, chain.link_length
    rough = f'friction="{mu} 0 0"'
    parts = [
        f'<mujoco><option timestep="{MUJOCO_DT}" gravity="0 0 0" cone="elliptic" integrator="implicitfast"/><worldbody>'
        f'<geom type="sphere" size="{PEG_RADIUS}" contype="1" conaffinity="0" {rough}/>'
    ]
    for k in reversed(range(len(links))):
        link, first = links[k], k == len(links) - 1
        parts.append(f'<body name="link{k}" pos="{0 if first else -length} 0 0">')
        if first:
            parts.append('<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>')
        parts.append(f'<joint type="hinge" axis="0 0 1" pos="{0 if first else length / 2} 0 0"/>')
        parts.append(f'<inertial pos="0 0 0" mass="{link.mass}" diaginertia="{" ".join([str(link.inertia)] * 3)}"/>')
        parts.append(
            f'<geom type="capsule" size="{link.radius}" fromto="{-length / 2} 0 0 {length / 2} 0 0" contype="0" '
            f'conaffinity="1" {rough}/>'
        )
    return "".join(parts) + "</body>" * len(links) + "</worldbody></mujoco>"


check = checks_of("capstan")

FRICTIONS = (0.1, 0.2, 0.3, 0.5, 0.8)
THIN = 2.5e-4
PER_HALF_TURN = 96
QUARTER_TURNS = (1, 2, 4)
FAST = 0.05
"""Speed at which thin chains are drawn [m/s]."""
DRAWN = 3.0
"""How far a thin chain is drawn, in links [-]; the mean is taken over the last two of them."""
THICK = (0.05, 0.25, 0.5, 1.0)
THICK_FRICTIONS = (0.2, 0.5, 0.8)
THICK_PER_HALF_TURN = 24
THICK_SPEED = 0.02
"""Speed of thick chains [m/s]: their vibrations, some mm/s, must not turn the slip around."""


def thin_chain(quarter_turns: int, speed: float) -> CapstanChain:
    """A chain a 4000th as thick as the peg, drawn at this speed [m/s]."""
    return CapstanChain(
        radius=THIN, per_half_turn=PER_HALF_TURN, n_touching=quarter_turns * PER_HALF_TURN // 2, speed=speed
    )


def thin(quarter_turns: int) -> Measured:
    """Draws a thin chain around the peg at five frictions and compares the tensions with exp(mu phi)."""
    chain = thin_chain(quarter_turns, FAST)
    pitch = chain.link_length / chain.speed
    tensions = draw(chain, FRICTIONS, DRAWN * pitch, 2e-4)
    late = tensions[:, -round(2 * pitch * 100) :]
    found = (late[:, :, -1] / late[:, :, 0]).mean(axis=1)
    expected = np.exp(np.array(FRICTIONS) * chain.wrap)
    values = {
        f"ratio_over_expected_at_friction_{mu:g}_1": value
        for mu, value in zip(FRICTIONS, found / expected, strict=True)
    }
    values["ripple_1"] = float((late[:, :, -1].std(axis=1) / late[:, :, -1].mean(axis=1)).max())
    fine = np.linspace(0.0, FRICTIONS[-1])
    plot = Plot(
        title=f"Thin chain, wrapped by {round(math.degrees(chain.wrap))}°",
        x_label="friction μ [-]",
        y_label="T₂/T₁ [-]",
        curves=(
            curve("exp(μ φ)", fine, np.exp(fine * chain.wrap), expected=True),
            curve("pushpoint", FRICTIONS, found),
        ),
        log_y=True,
    )
    return Measured(error=relative(found, expected), values=values, plot=plot)


def _mujoco_thin(mujoco: object) -> float:
    """The error of half a turn, with half as many links: MuJoCo's cost grows faster than their number."""
    chain = CapstanChain(radius=THIN, per_half_turn=48, n_touching=48, speed=FAST)
    found = [tension_ratio(mujoco, chain, mu) for mu in FRICTIONS]
    return relative(found, np.exp(np.array(FRICTIONS) * chain.wrap))


def _check(quarter_turns: int) -> Check:
    degrees = 90 * quarter_turns
    return Check(
        id=f"capstan-thin-{degrees}",
        group="capstan",
        statement=f"A thin chain (r/R = {THIN:g}, {PER_HALF_TURN} links per half turn) is drawn around a peg, wrapped "
        f"by {degrees}°, friction 0.1, 0.2, 0.3, 0.5 and 0.8.",
        expected_from="T₂/T₁ = e^(μ φ) (Euler, Eytelwein)",
        error_is="largest relative error of T₂/T₁, mean while two links pass",
        tolerance=0.01,
        unit="1",
        reason="what the polygon and the thickness make of it is at most 0.4 %; the rest is for the ripple of passing "
        "links and for inertia",
        measure=lambda: thin(quarter_turns),
        peer=MujocoCase(measure=_mujoco_thin, note=NOTE) if quarter_turns == 2 else None,
    )


thin_90, thin_180, thin_360 = (_check(turns) for turns in QUARTER_TURNS)


@check(
    "capstan-polygon",
    expected_from="balance of the polygon, link by link (theory.md, section 17)",
    error_is="largest relative error of T₂/T₁",
    tolerance=1e-4,
    reason="centripetal force and inertia, some 1e-5 of the tail's tension each; the polygon itself is 20 times as "
    "far from e^(μ φ)",
)
def thin_polygon() -> Measured:
    """The thin chain around half of the peg, its links touching in their middles."""
    chain = thin_chain(2, SLOW)
    found = posture(chain, FRICTIONS)
    expected = [chain.forces(mu).ratio for mu in FRICTIONS]
    ratio = found[:, -1] / found[:, 0]
    smooth = np.exp(np.array(FRICTIONS) * chain.wrap)
    return Measured(
        error=relative(ratio, expected),
        values={
            "polygon_over_smooth_at_friction_0.8_1": expected[-1] / smooth[-1],
            "measured_over_smooth_1": ratio[-1] / smooth[-1],
        },
    )


def thick_chain(radius: float, per_half_turn: int = THICK_PER_HALF_TURN) -> CapstanChain:
    """A chain of this half-thickness [m] all the way around the peg."""
    return CapstanChain(radius=radius, per_half_turn=per_half_turn, n_touching=2 * per_half_turn, speed=THICK_SPEED)


@check(
    "capstan-thick-exponent",
    expected_from="(w² + a) τ² + (w (1 + w²)/μ) τ − (1 − a) w² = 0, τ = tanh(k δ/2), a = r/(R + r), "
    "w = L/(2 (R + r)); for short links μ a k² + k − μ (1 − a) = 0",
    error_is="largest relative error of k",
    tolerance=1e-3,
    reason="the chain has moved by 0.2 % of a link from its symmetric place, and it vibrates by some 1e-4 of its "
    "forces; the polygon's k is 3e-3 off that of a smooth chain",
)
def thick_exponent() -> Measured:
    """Thick chains, r/R = 0.05 to 1, friction 0.2, 0.5 and 0.8: growth of the tension along the peg."""
    worst, uncorrected, curves, values = 0.0, 0.0, [], {}
    found = np.zeros((len(THICK_FRICTIONS), len(THICK)))
    for column, radius in enumerate(THICK):
        chain = thick_chain(radius)
        tensions = posture(chain, THICK_FRICTIONS)
        for row, mu in enumerate(THICK_FRICTIONS):
            found[row, column] = fitted_exponent(chain, tensions[row])
            worst = max(worst, relative(found[row, column], polygon_exponent(mu, chain.thickness, chain.half_angle)))
            uncorrected = max(uncorrected, relative(found[row, column], mu))
    fine = np.linspace(0.0, THICK[-1])
    for row, mu in enumerate(THICK_FRICTIONS):
        smooth = [exponent(mu, r / (1 + r)) / mu for r in fine]
        curves += [
            curve(f"corrected, μ = {mu:g}", fine, smooth, expected=True),
            curve(f"pushpoint, μ = {mu:g}", THICK, found[row] / mu),
        ]
        values[f"k/μ_at_r_=_R_and_friction_{mu:g}_1"] = found[row, -1] / mu
    values["miss_of_the_uncorrected_law_1"] = uncorrected
    plot = Plot(
        title="Thick chains: growth of ln T per radian, over μ",
        x_label="half-thickness over peg radius, r/R [-]",
        y_label="k/μ [-]",
        curves=curves,
    )
    return Measured(error=worst, values=values, plot=plot)


@check(
    "capstan-thick-ratio",
    expected_from="balance of the polygon, link by link, from the free tail on (theory.md, section 17)",
    error_is="largest relative error of T₂/T₁",
    tolerance=1e-3,
    reason="the way of 0.2 % of a link, vibrations of some 1e-4, and inertia",
)
def thick_ratio() -> Measured:
    """The same thick chains: tension ahead of the peg over that behind it."""
    worst, values = 0.0, {}
    for radius in THICK:
        chain = thick_chain(radius)
        tensions = posture(chain, THICK_FRICTIONS)
        expected = np.array([chain.forces(mu).ratio for mu in THICK_FRICTIONS])
        worst = max(worst, relative(tensions[:, -1] / tensions[:, 0], expected))
        values[f"T₂/T₁_at_r/R_{radius:g}_and_friction_0.8_1"] = tensions[-1, -1] / tensions[-1, 0]
    return Measured(error=worst, values=values)
