"""The spatial engine's Python side: from model to arrays, kinematics, distances, starts."""
