"""Runs out as logs and tables, recordings of other tools in, joint references for hardware, as a file or as a stream."""

from pushpoint.interchange.joint_references import (
    JointReferences as JointReferences,
    Violation as Violation,
    column_names as column_names,
    joint_references as joint_references,
    limit_violations as limit_violations,
    write_csv as write_csv,
)
from pushpoint.interchange.logs.log import write_log as write_log
from pushpoint.interchange.tables import write_table as write_table
