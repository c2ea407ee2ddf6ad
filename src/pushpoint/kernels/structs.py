"""What both engines share: codes, the place of a record, and the records that are alike in the plane and in space.

Constant: `RegionModel`, `Grid`, `Numerics`, `MotorModel`. Commanded: `JointDrive`, `WorldDrive`. Changing:
`NearMotion`. Out: `JointTally`, `WorldTally`. On a CPU records rather than one array per quantity: a step
touches every field of a link, and one address serves them all. `forms` makes planes of them for a GPU.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.traits import PLANES

LAW_NONE = wp.constant(0)
LAW_CONE = wp.constant(1)
LAW_RECTANGLE = wp.constant(2)
LAW_VISCOUS = wp.constant(3)

DRIVE_SERVO = wp.constant(0)
DRIVE_TORQUE = wp.constant(1)
DRIVE_PRESCRIBED = wp.constant(2)

RUNNING = wp.constant(0)
DIVERGED = wp.constant(1)
TOO_MANY_CONTACTS = wp.constant(2)
TOO_MANY_NEAR = wp.constant(3)
SUNK_IN = wp.constant(4)
JAMMED = wp.constant(5)

GAIT = wp.constant(0)
TABLE_HELD = wp.constant(1)
TABLE_CUBIC = wp.constant(2)


@wp.func_native("if (at < 0) __builtin_unreachable(); return at;")
def not_negative(at: int) -> int:
    """An index as it is. The compiler may rely on its not being negative: Warp's arrays count from the end, too."""
    ...


@wp.func
def place(w: int, i: int, model: Any):
    """Where the record of link i of world w sits: worlds side by side on a GPU, links side by side on a CPU."""
    return not_negative(w * model.world_stride + i * model.link_stride)


@wp.func
def nth(k: int, slot: int, most: int, model: Any):
    """Where the record `slot` sits of the `most` that the link at k has in an array."""
    if PLANES:
        return not_negative(k + slot * model.plane)
    return not_negative(k * most + slot)


@wp.func
def shared_row(at: int, owner: Any):
    """Row of a robot's table for a place: of all worlds' rows the own one, or of a table that all worlds share.

    The division by the number of worlds is a multiplication and a shift.
    """
    return not_negative(int((wp.int64(at) * owner.row_factor) >> owner.row_shift))


@cache
def common(real: Any) -> SimpleNamespace:
    """The shared records for one scalar type."""
    vec2 = wp.types.vector(2, real)
    vec4 = wp.types.vector(4, real)

    @wp.struct
    class RegionModel:
        low: vec2  # corners of its box
        high: vec2
        first: int  # its vertices: first ... last - 1
        last: int
        law: int

    @wp.struct
    class Grid:
        first: int  # rows of the world's obstacles: first ... last - 1
        last: int
        origin: vec2
        cell: real  # width of a cell [m]
        columns: int
        rows: int
        first_cell: int  # first entry of the world in cell_start

    @wp.struct
    class Numerics:
        dt: real
        newton: int  # 1 semi-smooth Newton, 0 the papers' prox iteration
        tolerance: real  # residual at which a step is solved, in units of the velocity that gravity gives in a step
        max_iterations: int
        stiffness: real  # rho: how much stiffer than its own mass a closed contact is linearised
        active_gap: real  # a contact exists below this gap [m]
        slop: real  # penetration left alone [m]
        feedback: real  # share of the penetration removed per step
        feedback_speed: real  # limit of that correction [m/s]
        impact_speed: real  # slower contacts do not bounce [m/s]
        near_margin: real  # width of the neighbourhood around a link [m]

    @wp.struct
    class MotorModel:  # of a joint's axis, with its end stops
        stiffness: real
        damping: real
        torque_limit: real
        slowing: real  # one over the no-load speed: how the largest torque falls with the joint rate [s/rad]
        play: real  # half of the backlash [rad]
        lower: real  # end stops [rad]
        upper: real
        r: real  # augmentation: what the two links oppose to a turn of the joint [kg m^2]
        share: real  # of the end of a step in the servo's impulse [-]
        unlimited: int  # whether the motor has neither a largest torque nor play

    @wp.struct
    class JointDrive:
        mode: int
        offset: real  # gait: offset + ramp(t) (sine sin(w t) + cosine cos(w t))
        sine: real
        cosine: real
        from_time: real  # before it the reference is held at zero [s]
        wave: int  # which of the world's two frequencies it swings at
        torque: real

    @wp.struct
    class WorldDrive:
        angular_frequency: vec2
        soft_start: real  # duration of the ramp [s]

    @wp.struct
    class WorldWork:
        wave: vec4  # the gait's waves at the end of the step, and their rates: the next step's start
        wave_rate: vec4

    @wp.struct
    class NearMotion:
        gap: real  # when the list was made [m]
        obstacle: int

    @wp.struct
    class JointTally:
        motor: real
        motor_work: real

    @wp.struct
    class WorldTally:  # largest since the last sample; unconverged steps and work since the start
        residual: real
        penetration: real
        gained: real  # work of contacts, of steps in which it was positive, and of all others
        taken: real
        iterations: int
        unconverged: int
        in_a_row: int  # steps up to now that were lost, without another between them

    return SimpleNamespace(
        real=real, RegionModel=RegionModel, Grid=Grid, Numerics=Numerics, MotorModel=MotorModel, JointDrive=JointDrive,
        WorldDrive=WorldDrive, WorldWork=WorldWork, NearMotion=NearMotion, JointTally=JointTally,
        WorldTally=WorldTally,
    )  # fmt: skip
