"""Compiled code of motion planning by shape curves."""
