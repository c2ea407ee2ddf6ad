"""Scenarios of our own."""
