"""Planned paths through pegs, driven."""
