"""Path following: line-of-sight guidance, the heading of an undulating robot, its average speed."""

from pushpoint.control.path_following.line_of_sight import HeadingHold as HeadingHold, LineOfSight as LineOfSight
from pushpoint.control.path_following.path_steering import PathSteering as PathSteering
from pushpoint.control.path_following.sidewinding import SidewindingLineOfSight as SidewindingLineOfSight
from pushpoint.control.path_following.speed import SpeedController as SpeedController
