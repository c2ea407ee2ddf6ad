"""Paths through fields of pegs that can be travelled by pushing."""
