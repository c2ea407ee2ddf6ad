"""Force mapping, Holden2014: which torques push on which pegs, and whether a path can be travelled by pushing."""

from pushpoint.mapping.bounds import MappingBounds, MappingWeights
from pushpoint.mapping.force_mapping import (
    ForceMapping,
    ForceMappingResult,
    build_force_mapping,
    solve_force_mapping,
)
from pushpoint.mapping.path_quality import PathQuality, PathSolvability, path_quality, path_solvability
from pushpoint.mapping.rail_mapping import (
    RailCosts,
    RailMapping,
    RailSolution,
    build_rail_mapping,
    solve_rail_mapping,
)
from pushpoint.mapping.rails import Path, PathPose, Rails, lay_rails, pose_on_path
from pushpoint.mapping.wish import Gains, MotionReference, MotionWish, tracking_wish

__all__ = [
    "ForceMapping", "ForceMappingResult", "Gains", "MappingBounds", "MappingWeights", "MotionReference", "MotionWish",
    "Path", "PathPose", "PathQuality", "PathSolvability", "RailCosts", "RailMapping", "RailSolution", "Rails",
    "build_force_mapping", "build_rail_mapping", "lay_rails", "path_quality", "path_solvability", "pose_on_path",
    "solve_force_mapping", "solve_rail_mapping", "tracking_wish",
]  # fmt: skip
