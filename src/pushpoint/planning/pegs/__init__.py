"""Paths through fields of pegs along which a robot can push itself."""
