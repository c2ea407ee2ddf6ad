"""The law of the capstan: thin chains by Euler and Eytelwein, thick ones and polygons by the corrected exponent.

The same chain in MuJoCo has the same links, masses, hold-back force and heavy head. The peg is a sphere whose middle
lies in the plane of the chain, for which MuJoCo has exact contacts with capsules. The chain hangs on the heavy head as
a tree; what the head loses of its speed is the tension ahead of the peg.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.proof.checks.bodies import MujocoBody
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
from pushpoint.proof.verification import Curve, Measured, MujocoCase, Plot, checks_of, relative

SETTLE, LOOK = 0.3, 0.7
"""Time to sink into the peg, and time over which the mean is taken [s]."""
NOTE = f"48 links per half turn, mean over {LOOK} s; {MujocoBody.NOTE}"


def tension_ratio(mujoco: Any, chain: CapstanChain, mu: float) -> float:
    """Tension ahead of the peg over that behind it in MuJoCo [-]."""
    model = mujoco.MjModel.from_xml_string(_mjcf(chain, mu))
    data = mujoco.MjData(model)
    pose = chain.world(mu).pose()
    data.qpos[:2] = link_positions(chain.robot, pose["center"], pose["theta"])[-1]
    data.qvel[:2] = pose["v"][-1]
    for target, along in ((data.qpos, pose["theta"]), (data.qvel, pose["omega"])):
        target[2:] = np.concatenate((along[-1:], -np.diff(along)[::-1]))
    data.xfrc_applied[model.body("link0").id, 1] = -HOLD
    speeds = []
    for duration in (SETTLE, LOOK):
        for _ in range(round(duration / MujocoBody.DT)):
            mujoco.mj_step(model, data)
        speeds.append(np.array(data.qvel[:2]))
    return float(np.linalg.norm(speeds[1] - speeds[0]) / LOOK * HEAD_MASS / HOLD)


def _mjcf(chain: CapstanChain, mu: float) -> str:
    """The chain as a tree from the head to the tail, each joint at the rear end of the link ahead."""
    half, rough = chain.link_length / 2, f'friction="{mu} 0 0"'
    text = (
        f'<mujoco>{MujocoBody.OPTION} gravity="0 0 0"/><worldbody>'
        f'<geom type="sphere" size="{PEG_RADIUS}" contype="1" conaffinity="0" {rough}/>'
    )
    place, joint, slides = 0.0, 0.0, '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
    for k, link in reversed(list(enumerate(chain.robot.links))):
        text += (
            f'<body name="link{k}" pos="{place} 0 0">{slides}<joint type="hinge" axis="0 0 1" pos="{joint} 0 0"/>'
            f'<inertial pos="0 0 0" mass="{link.mass}" diaginertia="{" ".join([str(link.inertia)] * 3)}"/>'
            f'<geom type="capsule" size="{link.radius}" fromto="{-half} 0 0 {half} 0 0" contype="0" conaffinity="1" '
            f"{rough}/>"
        )
        place, joint, slides = -chain.link_length, half, ""
    return text + "</body>" * chain.robot.n_links + "</worldbody></mujoco>"


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
THICK_SPEED = 0.02
"""Speed of thick chains [m/s]: their vibrations, some mm/s, must not turn the slip around."""


def thin_chain(quarter_turns: int, speed: float, per_half_turn: int = PER_HALF_TURN) -> CapstanChain:
    """A chain a 4000th as thick as the peg, drawn at this speed [m/s]."""
    touching = quarter_turns * per_half_turn // 2
    return CapstanChain(radius=THIN, per_half_turn=per_half_turn, n_touching=touching, speed=speed)


def thin(quarter_turns: int) -> Measured:
    """Draws a thin chain around the peg at five frictions and compares the tensions with exp(mu phi)."""
    chain = thin_chain(quarter_turns, FAST)
    pitch = chain.link_length / chain.speed
    tensions = draw(chain, FRICTIONS, DRAWN * pitch, 2e-4)
    late = tensions[:, -round(2 * pitch * 100) :]
    ahead = late[:, :, -1]
    found, expected = (ahead / late[:, :, 0]).mean(axis=1), np.exp(np.array(FRICTIONS) * chain.wrap)
    shares = zip(FRICTIONS, found / expected, strict=True)
    values = {f"ratio_over_expected_at_friction_{mu:g}_1": share for mu, share in shares}
    values["ripple_1"] = (ahead.std(axis=1) / ahead.mean(axis=1)).max()
    fine = np.linspace(0.0, FRICTIONS[-1])
    line = Curve("exp(μ φ)", fine, np.exp(fine * chain.wrap), expected=True)
    title = f"Thin chain, wrapped by {round(math.degrees(chain.wrap))}°"
    plot = Plot(title, ("friction μ [-]", "T₂/T₁ [-]"), (line, Curve("pushpoint", FRICTIONS, found)), logarithmic="y")
    return Measured(relative(found, expected), values, plot)


def _mujoco_thin(mujoco: Any) -> float:
    """The error of half a turn, with half as many links: MuJoCo's cost grows faster than their number."""
    chain = thin_chain(2, FAST, 48)
    found = [tension_ratio(mujoco, chain, mu) for mu in FRICTIONS]
    return relative(found, np.exp(np.array(FRICTIONS) * chain.wrap))


