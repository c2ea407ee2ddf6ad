"""What leaves for hardware: joint references as rows over time, held against the robot's limits, as a CSV file."""

from pushpoint.interchange.joint_references import JointReferences, joint_references
from pushpoint.interchange.limits import Violation, limit_violations
from pushpoint.interchange.references_file import column_names, write_csv

__all__ = ["JointReferences", "Violation", "column_names", "joint_references", "limit_violations", "write_csv"]
