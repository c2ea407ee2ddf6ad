"""Joint references as a plain table of comma-separated values, which microcontrollers and spreadsheets read alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pushpoint.interchange.joint_references import JointReferences
from pushpoint.simulation.storage import write_atomically

DECIMALS = 9
"""Of every number; without exponents, for simple readers [-]."""


def column_names(references: JointReferences, *, radians: bool = False) -> list[str]:
    """Of the file, each with its unit: time_s, joint_0_pitch_deg and so on from tail to head."""
    unit = "rad" if radians else "deg"
    return ["time_s", *(f"joint_{j}_{name}_{unit}" for j, name in enumerate(references.names))]


def write_csv(references: JointReferences, path: str | Path, *, radians: bool = False) -> Path:
    """Writes times [s] and joint angles, in degrees unless radians are asked for; one line of names, then the rows."""
    angles = references.angles if radians else np.rad2deg(references.angles)
    # Adding zero takes the sign off what is rounded to zero.
    rows = np.round(np.column_stack((references.times, angles)), DECIMALS) + 0.0
    header = ",".join(column_names(references, radians=radians))

    def write(place: Path) -> None:
        np.savetxt(place, rows, fmt=f"%.{DECIMALS}f", delimiter=",", header=header, comments="", encoding="utf-8")

    return write_atomically(path, write)
