"""What a form of the kernels is made for: constants that the rest of the source is compiled with.

The values here are those of the general form on a CPU. `forms` runs the same source with others; branches on them are
decided before anything is compiled.
"""


def is_level(obstacles: bool, fields: bool) -> bool:
    """Whether all that can be touched is level ground, so that normals point up."""
    return not (obstacles or fields)


PLANES = False
"""Memory: one array per field with worlds side by side, as a GPU reads fastest; otherwise one record per link."""
SELVES = True
"""Links of a robot may touch each other."""
OBSTACLES = True
"""There may be obstacles."""
FIELDS = True
"""The ground may be a slope or a height field; otherwise it is level."""
LAWS = True
"""Any friction law, regions and wheels; otherwise cones with associated slip, the same everywhere."""
LIMITS = True
"""Motors may have limits, backlash and end stops, be given torques or rates; otherwise they are plain servos."""
JOINTS = True
"""Joints of any kind; otherwise each has two axes that meet in a point."""
LOADS = True
"""There may be loads on links."""
PROX = True
"""The papers' prox iteration may be asked for."""
DETAILS = False
"""Tallies on request are filled."""
LEVEL = is_level(OBSTACLES, FIELDS)
"""Normals point up: nothing but level ground can be touched."""
