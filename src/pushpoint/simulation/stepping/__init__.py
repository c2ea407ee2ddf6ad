"""Worlds that are stepped from outside."""
