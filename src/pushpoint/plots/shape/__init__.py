"""Figures of shape curves."""
