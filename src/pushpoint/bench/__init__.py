"""Timing against peers, and how the cost grows."""
