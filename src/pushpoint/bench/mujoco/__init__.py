"""MuJoCo as a peer."""
