"""Experiments as data: published ones by name, one's own from files, and what the papers claim about them."""
