"""Sections that are not simply the fields of a class: robots, friction laws, regions, heights, shape curves."""

from pushpoint.description.shapes import environments as environments, motions as motions, robots as robots
