"""Panels of shape curves, the robots aligned along them, and screen-shots of what was simulated."""
