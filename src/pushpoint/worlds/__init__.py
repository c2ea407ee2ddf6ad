"""A world, what is recorded of it, and the settings of a run."""
