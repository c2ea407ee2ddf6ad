"""Scenarios: published experiments by name, your own from files, and what the papers claim about them."""
