"""The planar engine's Python side: from model to arrays, kinematics, distances, starts."""
