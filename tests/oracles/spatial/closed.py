"""Closed forms of single bodies on a plane: mass m, radius r, moment of inertia I about the rolling axis, Coulomb mu.

`roundness` is I/(m r^2): 1/2 for a solid cylinder, 2/5 for a ball. Rolling friction follows Transeth2008b (60): the
moment that it can hold is mu_V N r.
"""

from __future__ import annotations

import math


def sliding_stop(speed: float, friction: float, gravity: float) -> tuple[float, float]:
    """Distance v^2/(2 mu g) [m] and time v/(mu g) [s] in which a body that does not turn comes to rest."""
    return speed**2 / (2.0 * friction * gravity), speed / (friction * gravity)


def roundness(inertia: float, mass: float, radius: float) -> float:
    """I/(m r^2) [-]."""
    return inertia / (mass * radius**2)


def slide_to_roll(speed: float, roundness: float) -> float:
    """Speed v0/(1 + I/(m r^2)) at which a body that slid without turning begins to roll [m/s]; friction is moot.

    The angular momentum about any point of the ground's line, m r v + I omega, is kept.
    """
    return speed / (1.0 + roundness)


def slide_to_roll_time(speed: float, roundness: float, friction: float, gravity: float) -> float:
    """When it rolls [s]: v0 - mu g t has fallen to the rolling speed."""
    return (speed - slide_to_roll(speed, roundness)) / (friction * gravity)


def rolling_deceleration(rolling: float, roundness: float, gravity: float) -> float:
    """mu_V g/(1 + I/(m r^2)) of a body that rolls without slip on the level [m/s^2].

    m v_dot = -F and I v_dot/r = F r - mu_V m g r; it does not slip while F = m |v_dot| <= mu m g.
    """
    return rolling * gravity / (1.0 + roundness)


def incline_acceleration(slope: float, friction: float, gravity: float) -> float:
    """Downhill acceleration from rest of a body that does not turn [m/s^2]: 0 up to slope = atan mu."""
    return max(0.0, gravity * (math.sin(slope) - friction * math.cos(slope)))


def incline_rolling_acceleration(slope: float, roundness: float, gravity: float, rolling: float = 0.0) -> float:
    """Downhill acceleration from rest of a body that rolls without slip [m/s^2]: 0 up to slope = atan mu_V."""
    return max(0.0, gravity * (math.sin(slope) - rolling * math.cos(slope))) / (1.0 + roundness)


def drop(height: float, restitution: float, gravity: float) -> tuple[float, float, float]:
    """Time to the first touch [s], speed just after it [m/s] and height of the next rise [m]."""
    impact = math.sqrt(2.0 * gravity * height)
    return impact / gravity, restitution * impact, restitution**2 * height


def drop_rest_time(height: float, restitution: float, gravity: float) -> float:
    """When a dropped body that does not turn has made all its bounces [s]: t1 (1 + e)/(1 - e)."""
    return math.sqrt(2.0 * height / gravity) * (1.0 + restitution) / (1.0 - restitution)
