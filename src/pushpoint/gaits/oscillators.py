"""Coupled phase oscillators with amplitude dynamics: the equations of a pattern generator, and how they are integrated.

Symbols, per axis: phase theta, amplitude r, mean angle x; capitals are what they are told.

    r_ddot = a (a/4 (R - r) - r_dot), the same for x, for the angular frequency omega and for the phases psi
    theta_i_dot = omega + sum_j w sin(theta_j - theta_i - (psi_j - psi_i)), over the neighbours j of i
    angle = x + r sin(theta)

The first law is linear with a double pole at -a/2, so its solution is known, and so is the integral of omega. What is
left are the errors e = theta - psi - integral of omega, with e_dot = coupling - psi_dot. They are integrated by Runge
and Kutta's method of fourth order, unless they are zero. Leading dimensions are worlds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

STIFFEST = 0.1
"""Largest step of the phases, times the fastest rate of their equations [-]."""
MOST_STEPS = 100_000


class Followed(NamedTuple):
    """Values that follow what they are told, and their rates."""

    value: np.ndarray
    """Values, shape (n_worlds, ...)."""
    rate: np.ndarray
    """Their rates [1/s], same shape."""


class PatternMemory(NamedTuple):
    """What a pattern generator remembers of a world."""

    time: np.ndarray
    """Time at which this holds [s]."""
    turned: np.ndarray
    """Integral of the angular frequency [rad], (1,)."""
    error: np.ndarray
    """How far the phase of each axis is ahead of where it should be [rad], (n_joints,)."""
    amplitude: Followed
    """Amplitude of each axis [rad], (n_joints,)."""
    offset: Followed
    """Mean angle of each axis [rad], (n_joints,)."""
    omega: Followed
    """Angular frequency [rad/s], (1,)."""
    psi: Followed
    """Phase that each axis should have relative to the others [rad], (n_joints,)."""


class Told(NamedTuple):
    """What a pattern generator is told, each of shape (n_worlds, ...) or without worlds if they agree."""

    amplitude: np.ndarray
    """Amplitude of each axis [rad], (..., n_joints)."""
    offset: np.ndarray
    """Mean angle of each axis [rad], (..., n_joints)."""
    omega: np.ndarray
    """Angular frequency [rad/s], (..., 1)."""
    psi: np.ndarray
    """Phase that each axis should have relative to the others [rad], (..., n_joints)."""


class OscillatorGains(NamedTuple):
    """How fast things follow, each of shape (n_worlds, 1) or a number."""

    follow: np.ndarray
    """Gain a of amplitude, mean angle, frequency and phase shifts [1/s]."""
    coupling: np.ndarray
    """Weight w between neighbouring oscillators [1/s]."""


def followed(held: Followed, told: np.ndarray, gain: np.ndarray, t: np.ndarray) -> Followed:
    """What follows, after a time t [s]: the solution of the critically damped law."""
    away = held.value - told
    drift = held.rate + 0.5 * gain * away
    fade = np.exp(-0.5 * gain * t)
    return Followed(told + (away + drift * t) * fade, (held.rate - 0.5 * gain * drift * t) * fade)


def turned_by(held: Followed, told: np.ndarray, gain: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The integral over a time t [s] of what follows."""
    half = 0.5 * gain
    away = held.value - told
    drift = held.rate + half * away
    fade = np.exp(-half * t)
    return np.asarray(told * t + (away / half + drift / half**2) * (1.0 - fade) - drift / half * t * fade)


def pull(error: np.ndarray, coupling: np.ndarray) -> np.ndarray:
    """What the coupling adds to the rates of the phases [rad/s]: neighbours pull each other with equal weights."""
    between = coupling * np.sin(np.diff(error, axis=-1))
    ends = np.zeros_like(error[..., :1])
    return np.diff(np.concatenate((ends, between, ends), axis=-1), axis=-1)


def advanced(memory: PatternMemory, told: Told, gains: OscillatorGains, duration: np.ndarray) -> PatternMemory:
    """The memory after a duration [s], shape (n_worlds,), with what the generator is told held constant."""
    t = np.asarray(duration, dtype=float)[:, None]
    others = {
        name: followed(getattr(memory, name), getattr(told, name), gains.follow, t)
        for name in ("amplitude", "offset", "omega", "psi")
    }
    turned = memory.turned + turned_by(memory.omega, told.omega, gains.follow, t)
    error = _errors(memory, told.psi, gains, t)
    return PatternMemory(time=memory.time + t[:, 0], turned=turned, error=error, **others)


def _errors(memory: PatternMemory, psi: np.ndarray, gains: OscillatorGains, t: np.ndarray) -> np.ndarray:
    """The errors of the phases after a time t [s]; each world is integrated in steps of its own."""
    moving = np.abs(memory.error) + np.abs(memory.psi.value - psi) + np.abs(memory.psi.rate)
    # The coupling is at most 4 w times the errors: twice the largest number of neighbours.
    steps = np.ceil(t * np.maximum(4.0 * gains.coupling, gains.follow) / STIFFEST)
    steps = np.where(moving.max(axis=-1, keepdims=True) > 0.0, np.clip(steps, 1, MOST_STEPS), 0)
    h, error = t / np.maximum(steps, 1), memory.error

    def rate(at: np.ndarray, errors: np.ndarray) -> np.ndarray:
        return pull(errors, gains.coupling) - followed(memory.psi, psi, gains.follow, at).rate

    for k in range(int(steps.max(initial=0))):
        first = rate(k * h, error)
        second = rate((k + 0.5) * h, error + h / 2 * first)
        third = rate((k + 0.5) * h, error + h / 2 * second)
        fourth = rate((k + 1) * h, error + h * third)
        error = np.where(k < steps, error + h / 6 * (first + 2 * second + 2 * third + fourth), error)
    return error


def joint_angles(memory: PatternMemory, coupling: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles [rad] and rates [rad/s] of the joints, shape (n_worlds, n_joints)."""
    theta = memory.turned + memory.psi.value + memory.error
    turning = memory.omega.value + pull(memory.error, coupling)
    sine, cosine = np.sin(theta), np.cos(theta)
    angle = memory.offset.value + memory.amplitude.value * sine
    swing = memory.amplitude.rate * sine + memory.amplitude.value * turning * cosine
    return angle, memory.offset.rate + swing
