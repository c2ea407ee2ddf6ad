"""Force mapping, Holden2014: the torques that push on pegs, and whether a robot can push itself along a path."""

from pushpoint.mapping.force_mapping import ForceMapping as ForceMapping, build_force_mapping as build_force_mapping
from pushpoint.mapping.limits import MappingBounds as MappingBounds, MappingWeights as MappingWeights
from pushpoint.mapping.path_quality import (
    PathQuality as PathQuality,
    PathSolvability as PathSolvability,
    Travel as Travel,
    path_quality as path_quality,
    path_solvability as path_solvability,
)
from pushpoint.mapping.path_stability import (
    PathStability as PathStability,
    least_stiffness as least_stiffness,
    path_stability as path_stability,
)
from pushpoint.mapping.rails import (
    Path as Path,
    PathPose as PathPose,
    RailCosts as RailCosts,
    Rails as Rails,
    RailSolution as RailSolution,
    lay_rails as lay_rails,
    pose_on_path as pose_on_path,
    solve_rail_mapping as solve_rail_mapping,
)
from pushpoint.mapping.solution import (
    ForceMappingResult as ForceMappingResult,
    solve_force_mapping as solve_force_mapping,
)
from pushpoint.mapping.wishes import (
    Gains as Gains,
    MotionReference as MotionReference,
    MotionWish as MotionWish,
    PostureReference as PostureReference,
    tracking_wish as tracking_wish,
)
