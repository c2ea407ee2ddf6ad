"""Measurements: the truth, and what sensors make of it."""
