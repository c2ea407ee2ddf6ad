"""URDF: robots as links and joints that name each other."""
