"""What leaves for hardware: joint references as rows over time, held against the robot's limits, as a CSV file."""

from pushpoint.interchange.joint_references import JointReferences, column_names, joint_references, write_csv
from pushpoint.interchange.limits import Violation, limit_violations

__all__ = ["JointReferences", "Violation", "column_names", "joint_references", "limit_violations", "write_csv"]
