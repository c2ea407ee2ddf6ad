"""Output for hardware: joint references over time, checked against the robot's limits, as a CSV file."""

from pushpoint.interchange.joint_references import (
    JointReferences as JointReferences,
    Violation as Violation,
    column_names as column_names,
    joint_references as joint_references,
    limit_violations as limit_violations,
    write_csv as write_csv,
)
