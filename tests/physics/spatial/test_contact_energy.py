"""Contacts with things at rest take energy and never add any: rods thrown at rough ground, whatever they give back."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.spatial.kinematics import rotation_of

LENGTH, MASS, RADIUS = 0.4, 1.0, 0.02
INERTIA = (2e-4, MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12)
ROD = pp.SpatialRobot(links=(pp.SpatialLink(length=LENGTH, mass=MASS, inertia=INERTIA, radius=RADIUS),), joints=())
STILL = pp.gaits.LateralUndulation(amplitude=0.0, angular_frequency=1.0, phase_shift=0.0)


def thrown(random: np.random.Generator, *, spin: float, friction: float | None = None) -> pp.World:
    """A rod that comes down on one end, aslant: where Newton's law of impact and friction are known to add energy."""
    tilt = random.uniform(0.2, 1.3)
    law = pp.Isotropic(random.uniform(0.1, 1.5) if friction is None else friction)
    start = pp.SpatialStart(
        orientation=(np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0),
        position=(0.0, 0.0, LENGTH / 2 * np.sin(tilt) + RADIUS + 0.003),
        velocity=(random.uniform(-3, 3), random.uniform(-2, 2), -random.uniform(0.5, 2)),
        angular_velocity=spin * random.uniform(-1.0, 1.0, 3),
    )
    ground = pp.Ground(friction=law, restitution=random.uniform(0.3, 1.0))
    return pp.World(ROD, pp.Environment(ground=ground), STILL, start)


def energy(run: object) -> np.ndarray:
    """Kinetic and potential energy at every sample, from the recorded motion alone [J], (n_worlds, n_samples)."""
    found: dict[str, np.ndarray] = {
        name: run[name].values  # type: ignore[index]
        for name in ("link_velocity", "link_orientation", "link_angular_velocity", "center_of_mass")
    }
    frames = rotation_of(found["link_orientation"])
    turning = np.einsum("...ji,...j->...i", frames, found["link_angular_velocity"])
    moving = 0.5 * MASS * (found["link_velocity"] ** 2).sum(axis=(-1, -2))
    turned = 0.5 * (np.array(INERTIA) * turning**2).sum(axis=(-1, -2))
    return np.asarray(moving + turned + MASS * 9.81 * found["center_of_mass"][..., 2])


def test_no_rod_gains_energy() -> None:
    random = np.random.default_rng(0)
    worlds = [thrown(random, spin=10.0) for _ in range(400)]
    run = pp.simulate(worlds, 0.05, settings=pp.Settings(tolerance=1e-4), record=pp.Record(rate=1000.0))
    total = energy(run)
    # The gyroscopic torque of the step after an impact is put right by the next one: over what it was in the last two.
    gain = (total[:, 2:] - np.maximum(total[:, 1:-1], total[:, :-2])).max(axis=1) / total[:, 0]
    assert gain.max() < 2e-3  # of its energy; it was 0.18 in an impact
    assert max(found.energy_gained for found in pp.health_of(run)) < 1e-6  # J, by contacts: round-off


def test_without_friction_newtons_law_is_as_it_was() -> None:
    # A rod cannot gain then: it leaves at e times the speed at which its end came, whatever it turns at.
    random = np.random.default_rng(1)
    worlds = [thrown(random, spin=0.0, friction=0.0) for _ in range(50)]
    dt = 1e-3
    run = pp.simulate(worlds, 0.02, settings=pp.Settings(tolerance=1e-6), record=pp.Record(rate=1.0 / dt))
    for w, world in enumerate(worlds):
        one = run.isel(world=w)
        forward = rotation_of(one.link_orientation.values)[:, 0, :, 0]
        arm = 0.5 * LENGTH * forward * -np.sign(forward[:, 2:])
        end = one.link_velocity.values[:, 0] + np.cross(one.link_angular_velocity.values[:, 0], arm)
        hit = int(np.argmax(np.diff(end[:, 2])))
        expected = world.environment.ground.restitution * -end[hit, 2]
        assert end[hit + 1, 2] == pytest.approx(
            expected, rel=0.05
        )  # gravity, and a quarter of a degree within the step
