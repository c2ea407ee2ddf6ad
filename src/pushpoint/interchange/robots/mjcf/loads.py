"""Ground contacts of planar robots, tuned so that every support carries its share of the weight at every slip speed.

MuJoCo loads a sliding contact with (a + mu b v) / R: a is the reference acceleration of the normal direction, b v that
of the slip, R = A (1 - d) / d, for the inverse mass A of its body. A small impedance d makes R, and with it a, so large
that the load is a / R = m g at every slip speed; friction stays crisp because impratio divides its own R.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import numpy as np

from pushpoint.engine.planar.kinematics import to_mass
from pushpoint.interchange.robots.mjcf.bodies import mjcf_numbers
from pushpoint.model.planar_robot import PlanarRobot

IMPEDANCE = 1e-3
"""Impedance d of the tuned contacts [-]."""
RESTING_DEPTH = 1e-3
"""How deep a support rests in the ground [m]."""
SLIP_DECAY = 500.0
"""Rate b at which friction stops slip [1/s]; far above the joints' rates, below one per time step."""
FRICTION_RATIO = 1000.0
"""impratio: how much stiffer friction is than the normal direction [-]."""

ENDS = 2
"""Points at which a skid, a short capsule, touches the ground [-]; they share its load."""


def inverse_masses(robot: PlanarRobot) -> np.ndarray:
    """What MuJoCo takes for the inverse mass of each link of the straight robot [1/kg], shape (n_links,).

    It is the mean over the three directions of J M^-1 J^T at the link's centre of mass.
    """
    lengths, masses = robot.column("length"), robot.column("mass")
    at = np.cumsum(lengths) - lengths + to_mass(robot)
    ends = np.concatenate(([0.0], np.cumsum(lengths)[:-1]))  # the turn of the tail, then one per joint
    turns = (np.arange(robot.n_links)[:, None] >= np.arange(robot.n_links)).astype(float)
    sideways = np.column_stack((np.ones(robot.n_links), turns * (at[:, None] - ends)))
    turning = np.column_stack((np.zeros(robot.n_links), turns))
    whole = sideways.T @ (masses[:, None] * sideways) + turning.T @ (robot.column("inertia")[:, None] * turning)
    across = np.einsum("ki,ik->k", sideways, np.linalg.solve(whole, sideways.T))
    return np.asarray((2.0 / robot.mass + across) / 3.0)


def tune(pair: ET.Element, load: float, inverse_mass: float) -> None:
    """Sets a contact pair so that its body, of this inverse mass [1/kg], rests at RESTING_DEPTH under a load [N].

    The load is that of one point of contact.
    """
    if load > 0.0:  # depth = load (1 - d) A t^2
        time_constant = math.sqrt(RESTING_DEPTH / (load * (1 - IMPEDANCE) * inverse_mass))
        pair.set("solref", mjcf_numbers(time_constant, 1))
    pair.set("solimp", mjcf_numbers(IMPEDANCE, IMPEDANCE, RESTING_DEPTH, 0.5, 2))
    pair.set("solreffriction", mjcf_numbers(2 / (IMPEDANCE * SLIP_DECAY), 1))
