"""What the controller asks for."""

from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.structs import common


def commanded(real: Any, vec3: Any) -> SimpleNamespace:
    """The records for one scalar type."""

    both = common(real)

    @wp.struct
    class LoadDrive:
        force: vec3
        torque: vec3  # about the centre of mass

    @wp.struct
    class Drive:
        source: int  # where references come from: GAIT, TABLE_HELD or TABLE_CUBIC
        steps_per_node: int
        steps_past: int  # of the table's first node, where a launch begins
        loaded: int  # whether loads are looked at
        row_factor: wp.int64  # of tables that worlds share, see shared_row
        row_shift: wp.int64
        motors: wp.array(dtype=both.MotorModel)
        joints: wp.array(dtype=both.JointDrive)
        worlds: wp.array(dtype=both.WorldDrive)
        loads: wp.array(dtype=LoadDrive)
        table_angle: wp.array3d(dtype=real)  # [world, node, axis]
        table_rate: wp.array3d(dtype=real)

    return SimpleNamespace(LoadDrive=LoadDrive, Drive=Drive)
