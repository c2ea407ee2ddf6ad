"""MJCF: robots as bodies inside bodies, for MuJoCo."""