thin_90, thin_180, thin_360 = (
    check(
        f"capstan-thin-{90 * turns}",
        f"A thin chain (r/R = {THIN:g}, {PER_HALF_TURN} links per half turn) is drawn around a peg, wrapped "
        f"by {90 * turns}°, friction 0.1, 0.2, 0.3, 0.5 and 0.8.",
        expected_from="T₂/T₁ = e^(μ φ) (Euler, Eytelwein)",
        error_is="largest relative error of T₂/T₁, mean while two links pass",
        tolerance=0.01,
        reason="what the polygon and the thickness make of it is at most 0.4 %; the rest is for the ripple of passing "
        "links and for inertia",
        peer=MujocoCase(_mujoco_thin, NOTE) if turns == 2 else None,
    )(partial(thin, turns))
    for turns in QUARTER_TURNS
)


@check(
    expected_from="balance of the polygon, link by link (theory.md, section 17)",
    error_is="largest relative error of T₂/T₁",
    tolerance=1e-4,
    reason="centripetal force and inertia, some 1e-5 of the tail's tension each; the polygon itself is 20 times as "
    "far from e^(μ φ)",
)
def capstan_polygon() -> Measured:
    """The thin chain around half of the peg, its links touching in their middles."""
    chain = thin_chain(2, SLOW)
    ratio, expected = _posture_ratios(chain, FRICTIONS)
    smooth = np.exp(FRICTIONS[-1] * chain.wrap)
    over_smooth = {"polygon_over_smooth_at_friction_0.8_1": expected[-1], "measured_over_smooth_1": ratio[-1]}
    return Measured(relative(ratio, expected), {name: value / smooth for name, value in over_smooth.items()})


def _posture_ratios(chain: CapstanChain, frictions: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Tensions ahead of the peg over those behind it, as measured and as the balance of the links has them [-]."""
    tensions = posture(chain, frictions)
    return tensions[:, -1] / tensions[:, 0], np.array([chain.forces(mu).ratio for mu in frictions])


def thick_chain(radius: float) -> CapstanChain:
    """A chain of this half-thickness [m] all the way around the peg."""
    return CapstanChain(radius=radius, per_half_turn=24, n_touching=48, speed=THICK_SPEED)


@check(
    expected_from="(w² + a) τ² + (w (1 + w²)/μ) τ − (1 − a) w² = 0, τ = tanh(k δ/2), a = r/(R + r), "
    "w = L/(2 (R + r)); for short links μ a k² + k − μ (1 − a) = 0",
    error_is="largest relative error of k",
    tolerance=1e-3,
    reason="the chain has moved by 0.2 % of a link from its symmetric place, and it vibrates by some 1e-4 of its "
    "forces; the polygon's k is 3e-3 off that of a smooth chain",
)
def capstan_thick_exponent() -> Measured:
    """Thick chains, r/R = 0.05 to 1, friction 0.2, 0.5 and 0.8: growth of the tension along the peg."""
    chains, mus = [thick_chain(radius) for radius in THICK], np.array(THICK_FRICTIONS)[:, None]
    tensions = [posture(chain, THICK_FRICTIONS) for chain in chains]
    found, expected = np.zeros((2, len(THICK_FRICTIONS), len(THICK)))
    for (row, mu), (column, chain) in product(enumerate(THICK_FRICTIONS), enumerate(chains)):
        found[row, column] = fitted_exponent(chain, tensions[column][row])
        expected[row, column] = polygon_exponent(mu, chain.thickness, chain.half_angle)
    fine, curves, values = np.linspace(0.0, THICK[-1]), [], {}
    for mu, k in zip(THICK_FRICTIONS, found, strict=True):
        smooth = [exponent(mu, r / (1 + r)) / mu for r in fine]
        curves += [
            Curve(f"corrected, μ = {mu:g}", fine, smooth, expected=True),
            Curve(f"pushpoint, μ = {mu:g}", THICK, k / mu),
        ]
        values[f"k/μ_at_r_=_R_and_friction_{mu:g}_1"] = k[-1] / mu
    values["miss_of_the_uncorrected_law_1"] = relative(found, mus)
    labels = "half-thickness over peg radius, r/R [-]", "k/μ [-]"
    plot = Plot("Thick chains: growth of ln T per radian, over μ", labels, curves)
    return Measured(relative(found, expected), values, plot)


@check(
    expected_from="balance of the polygon, link by link, from the free tail on (theory.md, section 17)",
    error_is="largest relative error of T₂/T₁",
    tolerance=1e-3,
    reason="the way of 0.2 % of a link, vibrations of some 1e-4, and inertia",
)
def capstan_thick_ratio() -> Measured:
    """The same thick chains: tension ahead of the peg over that behind it."""
    worst, values = 0.0, {}
    for radius in THICK:
        ratio, expected = _posture_ratios(thick_chain(radius), THICK_FRICTIONS)
        worst = max(worst, relative(ratio, expected))
        values[f"T₂/T₁_at_r/R_{radius:g}_and_friction_0.8_1"] = ratio[-1]
    return Measured(worst, values)
