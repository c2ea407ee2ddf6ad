"""Worlds and their runs as text."""
