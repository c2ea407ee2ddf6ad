"""Whether a robot and an environment belong together: planar robots live on a table, spatial ones on solid ground."""

from __future__ import annotations

from pushpoint.errors import InvalidModel
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot


def check_fits(robot: AnyRobot, environment: Environment) -> None:
    """Refuses an environment that holds what this kind of robot knows nothing of."""
    spatial = isinstance(robot, SpatialRobot)
    world, what = ("spatial", "Peg, Box or Stairs") if spatial else ("planar", "Peg, Wall or Polygon")
    for k, obstacle in enumerate(environment.obstacles):
        if not (obstacle.solids if spatial else obstacle.hulls):
            raise InvalidModel(f"obstacles[{k}]", type(obstacle).__name__, f"a {what} for a {world} robot")
    if spatial:
        return
    ground = environment.ground
    for name in ("rolling", "restitution", "slope"):
        if getattr(ground, name):
            raise InvalidModel(f"ground.{name}", getattr(ground, name), "0 for a planar robot")
    if ground.heights is not None:
        raise InvalidModel("ground.heights", "a HeightField", "none for a planar robot")
    laws = [("ground.friction", law) for law in ground.laws(robot.n_links)]
    laws += [(f"ground.regions[{k}].friction", region.friction) for k, region in enumerate(ground.regions)]
    for field, law in laws:
        if law.varies:
            raise InvalidModel(field, "a Varying law", "a law with constant coefficients for a planar robot")
