"""A world and its run as text."""
