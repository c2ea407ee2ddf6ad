"""Policies of neural networks: what they see of a measurement, what they command, and their weights, in NumPy."""
